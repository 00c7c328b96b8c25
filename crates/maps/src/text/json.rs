//! JSON for numbers, intervals and maps, and positions of errors in a line of JSON.
//!
//! An interval is `[lo, hi]`, with `null` for an infinite end; a map is its text.

use super::print_maps::print_map;
use super::{Error, ErrorKind, Style};
use crate::expr::IndexingMap;
use crate::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use serde::de::{Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use std::collections::BTreeSet;
use std::fmt;

impl Serialize for Interval {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let lo = (self.lo() != MINUS_INFINITY).then_some(self.lo());
        let hi = (self.hi() != PLUS_INFINITY).then_some(self.hi());
        [lo, hi].serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Interval {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Interval, D::Error> {
        let [lo, hi]: [Option<i64>; 2] = Deserialize::deserialize(deserializer)?;
        let (lo, hi) = (lo.unwrap_or(MINUS_INFINITY), hi.unwrap_or(PLUS_INFINITY));
        Ok(Interval::new(lo, hi))
    }
}

impl Serialize for IndexingMap {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&print_map(self, Style::Plain))
    }
}

impl<'de> Deserialize<'de> for IndexingMap {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<IndexingMap, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}

/// A number, serialized as a string if it exceeds 64 bits.
pub struct Wide(pub u128);

impl Serialize for Wide {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match u64::try_from(self.0) {
            Ok(number) => serializer.serialize_u64(number),
            Err(_) => serializer.collect_str(&self.0),
        }
    }
}

/// [`Wide`], for `serialize_with`.
pub fn wide<S: Serializer>(number: &u128, serializer: S) -> Result<S::Ok, S::Error> {
    Wide(*number).serialize(serializer)
}

/// An object as written: each name with the text of its value, in order; a name may occur twice.
pub struct Entries<'a>(pub Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Entries<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Entries<'a>, D::Error> {
        struct Listing;
        impl<'de> Visitor<'de> for Listing {
            type Value = Vec<(String, &'de RawValue)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut list = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    list.push(entry);
                }
                Ok(list)
            }
        }
        deserializer.deserialize_map(Listing).map(Entries)
    }
}

/// Creates the error for invalid JSON.
pub fn not_json(error: &serde_json::Error, line: &str) -> Error {
    let column = error.column().saturating_sub(1).min(line.len());
    let text = error.to_string();
    let message = text.split(" at line ").next().unwrap_or_default();
    Error::new(
        ErrorKind::Encoding,
        column..(column + 1).min(line.len()).max(column),
        format!("unexpected JSON: {message}"),
    )
}

/// Checks that no object in `line` has a duplicate key, as a reader would silently choose one of the values.
///
/// # Errors
/// An error at the second key, or if the line is not JSON.
pub fn check_keys(line: &str) -> Result<(), Error> {
    let checked: Result<Unique, _> = serde_json::from_str(line);
    checked.map(drop).map_err(|error| not_json(&error, line))
}

/// Any JSON whose keys are unique.
struct Unique;

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Unique, D::Error> {
        deserializer.deserialize_any(Unique)
    }
}

impl<'de> Visitor<'de> for Unique {
    type Value = Unique;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Unique, A::Error> {
        let mut seen = BTreeSet::new();
        while let Some(key) = map.next_key::<String>()? {
            if seen.contains(&key) {
                return Err(A::Error::custom(format!("the key `{key}` is there twice")));
            }
            map.next_value::<Unique>()?;
            seen.insert(key);
        }
        Ok(Unique)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Unique, A::Error> {
        while list.next_element::<Unique>()?.is_some() {}
        Ok(Unique)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_str<E>(self, _: &str) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_unit<E>(self) -> Result<Unique, E> {
        Ok(Unique)
    }
}

/// Decodes the string `raw`, a part of `line`.
pub fn string(line: &str, raw: &RawValue) -> Result<String, Error> {
    serde_json::from_str(raw.get()).map_err(|_| {
        let start = offset(line, raw);
        let span = start..start + raw.get().len();
        Error::new(ErrorKind::Encoding, span, "expected a string")
    })
}

/// Returns the offset of `raw`, which is borrowed from `line`.
pub fn offset(line: &str, raw: &RawValue) -> usize {
    let start = raw.get().as_ptr() as usize - line.as_ptr() as usize;
    start.min(line.len())
}

/// Maps an error in the decoded string `raw` to its position in the line.
pub fn in_line(error: Error, line: &str, raw: &RawValue) -> Error {
    let start = offset(line, raw);
    let moved = error.span.clone().map(|span| {
        let [from, to] = [span.start, span.end].map(|at| start + escaped_offset(raw.get(), at));
        from..to
    });
    Error { span: moved, ..error }
}

/// Returns the offset in the JSON string `literal`, quotes included, of byte `at` of its value.
fn escaped_offset(literal: &str, at: usize) -> usize {
    let mut value = 0;
    let mut position = 1; // after the quote
    while value < at && position < literal.len() {
        let rest = &literal[position..];
        let (written, meant) = if rest.starts_with("\\u") {
            let code = rest.get(2..6).and_then(|hex| u32::from_str_radix(hex, 16).ok());
            match code {
                // The first half of a surrogate pair: two escapes, one character of four bytes.
                Some(0xd800..=0xdbff) => (12, 4),
                Some(code) => (6, char::from_u32(code).map_or(3, char::len_utf8)),
                None => (6, 1),
            }
        } else if rest.starts_with('\\') {
            (2, 1)
        } else {
            let length = rest.chars().next().map_or(1, char::len_utf8);
            (length, length)
        };
        value += meant;
        position += written;
    }
    position.min(literal.len())
}

#[cfg(test)]
mod tests {
    use super::escaped_offset;

    #[test]
    fn positions_in_a_string_are_found_behind_its_escapes() {
        let literal = r#""a\"\u00fc\ud83d\ude00b""#; // the value is a"ü😀b
        for (at, written) in [(0, 1), (1, 2), (2, 4), (4, 10), (8, 22), (9, 23), (99, 24)] {
            assert_eq!(escaped_offset(literal, at), written, "{at}");
        }
    }
}
