//! Random programs with made-up values, run on the names of elements: the elements that each element of the result reads. The
//! library is not used here.

use super::random::Random;
use std::collections::BTreeSet;

/// An element of a parameter: the parameter's number and an index.
pub type Element = (usize, Vec<i64>);

/// An element of an array.
#[derive(Clone, Default)]
pub struct Cell {
    /// The elements of parameters that it reads.
    pub reads: BTreeSet<Element>,
    /// The value, in an array of indices.
    pub value: i64,
}

/// An array in row-major order.
#[derive(Clone)]
pub struct Array {
    pub sizes: Vec<i64>,
    pub cells: Vec<Cell>,
}

impl Array {
    pub fn build(sizes: &[i64], mut cell: impl FnMut(&[i64]) -> Cell) -> Array {
        Array {
            sizes: sizes.to_vec(),
            cells: indices(sizes).iter().map(|index| cell(index)).collect(),
        }
    }

    /// Returns the cell at an index; `None` outside of the array.
    pub fn at(&self, index: &[i64]) -> Option<&Cell> {
        let mut position = 0;
        for (x, size) in index.iter().zip(&self.sizes) {
            if !(0..*size).contains(x) {
                return None;
            }
            position = position * size + x;
        }
        self.cells.get(position as usize)
    }
}

/// Returns all indices of an array, in row-major order.
pub fn indices(sizes: &[i64]) -> Vec<Vec<i64>> {
    let mut all: Vec<Vec<i64>> = vec![Vec::new()];
    for size in sizes {
        all = all
            .iter()
            .flat_map(|start| (0..*size).map(|x| [start.as_slice(), &[x]].concat()))
            .collect();
    }
    all
}

/// Returns the cell that depends on all of `cells`.
fn united<'a>(cells: impl IntoIterator<Item = &'a Cell>) -> Cell {
    let reads = cells.into_iter().flat_map(|cell| cell.reads.iter().cloned());
    Cell { reads: reads.collect(), value: 0 }
}

/// A program whose result is `f` in the entry computation.
pub struct Program {
    pub text: String,
    pub parameters: Vec<Array>,
    /// The parameter of each operand of `f`; `None` for a constant.
    pub operands: Vec<Option<usize>>,
    pub output: Array,
    pub ops: Vec<&'static str>,
}

/// Maximum number of elements of an array.
const MOST: i64 = 160;

/// A program under construction.
pub struct Draft<'r> {
    pub random: &'r mut Random,
    body: String,
    parameters: Vec<(String, Array)>,
    /// The arrays of numbers so far, with their names; the last is the result.
    values: Vec<(String, Array)>,
    ops: Vec<&'static str>,
    /// The operands of the last op.
    operands: Vec<String>,
}

