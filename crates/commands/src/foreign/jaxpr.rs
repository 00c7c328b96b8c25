//! A jaxpr as a module of HLO: `{ lambda ; a:f32[4,8]. let b:f32[8,4] = transpose[permutation=(1, 0)] a in (b,) }`.
//!
//! Law: an equation is the op that JAX lowers its primitive to; a literal operand beside an array is broadcast. Equations with
//! other primitives, and calls such as `pjit`, are errors.

use super::array::closing;
use super::numbers::tuple;
use affinor::text::{Error, ErrorKind};

/// Elementwise primitives with their names in HLO.
const ELEMENTWISE: [(&str, &str); 24] = [
    ("add", "add"),
    ("add_any", "add"),
    ("sub", "subtract"),
    ("mul", "multiply"),
    ("div", "divide"),
    ("rem", "remainder"),
    ("max", "maximum"),
    ("min", "minimum"),
    ("pow", "power"),
    ("and", "and"),
    ("or", "or"),
    ("neg", "negate"),
    ("exp", "exponential"),
    ("log", "log"),
    ("tanh", "tanh"),
    ("logistic", "logistic"),
    ("sqrt", "sqrt"),
    ("rsqrt", "rsqrt"),
    ("sin", "sine"),
    ("cos", "cosine"),
    ("abs", "abs"),
    ("floor", "floor"),
    ("convert_element_type", "convert"),
    ("copy", "copy"),
];

/// Reductions, each with the op of its computation.
const REDUCED: [(&str, &str); 4] = [
    ("reduce_sum", "add"),
    ("reduce_prod", "multiply"),
    ("reduce_max", "maximum"),
    ("reduce_min", "minimum"),
];

/// An array: its name and shape.
struct Operand {
    name: String,
    shape: String,
}

/// The module so far.
#[derive(Default)]
struct Module {
    lines: Vec<String>,
    shapes: Vec<(String, String)>,
    /// The computations of reductions, by op and type.
    computations: Vec<(String, String)>,
}

/// Translates a jaxpr to a module; returns `None` if the text is not a jaxpr.
pub fn line(text: &str) -> Option<Result<String, Error>> {
    let inner = text.trim().strip_prefix('{')?.strip_suffix('}')?.trim();
    let inner = inner.strip_prefix("lambda")?;
    Some(module(inner).unwrap_or_else(|| Err(wrong("a part of this jaxpr is not supported", ""))))
}

fn wrong(message: &str, part: &str) -> Error {
    let error = Error::without_span(ErrorKind::Unsupported, format!("{message}{part}"));
    error.hint("its StableHLO is read: `print(jax.jit(f).lower(x).as_text())`")
}

fn module(text: &str) -> Option<Result<String, Error>> {
    let (_, text) = text.split_once(';')?;
    let (head, body) = text.split_once(". let")?;
    let (body, results) = body.rsplit_once(" in ").or_else(|| body.rsplit_once("\nin "))?;
    let mut module = Module::default();
    for (number, parameter) in head.split_whitespace().enumerate() {
        let (name, shape) = parameter.split_once(':')?;
        module.add(name, &shape_of(shape)?, &format!("parameter({number})"));
    }
    for equation in equations(body) {
        let (left, right) = equation.split_once(" = ")?;
        let [target] = left.split_whitespace().collect::<Vec<_>>()[..] else {
            return Some(Err(wrong(
                "an equation with several results is not supported: ",
                left.trim(),
            )));
        };
        let (name, shape) = target.split_once(':')?;
        match module.equation(name, &shape_of(shape)?, right.trim()) {
            Some(Ok(())) => {}
            Some(Err(error)) => return Some(Err(error)),
            None => {
                let shown = right.split(['[', ' ']).next().unwrap_or(right);
                return Some(Err(wrong("this part of a jaxpr is not supported: ", shown)));
            }
        }
    }
    let results = results.trim().strip_prefix('(')?.strip_suffix(')')?;
    let results: Vec<&str> =
        results.split([',', ' ']).map(str::trim).filter(|name| !name.is_empty()).collect();
    let shapes = results.iter().map(|name| Some(module.shape(name)?.to_owned()));
    let shapes = shapes.collect::<Option<Vec<_>>>()?;
    let root = match &results[..] {
        [only] => {
            let begins = format!("{only} = ");
            let at = module.lines.iter().position(|line| line.starts_with(&begins))?;
            // The root may be any instruction.
            module.lines[at].insert_str(0, "ROOT ");
            String::new()
        }
        _ => format!("  ROOT results = ({}) tuple({})\n", shapes.join(", "), results.join(", ")),
    };
    let computations = module.computations.iter().map(|(op, kind)| {
        format!("{op}_{kind} {{\n  x = {kind}[] parameter(0)\n  y = {kind}[] parameter(1)\n  ROOT r = {kind}[] {op}(x, y)\n}}\n")
    });
    let computations: String = computations.collect();
    let lines: String = module.lines.iter().map(|line| format!("  {line}\n")).collect();
    Some(Ok(format!("HloModule jaxpr\n{computations}ENTRY main {{\n{lines}{root}}}")))
}

