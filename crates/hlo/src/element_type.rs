//! The element types of arrays, by the names that HLO text uses.
//!
//! Source: XLA, `xla_data.proto` (`PrimitiveType`), lower-case as XLA prints them. `token` and
//! `opaque` are shapes of their own ([`super::shape::Shape`]), not element types.

use std::fmt;

macro_rules! element_types {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $bits:literal;)*) => {
        /// The type of the elements of an array.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum ElementType {
            $($(#[$doc])* $variant,)*
        }

        impl ElementType {
            /// All element types, in the order of their definition.
            pub const ALL: &'static [ElementType] = &[$(ElementType::$variant,)*];

            /// Returns the name in HLO text.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(ElementType::$variant => $name,)*
                }
            }

            /// Returns the element type called `name`; names are lower case.
            #[must_use]
            pub fn from_name(name: &str) -> Option<ElementType> {
                match name {
                    $($name => Some(ElementType::$variant),)*
                    _ => None,
                }
            }

            /// Returns the bits of one value; 1 for `pred`, the sum of both parts for complex numbers.
            #[must_use]
            pub fn bits(self) -> u32 {
                match self {
                    $(ElementType::$variant => $bits,)*
                }
            }
        }
    };
}

element_types! {
    /// Truth value.
    Pred = "pred", 1;
    /// Signed integer of 1 bit.
    S1 = "s1", 1;
    /// Signed integer of 2 bits.
    S2 = "s2", 2;
    /// Signed integer of 4 bits.
    S4 = "s4", 4;
    /// Signed integer of 8 bits.
    S8 = "s8", 8;
    /// Signed integer of 16 bits.
    S16 = "s16", 16;
    /// Signed integer of 32 bits.
    S32 = "s32", 32;
    /// Signed integer of 64 bits.
    S64 = "s64", 64;
    /// Unsigned integer of 1 bit.
    U1 = "u1", 1;
    /// Unsigned integer of 2 bits.
    U2 = "u2", 2;
    /// Unsigned integer of 4 bits.
    U4 = "u4", 4;
    /// Unsigned integer of 8 bits.
    U8 = "u8", 8;
    /// Unsigned integer of 16 bits.
    U16 = "u16", 16;
    /// Unsigned integer of 32 bits.
    U32 = "u32", 32;
    /// Unsigned integer of 64 bits.
    U64 = "u64", 64;
    /// Float of 4 bits: 2 exponent, 1 mantissa, finite only.
    F4E2M1FN = "f4e2m1fn", 4;
    /// Float of 8 bits: 3 exponent, 4 mantissa.
    F8E3M4 = "f8e3m4", 8;
    /// Float of 8 bits: 4 exponent, 3 mantissa.
    F8E4M3 = "f8e4m3", 8;
    /// Float of 8 bits: 4 exponent, 3 mantissa, finite only.
    F8E4M3FN = "f8e4m3fn", 8;
    /// Float of 8 bits: 4 exponent, 3 mantissa, bias 11, finite only, no negative zero.
    F8E4M3B11FNUZ = "f8e4m3b11fnuz", 8;
    /// Float of 8 bits: 4 exponent, 3 mantissa, finite only, no negative zero.
    F8E4M3FNUZ = "f8e4m3fnuz", 8;
    /// Float of 8 bits: 5 exponent, 2 mantissa.
    F8E5M2 = "f8e5m2", 8;
    /// Float of 8 bits: 5 exponent, 2 mantissa, finite only, no negative zero.
    F8E5M2FNUZ = "f8e5m2fnuz", 8;
    /// Scale of 8 bits: a power of two, unsigned.
    F8E8M0FNU = "f8e8m0fnu", 8;
    /// IEEE half precision.
    F16 = "f16", 16;
    /// Brain float.
    BF16 = "bf16", 16;
    /// IEEE single precision.
    F32 = "f32", 32;
    /// IEEE double precision.
    F64 = "f64", 64;
    /// Complex number of two `f32`.
    C64 = "c64", 64;
    /// Complex number of two `f64`.
    C128 = "c128", 128;
}

impl ElementType {
    /// Bytes of one element in memory when elements are not packed (no `E(bits)` in the layout).
    #[must_use]
    pub fn bytes(self) -> u32 {
        self.bits().div_ceil(8)
    }

    /// Returns whether it is one of `s1` to `s64`.
    #[must_use]
    pub fn is_signed_integer(self) -> bool {
        ElementType::S1 <= self && self <= ElementType::S64
    }

