//! `COMMAND > FILE` writes the answer to a file; `COMMAND >> FILE` appends it.
//!
//! Law: a word that may belong to the statement belongs to it. `>` compares and `>>` shifts, so after a command that takes
//! maps, code or statements only a word that cannot be an operand is a file: a path in quotes, one that begins with `/`, `./`
//! or `../`, and a name with the extension of a text file. Other commands take no `>`, and any path is a file.

use super::bare::is_no_argument;
use super::failure::{Failure, Place};
use super::host::Host;
use super::lines::not_written;
use super::output::{Object, Output, Role, Status, Text};
use super::relay::Relay;
use super::session::Session;
use super::table::{Commands, Kind};
use super::token::{Class, Pieces, without};
use super::words::count;
use affinor::text::Span;
use affinor_emit::Language;

/// Extensions of files for answers, besides those of the languages of `emit`. No variable of code ends like them.
const ENDINGS: &[&str] =
    &["aff", "csv", "dot", "html", "json", "jsonl", "log", "md", "out", "svg", "text", "txt"];

/// The destination of the answer of a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Redirection {
    /// The offset of the end of the command.
    pub command: usize,
    /// The file.
    pub path: String,
    /// Whether the answer is appended to the file.
    pub appends: bool,
    /// The span of the path.
    span: Span,
}

impl Commands {
    /// Returns the destination of the answer of `text`, if it is not the screen.
    #[must_use]
    pub fn redirection(self, text: &str) -> Option<Redirection> {
        let file = end_of(text)?;
        let word = &text[file.span.clone()];
        let is_file = word.starts_with('"')
            || is_surely_path(word)
            || !self.takes_operand(&text[..file.command]);
        is_file.then_some(file)
    }

    /// Returns the hint for a line that fails, and that may end with the name of a file.
    #[must_use]
    pub(super) fn redirection_hint(text: &str) -> Option<String> {
        let file = end_of(text)?;
        let sign = if file.appends { ">>" } else { ">" };
        let path = file.path;
        Some(format!("to write the answer to a file, type `{sign} ./{path}`"))
    }

    /// Checks whether `> x` may belong to this command.
    fn takes_operand(self, command: &str) -> bool {
        let Ok((found, end)) = self.find(command) else {
            return true;
        };
        let mut parameters = found.parameters.iter();
        let takes_text = parameters.any(|parameter| {
            matches!(parameter.kind, Kind::Map | Kind::Op | Kind::Rest | Kind::Inner)
        });
        // The name of a command alone may be the name of a variable.
        takes_text || command[end..].trim().is_empty() || is_no_argument(&command[end..])
    }

    /// Runs the command of a line, and writes its answer to the file. If the command fails, the file is unchanged.
    ///
    /// # Errors
    /// The errors of the command, and a file that cannot be written.
    pub(super) fn run_into(
        self,
        file: &Redirection,
        session: &mut Session,
        text: &str,
        host: &mut dyn Host,
    ) -> Result<Status, Failure> {
        let mut written = String::new();
        let mut relay = Relay {
            host: &mut *host,
            answer: |host: &mut dyn Host, output: Output| written += &host.written(output),
        };
        let status = self.run(session, &text[..file.command], &mut relay)?;
        let result = match file.appends {
            true => host.append(&file.path, &written),
            false => host.write(&file.path, written.as_bytes()),
        };
        result.map_err(|error| {
            let mut error = not_written(&file.path, &error);
            error.span = Some(file.span.clone());
            Failure::new(error, Place::Command)
        })?;
        let (path, lines) = (&file.path, written.lines().count());
        let said = format!("wrote {} to {path}", count(lines, "line"));
        let json = Object::new().with("wrote", path).with("lines", lines);
        host.emit(Output::new(Text::of(Role::Faint, said), json).echo());
        Ok(status)
    }
}

/// Returns any `> PATH` at the end of a line.
fn end_of(text: &str) -> Option<Redirection> {
    let visible = without(text, |class| class == Class::Comment);
    let visible = visible.trim_end();
    let (span, is_quoted) = last_word(visible)?;
    let before = visible[..span.start].trim_end_matches([' ', '\t']);
    let (command, appends) = match before.strip_suffix(">>") {
        Some(command) => (command, true),
        None => (before.strip_suffix('>')?, false),
    };
    let word = &visible[span.clone()];
    let path = word.trim_matches('"').to_owned();
    let is_path = !path.is_empty() && (is_quoted || path.chars().all(is_of_path));
    let is_apart = command.ends_with(char::is_whitespace) && !command.trim().is_empty();
    let command = command.len();
    let is_outside =
        || Pieces::new(text).any(|piece| piece.span.start == command && piece.is_outside());
    (is_path && is_apart && is_outside()).then_some(Redirection { command, path, appends, span })
}