/// Splits the body into equations, which may span several lines inside brackets.
fn equations(body: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut depth = 0i32;
    for part in body.split_inclusive(['\n', ';']) {
        let is_new = depth == 0;
        depth += part.matches(['(', '[', '{']).count() as i32;
        depth -= part.matches([')', ']', '}']).count() as i32;
        let text = part.trim_end_matches([';', '\n']);
        match found.last_mut().filter(|_| !is_new) {
            Some(last) => *last += &format!(" {}", text.trim()),
            None => found.push(text.trim().to_owned()),
        }
    }
    found.retain(|equation| !equation.is_empty());
    found
}

/// Returns HLO's form of `f32[4,8]`: `i32` is `s32`, and `bool` is `pred`.
fn shape_of(text: &str) -> Option<String> {
    let (kind, sizes) = text.trim().strip_suffix(']')?.split_once('[')?;
    let is_number = |size: &str| size.bytes().all(|byte| byte.is_ascii_digit());
    let kind = match kind {
        "bool" => "pred".to_owned(),
        kind if kind.starts_with('i') => format!("s{}", &kind[1..]),
        kind => kind.to_owned(),
    };
    sizes.split(',').all(is_number).then(|| format!("{kind}[{sizes}]"))
}

/// Returns the neutral initial value of a reduction by `op`; `None` for an unsupported type.
fn start_of(op: &str, kind: &str) -> Option<String> {
    let is_float = matches!(kind, "f16" | "bf16" | "f32" | "f64");
    let (sign, bits) = kind.split_at(1);
    let bits = bits.parse::<u32>().ok().filter(|bits| (2..=64).contains(bits) && !is_float);
    let (least, greatest) = match (is_float, sign, bits) {
        (true, ..) => ("-inf".to_owned(), "inf".to_owned()),
        (false, "s", Some(bits)) => {
            let half = 1i128 << (bits - 1);
            ((-half).to_string(), (half - 1).to_string())
        }
        (false, "u", Some(bits)) => ("0".to_owned(), ((1i128 << bits) - 1).to_string()),
        _ => return None,
    };
    Some(match op {
        "maximum" => least,
        "minimum" => greatest,
        "multiply" => "1".to_owned(),
        _ => "0".to_owned(),
    })
}

/// Returns the numbers of `(1, 0)` as `1,0`.
fn numbers(text: &str) -> String {
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, ',' | '-');
    let text: String = text.chars().filter(|c| is_part(*c)).collect();
    text.trim_end_matches(',').to_owned()
}

impl Module {
    fn add(&mut self, name: &str, shape: &str, op: &str) {
        self.lines.push(format!("{name} = {shape} {op}"));
        self.shapes.push((name.to_owned(), shape.to_owned()));
    }

    fn shape(&self, name: &str) -> Option<&str> {
        self.shapes.iter().find(|(own, _)| own == name).map(|(_, shape)| shape.as_str())
    }

    /// Returns the operands of an equation; a literal becomes a constant.
    fn operands(&mut self, text: &str) -> Option<Vec<Operand>> {
        let mut found = Vec::new();
        for word in text.split_whitespace() {
            let name = match word.split_once(':') {
                None if self.shape(word).is_some() => word.to_owned(),
                None => return None,
                Some((value, shape)) => {
                    let name = format!("constant.{}", self.lines.len());
                    let value = value.trim_end_matches(".0").to_lowercase();
                    self.add(&name, &shape_of(shape)?, &format!("constant({value})"));
                    name
                }
            };
            let shape = self.shape(&name)?.to_owned();
            found.push(Operand { name, shape });
        }
        Some(found)
    }