    /// Returns whether it is a real floating-point type.
    #[must_use]
    pub fn is_float(self) -> bool {
        ElementType::F4E2M1FN <= self && self <= ElementType::F64
    }

    /// Returns the type of a product of values of both types: as in XLA, the one with the larger range, then the one with more
    /// bits, then the signed one.
    #[must_use]
    pub fn wider(self, other: ElementType) -> ElementType {
        let range = |of: ElementType| match of {
            ElementType::C128 | ElementType::F64 => 4,
            ElementType::C64 | ElementType::F32 | ElementType::BF16 | ElementType::F8E8M0FNU => 3,
            ElementType::F16 | ElementType::F8E5M2 | ElementType::F8E5M2FNUZ => 2,
            _ => i32::from(of.is_float()),
        };
        let order = |of: ElementType| (range(of), of.bits(), of.is_signed_integer());
        if order(self) < order(other) { other } else { self }
    }

    /// Returns the type of the real and the imaginary part for complex numbers, otherwise the type itself.
    #[must_use]
    pub fn component(self) -> ElementType {
        match self {
            ElementType::C64 => ElementType::F32,
            ElementType::C128 => ElementType::F64,
            other => other,
        }
    }

    /// Returns the type of complex numbers with parts of this type.
    #[must_use]
    pub fn complex(self) -> Option<ElementType> {
        match self {
            ElementType::F32 => Some(ElementType::C64),
            ElementType::F64 => Some(ElementType::C128),
            _ => None,
        }
    }

    /// Returns whether it is one of `u1` to `u64`.
    #[must_use]
    pub fn is_unsigned_integer(self) -> bool {
        ElementType::U1 <= self && self <= ElementType::U64
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::ElementType;

    #[test]
    fn names_round_trip() {
        for &element_type in ElementType::ALL {
            assert_eq!(ElementType::from_name(element_type.name()), Some(element_type));
        }
        for name in ["F32", "bf19", "s6", "token", "opaque", ""] {
            assert_eq!(ElementType::from_name(name), None, "{name}");
        }
    }

    #[test]
    fn small_types_take_a_byte_each() {
        assert_eq!(ElementType::Pred.bytes(), 1);
        assert_eq!(ElementType::S4.bytes(), 1);
        assert_eq!(ElementType::C128.bytes(), 16);
    }

    #[test]
    fn complex_numbers_have_two_parts_of_one_type() {
        for &element_type in ElementType::ALL {
            let complex = element_type.complex();
            assert!(complex.is_none_or(|complex| complex.component() == element_type));
            assert!(complex.is_none() || element_type.is_float());
        }
        assert_eq!(ElementType::F32.complex(), Some(ElementType::C64));
        assert_eq!(ElementType::C128.component(), ElementType::F64);
        assert_eq!(ElementType::BF16.complex(), None);
        assert!(ElementType::F8E8M0FNU.is_float() && ElementType::BF16.is_float());
        assert!(!ElementType::U64.is_float() && !ElementType::C64.is_float());
    }

    #[test]
    fn the_wider_type() {
        for (lhs, rhs, wider) in [
            ("f16", "f32", "f32"),
            ("f16", "bf16", "bf16"),
            ("s8", "s32", "s32"),
            ("u8", "s8", "s8"),
            ("s64", "f8e4m3fn", "f8e4m3fn"),
            ("f8e5m2", "f16", "f16"),
            ("pred", "pred", "pred"),
        ] {
            let named = |name| ElementType::from_name(name).expect(name);
            assert_eq!(named(lhs).wider(named(rhs)), named(wider), "{lhs}, {rhs}");
            assert_eq!(named(rhs).wider(named(lhs)), named(wider), "{rhs}, {lhs}");
        }
    }

    #[test]
    fn integers_are_told_apart() {
        let signed = |name| ElementType::from_name(name).map(ElementType::is_signed_integer);
        let unsigned = |name| ElementType::from_name(name).map(ElementType::is_unsigned_integer);
        for (name, is_signed, is_unsigned) in [
            ("pred", false, false),
            ("s1", true, false),
            ("s64", true, false),
            ("u1", false, true),
            ("u64", false, true),
            ("f8e8m0fnu", false, false),
        ] {
            assert_eq!(signed(name), Some(is_signed), "{name}");
            assert_eq!(unsigned(name), Some(is_unsigned), "{name}");
        }
    }
}