/// Returns the last word of a line, which may be attached to `>`, and whether it is quoted.
fn last_word(line: &str) -> Option<(Span, bool)> {
    if let Some(before) = line.strip_suffix('"') {
        let start = before.rfind(['"', '\n'])?;
        return Some((start..line.len(), before[start..].starts_with('"')));
    }
    let start = line.rfind(|c: char| c.is_whitespace() || c == '>')? + 1;
    Some((start..line.len(), false))
}

fn is_of_path(letter: char) -> bool {
    letter.is_alphanumeric() || "/._-+@:%~".contains(letter)
}

/// Checks whether this is a path, and cannot be an operand of code.
fn is_surely_path(word: &str) -> bool {
    let begins = ["/", "./", "../"].iter().any(|start| word.starts_with(start));
    let ending = word.rsplit_once('.').filter(|(stem, _)| !stem.is_empty());
    let ends = ending.is_some_and(|(_, ending)| is_of_answers(ending));
    (begins && word.len() > 1) || ends
}

/// Checks whether this is the extension of a file for answers.
fn is_of_answers(ending: &str) -> bool {
    ENDINGS.contains(&ending) || Language::ALL.iter().any(|language| language.ending() == ending)
}

#[cfg(test)]
mod tests {
    use crate::COMMANDS;

    /// Checks the command and the file, which is preceded by `>>` if the answer is appended.
    #[track_caller]
    fn check(line: &str, command: &str, file: &str) {
        let found = COMMANDS.redirection(line).expect(line);
        let written = format!("{}{}", if found.appends { ">>" } else { "" }, found.path);
        assert_eq!((&line[..found.command], written.as_str()), (command, file));
    }

    /// Checks that the `>` belongs to the statement.
    #[track_caller]
    fn check_none(line: &str) {
        assert_eq!(COMMANDS.redirection(line), None, "{line}");
    }

    #[test]
    fn commands_that_take_no_comparison_write_to_any_path() {
        check("hlo m.hlo > maps", "hlo m.hlo ", "maps");
        check("hlo m.hlo >maps", "hlo m.hlo ", "maps");
        check("hlo m.hlo >> maps", "hlo m.hlo ", ">>maps");
        check("hlo m.hlo > a/b-c.d  # all", "hlo m.hlo ", "a/b-c.d");
        check("hlo m.hlo > \"my maps\"", "hlo m.hlo ", "my maps");
        check("rules list > rules", "rules list ", "rules");
        check("layout f32[3,5]{1,0:T(2,2)} > l", "layout f32[3,5]{1,0:T(2,2)} ", "l");
        check("help hlo > ../h", "help hlo ", "../h");
    }

    #[test]
    fn what_cannot_be_an_operand_is_a_file() {
        check("simplify a > out.txt", "simplify a ", "out.txt");
        check("a > out.txt", "a ", "out.txt");
        check("show > maps.aff", "show ", "maps.aff");
        check("prove x < x + 1 > ./p", "prove x < x + 1 ", "./p");
        check("prove x > y >> /var/p", "prove x > y ", ">>/var/p");
        check("i >> 2 > \"p\"", "i >> 2 ", "p");
        check("i >> 2 >> log.txt", "i >> 2 ", ">>log.txt");
        check("op reshape f32[6] -> f32[2,3] > r.txt", "op reshape f32[6] -> f32[2,3] ", "r.txt");
        check("(d0) -> (d0) > m.txt", "(d0) -> (d0) ", "m.txt");
        check("(d0,\n d1) -> (d0) > m.txt", "(d0,\n d1) -> (d0) ", "m.txt");
        check("time hlo m.hlo > m.txt", "time hlo m.hlo ", "m.txt");
    }

    #[test]
    fn what_may_be_an_operand_is_one() {
        check_none("prove x + 1 > x");
        check_none("x > y");
        check_none("x >= y.txt");
        check_none("x >=./p");
        check_none("i >> 2");
        check_none("i >> k");
        check_none("i > threadIdx.x");
        check_none("i > args.size");
        check_none("i > n/2");
        check_none("i > .5");
        check_none("i > out"); // write `> ./out`
        check_none("count > 3");
        check_none("help > help"); // write `> ./help`
        check_none("simplify i, domain: i in [0, 9] where i > k");
        check_none("{ [i] -> [i] : i > out.txt }");
        check_none("prove (x > out.txt)");
        check_none("op reshape f32[6] -> f32[2,3]");
        check_none("op reshape f32[6] ->out.txt");
        check_none("(d0) -> out.txt");
        check_none("hlo m.hlo # > out");
        check_none("hlo \"m > out\"");
        check_none("hlo m.hlo >");
        check_none("hlo m.hlo > \"\"");
        check_none("hlo m.hlo > a b");
        check_none("hlo m.hlo > {a}");
        check_none("hlo m.hlo>out");
        check_none("x >\nout.txt");
        check_none("> out.txt");
        check_none("");
    }
}
