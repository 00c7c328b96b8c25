//! Random pieces of code: indices with bounds, sizes, named values and results, in the syntax of Python, C, CUDA or Triton.

use crate::draw::Draw;
use crate::grow::{Soil, tree};
use crate::indices::{End, Index, indices, sizes};
use crate::judge::{Runner, Source};
use crate::tree::{Tree, number, two};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Dialect {
    Python,
    C,
    Cuda,
    Triton,
}

impl Dialect {
    pub fn is_c(self) -> bool {
        matches!(self, Dialect::C | Dialect::Cuda)
    }

    pub fn runner(self) -> Runner {
        match self {
            Dialect::Python | Dialect::Triton => Runner::Python,
            Dialect::C => Runner::C,
            Dialect::Cuda => Runner::Cpp,
        }
    }
}

/// The form in which the code states its bounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// `E for i in range(8)`, `for (int i = 0; i < 8; i++) E`
    Loops,
    /// The heads of loops, on lines of their own.
    Block,
    /// `lambda i: E, domain: i in [0, 7]`
    Lambda,
    /// `E, domain: i in [0, 7]`
    Domain,
    /// `E where 0 <= i < 8`
    Where,
    /// `E, 0 <= i < 8`
    Comma,
    /// A function, whose parameters have no bounds.
    Function,
    /// Statements on earlier lines that name values.
    Session,
}

#[derive(Clone, Debug)]
pub struct Piece {
    pub dialect: Dialect,
    pub form: Form,
    pub sizes: Vec<String>,
    pub indices: Vec<Index>,
    /// The named values, with their declared types in C.
    pub statements: Vec<(&'static str, String, Tree)>,
    pub results: Vec<Tree>,
    /// Whether the statements are on one line.
    pub in_one_line: bool,
    /// Whether a quotient and its remainder are named by one `divmod`, if the language has it.
    pub with_divmod: bool,
}

/// Returns the name of a map's variable for a name in the code.
pub fn map_name(name: &str) -> String {
    let name = name.trim_start_matches("tl.").replace(['(', ' ', '.'], "_");
    name.replace([',', ')'], "")
}

impl Piece {
    pub fn random(draw: &mut Draw, dialect: Dialect) -> Piece {
        let form = match dialect {
            Dialect::Python => draw.one_of(&[
                Form::Loops,
                Form::Loops,
                Form::Loops,
                Form::Block,
                Form::Lambda,
                Form::Domain,
                Form::Where,
                Form::Comma,
                Form::Function,
                Form::Session,
            ]),
            Dialect::C => draw.one_of(&[
                Form::Loops,
                Form::Loops,
                Form::Loops,
                Form::Block,
                Form::Domain,
                Form::Where,
                Form::Comma,
                Form::Function,
                Form::Session,
            ]),
            Dialect::Cuda | Dialect::Triton => draw.one_of(&[
                Form::Domain,
                Form::Domain,
                Form::Where,
                Form::Comma,
                Form::Session,
                Form::Session,
            ]),
        };
        let sizes = sizes(draw, dialect);
        let mut piece = Piece {
            dialect,
            form,
            indices: indices(draw, dialect, form, &sizes),
            sizes,
            statements: Vec::new(),
            results: Vec::new(),
            in_one_line: draw.one_in(2),
            with_divmod: draw.one_in(2),
        };
        let mut soil = piece.soil();
        if matches!(form, Form::Block | Form::Function | Form::Session) {
            piece.name_values(draw, &mut soil);
        }
        let depth = 1 + draw.below(3) as u32;
        let count = match dialect.is_c() || form == Form::Block {
            true => 1,
            false => 1 + draw.below(4) / 3,
        };
        piece.results = match draw.below(4) {
            0 => vec![piece.line(draw)],
            _ => (0..count).map(|_| tree(draw, &soil, depth)).collect(),
        };
        if dialect.is_c() && draw.one_in(12) {
            let wide = draw.one_of(&["long", "long long", "size_t", "int64_t", "uint64_t"]);
            let last = piece.results.pop().into_iter();
            let last = last.map(|tree| Tree::Cast(wide, Box::new(tree), false));
            piece.results.extend(last.collect::<Vec<_>>());
        }
        let used: Vec<bool> = piece.sizes.iter().map(|size| piece.uses(size)).collect();
        let mut used = used.into_iter();
        piece.sizes.retain(|_| used.next() == Some(true));
        let named: Vec<bool> = piece.indices.iter().map(|x| piece.mentions(x)).collect();
        let mut named = named.into_iter();
        piece.indices.retain(|_| named.next() == Some(true));
        piece
    }

