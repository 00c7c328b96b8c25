//! Block pointers of Triton: `p = tl.make_block_ptr(A, (M, K), (K, 1), (o, 0), (BM, BK), (1, 0))`, `tl.advance(p, (0, BK))`, and
//! `tl.make_tensor_descriptor`, translated to loads and stores of the block's elements.
//!
//! Law: a load accesses `base + sum of (offset + element) * stride`; along the dimensions of `boundary_check`, and for a
//! descriptor along all dimensions, only where the index is inside the shape. Offsets become names of their own, which `advance`
//! changes.
//! Out of scope: blocks whose base, shape or strides change after their definition, or that are used in another way.

use super::array::closing;
use super::numbers::{Given, tuple};
use crate::bare::assignment;
use crate::session::Session;
use crate::token::names;
use affinor::text::is_name;

const MADE: [&str; 2] = ["tl.make_block_ptr(", "tl.make_tensor_descriptor("];

/// The maximum number of statements that are rewritten.
const MAX_STEPS: usize = 1 << 8;

/// A block pointer or a tensor descriptor.
struct Block {
    name: String,
    base: String,
    sizes: Vec<String>,
    strides: Vec<String>,
    /// The initial offsets of a pointer; `None` for a descriptor.
    offsets: Option<Vec<String>>,
    block: Vec<String>,
}

/// Returns the code with each block expanded.
pub fn line(text: &str) -> Option<String> {
    if !MADE.iter().any(|made| text.contains(made)) {
        return None;
    }
    let mut text = text.to_owned();
    for _ in 0..MAX_STEPS {
        let Some((at, made)) = MADE.iter().find_map(|made| Some((text.find(made)?, made))) else {
            return Some(text);
        };
        let start = text[..at].rfind(['\n', ';']).map_or(0, |end| end + 1);
        let end = at + made.len() + closing(&text[at + made.len() - 1..])?;
        let block = Block::read(&text[start..end - 1], made)?;
        let indent = &text[start..start + text[start..].find(|c: char| !c.is_whitespace())?];
        let offsets = block.offsets.iter().flatten().enumerate();
        let offsets_made =
            offsets.map(|(axis, offset)| format!("{}_{axis} = {offset}", block.name));
        let made = in_lines(&text, indent, offsets_made.collect());
        let behind = block.used(&text[end..], &text)?;
        // A bare descriptor is not a statement.
        let behind =
            if made.is_empty() { behind.trim_start_matches([';', '\n', ' ']) } else { &behind };
        let indent = if made.is_empty() { indent } else { "" };
        text.replace_range(start.., &format!("{made}{indent}{behind}"));
    }
    None
}

/// Returns the name of the block that a line defines, and its definition with the offsets that the session keeps for it.
pub fn made(text: &str) -> Option<(String, String)> {
    let text = text.trim().trim_end_matches(';');
    let made = MADE.iter().find(|made| text.matches(**made).count() == 1)?;
    let block = Block::read(text.strip_suffix(')').filter(|text| !text.contains('\n'))?, made)?;
    let name = block.name.clone();
    let list = |parts: &[String]| parts.join(", ");
    let offsets = block.offsets.as_ref().map(|offsets| {
        let own: Vec<String> = (0..offsets.len()).map(|axis| format!("{name}_{axis}")).collect();
        format!("offsets=({}), ", list(&own))
    });
    let definition = format!(
        "{name} = {made}base={}, shape=({}), strides=({}), {}block_shape=({}))",
        block.base,
        list(&block.sizes),
        list(&block.strides),
        offsets.unwrap_or_default(),
        list(&block.block)
    );
    Some((name, definition))
}

fn known(session: &Session) -> impl Iterator<Item = Block> {
    session.arrays.values().filter_map(|text| {
        let made = MADE.iter().find(|made| text.contains(**made))?;
        Block::read(text.strip_suffix(')')?, made)
    })
}

