//! The semantics of code: values by cases.
//!
//! Law: at every point that the limits of a case admit, the value of the case is that of the code over mathematical integers:
//! `//` rounds down, `>>` is a division that rounds down, and bits are those of two's complement. `/` and `%` round down, or
//! toward zero if the caller says so: then `x / c = max(x floordiv c, 0) + min(x ceildiv c, 0)`, and `x % c = x - c * (x / c)`.

use super::arithmetic::{constant, value_of};
use super::broadcast::is_subscript;
use super::cases::{Case, Limits, MAX_CASES, Region, both, everywhere, intersected, negated};
use super::choose::as_min_or_max;
use super::functions::Division;
use super::types::Type;
use super::value::Taken;
use super::variables::Variables;
use affinor_maps::expr::{Expr, ExprError, ExprKind, VariableId, interval_of};
use affinor_maps::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use affinor_maps::text::ast::{Node, NodeId, NodeKind, Relation, Sign, Term};
use affinor_maps::text::lower::expr_error;
use affinor_maps::text::token::excerpt;
use affinor_maps::text::{Error, ErrorKind, Span};
use std::cell::RefCell;

/// The maximal number of rounds in which bounds narrow each other.
const MAX_ROUNDS: usize = 8;

/// The value of a node.
#[derive(Clone, Debug)]
pub enum Value {
    Number(Vec<Case>),
    /// The points at which it is true.
    Truth(Region),
    /// The points at which an `and` or `or` of numbers is true: its value is 1 in C, but one of the numbers in Python.
    Either(Region),
}

/// Lowers the nodes of a term.
pub struct Lowering<'a> {
    pub term: &'a Term<'a>,
    pub text: &'a str,
    pub variables: &'a Variables,
    /// The bounds of each variable.
    pub bounds: Vec<Interval>,
    /// Whether `/` and `%` round toward zero.
    pub truncates: bool,
    /// Whether `//` and `%` are those of Triton, which round toward zero, as a notice says.
    pub is_triton: bool,
    /// Whether operations are carried out in the types of their operands.
    pub is_typed: bool,
    /// The place of a division in C whose dividend may be negative.
    pub rounded: Option<Span>,
    /// The first `/`, which is not an integer division in Python.
    pub slash: Option<Span>,
    /// The first `~` of a condition outside of C: for masks it is `not`, for Python's bool it is not.
    pub inverted: Option<Span>,
    /// The parts that are assumed to fit in their types.
    pub taken: RefCell<Vec<(Span, Type, Taken)>>,
    /// The indices of threads and blocks that are less than a size, each with that size.
    pub launched: Vec<[VariableId; 2]>,
    /// The first part that wraps around in an unsigned type of 32 bits.
    pub wraps: RefCell<Option<(Span, Type)>>,
    /// The type of each node.
    pub types: Vec<Type>,
    values: Vec<Option<Value>>,
}

