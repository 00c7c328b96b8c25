//! The effects of a shell on a command: a text split into words, and parts that were removed from it.
//!
//! A shell splits texts at spaces, takes `>` as a redirection and `;` as the end of the command, and expands `*` and `{1,0}`.
//! If all words of a text are present, they are joined and parsed as at the prompt. Otherwise, the hint shows the text to
//! quote.

use affinor::text::{Error, ErrorKind};
use affinor_commands::{
    Argument, Arguments, COMMANDS, Class, Command, Failure, Kind, MAX_COMMAND_BYTES, file_error,
    not_utf8, read_all, split, too_large,
};
use std::io::IsTerminal;

/// Checks whether the command takes texts: maps, expressions, ops or shapes.
pub fn takes_text(command: &Command) -> bool {
    let mut parameters = command.parameters.iter();
    parameters.any(|parameter| {
        let kind = parameter.kind;
        matches!(kind, Kind::Map | Kind::Op | Kind::Shape(_) | Kind::Rest | Kind::Inner)
    })
}

/// The options of one letter that the program has after a command.
const LETTERS: [&str; 3] = ["-h", "-q", "-V"];

/// Returns whether a word of the command line that begins with a minus is a text. An arrow is a text. If the command
/// `takes_text`, so is every word that is not an option: `--name` or a letter of the program. A word with spaces before any `=`
/// is a text that contains an option.
pub fn is_text(word: &str, takes_text: bool) -> bool {
    let name = word.strip_prefix("--");
    let is_name = name.is_some_and(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()));
    let head = word.split('=').next().unwrap_or(word);
    let is_option = is_name && !head.contains(char::is_whitespace);
    let is_mark = matches!(word, "-" | "--") || LETTERS.contains(&word);
    word.starts_with("->") || takes_text && word.starts_with('-') && !is_option && !is_mark
}

/// Returns the command as a line of the prompt, if its words are parts of a text, or a word contains several arguments.
pub fn line(
    command: &Command,
    words: &[String],
    options: &[(&'static str, Option<Argument>)],
) -> Option<String> {
    let first = words.first()?;
    if !takes_text(command) || (command.reads_module(first) && !command.takes_rest()) {
        return None;
    }
    let has_separator = |word: &String| split(word, 0..word.len(), Class::Semicolon).len() > 1;
    let is_more = command.most_arguments(first).is_some_and(|most| words.len() > most);
    let is_parts = command.parameters.len() == 1 || is_bare(words);
    let is_several = |word: &String| {
        let cut = Arguments::from_line(COMMANDS, command, word, 0);
        cut.map_or(true, |cut| cut.positional.len() > 1)
    };
    let is_one = words.len() == 1 && command.parameters.len() > 1 && is_several(first);
    if !(command.takes_rest() || (is_more && is_parts) || is_one || words.iter().any(has_separator))
    {
        return None;
    }
    let mut line = command.name.to_owned();
    // Options precede the text: if a command takes the rest of the line, they come first.
    for (name, value) in options {
        line += &match value.as_ref().map(|value| value.text.as_str()) {
            None => format!(" --{name}"),
            Some(value) if value.contains(['"', '\n']) => return None,
            Some(value) => format!(" --{name} \"{value}\""),
        };
    }
    Some(line + " " + &words.join(" "))
}

/// Returns an error if the end of the text is missing, because the shell took `->` as a `-` and a redirection.
pub fn cut_off(command: &Command, words: &[String]) -> Option<Error> {
    let is_op = command.parameters.iter().any(|p| p.kind == Kind::Op);
    let last = words.len().checked_sub(1)?;
    let is_arrow = |at: usize| at > 0 && words[at] == "-" && (at == last || is_op);
    if !takes_text(command) || !(0..words.len()).any(is_arrow) {
        return None;
    }
    let message = "the shell took the `>` of `->` for a redirection";
    let name = output_file();
    let made = match &name {
        Some(name) => format!("; remove the file `{name}`, which the shell has made"),
        None => "; the shell may have created a file named like the next word".to_owned(),
    };
    let hint = format!("put the text in single quotes: affinor {} '..'{made}", command.name);
    Some(Error::without_span(ErrorKind::Usage, message).hint(hint))
}

/// Reads the text that `-` stands for.
///
/// # Errors
/// Those of standard input, and a text that is not UTF-8, or larger than a command may be.
pub fn from_input() -> Result<String, Error> {
    let read = read_all(std::io::stdin()).map_err(|error| file_error("-", &error))?;
    let bytes = read.filter(|bytes| bytes.len() <= MAX_COMMAND_BYTES).ok_or_else(too_large)?;
    let text =
        String::from_utf8(bytes).map_err(|error| not_utf8(error.utf8_error().valid_up_to()))?;
    Ok(text.trim_end().to_owned())
}

/// Adds a hint to quote the text, if the shell may have changed it.
pub fn advised(failure: Failure, words: &[String]) -> Failure {
    use ErrorKind::{File, Interrupted, TooLarge};
    let output = output_file();
    let is_cut = words.len() > 1 || output.is_some();
    let is_other = matches!(failure.error.kind, File | Interrupted | TooLarge);
    if words.is_empty() || !is_bare(words) || !is_cut || is_other {
        return failure;
    }
    let mut advice = "put the text in single quotes, or the shell changes `*`, `<`, `>`, `&`, `;`, `()` and `{}` in it"
        .to_owned();
    if let Some(name) = output {
        advice += &format!(": the answer goes to the file `{name}`");
    }
    let hint = match &failure.error.hint {
        Some(hint) => format!("{hint}; {advice}"),
        None => advice,
    };
    failure.hint(hint)
}

/// Checks whether the words may be unquoted.
fn is_bare(words: &[String]) -> bool {
    words.iter().all(|word| !word.contains(char::is_whitespace))
}

/// Returns the name of the file to which standard output is redirected, if the system reports it.
fn output_file() -> Option<String> {
    if std::io::stdout().is_terminal() {
        return None;
    }
    let path = std::fs::read_link("/proc/self/fd/1").ok()?;
    let is_file = std::fs::metadata(&path).is_ok_and(|data| data.is_file());
    let name = path.file_name()?.to_str()?;
    is_file.then(|| name.to_owned())
}