/// Returns a line with the accesses of a block that an earlier line defined.
pub fn used(session: &Session, text: &str) -> Option<String> {
    let is_used = |block: &Block| {
        let word = format!("({}", block.name);
        let method = format!("{}.", block.name);
        (text.contains(&word) || text.contains(&method))
            && places(text, &block.name).next().is_some()
    };
    let block = known(session).find(is_used)?;
    let is_other = MADE.iter().any(|made| text.contains(made))
        || !text.contains("tl.") && !text.contains(&format!("{}.", block.name));
    if is_other {
        return None;
    }
    block.used(text, text).filter(|line| line != text)
}

/// The index of each element of a block in its array, as code, with the sizes of the array.
pub struct Within {
    pub base: String,
    pub index: String,
    pub sizes: Vec<String>,
}

/// Returns the indices of the blocks that a line accesses, without those that `boundary_check` keeps inside.
pub fn within(session: &Session, text: &str) -> Vec<Within> {
    let used = known(session).filter(|block| places(text, &block.name).next().is_some());
    let used = used.filter(|block| block.offsets.is_some() && !text.contains("boundary_check"));
    used.map(|block| {
        let rank = block.sizes.len();
        let index: Vec<String> =
            (0..rank).map(|axis| format!("{}_{axis} + e{axis}", block.name)).collect();
        let bounds = block.block.iter().enumerate();
        let bounds: Vec<String> =
            bounds.map(|(axis, size)| format!("e{axis} in range({size})")).collect();
        Within {
            base: block.base,
            index: format!("{} for {}", index.join(", "), bounds.join(", ")),
            sizes: block.sizes,
        }
    })
    .collect()
}

/// Joins statements with this indentation, or with semicolons if the text has any.
fn in_lines(text: &str, indent: &str, statements: Vec<String>) -> String {
    let between = if text.contains(';') { "; ".to_owned() } else { format!("\n{indent}") };
    match statements.is_empty() {
        true => String::new(),
        false => format!("{indent}{}", statements.join(&between)),
    }
}

/// Returns the positions of a name in a text.
fn places(text: &str, name: &str) -> impl Iterator<Item = usize> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    text.match_indices(name).filter_map(move |(at, _)| {
        let behind = text[at + name.len()..].chars().next();
        let is_whole = !text[..at].ends_with(is_part)
            && !behind.is_some_and(|c| c.is_alphanumeric() || c == '_');
        is_whole.then_some(at)
    })
}

/// Returns whether the text assigns a name in these expressions.
fn changes(text: &str, expressions: &[&str]) -> bool {
    expressions.iter().flat_map(|x| names(x)).any(|word| {
        places(text, word).any(|at| {
            let behind = text[at + word.len()..].trim_start();
            let behind =
                behind.trim_start_matches(['+', '-', '*', '/', '%', '&', '|', '^', '>', '<']);
            behind.starts_with('=') && !behind.starts_with("==")
                || behind.starts_with(',')
                    && text[at..].lines().next().is_some_and(|line| line.contains(" = "))
        })
    })
}

impl Block {
    /// Parses `p = tl.make_block_ptr(..)`, without its closing bracket.
    fn read(statement: &str, made: &str) -> Option<Block> {
        let (name, value) = assignment(statement)?;
        let arguments = value.trim().strip_prefix(made)?;
        let given = Given::of(arguments);
        let places = match made.contains("block_ptr") {
            true => &["base", "shape", "strides", "offsets", "block_shape"][..],
            false => &["base", "shape", "strides", "block_shape"],
        };
        let part = |name: &str| {
            let place = places.iter().position(|place| *place == name)?;
            given.named(name).or_else(|| given.placed(place))
        };
        let list = |name: &str| Some(tuple(part(name)?).into_iter().map(str::to_owned).collect());
        let block = Block {
            name: name.to_owned(),
            base: part("base")?.to_owned(),
            sizes: list("shape")?,
            strides: list("strides")?,
            offsets: list("offsets"),
            block: list("block_shape")?,
        };
        let rank = block.sizes.len();
        let offsets = block.offsets.as_ref().map_or(rank, Vec::len);
        let are_alike = [block.strides.len(), block.block.len(), offsets] == [rank; 3];
        (are_alike && (1..=5).contains(&rank)).then_some(block)
    }