impl<'a> Lowering<'a> {
    pub fn new(term: &'a Term<'a>, text: &'a str, variables: &'a Variables) -> Lowering<'a> {
        Lowering {
            term,
            text,
            variables,
            bounds: variables.list.iter().map(|found| found.bounds).collect(),
            truncates: false,
            is_triton: false,
            is_typed: true,
            rounded: None,
            slash: None,
            inverted: None,
            taken: RefCell::default(),
            launched: Vec::new(),
            wraps: RefCell::default(),
            types: Vec::new(),
            values: Vec::new(),
        }
    }

    /// Lowers the nodes that are `used`.
    ///
    /// # Errors
    /// An [`Error`] at a part that no map can express.
    pub fn run(&mut self, used: &[bool]) -> Result<(), Error> {
        self.values = vec![None; used.len()];
        self.types = vec![Type::Plain; used.len()];
        for (id, node) in self.term.nodes() {
            if used[id.index()] && !self.is_negative_end(id) {
                let (value, of) = self.node(node)?;
                self.values[id.index()] = Some(value);
                self.types[id.index()] = of;
            }
        }
        Ok(())
    }

    /// Assumes that the sizes that divide or end a range are at least 1; returns those whose bounds do not imply it.
    pub fn take_positive(&mut self) -> Vec<VariableId> {
        let mut taken = Vec::new();
        for (number, found) in (0..).zip(&self.variables.list) {
            let bounds = &mut self.bounds[number as usize];
            if found.size == Some(true) && bounds.lo() < 1 {
                *bounds = bounds.intersect(Interval::at_least(1));
                taken.push(VariableId(number));
            }
        }
        taken
    }

    /// Narrows the bounds of variables by limits on sums of variables and of their squares: `i - j in [0, inf]` and `i in [0, 7]`
    /// give `j in [-inf, 7]`, and `i*i + j*j in [-inf, 25]` gives `i in [-5, 5]`.
    pub fn narrow(&mut self, limits: &Limits) {
        for _ in 0..self.bounds.len().min(MAX_ROUNDS) {
            let before = self.bounds.clone();
            for limit in limits {
                let alone = [(1, limit.expr.clone())];
                let (constant, terms) = match limit.expr.kind() {
                    ExprKind::Sum(sum) => (sum.constant(), sum.terms()),
                    _ => (0, &alone[..]),
                };
                for (place, (c, own)) in terms.iter().enumerate() {
                    let (id, is_square) = match (own.as_variable(), root(own)) {
                        (Some(id), _) if c.abs() == 1 => (id, false),
                        (_, Some(id)) if *c > 0 => (id, true),
                        _ => continue,
                    };
                    let others = terms.iter().enumerate().filter(|(at, _)| *at != place);
                    let rest = others.fold(Interval::point(constant), |all, (_, (c, x))| {
                        let range = interval_of(x, &self.within());
                        let least = if root(x).is_some() { 0 } else { range.lo() };
                        all.add(range.intersect(Interval::at_least(least)).scale(*c))
                    });
                    let multiple = limit.bounds.add(rest.scale(-1));
                    let own = match is_square {
                        false => multiple.scale(*c),
                        true => roots(multiple.hi(), *c),
                    };
                    let bounds = &mut self.bounds[id.index()];
                    *bounds = bounds.intersect(own);
                }
            }
            if self.bounds == before {
                return;
            }
        }
    }

    /// Returns whether the node is 2^63, which fits only with its sign.
    fn is_negative_end(&self, id: NodeId) -> bool {
        matches!(self.term.node(id).kind, NodeKind::Integer(value) if i64::try_from(value).is_err())
    }

    pub fn within(&self) -> impl Fn(VariableId) -> Interval + '_ {
        |id| self.bounds.get(id.index()).copied().unwrap_or(Interval::ALL)
    }

    /// Returns the value of a node as a number; true is 1.
    pub fn number(&self, id: NodeId) -> Result<Vec<Case>, Error> {
        match self.value(id)? {
            Value::Number(cases) => Ok(cases),
            Value::Either(_) => {
                let message = "C and Python have different values for `and` and `or` of numbers";
                let error = Error::new(ErrorKind::Unsupported, self.span(id), message);
                Err(error.hint("compare each with 0: `a != 0 and b != 0`"))
            }
            Value::Truth(region) => {
                let rest = self.few(negated(&region, &self.within()), id)?;
                let cases = |region: Region, value: i64| {
                    region
                        .into_iter()
                        .map(move |limits| Case { limits, value: Expr::constant(value) })
                };
                Ok(cases(region, 1).chain(cases(rest, 0)).collect())
            }
        }
    }

    /// Returns the points at which the value of a node is not 0.
    pub fn truth(&self, id: NodeId) -> Result<Region, Error> {
        let cases = match self.value(id)? {
            Value::Truth(region) | Value::Either(region) => return Ok(region),
            Value::Number(cases) => cases,
        };
        let zero = self.compared(&cases, &constant(0), Interval::point(0), id)?;
        self.few(negated(&zero, &self.within()), id)
    }

    pub fn value(&self, id: NodeId) -> Result<Value, Error> {
        let value = self.values.get(id.index()).cloned().flatten();
        value.ok_or_else(|| {
            let message = "this integer does not fit in 64 bits";
            Error::new(ErrorKind::Overflow, self.span(id), message)
        })
    }

    pub fn span(&self, id: NodeId) -> Span {
        self.term.node(id).span.clone()
    }

    pub fn few<T>(&self, found: Option<T>, id: NodeId) -> Result<T, Error> {
        found.ok_or_else(|| {
            let message = format!("this value has more than {MAX_CASES} cases");
            let error = Error::new(ErrorKind::TooLarge, self.span(id), message);
            error.hint("a map has one case for each way its conditions can come out")
        })
    }

    /// Lowers a node to its value and type.
    fn node(&mut self, node: &'a Node<'a>) -> Result<(Value, Type), Error> {
        let maps = self.variables.maps(self.term, node).map_err(|reason| {
            let name = excerpt(self.text.get(node.span.clone()).unwrap_or(""));
            let message = format!("`{name}` {reason}");
            self.wrong(node, ErrorKind::Unsupported, message)
        })?;
        if let Some(maps) = maps {
            let cases = maps.into_iter().map(|(map, places)| value_of(map, &places));
            let cases: Result<Vec<Case>, ExprError> = cases.collect();
            let cases = cases.map_err(|error| self.not_built(error, node))?;
            let of = self.variables.type_of(self.term, node);
            return Ok((Value::Number(cases), of));
        }
        if let Some(number) = self.variables.number(self.term, node) {
            let case = Case { limits: Limits::new(), value: Expr::variable(VariableId(number)) };
            let of = self.variables.type_of(self.term, node);
            return Ok((Value::Number(vec![case]), of));
        }
        let plain = |value| Ok((value, Type::Plain));
        let number = |cases| Ok((Value::Number(cases), Type::Plain));
        match &node.kind {
            NodeKind::Integer(value) => number(constant(i64::try_from(*value).unwrap_or(i64::MAX))),
            NodeKind::Name(name) => Err(self.wrong(
                node,
                ErrorKind::Name,
                format!("unknown variable `{}`", excerpt(name)),
            )),
            NodeKind::Negate(x) if self.is_negative_end(*x) => number(constant(i64::MIN)),
            NodeKind::Negate(x) => {
                let of = self.common_type(&[*x]);
                let x = self.number(*x)?;
                self.wrapped(node, self.each(node, &[x], |list| list[0].scale(-1))?, of)
            }
            NodeKind::Sum(summands) => {
                let operands: Vec<NodeId> = summands.iter().map(|(_, x)| *x).collect();
                let values = operands.iter().map(|x| self.number(*x));
                let values = values.collect::<Result<Vec<_>, Error>>()?;
                let signs =
                    summands.iter().map(|(sign, _)| if *sign == Sign::Plus { 1 } else { -1 });
                let signs: Vec<i64> = signs.collect();
                let sum =
                    |list: &[Expr]| Expr::sum(0, signs.iter().copied().zip(list.iter().cloned()));
                self.wrapped(node, self.each(node, &values, sum)?, self.common_type(&operands))
            }
            NodeKind::Multiply(x, y) => {
                let of = self.common_type(&[*x, *y]);
                let (x, y) = (self.number(*x)?, self.number(*y)?);
                let cases = self.each(node, &[x, y], |list| list[0].times(&list[1]))?;
                self.wrapped(node, cases, of)
            }
            NodeKind::FloorDiv(x, y) if self.is_triton => {
                self.code_divided(node, *x, *y, Division::Floor)
            }
            NodeKind::FloorDiv(x, y) => self.divided(node, *x, *y, Division::Floor),
            NodeKind::CeilDiv(x, y) => self.divided(node, *x, *y, Division::Ceil),
            NodeKind::Mod(x, y) => self.divided(node, *x, *y, Division::Mod),
            NodeKind::Compare(operands, relations) => {
                let ([x, y], [relation]) = (&operands[..], &relations[..]) else {
                    return Err(self.wrong(
                        node,
                        ErrorKind::Unsupported,
                        "this comparison is not supported",
                    ));
                };
                plain(Value::Truth(self.related(node, *x, *y, *relation)?))
            }
            NodeKind::Not(x) => {
                let region = self.truth(*x)?;
                plain(Value::Truth(self.few(negated(&region, &self.within()), *x)?))
            }
            NodeKind::And(list) => {
                let mut region = everywhere();
                for x in list {
                    let other = self.truth(*x)?;
                    region = self.few(intersected(&region, &other, &self.within()), *x)?;
                }
                plain(self.joined(list, region))
            }
            NodeKind::Or(list) => {
                let mut region = Region::new();
                for x in list {
                    let other = self.truth(*x)?;
                    region = self.united(region, &other, *x)?;
                }
                plain(self.joined(list, region))
            }
            NodeKind::Call(name, operands) => self.call(node, name, operands),
            // Only isl's notation has these.
            NodeKind::Exists(..) | NodeKind::List(_) => {
                Err(self.wrong(node, ErrorKind::Unsupported, "this condition is not supported"))
            }
        }
    }

    /// Converts the result of an operation to its type: unsigned arithmetic wraps.
    pub fn wrapped(&self, node: &Node, cases: Vec<Case>, of: Type) -> Result<(Value, Type), Error> {
        let Type::Unsigned(bits) = of else {
            return Ok((Value::Number(cases), of));
        };
        let values = self.converted(node, cases.clone(), of)?;
        if bits == 32 && values != cases {
            self.wraps.borrow_mut().get_or_insert((node.span.clone(), of));
        }
        Ok((Value::Number(values), of))
    }

    /// Returns the points at which two values are in this relation.
    pub fn related(
        &self,
        node: &Node,
        x: NodeId,
        y: NodeId,
        relation: Relation,
    ) -> Result<Region, Error> {
        let bounds = match relation {
            Relation::Equal => Interval::point(0),
            Relation::Less => Interval::new(MINUS_INFINITY, -1),
            Relation::LessEqual => Interval::new(MINUS_INFINITY, 0),
            Relation::Greater => Interval::new(1, PLUS_INFINITY),
            Relation::GreaterEqual => Interval::new(0, PLUS_INFINITY),
        };
        let of = self.common_type(&[x, y]);
        let (x, y) = (self.operand(x, of)?, self.operand(y, of)?);
        self.compared_at(&x, &y, bounds, node)
    }

    pub fn differs(&self, node: &Node, x: NodeId, y: NodeId) -> Result<Region, Error> {
        let equal = self.related(node, x, y, Relation::Equal)?;
        self.few(negated(&equal, &self.within()), x)
    }

    /// Returns the value of an `and` or `or` of these operands.
    fn joined(&self, list: &[NodeId], region: Region) -> Value {
        let is_truth = |id: &NodeId| matches!(self.value(*id), Ok(Value::Truth(_)));
        match list.iter().all(is_truth) {
            true => Value::Truth(region),
            false => Value::Either(region),
        }
    }

    pub fn united(&self, mut region: Region, other: &Region, id: NodeId) -> Result<Region, Error> {
        let rest = self.few(negated(&region, &self.within()), id)?;
        region.extend(self.few(intersected(&rest, other, &self.within()), id)?);
        let is_few = region.len() <= MAX_CASES;
        self.few(is_few.then_some(region), id)
    }

    fn call(
        &mut self,
        node: &'a Node<'a>,
        name: &str,
        operands: &[NodeId],
    ) -> Result<(Value, Type), Error> {
        if let (Some(of), [x]) = (Type::of_conversion(name), operands) {
            return Ok(match of {
                Type::Bool => (Value::Truth(self.truth(*x)?), of),
                _ => {
                    let cases = self.number(*x)?;
                    (Value::Number(self.converted(node, cases, of)?), of)
                }
            });
        }
        match (name, operands) {
            ("/" | "%", [x, y]) => {
                if name == "/" {
                    self.slash.get_or_insert(node.span.clone());
                }
                let division = if name == "/" { Division::Floor } else { Division::Mod };
                self.code_divided(node, *x, *y, division)
            }
            ("!=", [x, y]) => Ok((Value::Truth(self.differs(node, *x, *y)?), Type::Plain)),
            (subscript, [x]) if is_subscript(subscript) => {
                Ok((self.value(*x)?, self.types[x.index()]))
            }
            ("?:", [condition, x, y]) => self.chosen(node, *condition, *x, *y),
            ("+", [x]) => self.wrapped(node, self.number(*x)?, self.common_type(&[*x])),
            ("~", [x]) => match self.value(*x)? {
                Value::Truth(region) | Value::Either(region) if !self.truncates => {
                    self.inverted.get_or_insert(node.span.clone());
                    Ok((Value::Truth(self.few(negated(&region, &self.within()), *x)?), Type::Plain))
                }
                _ => {
                    // In C the operand is the number 0 or 1, and the result -1 or -2.
                    let cases = self.number(*x)?;
                    let flipped =
                        self.each(node, &[cases], |list| Expr::sum(-1, [(-1, list[0].clone())]))?;
                    self.wrapped(node, flipped, self.common_type(&[*x]))
                }
            },
            ("&" | "|" | "^", [x, y]) => self.bitwise(node, name, *x, *y),
            ("<<" | ">>", [x, y]) => self.shifted(node, name, *x, *y),
            ("**", [x, y]) => self.power(node, *x, *y),
            _ => self.function(node, name, operands),
        }
    }

    pub fn chosen(
        &self,
        node: &Node,
        condition: NodeId,
        x: NodeId,
        y: NodeId,
    ) -> Result<(Value, Type), Error> {
        let within = self.within();
        let region = self.truth(condition)?;
        let rest = self.few(negated(&region, &within), condition)?;
        let of = self.common_type(&[x, y]);
        let (chosen, other) = (self.operand(x, of)?, self.operand(y, of)?);
        if let ([limits], [first], [second]) = (&region[..], &chosen[..], &other[..])
            && let ([limit], [], []) = (&limits[..], &first.limits[..], &second.limits[..])
        {
            let merged = as_min_or_max(limit, &first.value, &second.value, &within);
            if let Some(value) = merged.map_err(|error| self.not_built(error, node))? {
                let case = Case { limits: Limits::new(), value };
                return Ok((Value::Number(vec![case]), of));
            }
        }
        let mut cases = Vec::new();
        for (region, values) in [(&region, &chosen), (&rest, &other)] {
            for limits in region {
                cases.extend(values.iter().filter_map(|case| {
                    let limits = both(limits, &case.limits, &within)?;
                    Some(Case { limits, value: case.value.clone() })
                }));
            }
        }
        let is_few = cases.len() <= MAX_CASES;
        let cases = self.few(is_few.then_some(cases), condition)?;
        Ok((Value::Number(cases), of))
    }

    pub fn wrong(&self, node: &Node, kind: ErrorKind, message: impl Into<String>) -> Error {
        Error::new(kind, node.span.clone(), message)
    }

    pub fn not_built(&self, error: ExprError, node: &Node) -> Error {
        expr_error(error, &node.span, self.text)
    }
}

/// Returns the variable whose square `expr` is.
fn root(expr: &Expr) -> Option<VariableId> {
    match expr.kind() {
        ExprKind::Product(factors) => match &factors[..] {
            [x, y] if x == y => x.as_variable(),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the integers whose square times `factor` is at most `most`.
fn roots(most: i64, factor: i64) -> Interval {
    match (most == PLUS_INFINITY, (most / factor).checked_isqrt()) {
        (true, _) => Interval::ALL,
        (false, Some(root)) if most >= 0 => Interval::new(-root, root),
        _ => Interval::EMPTY,
    }
}