impl Draft<'_> {
    /// Draws a program of one to four ops: a fusion, or a single op without one.
    pub fn program(random: &mut Random) -> Program {
        let mut draft = Draft {
            random,
            body: String::new(),
            parameters: Vec::new(),
            values: Vec::new(),
            ops: Vec::new(),
            operands: Vec::new(),
        };
        let rank = draft.random.within(1..=3);
        let sizes: Vec<i64> = (0..rank).map(|_| draft.random.within(1..=7)).collect();
        let first = draft.parameter("f32", &sizes, |_| 0);
        draft.values.push(first);
        let length = 1 + draft.random.place(4);
        while draft.ops.len() < length || draft.last().1.sizes.is_empty() {
            draft.grow();
        }
        draft.finished()
    }

    fn finished(self) -> Program {
        let (name, output) = self.values.last().cloned().expect("a result");
        let parameter = |(number, (name, _)): (usize, &(String, Array))| {
            let of_type = self.body.find(&format!(" {name} = ")).map(|at| &self.body[at..]);
            let of_type = of_type.and_then(|text| text.split(" = ").nth(1));
            let shape = of_type.and_then(|text| text.split(' ').next()).expect("its line");
            format!("  {name} = {shape} parameter({number})\n")
        };
        let parameters: String = self.parameters.iter().enumerate().map(parameter).collect();
        let names: Vec<&str> = self.parameters.iter().map(|(name, _)| name.as_str()).collect();
        let body = self.body.replace(&format!("  {name} = "), "  ROOT f = ");
        let shape = shape("f32", &output.sizes);
        let add = "add {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, b)\n}";
        let number = |name: &String| self.parameters.iter().position(|(other, _)| other == name);
        let operands = match self.ops.len() {
            1 => self.operands.iter().map(number).collect(),
            _ => (0..self.parameters.len()).map(Some).collect(),
        };
        let text = match self.ops.len() {
            1 => format!("HloModule m\n{add}\nENTRY main {{\n{body}}}\n"),
            _ => format!(
                "HloModule m\n{add}\nfused {{\n{body}}}\nENTRY main {{\n{parameters}  ROOT f = {shape} fusion({}), kind=kLoop, calls=fused\n}}\n",
                names.join(", ")
            ),
        };
        Program {
            text,
            operands,
            parameters: self.parameters.into_iter().map(|(_, array)| array).collect(),
            output,
            ops: self.ops,
        }
    }

    pub fn last(&self) -> (String, Array) {
        self.values.last().cloned().expect("a value")
    }

    /// Draws one of the values so far that have these sizes; `None` if no value does.
    pub fn earlier(&mut self, sizes: &[i64]) -> Option<(String, Array)> {
        let mut fitting = self.values.clone();
        fitting.retain(|(_, array)| array.sizes == sizes);
        let place = self.random.place(fitting.len().max(1));
        fitting.get(place).cloned()
    }

    /// Adds a parameter with made-up values.
    pub fn parameter(
        &mut self,
        element_type: &str,
        sizes: &[i64],
        mut value: impl FnMut(&mut Random) -> i64,
    ) -> (String, Array) {
        let number = self.parameters.len();
        let name = format!("p{number}");
        let array = Array::build(sizes, |index| Cell {
            reads: BTreeSet::from([(number, index.to_vec())]),
            value: value(self.random),
        });
        let shape = shape(element_type, sizes);
        self.body += &format!("  {name} = {shape} parameter({number})\n");
        self.parameters.push((name.clone(), array.clone()));
        (name, array)
    }

    /// Adds the constant 0 unless it exists, and returns its name.
    pub fn zero(&mut self) -> &'static str {
        if !self.body.contains("zero =") {
            self.body += "  zero = f32[] constant(0)\n";
        }
        "zero"
    }

    /// Checks whether an array of these sizes is neither empty nor too large to be an operand.
    pub fn fits(sizes: &[i64]) -> bool {
        let elements = sizes.iter().try_fold(1, |n: i64, size| (*size >= 1).then_some(n * size));
        elements.is_some_and(|n| n <= MOST) && sizes.len() <= 4
    }

    /// Adds an instruction with `operands`, attributes and a function from the index to the cell.
    pub fn push(
        &mut self,
        op: &'static str,
        sizes: &[i64],
        operands: &[&str],
        attributes: &str,
        cell: impl FnMut(&[i64]) -> Cell,
    ) {
        let name = format!("x{}", self.values.len());
        let attributes = match attributes {
            "" => String::new(),
            attributes => format!(", {attributes}"),
        };
        let shape = shape("f32", sizes);
        self.operands = operands.iter().map(|name| (*name).to_owned()).collect();
        let operands = operands.join(", ");
        self.body += &format!("  {name} = {shape} {op}({operands}){attributes}\n");
        self.values.push((name, Array::build(sizes, cell)));
        self.ops.push(op);
    }

    /// Draws an op, and adds it if it fits.
    fn grow(&mut self) {
        let (name, x) = self.last();
        let draw = match x.sizes.is_empty() {
            true => 4,
            false => self.random.place(14),
        };
        match draw {
            0 => self.transpose(&name, &x),
            1 => self.reshape(&name, &x),
            2 => self.slice(&name, &x),
            3 => self.pad(&name, &x),
            4 => self.broadcast(&name, &x),
            5 => self.reduce(&name, &x),
            6 => self.reduce_window(&name, &x),
            7 | 8 => self.concatenate(&name, &x),
            9 => self.add(&name, &x),
            10 => self.gather(&name, &x),
            11 => self.dynamic_slice(&name, &x),
            12 => self.update_slice(&name, &x),
            _ => self.dot(&name, &x),
        }
    }

    fn transpose(&mut self, name: &str, x: &Array) {
        let rank = x.sizes.len();
        let mut order: Vec<usize> = (0..rank).collect();
        for i in (1..rank).rev() {
            order.swap(i, self.random.place(i + 1));
        }
        let sizes: Vec<i64> = order.iter().map(|d| x.sizes[*d]).collect();
        let attributes = format!("dimensions={{{}}}", list(&order));
        self.push("transpose", &sizes, &[name], &attributes, |index| {
            let mut from = vec![0; rank];
            for (place, d) in order.iter().enumerate() {
                from[*d] = index[place];
            }
            x.at(&from).cloned().unwrap_or_default()
        });
    }

    fn reshape(&mut self, name: &str, x: &Array) {
        let mut left: i64 = x.sizes.iter().product();
        let mut sizes = Vec::new();
        for _ in 0..self.random.place(3) {
            let divisors: Vec<i64> = (1..=left).filter(|d| left % d == 0).collect();
            let size = divisors[self.random.place(divisors.len())];
            sizes.push(size);
            left /= size;
        }
        sizes.push(left);
        let mut cells = x.cells.iter();
        self.push("reshape", &sizes, &[name], "", |_| cells.next().cloned().unwrap_or_default());
    }

    fn slice(&mut self, name: &str, x: &Array) {
        let (mut parts, mut sizes, mut steps) = (Vec::new(), Vec::new(), Vec::new());
        for size in &x.sizes {
            let start = self.random.within(0..=*size - 1);
            let limit = self.random.within(start + 1..=*size);
            let stride = self.random.within(1..=3);
            parts.push(format!("[{start}:{limit}:{stride}]"));
            sizes.push((limit - start + stride - 1) / stride);
            steps.push((start, stride));
        }
        let attributes = format!("slice={{{}}}", parts.join(","));
        self.push("slice", &sizes, &[name], &attributes, |index| {
            let from = index.iter().zip(&steps).map(|(i, (start, stride))| start + stride * i);
            x.at(&from.collect::<Vec<i64>>()).cloned().unwrap_or_default()
        });
    }

    fn pad(&mut self, name: &str, x: &Array) {
        let (mut parts, mut sizes, mut padding) = (Vec::new(), Vec::new(), Vec::new());
        for size in &x.sizes {
            let [low, high] = [-1, -1].map(|lo| self.random.within(lo..=4));
            let interior = self.random.within(0..=2) / 2;
            parts.push(format!("{low}_{high}_{interior}"));
            sizes.push(low + high + size + (size - 1) * interior);
            padding.push((low, interior + 1));
        }
        if !Draft::fits(&sizes) {
            return;
        }
        let (zero, around) = match self.random.place(2) {
            0 => (self.zero().to_owned(), Cell::default()),
            _ => {
                let (zero, array) = self.parameter("f32", &[], |_| 0);
                (zero, array.cells[0].clone())
            }
        };
        let attributes = format!("padding={}", parts.join("x"));
        self.push("pad", &sizes, &[name, &zero], &attributes, |index| {
            let places = index.iter().zip(&padding);
            let from: Option<Vec<i64>> = places
                .map(|(i, (low, step))| {
                    ((i - low) % step == 0).then_some((i - low).div_euclid(*step))
                })
                .collect();
            from.and_then(|from| x.at(&from)).unwrap_or(&around).clone()
        });
    }

    fn broadcast(&mut self, name: &str, x: &Array) {
        let place = self.random.place(x.sizes.len() + 1);
        let mut sizes = x.sizes.clone();
        sizes.insert(place, self.random.within(1..=5));
        if !Draft::fits(&sizes) {
            return;
        }
        let kept: Vec<usize> = (0..sizes.len()).filter(|d| *d != place).collect();
        let attributes = format!("dimensions={{{}}}", list(&kept));
        self.push("broadcast", &sizes, &[name], &attributes, |index| {
            let from: Vec<i64> = kept.iter().map(|d| index[*d]).collect();
            x.at(&from).cloned().unwrap_or_default()
        });
    }

    fn reduce(&mut self, name: &str, x: &Array) {
        let place = self.random.place(x.sizes.len());
        let mut sizes = x.sizes.clone();
        let count = sizes.remove(place);
        let zero = self.zero();
        let attributes = format!("dimensions={{{place}}}, to_apply=add");
        self.push("reduce", &sizes, &[name, zero], &attributes, |index| {
            let from = (0..count).map(|i| {
                let mut from = index.to_vec();
                from.insert(place, i);
                from
            });
            united(from.filter_map(|from| x.at(&from)).collect::<Vec<&Cell>>())
        });
    }

    fn reduce_window(&mut self, name: &str, x: &Array) {
        let (mut parts, mut sizes, mut windows) = ([vec![], vec![], vec![]], vec![], vec![]);
        for size in &x.sizes {
            let (window, stride) = (self.random.within(1..=3), self.random.within(1..=3));
            let padding = self.random.within(0..=window - 1);
            parts[0].push(window.to_string());
            parts[1].push(stride.to_string());
            parts[2].push(format!("{padding}_{padding}"));
            sizes.push((size + 2 * padding - window).div_euclid(stride) + 1);
            windows.push((window, stride, padding));
        }
        if !Draft::fits(&sizes) {
            return;
        }
        let zero = self.zero();
        let [size, stride, pad] = parts.map(|part: Vec<String>| part.join("x"));
        let attributes = format!("window={{size={size} stride={stride} pad={pad}}}, to_apply=add");
        let counts: Vec<i64> = windows.iter().map(|(window, ..)| *window).collect();
        self.push("reduce-window", &sizes, &[name, zero], &attributes, |index| {
            let taps = indices(&counts).into_iter().map(|tap| {
                let places = index.iter().zip(&windows).zip(&tap);
                places.map(|((i, (_, stride, pad)), k)| i * stride - pad + k).collect::<Vec<i64>>()
            });
            united(taps.filter_map(|from| x.at(&from)).collect::<Vec<&Cell>>())
        });
    }

    fn add(&mut self, name: &str, x: &Array) {
        let (other, y) = match self.earlier(&x.sizes) {
            Some(found) if found.0 != name => found,
            _ => self.parameter("f32", &x.sizes, |_| 0),
        };
        self.push("add", &x.sizes, &[name, &other], "", |index| {
            united([x.at(index), y.at(index)].into_iter().flatten())
        });
    }
}

pub fn shape(element_type: &str, sizes: &[i64]) -> String {
    format!("{element_type}[{}]", list(sizes))
}

pub fn list<T: ToString>(numbers: &[T]) -> String {
    let numbers: Vec<String> = numbers.iter().map(T::to_string).collect();
    numbers.join(",")
}

/// Returns the union of several cells' reads.
pub fn all_of<'a>(cells: impl IntoIterator<Item = Option<&'a Cell>>) -> Cell {
    united(cells.into_iter().flatten())
}