    /// Returns the code after the definition, without the block; `None` if the block is used in another way.
    fn used(&self, behind: &str, whole: &str) -> Option<String> {
        let lists = self.sizes.iter().chain(&self.strides).chain(&self.block);
        let fixed: Vec<&str> = lists.chain([&self.base]).map(String::as_str).collect();
        if changes(behind, &fixed) {
            return None;
        }
        let mut rest = behind.to_owned();
        for _ in 0..MAX_STEPS {
            let Some(at) = places(&rest, &self.name).next() else {
                return Some(rest);
            };
            let line = rest[..at].rfind(['\n', ';']).map_or(0, |end| end + 1);
            let word = rest[line..at].rsplit(['=', ' ', '\t', '(']).nth(1).unwrap_or("");
            let call = match word {
                "tl.load" | "tl.store" => at - word.len() - 1,
                "tl.load_tensor_descriptor" | "tl.store_tensor_descriptor" => at - word.len() - 1,
                _ => at,
            };
            let open = call + rest[call..].find('(')?;
            let close = open + closing(&rest[open..])?;
            let function = rest[call..open].trim();
            let given = Given::of(&rest[open + 1..close]);
            let method = function.strip_prefix(&format!("{}.", self.name));
            let texts = given.texts();
            let written = match (method.unwrap_or(function), &texts[..]) {
                ("load", [at]) if method.is_some() => self.access("tl.load", at, None),
                ("store", [at, value]) if method.is_some() => {
                    self.access("tl.store", at, Some(value))
                }
                ("tl.load_tensor_descriptor", [_, at]) => self.access("tl.load", at, None),
                ("tl.store_tensor_descriptor", [_, at, value]) => {
                    self.access("tl.store", at, Some(value))
                }
                ("tl.load", [_, ..]) => self.pointed("tl.load", None, &given),
                ("tl.store", [_, value, ..]) => self.pointed("tl.store", Some(value), &given),
                _ => {
                    let end = self.advanced(&rest, line, whole)?;
                    rest.replace_range(line..end.1, &end.0);
                    continue;
                }
            };
            rest.replace_range(call..=close, &written?);
        }
        None
    }

    /// Rewrites the statement `p = tl.advance(p, (0, BK))` at `start` in terms of the offsets; returns it and its end.
    fn advanced(&self, text: &str, start: usize, whole: &str) -> Option<(String, usize)> {
        let open = start + text[start..].find('(')?;
        let close = open + closing(&text[open..])?;
        let (name, value) = assignment(&text[start..=close])?;
        let (function, _) = value.trim().split_once('(')?;
        let given = Given::of(&text[open + 1..close]);
        let texts = given.texts();
        let [pointer, steps] = &texts[..] else { return None };
        let steps = tuple(steps);
        let is_advance = name == self.name && *pointer == self.name && function == "tl.advance";
        let are_alike = Some(steps.len()) == self.offsets.as_ref().map(Vec::len);
        let indent: String = text[start..].chars().take_while(|c| c.is_whitespace()).collect();
        let steps = steps.iter().enumerate().filter(|(_, step)| **step != "0");
        let steps = steps.map(|(axis, step)| format!("{name}_{axis} += {step}"));
        (is_advance && are_alike).then(|| (in_lines(whole, &indent, steps.collect()), close + 1))
    }

    /// Returns the access of a pointer, at its offsets.
    fn pointed(&self, function: &str, value: Option<&str>, given: &Given) -> Option<String> {
        let rank = self.offsets.as_ref()?.len();
        let checked = match given.named("boundary_check") {
            Some(axes) => {
                tuple(axes).iter().map(|axis| axis.parse().ok()).collect::<Option<_>>()?
            }
            None => Vec::new(),
        };
        let offsets: Vec<String> = (0..rank).map(|axis| format!("{}_{axis}", self.name)).collect();
        Some(self.written(function, &offsets, value, &checked))
    }

    /// Returns the access of a descriptor, at the given offsets.
    fn access(&self, function: &str, offsets: &str, value: Option<&str>) -> Option<String> {
        let offsets = tuple(offsets);
        let is_one = self.offsets.is_none() && offsets.len() == self.sizes.len();
        let all: Vec<usize> = (0..self.sizes.len()).collect();
        is_one.then(|| self.written(function, &offsets, value, &all))
    }

