//! Types of C: the words that name them, their values, and the types of operations.
//!
//! Law: `int` has 32 bits, `long` 64, `char` is signed, integers are in two's complement (C, 6.3.1: integer promotions and
//! the usual arithmetic conversions).

use affinor_maps::num::Interval;

/// A type of integers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Type {
    /// A mathematical integer: in Python, or for a name or number without a declared type. In C it is an `int`.
    Plain,
    /// 0 or 1.
    Bool,
    /// A signed type with this number of bits.
    Signed(u32),
    /// An unsigned type with this number of bits.
    Unsigned(u32),
}

/// Words that a type may begin with and that do not affect its values.
const QUALIFIERS: [&str; 10] = [
    "auto",
    "const",
    "constexpr",
    "static",
    "inline",
    "__device__",
    "__host__",
    "__global__",
    "__forceinline__",
    "register",
];

/// Words of integer types.
const WORDS: [(&str, Type); 27] = [
    ("int", Type::Signed(32)),
    ("unsigned", Type::Unsigned(32)),
    ("signed", Type::Signed(32)),
    ("long", Type::Signed(64)),
    ("short", Type::Signed(16)),
    ("char", Type::Signed(8)),
    ("bool", Type::Bool),
    ("size_t", Type::Unsigned(64)),
    ("ptrdiff_t", Type::Signed(64)),
    ("ssize_t", Type::Signed(64)),
    ("intptr_t", Type::Signed(64)),
    ("uintptr_t", Type::Unsigned(64)),
    ("int8_t", Type::Signed(8)),
    ("int16_t", Type::Signed(16)),
    ("int32_t", Type::Signed(32)),
    ("int64_t", Type::Signed(64)),
    ("uint8_t", Type::Unsigned(8)),
    ("uint16_t", Type::Unsigned(16)),
    ("uint32_t", Type::Unsigned(32)),
    ("uint64_t", Type::Unsigned(64)),
    ("uchar", Type::Unsigned(8)),
    ("ushort", Type::Unsigned(16)),
    ("uint", Type::Unsigned(32)),
    ("ulong", Type::Unsigned(64)),
    ("index_t", Type::Plain),
    ("_Bool", Type::Bool),
    ("IdxT", Type::Plain),
];

/// Returns whether the bounds were not given by the user: a side is open, or the upper end is that of a type.
#[must_use]
pub fn is_wide(bounds: Interval) -> bool {
    !bounds.is_bounded() || bounds.hi() >= i64::from(u32::MAX)
}

/// Returns whether this is a word of a type.
#[must_use]
pub fn is_type(word: &str) -> bool {
    let word = bare(word);
    QUALIFIERS.contains(&word) || WORDS.iter().any(|(name, _)| *name == word)
}

fn bare(word: &str) -> &str {
    word.strip_prefix("std::").unwrap_or(word)
}