    /// Adds an equation; returns `None` if it is not supported.
    fn equation(&mut self, name: &str, shape: &str, text: &str) -> Option<Result<(), Error>> {
        let end = text.find(['[', ' ']).unwrap_or(text.len());
        let (primitive, rest) = text.split_at(end);
        let (given, rest) = match rest.starts_with('[') {
            true => {
                let close = closing(rest)?;
                (&rest[1..close], &rest[close + 1..])
            }
            false => ("", rest),
        };
        let value = |key: &str| parameter(given, key);
        let operands = self.operands(rest)?;
        let names: Vec<&str> = operands.iter().map(|operand| operand.name.as_str()).collect();
        let call = |op: &str| format!("{op}({})", names.join(", "));
        let op = match primitive {
            "transpose" => {
                format!("{}, dimensions={{{}}}", call("transpose"), numbers(value("permutation")?))
            }
            "reshape" | "squeeze" | "expand_dims" => call("reshape"),
            "broadcast_in_dim" => {
                format!(
                    "{}, dimensions={{{}}}",
                    call("broadcast"),
                    numbers(value("broadcast_dimensions")?)
                )
            }
            "rev" => {
                format!("{}, dimensions={{{}}}", call("reverse"), numbers(value("dimensions")?))
            }
            "concatenate" => {
                format!("{}, dimensions={{{}}}", call("concatenate"), numbers(value("dimension")?))
            }
            "iota" => format!("iota(), iota_dimension={}", numbers(value("dimension")?)),
            "slice" => {
                let (from, to) =
                    (numbers(value("start_indices")?), numbers(value("limit_indices")?));
                let steps = numbers(value("strides")?);
                let mut steps = steps.split(',').filter(|step| !step.is_empty());
                let parts = from.split(',').zip(to.split(','));
                let parts = parts
                    .map(|(from, to)| format!("[{from}:{to}:{}]", steps.next().unwrap_or("1")));
                format!("{}, slice={{{}}}", call("slice"), parts.collect::<Vec<_>>().join(","))
            }
            "dynamic_slice" => {
                format!(
                    "{}, dynamic_slice_sizes={{{}}}",
                    call("dynamic-slice"),
                    numbers(value("slice_sizes")?)
                )
            }
            "dynamic_update_slice" => call("dynamic-update-slice"),
            "pad" => {
                let config = value("padding_config")?;
                let parts = tuple(config).into_iter().map(|part| numbers(part).replace(',', "_"));
                let parts: Vec<String> = parts.collect();
                format!("{}, padding={}", call("pad"), parts.join("x"))
            }
            "dot_general" => {
                let lists = value("dimension_numbers")?;
                let lists: Vec<String> = lists.split(']').take(4).map(numbers).collect();
                let lists = lists.iter().map(|list| list.trim_start_matches(','));
                let keys = [
                    "lhs_contracting_dims",
                    "rhs_contracting_dims",
                    "lhs_batch_dims",
                    "rhs_batch_dims",
                ];
                let parts = keys.into_iter().zip(lists).filter(|(_, list)| !list.is_empty());
                let parts: String =
                    parts.map(|(key, list)| format!(", {key}={{{list}}}")).collect();
                format!("{}{parts}", call("dot"))
            }
            "select_n" => {
                let [which, first, second] = names[..] else { return None };
                format!("select({which}, {second}, {first})")
            }
            _ => match REDUCED.iter().find(|(own, _)| *own == primitive) {
                Some((_, op)) => self.reduced(op, &operands, &numbers(value("axes")?))?,
                None => {
                    let (_, op) = ELEMENTWISE.iter().find(|(own, _)| *own == primitive)?;
                    self.elementwise(op, &operands, shape)?
                }
            },
        };
        self.add(name, shape, &op);
        Some(Ok(()))
    }

    /// Returns a reduction by `op`, and adds its start and computation.
    fn reduced(&mut self, op: &str, operands: &[Operand], axes: &str) -> Option<String> {
        let [operand] = operands else { return None };
        let kind = operand.shape.split('[').next()?.to_owned();
        let first = format!("first.{}", self.lines.len());
        let computation = (op.to_owned(), kind.clone());
        if !self.computations.contains(&computation) {
            self.computations.push(computation);
        }
        let start = start_of(op, &kind)?;
        self.add(&first, &format!("{kind}[]"), &format!("constant({start})"));
        let name = &operand.name;
        Some(format!("reduce({name}, {first}), dimensions={{{axes}}}, to_apply={op}_{kind}"))
    }

