//! Integers of Python and C: bases, separators, suffixes.

use super::token::Token;
use super::types::Type;
use affinor_maps::text::{Error, ErrorKind};

/// Returns the type given by the suffix of an integer; `Plain` without a suffix.
pub fn type_of(token: &Token) -> Type {
    let text = token.text.to_ascii_lowercase();
    let digits = text.trim_end_matches(['u', 'l', 'z']);
    let suffix = text.strip_prefix(digits).unwrap_or("");
    let bits = if suffix.contains(['l', 'z']) { 64 } else { 32 };
    match (suffix, suffix.contains('u')) {
        ("", _) => Type::Plain,
        (_, true) => Type::Unsigned(bits),
        (_, false) => Type::Signed(bits),
    }
}

/// Returns the value of an integer in any base.
pub fn integer(token: &Token) -> Result<u64, Error> {
    let digits: String = token.text.chars().filter(|c| !matches!(c, '_' | '\'')).collect();
    let digits = digits.to_ascii_lowercase();
    let digits = digits.trim_end_matches(['u', 'l', 'z']);
    let error = |kind, message: &str| Error::new(kind, token.span.clone(), message);
    let (digits, base) = match digits.split_at_checked(2) {
        Some(("0x", digits)) => (digits, 16),
        Some(("0b", digits)) => (digits, 2),
        Some(("0o", digits)) => (digits, 8),
        _ => (digits, 10),
    };
    if base == 10 && digits.len() > 1 && digits.starts_with('0') {
        let error = error(ErrorKind::Syntax, "C reads this integer in base 8");
        return Err(error.hint("remove the 0 at its beginning, or write `0o17` in base 8"));
    }
    match u64::from_str_radix(digits, base) {
        Ok(value) if value <= i64::MIN.unsigned_abs() => Ok(value),
        Err(error) if *error.kind() != std::num::IntErrorKind::PosOverflow => {
            let message = format!("`{}` is not an integer in base {base}", token.text);
            Err(Error::new(ErrorKind::Syntax, token.span.clone(), message))
        }
        _ => {
            let error = error(ErrorKind::Overflow, "this integer does not fit in 64 bits");
            Err(error.hint("integers lie between -2^63 and 2^63 - 1"))
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::tokens::Tokens;

    #[track_caller]
    fn check(text: &str, expected: Option<u64>) {
        let tokens = Tokens::new(text).expect("a short text");
        assert_eq!(super::integer(tokens.current()).ok(), expected, "{text}");
    }

    #[test]
    fn integers_of_any_base() {
        check("10", Some(10));
        check("0x1F", Some(31));
        check("0b101", Some(5));
        check("0o17", Some(15));
        check("1_000", Some(1000));
        check("1'000ULL", Some(1000));
        check("4u", Some(4));
        check("0", Some(0));
        check("9223372036854775808", Some(1 << 63));
        check("017", None);
        check("0b12", None);
        check("9223372036854775809", None);
        check("0xFFFFFFFFFFFFFFFF", None);
    }
}