    /// Checks whether an index occurs in the bounds or, through named values, in the results; otherwise it is removed.
    fn mentions(&self, index: &Index) -> bool {
        let has_bounds = index.is_bounded && !index.name.contains("arange");
        has_bounds || self.form == Form::Function || self.reaches(&index.name)
    }

    /// Checks whether a name occurs in the bounds or, through named values, in the results.
    fn reaches(&self, name: &str) -> bool {
        let mut needed: Vec<&Tree> = self.results.iter().collect();
        for (_, name, value) in self.statements.iter().rev() {
            if self.form != Form::Session || needed.iter().any(|tree| tree.names(name)) {
                needed.push(value);
            }
        }
        self.bounds_name(name) || needed.iter().any(|tree| tree.names(name))
    }

    /// Checks that an unbounded CUDA thread index is less than the size of its block.
    fn is_launched(&self, point: &[i64]) -> bool {
        let at = |name: &str| {
            let place = self.names().iter().position(|other| other == name)?;
            point.get(place).copied()
        };
        let mut threads = self.indices.iter().filter(|index| index.name == "threadIdx.x");
        let is_free = |index: &Index| !index.is_bounded && !self.bounds_name(&index.name);
        match threads.next().filter(|index| is_free(index)) {
            Some(index) if self.reaches("blockDim.x") && self.reaches(&index.name) => {
                at(&index.name).zip(at("blockDim.x")).is_none_or(|(thread, size)| thread < size)
            }
            _ => true,
        }
    }

    fn soil(&self) -> Soil {
        let positive = self.indices.iter().filter(|index| index.lo >= 0);
        let bounds = |size: &&String| self.bounds_name(size);
        let named = |index: &Index| Tree::Name(index.name.clone());
        Soil {
            dialect: self.dialect,
            names: self.indices.iter().map(named).collect(),
            sizes: self.sizes.iter().filter(bounds).cloned().collect(),
            positive: positive.map(named).collect(),
        }
    }

    fn bounds_name(&self, size: &str) -> bool {
        let mut ends = self.indices.iter().map(|index| &index.end);
        ends.any(|end| end.name.as_deref() == Some(size))
    }

    fn uses(&self, size: &str) -> bool {
        let statements = self.statements.iter().map(|(_, _, tree)| tree);
        let mut trees = statements.chain(&self.results);
        self.bounds_name(size) || trees.any(|tree| tree.names(size))
    }

    /// Adds named values, such as `r = i // 8` and `c = i % 8`.
    fn name_values(&mut self, draw: &mut Draw, soil: &mut Soil) {
        let divisor = match soil.sizes.first() {
            Some(size) if draw.one_in(3) => Tree::Name(size.clone()),
            _ => number(draw.within(2, 9)),
        };
        let of = draw.one_of(&soil.names);
        let values = match draw.below(3) {
            0 => vec![tree(draw, soil, 2)],
            1 => vec![tree(draw, soil, 1), tree(draw, soil, 1)],
            _ => vec![two("/", of.clone(), divisor.clone()), two("%", of, divisor)],
        };
        let names = draw.one_of(&[["r", "c"], ["row", "col"], ["hi", "lo"]]);
        for (name, value) in names.into_iter().zip(values) {
            let types = ["int", "int", "const int", "unsigned", "short"];
            self.statements.push((draw.one_of(&types), name.to_owned(), value));
            soil.names.insert(0, Tree::Name(name.to_owned()));
            // Named values are used more often than the names in their expressions.
            soil.names.insert(0, Tree::Name(name.to_owned()));
        }
    }

    /// Linearizes all indices, with strides that may fit: `(i * n + j) * 8 + k`.
    fn line(&self, draw: &mut Draw) -> Tree {
        let mut line: Option<Tree> = None;
        for index in &self.indices {
            let name = Tree::Name(index.name.clone());
            line = Some(match line {
                None => name,
                Some(line) => {
                    let width = match &index.end.name {
                        Some(size) if self.sizes.contains(size) && !draw.one_in(4) => {
                            let size = Tree::Name(size.clone());
                            match index.end.scale {
                                1 => size,
                                scale => two("*", number(scale), size),
                            }
                        }
                        _ => number((index.end.offset + draw.within(0, 1)).max(2)),
                    };
                    two("+", two("*", line, width), name)
                }
            });
        }
        line.unwrap_or(Tree::Number(0))
    }