    /// Returns an elementwise operation, and adds broadcasts of scalars to its shape.
    fn elementwise(&mut self, op: &str, operands: &[Operand], shape: &str) -> Option<String> {
        let mut list = Vec::new();
        for operand in operands {
            let is_scalar = operand.shape.ends_with("[]") && !shape.ends_with("[]");
            list.push(match is_scalar {
                true => {
                    let wide = format!("wide.{}", self.lines.len());
                    let kind = operand.shape.trim_end_matches("[]");
                    let sizes = &shape[shape.find('[')?..];
                    let op = format!("broadcast({}), dimensions={{}}", operand.name);
                    self.add(&wide, &format!("{kind}{sizes}"), &op);
                    wide
                }
                false => operand.name.clone(),
            });
        }
        Some(format!("{op}({})", list.join(", ")))
    }
}

/// Returns the value of a parameter in `key=value key=value`, whose values may be in brackets.
fn parameter<'t>(given: &'t str, key: &str) -> Option<&'t str> {
    let at = given.match_indices(key).find(|(at, _)| {
        let is_whole = given[..*at].chars().next_back().is_none_or(char::is_whitespace);
        is_whole && given[at + key.len()..].starts_with('=')
    });
    let rest = given[at?.0 + key.len() + 1..].trim_start();
    let end = match rest.starts_with(['(', '[']) {
        true => closing(rest)? + 1,
        false => rest.find(char::is_whitespace).unwrap_or(rest.len()),
    };
    Some(&rest[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equations_are_instructions() {
        let module = |lines: &str| format!("HloModule jaxpr\nENTRY main {{\n{lines}}}");
        for (text, expected) in [
            (
                "{ lambda ; a:f32[4,8]. let b:f32[8,4] = transpose[permutation=(1, 0)] a in (b,) }",
                module(
                    "  a = f32[4,8] parameter(0)\n  ROOT b = f32[8,4] transpose(a), dimensions={1,0}\n",
                ),
            ),
            (
                "{ lambda ; a:i32[4] b:i32[4]. let\n    c:i32[4] = mul a 2:i32[]\n    d:i32[2] = slice[\n      limit_indices=(4,)\n      start_indices=(0,)\n      strides=(2,)\n    ] c\n  in (d, b) }",
                module(
                    "  a = s32[4] parameter(0)\n  b = s32[4] parameter(1)\n  constant.2 = s32[] constant(2)\n  wide.3 = s32[4] broadcast(constant.2), dimensions={}\n  c = s32[4] multiply(a, wide.3)\n  d = s32[2] slice(c), slice={[0:4:2]}\n  ROOT results = (s32[2], s32[4]) tuple(d, b)\n",
                ),
            ),
            (
                "{ lambda ; a:f32[4,8] b:f32[8,2]. let c:f32[4,2] = dot_general[dimension_numbers=(([1], [0]), ([], [])) preferred_element_type=float32] a b in (c,) }",
                module(
                    "  a = f32[4,8] parameter(0)\n  b = f32[8,2] parameter(1)\n  ROOT c = f32[4,2] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n",
                ),
            ),
            (
                "{ lambda ; a:i32[4]. let b:i32[] = reduce_max[axes=(0,)] a in (b,) }",
                "HloModule jaxpr\nmaximum_s32 {\n  x = s32[] parameter(0)\n  y = s32[] parameter(1)\n  ROOT r = s32[] maximum(x, y)\n}\n\
                 ENTRY main {\n  a = s32[4] parameter(0)\n  first.1 = s32[] constant(-2147483648)\n  \
                 ROOT b = s32[] reduce(a, first.1), dimensions={0}, to_apply=maximum_s32\n}"
                    .to_owned(),
            ),
        ] {
            assert_eq!(line(text).expect("a jaxpr").expect("a module"), expected, "{text}");
        }
        for text in [
            "{ lambda ; a:f32[4]. let b:f32[4] = pjit[name=f jaxpr={ lambda ; a:f32[4]. let in (a,) }] a in (b,) }",
            "{ lambda ; a:f32[n]. let b:f32[n] = neg a in (b,) }",
            "{ lambda ; a:f32[4]. let b:f32[4] = neg c in (b,) }",
        ] {
            assert!(line(text).expect("a jaxpr").is_err(), "{text}");
        }
        assert!(line("{ [i] -> [i + 1] }").is_none());
    }
}
