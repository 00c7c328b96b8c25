//! Help topics other than commands.

use super::output::{Object, Output, Role, Text};
use super::table::Commands;

/// A help topic.
pub struct Topic {
    /// The word after `help`.
    pub name: &'static str,
    text: &'static str,
}

/// All topics.
pub const TOPICS: &[Topic] = &[
    Topic {
        name: "maps",
        text: "\
An index map says which element is read for each element of an output:
  (d0, d1)[s0]{rt0} -> (d0 * 8 + s0, d1 floordiv 2 + rt0), domain: d0 in [0, 3], d1 in [0, 9], s0 in [0, 7], rt0 in [0, 2]
(..)     dimensions: the indices of the output; any names will do
[..]     range variables: for each point of the dimensions, all their values are read
{..}     runtime variables: values that are known only when the program runs
domain   bounds for every variable in order, both ends included; then constraints such as d0 + s0 in [0, 9]
Expressions have + - * and floordiv, ceildiv, mod by positive integers, min(a, b), max(a, b). Division rounds down, and
x mod c lies in [0, c), also for negative x. / and // are read as floordiv, % as mod, 8d0 as 8 * d0.
affine_map<(d0) -> (d0)> is a map without bounds; isl's [n] -> { [i] -> [i] : 0 <= i < n } is read, too.
# begins a comment. A newline ends a command unless a bracket or an operator is open; below a `rule`,
indented lines go on with it.",
    },
    Topic {
        name: "code",
        text: include_str!("../docs/code.md"),
    },
    Topic {
        name: "answers",
        text: "\
_        the map of the last answer
_1, _2   the answers that were maps, in order; at the prompt each is shown with its number
let      gives a map a name: let a = _2, or let c = compose a ; b
show     lists the names
undo     takes back the last command that changed something, `reset` forgets everything, `save FILE` keeps it
proved means for all points, refuted comes with a point that shows it, unknown says why. `help words` explains other words.",
    },
    Topic {
        name: "words",
        text: "\
proved       true at all points, over the integers    refuted  false at the point that is shown
unknown      neither was found, for the reason given; never a guess
exact        just the elements that are read, not one more
at most      a bound: all that is read is in it, but perhaps not all of it is read; the reason follows
a cover      a tile that holds all that is read, and perhaps more
tight        both ends of an interval are reached     step     only every so many elements are meant
basis        what an answer rests on: proved or exact (for all), counted (each was looked at),
             sampled (only some were, and it is about these), cover (it is a bound)
certificate  the steps from a map to its simplified form; `replay` checks them without the simplifier
fires        a rule fires where its left side is found and its conditions are established
left         what no rule made smaller; `why` says at which point a condition fails
effort, steps   how far the search for a smaller form goes; one that stopped early is right all the same
complete     the search was not stopped               tally    how often each rule fired
utilisation  the share of an operand that is read     reread   how often an element is read again
request      one access by all lanes of a warp        sector   32 bytes, the unit of a transaction
wavefronts   the passes that shared memory takes; a request with n of them has an n-way bank conflict,
             and n - 1 conflicts
runtime      known only when the program runs: rt0 in {..} parameter  a size that is a name: n in <..>",
    },
    Topic {
        name: "keys",
        text: "\
Tab               completes commands, options, names, rules, settings and files, and behind a module the names in it
Right arrow       takes over the rest of the word that is shown faintly
Enter             runs the command, or goes on with it while a bracket is open; on an empty line it runs it all the same
Up, Ctrl-R        earlier commands, those of earlier sessions too; a command of several lines is one item
Ctrl-C            stops the running command and keeps the session; drops the line that is being typed
Esc               drops a command of several lines
Ctrl-D            leaves
-- more --        a long answer stops after a screenful: Space shows the next one, Enter the next line, q no more of it
A command may begin with `:` as in other prompts. What is pasted may go over several lines.",
    },
    Topic {
        name: "scripts",
        text: "\
affinor FILE            runs the commands of a file, as they are typed; stops at the first error unless --keep-going
affinor -e COMMAND ..   runs commands that are given as arguments, in one session
affinor COMMAND ..      runs one command; maps are quoted: affinor eval '(d0) -> (d0 * 2), domain: d0 in [0, 9]' 3;
                        two maps may be one text with `;` between, as at the prompt: affinor equal 'A ; B'
COMMAND > FILE          writes the answer to a file, >> adds it at the end. Where `>` may compare and `>>` shift, the file
                        is in quotes, begins with /, ./ or ../, or ends like a text file: prove x > y > ./out, show > a.txt
--json                  answers in JSON, one object a line; --trees: with each map as a tree too.
                        At the prompt --json, --trees, --ascii and --style STYLE stand in a line, for its answer: range a --json
OPTIONS                 are the words that begin with `--`, in front of a text or behind it; `- -x` is a double negation
Exit status: 0 done and nothing refuted, 1 an input was wrong or something was refuted, 2 usage, 3 something is unknown.
`save FILE` writes a script that reproduces the session, `run FILE` runs one in this session.",
    },
    Topic {
        name: "examples",
        text: "",
    },
];

/// Returns the topic called `name`.
pub fn topic(name: &str) -> Option<&'static Topic> {
    TOPICS.iter().find(|topic| topic.name == name)
}

impl Topic {
    /// Returns the text of the topic, without Markdown syntax.
    pub fn page(&self) -> String {
        match self.text.starts_with("# ") {
            true => plain(self.text),
            false => self.text.to_owned(),
        }
    }

    /// Returns the text of the topic; for `examples`, one line for each command.
    #[must_use]
    pub fn output(&self, commands: Commands) -> Output {
        let mut text = Text::new();
        if self.name == "examples" {
            for line in commands.iter().filter_map(|command| command.example.last()) {
                text.new_line();
                text.push(Role::Formula, *line);
            }
        } else {
            text.push(Role::Prose, self.page());
        }
        let json = Object::new().with("topic", self.name).with("text", text.to_string());
        Output::new(text, json)
    }
}

/// Returns a page of the documentation without Markdown syntax. Text between fences is unchanged.
fn plain(page: &str) -> String {
    let mut is_fenced = false;
    let mut text = Vec::new();
    for line in page.trim_end().lines() {
        if line.starts_with("```") {
            is_fenced = !is_fenced;
        } else if is_fenced {
            text.push(format!("  {line}"));
        } else {
            text.push(line.trim_start_matches(['#', ' ']).replace('`', ""));
        }
    }
    text.join("\n")
}
