//! The operations of HLO, by the names that HLO text uses.
//!
//! An operation without a row in `opcode_table` is kept as [`Opcode::Other`]: a parser that rejects new operations
//! would fail on next year's modules.

use super::opcode_table::opcode_table;
use affinor_maps::text::count;
use std::fmt;
use std::sync::Arc;

/// The operand counts of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OperandCount {
    least: usize,
    most: usize,
}

const fn any() -> OperandCount {
    at_least(0)
}

const fn exactly(count: usize) -> OperandCount {
    OperandCount { least: count, most: count }
}

const fn at_least(count: usize) -> OperandCount {
    OperandCount { least: count, most: usize::MAX }
}

impl OperandCount {
    /// Returns whether `count` operands are allowed.
    #[must_use]
    pub fn allows(self, count: usize) -> bool {
        self.least <= count && count <= self.most
    }
}

impl fmt::Display for OperandCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let least = count(self.least, "operand");
        match (self.least, self.most) {
            (0, 0) => write!(f, "no operands"),
            _ if self.least == self.most => write!(f, "{least}"),
            (0, _) => write!(f, "any number of operands"),
            _ => write!(f, "at least {least}"),
        }
    }
}

/// The origin of the values of a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Values {
    /// Each value is the value of one element of an operand.
    Moved,
    /// Each value is the value of an element of one of the operands, selected by its index and by offsets or indices.
    Picked,
    /// Values are computed.
    Made,
}

macro_rules! opcodes {
    (($op:ident, $callee:ident) $($variant:ident = $name:literal, $count:expr, $map:expr, $definition:expr
        $(, shape $shape:expr)? $(, values $values:ident)? $(, typed $typed:expr)?;)*) => {
        /// The opcode of an instruction. Variants are named as in HLO text, in alphabetical order.
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Opcode {
            $(
                #[doc = concat!("`", $name, "`")]
                $variant,
            )*
            /// An operation that is not in the list, with its name.
            Other(Arc<str>),
        }

        impl Opcode {
            /// Every listed operation, in alphabetical order.
            pub const LISTED: &'static [Opcode] = &[$(Opcode::$variant,)*];

            /// Returns the name in HLO text.
            #[must_use]
            pub fn name(&self) -> &str {
                match self {
                    $(Opcode::$variant => $name,)*
                    Opcode::Other(name) => name,
                }
            }

            /// Returns the operation `name`.
            #[must_use]
            pub fn from_name(name: &str) -> Opcode {
                match name {
                    $($name => Opcode::$variant,)*
                    other => Opcode::Other(other.into()),
                }
            }

            /// Returns the allowed operand counts; any number if the operation is not in the list.
            #[must_use]
            pub fn operand_count(&self) -> OperandCount {
                match self {
                    $(Opcode::$variant => $count,)*
                    Opcode::Other(_) => any(),
                }
            }

            /// Returns the origin of the values of its result.
            #[must_use]
            pub fn values(&self) -> Values {
                match self {
                    $($(Opcode::$variant => Values::$values,)?)*
                    _ => Values::Made,
                }
            }
        }
    };
}

opcode_table!(opcodes);

impl fmt::Display for Opcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::Opcode;

    #[test]
    fn names_round_trip() {
        for opcode in Opcode::LISTED {
            assert_eq!(&Opcode::from_name(opcode.name()), opcode);
        }
        assert_eq!(Opcode::from_name("add-fast"), Opcode::Other("add-fast".into()));
        assert_eq!(Opcode::from_name("add-fast").name(), "add-fast");
    }

    #[test]
    fn the_list_is_in_alphabetical_order() {
        for pair in Opcode::LISTED.windows(2) {
            let [first, second] = [pair[0].name(), pair[1].name()];
            assert!(first < second, "{second} stands after {first}");
        }
    }

    #[test]
    fn operand_counts() {
        for (name, allowed, refused, text) in [
            ("iota", vec![0], vec![1], "no operands"),
            ("abs", vec![1], vec![0, 2], "1 operand"),
            ("select", vec![3], vec![2, 4], "3 operands"),
            ("reduce", vec![2, 6], vec![0, 1], "at least 2 operands"),
            ("tuple", vec![0, 1, 900], vec![], "any number of operands"),
            ("no-such-op", vec![0, 7], vec![], "any number of operands"),
        ] {
            let count = Opcode::from_name(name).operand_count();
            assert!(allowed.iter().all(|&n| count.allows(n)), "{name}");
            assert!(!refused.iter().any(|&n| count.allows(n)), "{name}");
            assert_eq!(count.to_string(), text, "{name}");
        }
    }
}
