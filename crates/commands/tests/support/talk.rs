//! A session for typing lines as at the prompt.

use super::memory::Memory;
use affinor::text::ErrorKind;
use affinor_commands::{Session, Status};

#[derive(Default)]
pub struct Talk {
    pub session: Session,
    pub host: Memory,
}

impl Talk {
    /// Returns all answers to a command, joined by line breaks.
    #[track_caller]
    pub fn say(&mut self, line: &str) -> String {
        self.ask(line).1
    }

    #[track_caller]
    pub fn ask(&mut self, line: &str) -> (Status, String) {
        self.host.outputs.clear();
        let result = self.session.run(line, &mut self.host);
        let status = result.unwrap_or_else(|failure| panic!("{line}: {failure:?}"));
        let texts = self.host.outputs.iter().map(|output| output.text.to_string());
        (status, texts.collect::<Vec<_>>().join("\n"))
    }

    /// Returns the first answer to a command as a JSON object.
    #[track_caller]
    pub fn object(&mut self, line: &str) -> serde_json::Value {
        self.say(line);
        let first = self.host.outputs.first();
        let json = first.and_then(|output| output.json.clone());
        json.unwrap_or_else(|| panic!("{line}: no object")).into()
    }

    #[track_caller]
    pub fn fails(&mut self, line: &str) -> ErrorKind {
        match self.session.run(line, &mut self.host) {
            Ok(status) => panic!("{line}: {status:?}"),
            Err(failure) => failure.error.kind,
        }
    }

    /// Returns how often a rule was used, according to `rules list`.
    #[track_caller]
    pub fn used(&mut self, rule: &str) -> u64 {
        let json = self.object(&format!("rules list {rule}"));
        json["used"].as_u64().expect("a count")
    }
}
