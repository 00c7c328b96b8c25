//! `layout of` an index written as code with xor, div and mod: the layout and its swizzle are found, and an answer that none
//! exists is right. The expected answer comes from trying all swizzles on the values of the code.

use crate::numbers::Random;
use crate::support::talk::Talk;
use std::fmt;

/// The number of indices in a run. Every second one is a swizzle of a layout.
const INDICES: u64 = 200;

/// Names of the variables.
const NAMES: [&str; 3] = ["i", "j", "k"];

/// An index as code.
#[derive(Clone)]
enum Code {
    Variable(usize),
    Number(i64),
    Operation(&'static str, Box<Code>, Box<Code>),
}

impl Code {
    fn of(self, sign: &'static str, other: impl Into<Code>) -> Code {
        Code::Operation(sign, Box::new(self), Box::new(other.into()))
    }

    fn at(&self, point: &[i64]) -> i64 {
        match self {
            Code::Variable(number) => point[*number],
            Code::Number(number) => *number,
            Code::Operation(sign, x, y) => {
                let (x, y) = (x.at(point), y.at(point));
                match *sign {
                    "+" => x + y,
                    "-" => x - y,
                    "*" => x * y,
                    "//" => x.div_euclid(y),
                    "%" => x.rem_euclid(y),
                    "^" => x ^ y,
                    "&" => x & y,
                    "<<" => x << y,
                    ">>" => x >> y,
                    other => panic!("{other}"),
                }
            }
        }
    }
}

impl From<i64> for Code {
    fn from(number: i64) -> Code {
        Code::Number(number)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Code::Variable(number) => f.write_str(NAMES[*number]),
            Code::Number(number) => write!(f, "{number}"),
            Code::Operation(sign, x, y) => write!(f, "({x} {sign} {y})"),
        }
    }
}

impl Random {
    /// Draws a layout: rows, columns, tiles of columns, padded rows, or a batch of rows.
    fn layout(&mut self) -> (Vec<i64>, Code) {
        let (rows, columns) = (self.one_of(&[4, 8, 16, 32]), self.one_of(&[8, 16, 32]));
        let [i, j, k] = [0, 1, 2].map(Code::Variable);
        match self.below(5) {
            0 => (vec![rows, columns], i.of("*", columns).of("+", j)),
            1 => (vec![rows, columns], j.of("<<", i64::from(rows.ilog2())).of("+", i)),
            2 => {
                let width = self.one_of(&[2, 4, 8]);
                let tile = j.clone().of("//", width).of("*", rows * width);
                (vec![rows, columns], tile.of("+", i.of("*", width)).of("+", j.of("%", width)))
            }
            3 => (vec![rows, columns], i.of("*", columns + self.one_of(&[1, 2, 4, 8])).of("+", j)),
            _ => {
                let batch = i.of("*", rows * columns);
                (vec![3, rows, columns], batch.of("+", j.of("*", columns)).of("+", k))
            }
        }
    }

    /// Writes `Swizzle<bits, base, shift>` of an index in one of several ways.
    fn swizzled(&mut self, index: Code) -> Code {
        let bits = 1 + self.below(3);
        let (base, shift) = (self.below(4), bits + self.below(3));
        let (ones, all) = ((1 << bits) - 1, 1 << bits);
        let by = match self.below(5) {
            0 => index.clone().of(">>", base + shift).of("&", ones).of("<<", base),
            1 => index.clone().of("//", 1 << (base + shift)).of("%", all).of("*", 1 << base),
            2 => index.clone().of("&", ones << (base + shift)).of(">>", shift),
            // A swizzle of higher bits by lower ones.
            3 => index.clone().of("//", 1 << base).of("%", all).of("*", 1 << (base + shift)),
            _ => {
                let above = index.clone().of("//", 1 << (base + bits)).of("*", 1 << (base + bits));
                let read = index.clone().of("//", 1 << (base + shift));
                let middle = index.clone().of("//", 1 << base).of("^", read).of("%", all);
                let below = index.of("%", 1 << base);
                return above.of("+", middle.of("*", 1 << base)).of("+", below);
            }
        };
        index.of("^", by)
    }

    /// Draws an index that may not be a layout under any swizzle.
    fn other(&mut self) -> (Vec<i64>, Code) {
        let (rows, columns) = (self.one_of(&[8, 16]), self.one_of(&[8, 16, 32]));
        let [i, j, _] = [0, 1, 2].map(Code::Variable);
        let row = i.clone().of("*", columns);
        let code = match self.below(8) {
            0 => row.of("+", j.of("+", i).of("%", columns)),
            1 => row.of("+", j.of("^", i.of("*", 3).of("%", columns))),
            2 => row.of("+", j.of("^", i.of("//", 3).of("%", 4))),
            3 => row.of("+", j).of("//", 3),
            4 => row.of("+", j).of("*", 5).of("%", rows * columns),
            5 => {
                let twice = i.clone().of("%", 4).of("^", i.of("//", 4).of("%", 2).of("*", 2));
                row.of("+", j).of("^", twice)
            }
            6 => {
                let (sizes, index) = self.layout();
                let once = self.swizzled(index);
                return (sizes, self.swizzled(once));
            }
            _ => {
                let (sizes, index) = self.layout();
                let more = Code::Variable(1).of("//", self.one_of(&[2, 3, 4]));
                return (sizes, self.swizzled(index).of("+", more));
            }
        };
        (vec![rows, columns], code)
    }
}

