//! Translates types of MLIR to shapes of HLO.
//!
//! Law: a tensor, vector or buffer of an element type that HLO has becomes an array with the same sizes; `?` is an unknown
//! size, or one bounded by the encoding. Quantized elements have their storage type. Tokens and tuples are mapped to those of
//! HLO. Nothing is claimed about other types: they become `opaque[]`.

use crate::token::{Range, Token, Tokens};
use affinor_hlo::element_type::ElementType;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A type, with its known properties.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Type {
    /// The shape in HLO text.
    pub(crate) shape: String,
    /// The element type in HLO text; empty if the type is not an array.
    pub(crate) element: String,
    /// The sizes; `None` for those that are not fixed.
    pub(crate) sizes: Vec<Option<i64>>,
    /// The type in MLIR text.
    pub(crate) text: String,
}

impl Type {
    fn other(text: &str, shape: &str) -> Type {
        Type {
            shape: shape.to_owned(),
            element: String::new(),
            sizes: Vec::new(),
            text: text.to_owned(),
        }
    }

    /// Returns the type of a result if its op states none.
    pub(crate) fn unstated() -> Type {
        Type::other("a type that is not stated", "opaque[]")
    }

    fn array(text: &str, element: &str, sizes: Vec<Size>) -> Type {
        let written: Vec<String> = sizes.iter().map(Size::text).collect();
        let fixed = |size: &Size| match size {
            Size::Fixed(size) => Some(*size),
            _ => None,
        };
        Type {
            shape: format!("{element}[{}]", written.join(",")),
            element: element.to_owned(),
            sizes: sizes.iter().map(fixed).collect(),
            text: text.to_owned(),
        }
    }

    /// Returns an array type that is not in the text: a value, not a buffer.
    fn unnamed(element: &str, sizes: Vec<Size>) -> Type {
        let ty = Type::array("", element, sizes);
        Type { text: ty.shape.clone(), ..ty }
    }

    /// Returns an array with the same element type and other sizes, some of which may not be fixed.
    pub(crate) fn array_like<S: Into<Option<i64>> + Copy>(other: &Type, sizes: &[S]) -> Type {
        let sizes = sizes.iter().map(|size| (*size).into().map_or(Size::Any, Size::Fixed));
        Type::unnamed(&other.element, sizes.collect())
    }

    /// Returns an array of truth values with the same sizes.
    pub(crate) fn truths(other: &Type) -> Type {
        Type::array_like(&Type { element: "pred".to_owned(), ..other.clone() }, &other.sizes)
    }

    pub(crate) fn is_array(&self) -> bool {
        !self.element.is_empty()
    }

    /// Returns whether the type is a buffer, whose elements may change.
    pub(crate) fn is_buffer(&self) -> bool {
        self.text.starts_with("memref")
    }

    /// Returns the sizes, if all of them are fixed.
    pub(crate) fn fixed(&self) -> Option<Vec<i64>> {
        match self.is_array() {
            true => self.sizes.iter().copied().collect(),
            false => None,
        }
    }

    /// Returns the number of elements of an array of fixed sizes, if it is representable in 64 bits.
    pub(crate) fn count(&self) -> Option<i64> {
        let sizes = self.fixed()?;
        match sizes.contains(&0) {
            true => Some(0),
            false => sizes.iter().try_fold(1_i64, |product, size| product.checked_mul(*size)),
        }
    }

    /// Returns the shape of a scalar with the same element type.
    pub(crate) fn scalar(&self) -> String {
        format!("{}[]", self.element)
    }

    /// Returns the shape with other sizes.
    pub(crate) fn with_sizes<S: Into<Option<i64>> + Copy>(&self, sizes: &[S]) -> String {
        Type::array_like(self, sizes).shape
    }
}

/// Returns the shape of several results: a tuple, unless there is exactly one.
pub(crate) fn joined(types: &[Rc<Type>]) -> String {
    match types {
        [one] => one.shape.clone(),
        _ => {
            let shapes: Vec<&str> = types.iter().map(|ty| &*ty.shape).collect();
            format!("({})", shapes.join(", "))
        }
    }
}

#[derive(Clone, Copy)]
enum Size {
    Fixed(i64),
    AtMost(i64),
    Any,
}

impl Size {
    fn text(&self) -> String {
        match self {
            Size::Fixed(size) => size.to_string(),
            Size::AtMost(size) => format!("<={size}"),
            Size::Any => "?".to_owned(),
        }
    }
}

/// Cache of the types of a text: they are few, and occur often.
#[derive(Default)]
pub(crate) struct Types<'a> {
    known: FxHashMap<&'a str, Rc<Type>>,
    /// The first type that is none of MLIR.
    pub(crate) wrong: Option<usize>,
}

/// Maximum nesting of tuples; more deeply nested ones have no known shape.
const MAX_NESTING: usize = 16;

impl<'a> Types<'a> {
    /// Returns the type at `at`, and the token after it; `None` if there is no type.
    pub(crate) fn read(
        &mut self,
        tokens: &Tokens<'a>,
        aliases: &FxHashMap<&'a str, Range>,
        at: usize,
    ) -> Option<(Rc<Type>, usize)> {
        let end = match tokens.get(at)? {
            // Parameters of a type follow its name in angle brackets.
            Token::Word | Token::TypeAlias => match tokens.get(at + 1) {
                Some(Token::Less) => tokens.behind(at + 1),
                _ => at + 1,
            },
            // A function type.
            Token::OpenParenthesis => {
                let end = tokens.behind(at);
                match tokens.get(end) {
                    Some(Token::Arrow) => self.read(tokens, aliases, end + 1)?.1,
                    _ => return None,
                }
            }
            _ => return None,
        };
        let text = tokens.slice(&(at..end));
        if let Some(known) = self.known.get(text) {
            return Some((known.clone(), end));
        }
        let meant = aliases.get(text).map_or(text, |range| tokens.slice(range));
        if is_wrong(meant) {
            self.wrong.get_or_insert(at);
        }
        let ty = Rc::new(known(meant, 0).unwrap_or_else(|| Type::other(text, "opaque[]")));
        self.known.insert(text, ty.clone());
        Some((ty, end))
    }
}

