//! The values of constants: converts `dense<..>` to HLO literals.
//!
//! Law: integers, truth values and floats keep their values, even if they are given as hexadecimal digits; those of a whole
//! array are little-endian. Values that are not decoded are elided as `{...}`, as in HLO text: nothing is claimed about them.

use crate::token::{Range, Token, Tokens};
use crate::types::Type;

/// The values of a constant, in HLO text.
pub(crate) enum Values {
    /// All elements have this value.
    Splat(String),
    /// The values in row-major order.
    Listed(Vec<String>),
    /// The values are not in the text, or not decoded.
    Elided,
}

/// Maximum nesting of brackets in HLO text.
const MAX_RANK: usize = 32;

/// Reads the values between the angle brackets of `dense<..>`; `None` if a value cannot be read.
pub(crate) fn values(tokens: &Tokens<'_>, inside: &Range, element: &str) -> Option<Values> {
    if tokens.get(inside.start) == Some(Token::String) && inside.len() == 1 {
        return Some(packed(tokens.word(inside.start), element));
    }
    let is_list = tokens.get(inside.start) == Some(Token::OpenBracket);
    let mut values = Vec::new();
    let mut at = inside.start;
    while at < inside.end {
        match tokens.get(at)? {
            Token::OpenBracket | Token::CloseBracket | Token::Comma => at += 1,
            // A complex number.
            Token::OpenParenthesis => {
                let parts = tokens.list(tokens.inside(at));
                let part = match element {
                    "c128" => "f64",
                    _ => "f32",
                };
                let words: Option<Vec<String>> =
                    parts.iter().map(|part_of| scalar(tokens.word(part_of.start), part)).collect();
                values.push(format!("({})", words?.join(", ")));
                at = tokens.behind(at);
            }
            Token::Integer | Token::Float | Token::Word => {
                let word = tokens.word(at);
                match scalar(word, element) {
                    Some(value) => values.push(value),
                    // The bits of a float that is not decoded.
                    None if word.starts_with("0x") => return Some(Values::Elided),
                    None => return None,
                }
                at += 1;
            }
            _ => return None,
        }
    }
    match (is_list || inside.is_empty(), values.pop()) {
        (false, Some(value)) if values.is_empty() => Some(Values::Splat(value)),
        (true, last) => {
            values.extend(last);
            Some(Values::Listed(values))
        }
        _ => None,
    }
}

/// Converts a number to HLO text.
pub(crate) fn scalar(word: &str, element: &str) -> Option<String> {
    let is_float = element.starts_with(['f', 'b', 'c']);
    match word {
        "true" | "false" => return Some(word.to_owned()),
        _ if !is_float => {
            return match word.strip_prefix("0x") {
                Some(digits) => Some(i128::from_str_radix(digits, 16).ok()?.to_string()),
                None => word.parse::<i128>().ok().map(|value| value.to_string()),
            };
        }
        _ => {}
    }
    if let Some(digits) = word.strip_prefix("0x") {
        let bits = u64::from_str_radix(digits, 16).ok()?;
        return from_bits(bits, element);
    }
    match element {
        "f64" | "c128" => word.parse::<f64>().ok().map(written),
        _ => word.parse::<f32>().ok().map(written),
    }
}

/// Returns the shortest text that parses to the same number.
fn written<T: std::fmt::Display + PartialEq + Copy>(value: T) -> String {
    value.to_string().replace("NaN", "nan")
}

/// Returns the float with these bits.
fn from_bits(bits: u64, element: &str) -> Option<String> {
    let narrow = u32::try_from(bits).ok();
    match element {
        "f64" => Some(written(f64::from_bits(bits))),
        "f32" => narrow.map(f32::from_bits).map(written),
        "bf16" => narrow.filter(|bits| *bits < 1 << 16).map(|b| written(f32::from_bits(b << 16))),
        "f16" => narrow.filter(|bits| *bits < 1 << 16).map(|bits| written(half(bits))),
        _ => None,
    }
}

/// Converts the bits of a half-precision float: sign, five bits of exponent, ten bits of fraction. The conversion is exact.
fn half(bits: u32) -> f32 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (bits >> 10 & 31, bits & 1023);
    let scaled =
        |whole: u32, power: i32| f32::from(u16::try_from(whole).unwrap_or(0)) * 2_f32.powi(power);
    sign * match (exponent, fraction) {
        (31, 0) => f32::INFINITY,
        (31, _) => f32::NAN,
        (0, _) => scaled(fraction, -24),
        _ => scaled(1024 + fraction, i32::try_from(exponent).unwrap_or(0) - 25),
    }
}

/// Decodes `"0x.."`: the bytes of all elements, or of a splat.
fn packed(word: &str, element: &str) -> Values {
    let bytes = word.trim_matches('"').strip_prefix("0x").and_then(bytes);
    let width = match element {
        "pred" | "s8" | "u8" => 1,
        "s16" | "u16" | "f16" | "bf16" => 2,
        "s32" | "u32" | "f32" => 4,
        "s64" | "u64" | "f64" => 8,
        _ => return Values::Elided,
    };
    let Some(bytes) = bytes.filter(|bytes| bytes.len() % width == 0 && element != "pred") else {
        return Values::Elided;
    };
    let value = |bytes: &[u8]| {
        let bits = bytes.iter().rev().fold(0_u64, |bits, byte| bits << 8 | u64::from(*byte));
        let unused = 64 - 8 * u32::try_from(width).unwrap_or(8);
        match element.as_bytes().first() {
            Some(b'u') => Some(bits.to_string()),
            Some(b's') => Some(((bits << unused).cast_signed() >> unused).to_string()),
            _ => from_bits(bits, element),
        }
    };
    let values: Option<Vec<String>> = bytes.chunks(width).map(value).collect();
    match values {
        Some(mut values) if values.len() == 1 => values.pop().map_or(Values::Elided, Values::Splat),
        Some(values) => Values::Listed(values),
        None => Values::Elided,
    }
}

fn bytes(digits: &str) -> Option<Vec<u8>> {
    let digit = |c: u8| char::from(c).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let pair = |pair: &[u8]| match pair {
        [high, low] => Some(digit(*high)? << 4 | digit(*low)?),
        _ => None,
    };
    digits.as_bytes().chunks(2).map(pair).collect()
}

/// Returns the HLO literal with these values in row-major order; `None` if their number is not that of the type's elements.
pub(crate) fn literal(values: &[String], ty: &Type) -> Option<String> {
    let sizes = ty.fixed()?;
    if i64::try_from(values.len()).ok() != ty.count() {
        return None;
    }
    if sizes.is_empty() {
        return values.first().cloned();
    }
    if sizes.len() > MAX_RANK || values.is_empty() && sizes.len() > 1 {
        return Some("{...}".to_owned());
    }
    // The number of values within a bracket at each level.
    let mut spans: Vec<usize> = Vec::new();
    let mut span = 1_usize;
    for size in sizes.iter().rev() {
        span = span.checked_mul(usize::try_from(*size).ok()?)?;
        spans.push(span);
    }
    let mut text = String::new();
    for (at, value) in values.iter().enumerate() {
        if at > 0 {
            text.push(',');
        }
        spans.iter().filter(|span| at % **span == 0).for_each(|_| text.push('{'));
        text.push_str(value);
        spans.iter().filter(|span| (at + 1) % **span == 0).for_each(|_| text.push('}'));
    }
    Some(if values.is_empty() { "{}".to_owned() } else { text })
}
