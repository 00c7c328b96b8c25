//! Random chains of ops on small arrays, as HLO.

use super::random::Random;
use std::fmt::Write;

/// A chain: every op takes the result of the previous one.
pub struct Chain {
    /// The opcodes.
    pub ops: Vec<&'static str>,
    body: String,
    input: Vec<i64>,
    output: Vec<i64>,
}

/// Maximum number of elements of an array.
const MOST: i64 = 600;

impl Chain {
    /// Draws a chain of one to five ops.
    pub fn draw(random: &mut Random) -> Chain {
        let rank = random.within(1..=3);
        let input: Vec<i64> = (0..rank).map(|_| random.within(1..=8)).collect();
        let mut chain = Chain {
            ops: Vec::new(),
            body: format!("  x0 = {} parameter(0)\n", shape(&input)),
            output: input.clone(),
            input,
        };
        let length = 1 + random.place(5);
        while chain.ops.len() < length {
            chain.grow(random);
        }
        chain
    }

    /// Returns a module whose root is a fusion of the chain.
    pub fn module(&self) -> String {
        let (input, output) = (shape(&self.input), shape(&self.output));
        let last = format!("  x{} =", self.ops.len());
        let body = self.body.replace(&last, &format!("  ROOT x{} =", self.ops.len()));
        format!(
            "HloModule chain\nadd {{\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, b)\n}}\n\
             fused {{\n{body}}}\nENTRY main {{\n  p = {input} parameter(0)\n  ROOT f = {output} fusion(p), kind=kLoop, calls=fused\n}}\n"
        )
    }

    /// Adds an op, unless its result would be too large or empty.
    fn grow(&mut self, random: &mut Random) {
        let sizes = self.output.clone();
        let at = self.ops.len();
        let (op, output, attributes, extra): (_, Vec<i64>, String, &str) = match random.place(9) {
            0 => {
                let mut order: Vec<usize> = (0..sizes.len()).collect();
                for i in (1..order.len()).rev() {
                    order.swap(i, random.place(i + 1));
                }
                let output = order.iter().map(|d| sizes[*d]).collect();
                ("transpose", output, format!("dimensions={{{}}}", list(&order)), "")
            }
            1 => ("reshape", reshaped(&sizes, random), String::new(), ""),
            2 => {
                let mut parts = Vec::new();
                let mut output = Vec::new();
                for size in &sizes {
                    let start = random.within(0..=*size - 1);
                    let limit = random.within(start + 1..=*size);
                    let stride = random.within(1..=3);
                    parts.push(format!("[{start}:{limit}:{stride}]"));
                    output.push((limit - start + stride - 1) / stride);
                }
                ("slice", output, format!("slice={{{}}}", parts.join(",")), "")
            }
            3 => {
                let mut parts = Vec::new();
                let mut output = Vec::new();
                for size in &sizes {
                    let [low, high, interior] = [-1, -1, 0].map(|lo| random.within(lo..=2));
                    parts.push(format!("{low}_{high}_{interior}"));
                    output.push(low + high + size + (size - 1) * interior);
                }
                ("pad", output, format!("padding={}", parts.join("x")), ", zero")
            }
            4 => {
                let reversed: Vec<usize> =
                    (0..sizes.len()).filter(|_| random.place(2) == 0).collect();
                ("reverse", sizes, format!("dimensions={{{}}}", list(&reversed)), "")
            }
            5 => {
                let place = random.place(sizes.len() + 1);
                let mut output = sizes.clone();
                output.insert(place, random.within(2..=4));
                let dimensions: Vec<usize> = (0..output.len()).filter(|d| *d != place).collect();
                ("broadcast", output, format!("dimensions={{{}}}", list(&dimensions)), "")
            }
            6 => {
                let place = random.place(sizes.len().max(1));
                let mut output = sizes.clone();
                if place < output.len() {
                    output.remove(place);
                }
                ("reduce", output, format!("dimensions={{{place}}}, to_apply=add"), ", zero")
            }
            7 => {
                let mut parts = [Vec::new(), Vec::new(), Vec::new()];
                let mut output = Vec::new();
                for size in &sizes {
                    let (window, stride) = (random.within(1..=3), random.within(1..=2));
                    let padding = random.within(0..=window - 1);
                    parts[0].push(window.to_string());
                    parts[1].push(stride.to_string());
                    parts[2].push(format!("{padding}_{padding}"));
                    output.push((size + 2 * padding - window).div_euclid(stride) + 1);
                }
                let [size, stride, pad] = parts.map(|part| part.join("x"));
                let window =
                    format!("window={{size={size} stride={stride} pad={pad}}}, to_apply=add");
                ("reduce-window", output, window, ", zero")
            }
            _ => {
                let place = random.place(sizes.len().max(1));
                let mut output = sizes.clone();
                if let Some(size) = output.get_mut(place) {
                    *size *= 2;
                }
                let twice = format!("dimensions={{{place}}}");
                ("concatenate", output, twice, TWICE)
            }
        };
        let is_scalar =
            self.output.is_empty() && !matches!(op, "broadcast" | "reshape" | "transpose");
        let elements = output.iter().try_fold(1, |n: i64, size| (*size >= 1).then_some(n * size));
        if is_scalar || elements.is_none_or(|n| n > MOST) {
            return;
        }
        let operand = format!("x{at}");
        let operands = match extra {
            TWICE => format!("{operand}, {operand}"),
            extra => format!("{operand}{extra}"),
        };
        if extra == ", zero" && !self.body.contains("zero =") {
            self.body.push_str("  zero = f32[] constant(0)\n");
        }
        let attributes = match attributes.is_empty() {
            true => attributes,
            false => format!(", {attributes}"),
        };
        let _ =
            writeln!(self.body, "  x{} = {} {op}({operands}){attributes}", at + 1, shape(&output));
        self.ops.push(op);
        self.output = output;
    }
}

const TWICE: &str = "twice";

fn shape(sizes: &[i64]) -> String {
    let sizes: Vec<String> = sizes.iter().map(i64::to_string).collect();
    format!("f32[{}]", sizes.join(","))
}

fn list(numbers: &[usize]) -> String {
    let numbers: Vec<String> = numbers.iter().map(usize::to_string).collect();
    numbers.join(",")
}

/// Draws other sizes with the same product.
fn reshaped(sizes: &[i64], random: &mut Random) -> Vec<i64> {
    let mut left: i64 = sizes.iter().product();
    let mut output = Vec::new();
    for _ in 0..random.place(3) {
        let divisors: Vec<i64> = (1..=left).filter(|d| left % d == 0).collect();
        let size = divisors[random.place(divisors.len())];
        output.push(size);
        left /= size;
    }
    output.push(left);
    output
}