/// Returns the type that `text` denotes, if HLO has it.
pub(crate) fn of(text: &str) -> Option<Type> {
    known(text, 0)
}

fn known(text: &str, depth: usize) -> Option<Type> {
    if depth > MAX_NESTING {
        return None;
    }
    let array = ["tensor", "vector", "memref"].iter().find_map(|name| inside(text, name));
    if let Some(inside) = array {
        return tensor(text, inside);
    }
    if let Some(inside) = inside(text, "tuple") {
        let parts = split(inside);
        let parts: Vec<Type> =
            parts.into_iter().map(|part| known(part, depth + 1)).collect::<Option<_>>()?;
        let shapes: Vec<&str> = parts.iter().map(|part| &*part.shape).collect();
        return Some(Type::other(text, &format!("({})", shapes.join(", "))));
    }
    match text {
        "!stablehlo.token" | "!mhlo.token" => Some(Type::other(text, "token[]")),
        _ => Some(Type::array(text, &element(text)?, Vec::new())),
    }
}

/// Returns whether an array has a negative size, or elements of a type without a dialect that is not built in.
fn is_wrong(text: &str) -> bool {
    let array = ["tensor", "vector", "memref"].iter().find_map(|name| inside(text, name));
    let Some(first) = array.and_then(|inside| split(inside).first().copied()) else { return false };
    let is_size = |c: char| c.is_ascii_digit() || "?*x ".contains(c);
    let element = first.trim_start_matches(is_size);
    let is_name = element.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let is_built_in = ["bf16", "index", "none", "tf32"].contains(&element)
        || ["f", "i", "si", "ui"].iter().any(|kind| {
            let bits = element.strip_prefix(kind);
            bits.is_some_and(|bits| bits.starts_with(|c: char| c.is_ascii_digit()))
        });
    element.starts_with('-') || !element.is_empty() && is_name && !is_built_in
}

/// Returns the text between the angle brackets of `name<..>`.
fn inside<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    text.strip_prefix(name)?.trim_start().strip_prefix('<')?.strip_suffix('>')
}

/// Splits at the commas outside of brackets.
fn split(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0_usize, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '<' | '[' | '(' | '{' => depth += 1,
            '>' | ']' | ')' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    if !text[start..].trim().is_empty() {
        parts.push(text[start..].trim());
    }
    parts
}

/// Parses `2x?xf32, #stablehlo.bounds<?, 8>`.
fn tensor(text: &str, inside: &str) -> Option<Type> {
    let parts = split(inside);
    let (first, encoding) = (*parts.first()?, parts.get(1));
    let (mut rest, mut sizes) = (first, Vec::new());
    loop {
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let size = match rest.starts_with('?') {
            true => Some((Size::Any, &rest[1..])),
            false if digits > 0 => {
                Some((Size::Fixed(rest[..digits].parse().ok()?), &rest[digits..]))
            }
            false => None,
        };
        let Some((size, behind)) = size else { break };
        sizes.push(size);
        rest = behind.trim_start().strip_prefix('x')?.trim_start();
    }
    if let Some(encoding) = encoding {
        bound(&mut sizes, encoding);
    }
    Some(Type::array(text, &element(rest)?, sizes))
}

/// Applies the bounds of an encoding, `#stablehlo.bounds<?, 8>` or `#stablehlo.type_extensions<bounds = [?, 8]>`.
fn bound(sizes: &mut [Size], encoding: &str) {
    let Some((_, inside)) = encoding.split_once("bounds") else { return };
    let inside = inside.trim_matches(|c: char| " =<>[]{}:".contains(c));
    let bounds = inside.split(',').map(|bound| bound.trim().parse::<i64>().ok());
    for (size, bound) in sizes.iter_mut().zip(bounds) {
        if let (Size::Any, Some(bound)) = (*size, bound) {
            *size = Size::AtMost(bound);
        }
    }
}

/// Returns the element type in HLO text.
fn element(text: &str) -> Option<String> {
    const QUANTIZED: [&str; 3] = ["!quant.uniform", "!quant.any", "!quant.calibrated"];
    let quantized = QUANTIZED.iter().find_map(|name| inside(text, name));
    if let Some(inside) = quantized {
        let end = inside.find(['<', ':', ',']).unwrap_or(inside.len());
        return element(inside[..end].trim()).filter(|_| end > 0);
    }
    let number = |prefix: &str| {
        let bits = text.strip_prefix(prefix)?;
        ["2", "4", "8", "16", "32", "64"].contains(&bits).then_some(bits)
    };
    let name = match text {
        "i1" => "pred".to_owned(),
        "index" => "s64".to_owned(),
        "complex<f32>" => "c64".to_owned(),
        "complex<f64>" => "c128".to_owned(),
        "f16" | "f32" | "f64" | "bf16" => text.to_owned(),
        _ if text.starts_with("f8") || text.starts_with("f4") => text.to_ascii_lowercase(),
        _ => match (number("i").or_else(|| number("si")), number("ui")) {
            (Some(bits), _) => format!("s{bits}"),
            (_, Some(bits)) => format!("u{bits}"),
            _ => return None,
        },
    };
    ElementType::from_name(&name).map(|_| name)
}