impl Type {
    /// Returns the type that these words name together, such as `unsigned long long`. `auto` is the type of the value.
    #[must_use]
    pub fn of_words<'w>(words: impl Iterator<Item = &'w str>) -> Type {
        let (mut is_unsigned, mut found) = (false, None);
        for word in words.map(bare) {
            let own = WORDS.iter().find(|(name, _)| *name == word);
            match (word, own) {
                ("unsigned", _) => is_unsigned = true,
                // `long int`, `short int`
                ("int" | "signed", Some((_, own))) => found = found.or(Some(*own)),
                (_, Some((_, own))) => found = Some(*own),
                _ => {}
            }
        }
        match (is_unsigned, found) {
            (true, Some(Type::Signed(bits))) => Type::Unsigned(bits),
            (true, _) => Type::Unsigned(32),
            (false, found) => found.unwrap_or(Type::Plain),
        }
    }

    /// Returns the name of the conversion to this type, as a call in the tree.
    #[must_use]
    pub fn conversion(self) -> &'static str {
        CONVERSIONS.iter().find(|(_, own)| *own == self).map_or("(int)", |(name, _)| name)
    }

    /// Returns the name of the type.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.conversion().trim_matches(['(', ')'])
    }

    /// Returns the type that the call of this name converts to.
    #[must_use]
    pub fn of_conversion(name: &str) -> Option<Type> {
        let mut list = CONVERSIONS.iter();
        list.find(|(other, _)| *other == name).map(|(_, own)| *own)
    }

    /// Returns the values of the type.
    #[must_use]
    pub fn values(self) -> Interval {
        match self {
            Type::Bool => Interval::new(0, 1),
            Type::Signed(bits @ ..32) => Interval::new(-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            Type::Unsigned(bits @ ..63) => Interval::new(0, (1 << bits) - 1),
            Type::Unsigned(_) => Interval::at_least(0),
            // Names often have a wider type than the pasted code shows.
            Type::Plain | Type::Signed(_) => Interval::ALL,
        }
    }

    /// Returns the type of an operation on one value of this type.
    #[must_use]
    pub fn promoted(self) -> Type {
        match self {
            Type::Bool | Type::Signed(..32) | Type::Unsigned(..32) => Type::Plain,
            other => other,
        }
    }

    /// Returns the type of an operation on two values of these types.
    #[must_use]
    pub fn common(self, other: Type) -> Type {
        let (x, y) = (self.promoted(), other.promoted());
        let bits = |own: Type| match own {
            Type::Signed(bits) | Type::Unsigned(bits) => bits,
            Type::Plain | Type::Bool => 32,
        };
        let is_unsigned = |own: Type| matches!(own, Type::Unsigned(_));
        let wider = if bits(x) >= bits(y) { x } else { y };
        match (is_unsigned(x), is_unsigned(y)) {
            _ if bits(x) != bits(y) => wider,
            (true, _) => x,
            (_, true) => y,
            _ if x == Type::Plain => y,
            _ => x,
        }
    }
}

const CONVERSIONS: [(&str, Type); 10] = [
    ("(int)", Type::Plain),
    ("(bool)", Type::Bool),
    ("(int8_t)", Type::Signed(8)),
    ("(int16_t)", Type::Signed(16)),
    ("(int32_t)", Type::Signed(32)),
    ("(int64_t)", Type::Signed(64)),
    ("(uint8_t)", Type::Unsigned(8)),
    ("(uint16_t)", Type::Unsigned(16)),
    ("(uint32_t)", Type::Unsigned(32)),
    ("(uint64_t)", Type::Unsigned(64)),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_name_types() {
        for (words, expected) in [
            ("int", Type::Signed(32)),
            ("unsigned", Type::Unsigned(32)),
            ("const unsigned char", Type::Unsigned(8)),
            ("signed char", Type::Signed(8)),
            ("long int", Type::Signed(64)),
            ("unsigned long long", Type::Unsigned(64)),
            ("short", Type::Signed(16)),
            ("std::size_t", Type::Unsigned(64)),
            ("const auto", Type::Plain),
        ] {
            assert_eq!(Type::of_words(words.split(' ')), expected, "{words}");
        }
    }

    #[test]
    fn operations_convert_their_operands() {
        for (x, y, expected) in [
            (Type::Plain, Type::Plain, Type::Plain),
            (Type::Unsigned(8), Type::Unsigned(16), Type::Plain),
            (Type::Plain, Type::Unsigned(32), Type::Unsigned(32)),
            (Type::Unsigned(32), Type::Signed(64), Type::Signed(64)),
            (Type::Signed(64), Type::Unsigned(64), Type::Unsigned(64)),
            (Type::Bool, Type::Signed(32), Type::Signed(32)),
        ] {
            assert_eq!(x.common(y), expected, "{x:?} {y:?}");
            assert_eq!(y.common(x), expected, "{y:?} {x:?}");
        }
    }
}