    /// Returns the names that a point has values for: sizes, then indices.
    pub fn names(&self) -> Vec<String> {
        let indices = self.indices.iter().map(|index| index.name.clone());
        self.sizes.iter().cloned().chain(indices).collect()
    }

    /// Returns the code to run for these results, with the named values that they need.
    pub fn source(&self, results: &[Tree]) -> Source {
        let mut needed: Vec<&Tree> = results.iter().collect();
        let mut statements = Vec::new();
        for (place, (_, name, value)) in self.statements.iter().enumerate().rev() {
            if needed.iter().any(|tree| tree.names(name)) {
                needed.push(value);
                statements.insert(0, self.statement(place));
            }
        }
        Source { names: self.names(), statements, results: self.texts(results) }
    }

    /// Writes a statement, such as `int r = i / 8;`.
    pub fn statement(&self, place: usize) -> String {
        let (to, name, value) = &self.statements[place];
        let value = value.text(self.dialect);
        match self.dialect.is_c() {
            true => format!("{to} {name} = {value};"),
            false => format!("{name} = {value}"),
        }
    }

    /// Writes all statements.
    pub fn statements(&self) -> Vec<String> {
        if let [(_, quotient, Tree::Two("/", x, d)), (_, remainder, Tree::Two("%", y, e))] =
            &self.statements[..]
            && self.with_divmod
            && !self.dialect.is_c()
            && (x, d) == (y, e)
            && !y.names(quotient)
        {
            let arguments = [x, d].map(|tree| tree.text(self.dialect)).join(", ");
            return vec![format!("{quotient}, {remainder} = divmod({arguments})")];
        }
        let places = 0..self.statements.len();
        places.map(|place| self.statement(place)).collect()
    }

    /// Writes the results.
    pub fn texts(&self, results: &[Tree]) -> Vec<String> {
        results.iter().map(|tree| tree.text(self.dialect)).collect()
    }

    /// Returns all points for these sizes, in the order of [`Piece::names`].
    pub fn points(&self, sizes: &[i64]) -> Vec<Vec<i64>> {
        let mut points = vec![sizes.to_vec()];
        for index in &self.indices {
            let mut longer = Vec::new();
            for point in points {
                let end = self.end_at(&index.end, &point).unwrap_or(0);
                let mut value = index.lo;
                while value < end {
                    let mut point = point.clone();
                    point.push(value);
                    longer.push(point);
                    value += index.step;
                }
            }
            points = longer;
        }
        points.retain(|point| self.is_launched(point));
        points
    }

    /// Returns the value of an end, given the values of the names before it.
    fn end_at(&self, end: &End, point: &[i64]) -> Option<i64> {
        let Some(name) = &end.name else {
            return Some(end.offset);
        };
        let place = self.names().iter().position(|other| other == name)?;
        Some(end.scale * point.get(place)? + end.offset)
    }

    /// Checks whether the point is within the bounds.
    pub fn contains(&self, point: &[i64]) -> bool {
        let first = self.sizes.len();
        let mut places = self.indices.iter().zip(first..);
        self.is_launched(point)
            && places.all(|(index, place)| {
                let value = point[place];
                let is_below = self.end_at(&index.end, point).is_some_and(|end| value < end);
                let is_inside = value >= index.lo && (value - index.lo) % index.step == 0;
                let is_unsigned = self.unsigned(index);
                !index.is_bounded && (value >= 0 || !is_unsigned) || is_below && is_inside
            })
    }

    fn unsigned(&self, index: &Index) -> bool {
        index.name.contains(['.', '('])
    }

    pub fn is_bounded(&self) -> bool {
        self.indices.iter().all(|index| index.is_bounded)
    }

    /// Returns the values that are tried for the sizes.
    pub fn choices(&self) -> Vec<Vec<i64>> {
        let mut choices = vec![Vec::new()];
        for _ in &self.sizes {
            let longer = choices.iter().flat_map(|choice: &Vec<i64>| {
                [1, 2, 3, 5].map(|value| {
                    let mut choice = choice.clone();
                    choice.push(value);
                    choice
                })
            });
            choices = longer.collect();
        }
        choices
    }
}