/// Applies `Swizzle<bits, base, shift>` to an offset.
fn swizzle([bits, base, shift]: [i64; 3], offset: i64) -> i64 {
    let read = offset >> (base + shift.max(0)) & ((1 << bits) - 1);
    offset ^ read << (base + (-shift).max(0))
}

/// Returns the values at all points, the first variable fastest.
fn values(sizes: &[i64], code: &Code) -> Vec<i64> {
    let count: i64 = sizes.iter().product();
    let point = |mut number: i64| -> Vec<i64> {
        let digit = |size: &i64| {
            let digit = number % size;
            number /= size;
            digit
        };
        sizes.iter().map(digit).collect()
    };
    (0..count).map(|number| code.at(&point(number))).collect()
}

/// Checks whether the values along one mode, from 0 on, are those of nested modes: a line, repeated by another such mode.
fn is_mode(values: &[i64]) -> bool {
    let count = values.len();
    let is_line = |length: usize| (2..length).all(|k| values[k] == k as i64 * values[1]);
    let splits = |inner: usize| {
        count.is_multiple_of(inner)
            && is_line(inner)
            && (0..count).all(|k| values[k] == values[k % inner] + values[k - k % inner])
            && is_mode(&values.iter().step_by(inner).copied().collect::<Vec<_>>())
    };
    is_line(count) || (2..count).any(splits)
}

/// Checks by the definition whether a layout over these sizes, with an offset, has these values.
fn is_layout(sizes: &[i64], values: &[i64]) -> bool {
    let mut step = 1;
    let mut modes: Vec<Vec<i64>> = Vec::new();
    for size in sizes {
        let along = (0..*size as usize).map(|k| values[k * step] - values[0]);
        modes.push(along.collect());
        step *= *size as usize;
    }
    let sum = |mut number: usize| {
        let digit = |mode: &Vec<i64>| {
            let own = mode[number % mode.len()];
            number /= mode.len();
            own
        };
        values[0] + modes.iter().map(digit).sum::<i64>()
    };
    (0..values.len()).all(|number| sum(number) == values[number])
        && modes.iter().all(|mode| is_mode(mode))
}

/// Returns the minimum number of bits of a swizzle after which the values are those of a layout.
fn fewest_bits(sizes: &[i64], values: &[i64]) -> Option<i64> {
    if is_layout(sizes, values) {
        return Some(0);
    }
    let highest = values.iter().max().expect("a value");
    let top = i64::from(i64::BITS - highest.leading_zeros()) + 2;
    let fits = |bits: i64| {
        let shifts = (bits..=top).flat_map(|shift| [shift, -shift]);
        shifts.flat_map(|shift| (0..=top).map(move |base| [bits, base, shift])).any(|own| {
            let undone: Vec<i64> = values.iter().map(|value| swizzle(own, *value)).collect();
            is_layout(sizes, &undone)
        })
    };
    (1..=top).find(|bits| fits(*bits))
}

/// Returns the numbers in a text.
fn integers(text: &str) -> Vec<i64> {
    let words = text.split(|c: char| !c.is_ascii_digit() && c != '-');
    words.filter_map(|word| word.parse().ok()).collect()
}

/// Returns the bits of the swizzle in a printed layout, and the offsets.
fn read(text: &str) -> (i64, Vec<i64>) {
    let mut parts: Vec<&str> = text.split(" o ").collect();
    let (shape, strides) = parts.pop().and_then(|body| body.split_once(':')).expect("a layout");
    let (mut own, mut base) = ([0; 3], 0);
    for part in parts {
        match integers(part)[..] {
            [offset] => base = offset,
            [bits, lowest, shift] => own = [bits, lowest, shift],
            _ => panic!("{text}"),
        }
    }
    let mut offsets = vec![base];
    for (size, stride) in integers(shape).into_iter().zip(integers(strides)) {
        let along = (0..size).flat_map(|digit| offsets.iter().map(move |o| o + digit * stride));
        offsets = along.collect();
    }
    (own[0], offsets.into_iter().map(|offset| swizzle(own, offset)).collect())
}

#[test]
fn layouts_of_code_are_found_or_there_are_none() {
    let (mut found, mut none) = (0, 0);
    for seed in 0..INDICES {
        let mut random = Random(seed);
        random.below(2);
        let (sizes, code) = match seed % 2 {
            0 => {
                let (sizes, index) = random.layout();
                (sizes, random.swizzled(index))
            }
            _ => random.other(),
        };
        let loops =
            sizes.iter().zip(NAMES).map(|(size, name)| format!("for {name} in range({size})"));
        let text = format!("{code} {}", loops.collect::<Vec<_>>().join(" "));
        let expected = values(&sizes, &code);
        let fewest = fewest_bits(&sizes, &expected);
        let answer = Talk::default().object(&format!("layout of {text}"));
        match fewest {
            None => {
                assert_eq!(answer["answer"], "none", "{text}: {answer}");
                none += 1;
            }
            Some(fewest) => {
                let layout = answer["layout"].as_str();
                let (bits, offsets) = read(layout.unwrap_or_else(|| panic!("{text}: {answer}")));
                assert_eq!((bits, offsets), (fewest, expected), "{text}: {answer}");
                found += 1;
            }
        }
    }
    assert!(found >= 100 && none >= 40, "{found} found, {none} none");
}
