//! The completion scripts of shells, built from the command line of the process.

use crate::cli;
use affinor_commands::{COMMANDS, Kind};
use clap_complete::{Shell, generate};

/// Returns the completion script of `shell`; `None` for an unsupported shell.
pub fn completions(shell: &str) -> Option<String> {
    let shell: Shell = shell.parse().ok()?;
    // A zsh script would take the first word as a file, and the second as the command. Instead, files are offered together
    // with the commands.
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

/// Returns, for fish, the possible words of the first argument of each command, which clap's script omits.
fn first_words() -> String {
    let mut lines = String::new();
    for command in COMMANDS.iter() {
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
