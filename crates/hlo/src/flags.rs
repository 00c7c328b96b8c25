//! Accessors for attributes that are one word, number, list or boolean.
//!
//! Each returns an error of kind `hlo` that points at the attribute if it is of another form.

use super::access::{expected, integer, integers};
use super::attribute::AttributeValue;
use super::device_groups::DeviceIds;
use super::module::Instruction;
use affinor_maps::text::Error;

impl Instruction {
    /// Returns a truth value, as `unique_indices=true`; `default` when it is missing.
    ///
    /// # Errors
    /// When it is neither `true` nor `false`.
    pub fn flag(&self, name: &str, default: bool) -> Result<bool, Error> {
        let Some(attribute) = self.attributes().get(name) else {
            return Ok(default);
        };
        match attribute.value() {
            AttributeValue::Boolean(value) => Ok(*value),
            _ => Err(expected(attribute, "`true` or `false`")),
        }
    }

    /// Returns a word, as `fft_type=RFFT`; `None` when it is missing.
    ///
    /// # Errors
    /// When it is not a word.
    pub fn word(&self, name: &str) -> Result<Option<&str>, Error> {
        let Some(attribute) = self.attributes().get(name) else {
            return Ok(None);
        };
        match attribute.value() {
            AttributeValue::Word(word) => Ok(Some(word)),
            _ => Err(expected(attribute, "a word")),
        }
    }

    /// Returns an integer, as `k=5`; `None` when it is missing.
    ///
    /// # Errors
    /// When it is not an integer.
    pub fn number(&self, name: &str) -> Result<Option<i64>, Error> {
        self.attributes().get(name).map(integer).transpose()
    }

    /// Integers, as `fft_length={8}`; `None` when the attribute is missing.
    ///
    /// # Errors
    /// When it is not a list of integers.
    pub fn numbers(&self, name: &str) -> Result<Option<&[i64]>, Error> {
        self.attributes().get(name).map(integers).transpose()
    }

    /// Returns the number of devices per group of `replica_groups`; `None` if unspecified or not uniform, or if all
    /// partitions of the replicas in a group take part.
    #[must_use]
    pub fn replica_group_size(&self) -> Option<i64> {
        if self.device_ids() == Ok(DeviceIds::ReplicasOfEveryPartition) {
            return None;
        }
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
            AttributeValue::MeshGroups(groups) => Some(groups.group_size),
            _ => None,
        };
        size.filter(|size| *size >= 1)
    }
}
