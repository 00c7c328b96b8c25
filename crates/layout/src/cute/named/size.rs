//! A product of a number and names.

use std::collections::BTreeMap;
use std::fmt;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Size {
    factor: i64,
    /// Sorted; each as often as it is a factor. Empty if the number is 0.
    names: Vec<String>,
}

impl Size {
    pub(super) fn number(factor: i64) -> Size {
        Size { factor, names: Vec::new() }
    }

    pub(super) fn name(name: &str) -> Size {
        Size { factor: 1, names: vec![name.to_owned()] }
    }

    pub(super) fn is_one(&self) -> bool {
        *self == Size::number(1)
    }

    pub(super) fn is_zero(&self) -> bool {
        self.factor == 0
    }

    pub(super) fn is_negative(&self) -> bool {
        self.factor < 0
    }

    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// The product, unless its number does not fit.
    pub(super) fn times(&self, other: &Size) -> Option<Size> {
        let factor = self.factor.checked_mul(other.factor)?;
        let mut names = Vec::new();
        if factor != 0 {
            names = [&*self.names, &*other.names].concat();
            names.sort();
        }
        Some(Size { factor, names })
    }

    /// The product with these values for names, unless its number does not fit.
    pub(super) fn with_values(&self, values: &BTreeMap<String, i64>) -> Option<Size> {
        let mut factors = self.names.iter().map(|name| match values.get(name) {
            Some(value) => Size::number(*value),
            None => Size::name(name),
        });
        factors.try_fold(Size::number(self.factor), |all, one| all.times(&one))
    }

    /// The quotient, if `divisor` divides it for all values of the names. Both are at least 1.
    pub(super) fn over(&self, divisor: &Size) -> Option<Size> {
        if divisor.factor < 1 || self.factor % divisor.factor != 0 {
            return None;
        }
        let mut names = self.names.clone();
        for name in &divisor.names {
            let at = names.iter().position(|own| own == name)?;
            names.remove(at);
        }
        Some(Size { factor: self.factor / divisor.factor, names })
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut factors: Vec<String> = Vec::new();
        if self.factor != 1 || self.names.is_empty() {
            factors.push(self.factor.to_string());
        }
        factors.extend(self.names.iter().cloned());
        f.write_str(&factors.join("*"))
    }
}
