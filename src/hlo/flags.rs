//! Accessors for attributes that are one word, number, list or boolean.
//!
//! Each returns an error of kind `hlo` that points at the attribute if it is of another form.

use super::attribute::{Attribute, AttributeValue};
use super::module::Instruction;
use crate::text::Error;

impl Instruction {
    /// A truth value, as `unique_indices=true`; `default` when it is missing.
    ///
    /// # Errors
    /// When it is neither `true` nor `false`.
    pub fn flag(&self, name: &str, default: bool) -> Result<bool, Error> {
        self.optional(name, "`true` or `false`", |value| match value {
            AttributeValue::Boolean(value) => Some(*value),
            _ => None,
        })
        .map(|value| value.unwrap_or(default))
    }

    /// A word, as `fft_type=RFFT`; `None` when it is missing.
    ///
    /// # Errors
    /// When it is not a word.
    pub fn word(&self, name: &str) -> Result<Option<&str>, Error> {
        self.optional(name, "a word", |value| match value {
            AttributeValue::Word(word) => Some(&**word),
            _ => None,
        })
    }

    /// An integer, as `k=5`; `None` when it is missing.
    ///
    /// # Errors
    /// When it is not an integer.
    pub fn number(&self, name: &str) -> Result<Option<i64>, Error> {
        self.optional(name, "an integer", |value| match value {
            AttributeValue::Integer(value) => Some(*value),
            _ => None,
        })
    }

    /// Integers, as `fft_length={8}`; `None` when the attribute is missing.
    ///
    /// # Errors
    /// When it is not a list of integers.
    pub fn numbers(&self, name: &str) -> Result<Option<&[i64]>, Error> {
        self.optional(name, "integers such as `{0,1}`", |value| match value {
            AttributeValue::Integers(values) => Some(values.as_slice()),
            _ => None,
        })
    }

    /// Returns the number of devices per group of `replica_groups`; `None` if unspecified or not uniform.
    #[must_use]
    pub fn replica_group_size(&self) -> Option<i64> {
        let size = match self.attributes().get("replica_groups")?.value() {
            AttributeValue::Groups(groups) => {
                let (first, rest) = groups.split_first()?;
                let same = rest.iter().all(|group| group.len() == first.len());
                same.then(|| i64::try_from(first.len()).ok()).flatten()
            }
            AttributeValue::IotaGroups(groups) => match groups.dimensions[..] {
                [_, size] => Some(size),
                _ => None,
            },
            _ => None,
        };
        size.filter(|size| *size >= 1)
    }

    fn optional<'a, T>(
        &'a self,
        name: &str,
        what: &str,
        read: impl Fn(&'a AttributeValue) -> Option<T>,
    ) -> Result<Option<T>, Error> {
        let Some(attribute) = self.attributes().get(name) else {
            return Ok(None);
        };
        let expected =
            |attribute: &Attribute| attribute.error(format!("expected {what} in `{name}`"));
        match read(attribute.value()) {
            Some(value) => Ok(Some(value)),
            None => Err(expected(attribute)),
        }
    }
}