    fn written(
        &self,
        function: &str,
        offsets: &[impl AsRef<str>],
        value: Option<&str>,
        checked: &[usize],
    ) -> String {
        let rank = self.sizes.len();
        let index = |axis: usize| {
            let parts = (0..rank).map(|other| if other == axis { ":" } else { "None" });
            let subscript = match rank {
                1 => String::new(),
                _ => format!("[{}]", parts.collect::<Vec<_>>().join(", ")),
            };
            let element = format!("tl.arange(0, {}){subscript}", self.block[axis]);
            match offsets[axis].as_ref() {
                "0" => element,
                offset if is_name(offset) => format!("{offset} + {element}"),
                offset => format!("({offset}) + {element}"),
            }
        };
        let terms = (0..rank).map(|axis| match self.strides[axis].as_str() {
            "1" => index(axis),
            stride if is_name(stride) => format!("({}) * {stride}", index(axis)),
            stride => format!("({}) * ({stride})", index(axis)),
        });
        let terms: Vec<String> = terms.collect();
        let value = value.map(|value| format!(", {value}")).unwrap_or_default();
        let inside = checked.iter().filter(|axis| **axis < rank).map(|axis| {
            let index = index(*axis);
            format!("({index} >= 0) & ({index} < {})", self.sizes[*axis])
        });
        let inside: Vec<String> = inside.collect();
        let mask = match inside.is_empty() {
            true => String::new(),
            false => format!(", mask={}", inside.join(" & ")),
        };
        format!("{function}({} + {}{value}{mask})", self.base, terms.join(" + "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_written_out() {
        for (text, expected) in [
            (
                "p = tl.make_block_ptr(A, (n,), (1,), (o * 4,), (8,), (0,)); x = tl.load(p)",
                Some("p_0 = o * 4; x = tl.load(A + p_0 + tl.arange(0, 8))"),
            ),
            (
                "p = tl.make_block_ptr(base=A, shape=(M, K), strides=(K, 1), offsets=(o, 0), block_shape=(8, 4), order=(1, 0))\nfor k in range(0, K, 4):\n    x = tl.load(p, boundary_check=(1,))\n    p = tl.advance(p, (0, 4))",
                Some(
                    "p_0 = o\np_1 = 0\nfor k in range(0, K, 4):\n    x = tl.load(A + (p_0 + tl.arange(0, 8)[:, None]) * K + p_1 + tl.arange(0, 4)[None, :], mask=(p_1 + tl.arange(0, 4)[None, :] >= 0) & (p_1 + tl.arange(0, 4)[None, :] < K))\n    p_1 += 4",
                ),
            ),
            (
                "d = tl.make_tensor_descriptor(A, shape=[n], strides=[1], block_shape=[8]); d.store([o], x)",
                Some(
                    "tl.store(A + o + tl.arange(0, 8), x, mask=(o + tl.arange(0, 8) >= 0) & (o + tl.arange(0, 8) < n))",
                ),
            ),
            (
                "d = tl.make_tensor_descriptor(A, [n, m], [m, 1], [8, 8])\nx = d.load([o, 0])",
                Some(
                    "x = tl.load(A + (o + tl.arange(0, 8)[:, None]) * m + tl.arange(0, 8)[None, :], mask=(o + tl.arange(0, 8)[:, None] >= 0) & (o + tl.arange(0, 8)[:, None] < n) & (tl.arange(0, 8)[None, :] >= 0) & (tl.arange(0, 8)[None, :] < m))",
                ),
            ),
            // A stride that changes, a pointer with another use, and another rank.
            ("p = tl.make_block_ptr(A, (n,), (s,), (0,), (8,), (0,)); s = 2; x = tl.load(p)", None),
            ("p = tl.make_block_ptr(A, (n,), (1,), (0,), (8,), (0,)); x = f(p)", None),
            ("p = tl.make_block_ptr(A, (n, m), (1,), (0,), (8,), (0,)); x = tl.load(p)", None),
            ("x = tl.load(tl.make_block_ptr(A, (n,), (1,), (0,), (8,), (0,)))", None),
            ("x = tl.load(p)", None),
        ] {
            assert_eq!(line(text).as_deref(), expected, "{text}");
        }
    }
}
