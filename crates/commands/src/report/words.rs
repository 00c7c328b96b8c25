//! The texts of a page, each stored once: maps, shapes and reasons repeat.

use serde::Serialize;
use std::collections::BTreeMap;

/// The maximal number of characters of a text.
const MOST: usize = 3000;

/// The number of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(transparent)]
pub struct Word(usize);

/// The texts, in the order of their numbers.
#[derive(Default, Debug)]
pub struct Words {
    texts: Vec<String>,
    numbers: BTreeMap<String, Word>,
}

impl Words {
    /// Returns the number of `text`. A very long text is truncated, with a note.
    pub fn add(&mut self, text: &str) -> Word {
        let cut = text.char_indices().nth(MOST).map(|(end, _)| {
            let more = text[end..].chars().count();
            format!("{}… ({more} more characters)", &text[..end])
        });
        let text = cut.as_deref().unwrap_or(text);
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = Word(self.texts.len());
        self.texts.push(text.to_owned());
        self.numbers.insert(text.to_owned(), number);
        number
    }

    /// Returns a number for each line.
    pub fn lines<'t>(&mut self, lines: impl IntoIterator<Item = &'t str>) -> Vec<Word> {
        lines.into_iter().map(|line| self.add(line)).collect()
    }
}

impl Serialize for Words {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.texts.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_are_stored_once_and_long_ones_cut() {
        let mut words = Words::default();
        let first = words.add("one");
        assert_ne!(first, words.add("two"));
        assert_eq!(first, words.add("one"));
        words.add(&"é".repeat(MOST));
        words.add(&"é".repeat(MOST + 7));
        let json = serde_json::to_value(&words).unwrap_or_default();
        assert_eq!(json[0], "one");
        assert_eq!(json[2], "é".repeat(MOST));
        assert_eq!(json[3], "é".repeat(MOST) + "… (7 more characters)");
    }
}
