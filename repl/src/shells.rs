//! The completion scripts of shells, made from the process's command line.

use crate::cli;
use affinor_commands::{COMMANDS, Kind};
use clap_complete::{Shell, generate};

/// The completion script of `shell`, if it is one that has them.
pub fn completions(shell: &str) -> Option<String> {
    let shell: Shell = shell.parse().ok()?;
    // A script for zsh takes the first word for a file, the second for the command. Files are offered beside the
    // commands instead.
    let mut program = match shell {
        Shell::Zsh => cli::without_files(),
        _ => cli::program(),
    };
    let mut script = Vec::new();
    generate(shell, &mut program, "affinor", &mut script);
    let script = String::from_utf8(script).ok()?;
    Some(match shell {
        Shell::Zsh => script
            .replace(
                "\":: :_affinor_commands\"",
                "'::command or file:{ _affinor_commands; _files }'",
            )
            .replace("'*::argument", "'*:argument"), // options may follow
        Shell::Fish => script + &first_words(),
        _ => script,
    })
}

/// For fish: the words that the first argument of a command may be, which its script leaves out.
fn first_words() -> String {
    let mut lines = String::new();
    for command in COMMANDS {
        if let Some(Kind::Word(words)) = command.parameters.first().map(|first| first.kind) {
            let (name, words) = (command.name, words.join(" "));
            lines += &format!(
                "complete -c affinor -n \"__fish_affinor_using_subcommand {name}; \
                 and not __fish_seen_subcommand_from {words}\" -f -a \"{words}\"\n"
            );
        }
    }
    lines
}
