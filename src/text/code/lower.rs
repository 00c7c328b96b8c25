//! Gives code its meaning: values by cases.
//!
//! Law: at every point that the limits of a case admit, the value of the case is that of the code: mathematical integers,
//! `//` rounds down, `>>` is a division that rounds down, bits are those of two's complement. `/` and `%` round down, or
//! toward zero where the reader says so: then `x / c = max(x floordiv c, 0) + min(x ceildiv c, 0)`, and
//! `x % c = x - c * (x / c)`.

use super::arithmetic::{constant, product, value_of};
use super::bits::NoBits;
use super::calls::Division;
use super::cases::{
    Case, Limits, MAX_CASES, Region, both, bounds_within, everywhere, intersected, limit, negated,
};
use super::choose::as_min_or_max;
use super::variables::Variables;
use crate::expr::{Expr, ExprError, VariableId, interval_of};
use crate::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use crate::text::ast::{Node, NodeId, NodeKind, Relation, Sign, Term};
use crate::text::lower::expr_error;
use crate::text::token::excerpt;
use crate::text::{Error, ErrorKind, Span};

/// The value of a node.
#[derive(Clone, Debug)]
pub enum Value {
    Number(Vec<Case>),
    /// The points at which it is true.
    Truth(Region),
    /// The same of `and` and `or` of numbers: C has 1 for it, Python one of the numbers.
    Either(Region),
}

/// Lowers the nodes of a term.
pub struct Lowering<'a> {
    pub term: &'a Term<'a>,
    pub text: &'a str,
    pub variables: &'a Variables,
    /// What is known of each variable.
    pub bounds: Vec<Interval>,
    /// Whether `/` and `%` round toward zero.
    pub truncates: bool,
    /// Where C divides a value that may be negative.
    pub rounded: Option<Span>,
    /// The first `/`, which is no division of integers in Python.
    pub slash: Option<Span>,
    values: Vec<Option<Value>>,
}

/// Two exact operands and what is known of the first.
type Binary<'f> = &'f dyn Fn(&Expr, &Expr, &dyn Fn(&Expr) -> Interval) -> Result<Expr, NoBits>;

impl<'a> Lowering<'a> {
    pub fn new(term: &'a Term<'a>, text: &'a str, variables: &'a Variables) -> Lowering<'a> {
        Lowering {
            term,
            text,
            variables,
            bounds: variables.list.iter().map(|found| found.bounds).collect(),
            truncates: false,
            rounded: None,
            slash: None,
            values: Vec::new(),
        }
    }

    /// Lowers the nodes that are `used`.
    ///
    /// # Errors
    /// What no map can say, at its position.
    pub fn run(&mut self, used: &[bool]) -> Result<(), Error> {
        self.values = vec![None; used.len()];
        for (id, node) in self.term.nodes() {
            if used[id.index()] && !self.is_negative_end(id) {
                self.values[id.index()] = Some(self.node(node)?);
            }
        }
        Ok(())
    }

    /// Is it 2^63, which fits only with its sign?
    fn is_negative_end(&self, id: NodeId) -> bool {
        matches!(self.term.node(id).kind, NodeKind::Integer(value) if i64::try_from(value).is_err())
    }

    pub fn within(&self) -> impl Fn(VariableId) -> Interval + '_ {
        |id| {
            self.bounds
                .get(id.index())
                .copied()
                .unwrap_or(Interval::ALL)
        }
    }

    /// The value of a node as a number; what is true is 1.
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
                    region.into_iter().map(move |limits| Case {
                        limits,
                        value: Expr::constant(value),
                    })
                };
                Ok(cases(region, 1).chain(cases(rest, 0)).collect())
            }
        }
    }

    /// Where the value of a node is not 0.
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

    fn node(&mut self, node: &'a Node<'a>) -> Result<Value, Error> {
        let number = |cases| Ok(Value::Number(cases));
        if let Some((map, places)) = self.variables.map(self.term, node) {
            let case = value_of(map, &places).map_err(|error| self.not_built(error, node))?;
            return Ok(Value::Number(vec![case]));
        }
        if let Some(number) = self.variables.number(self.term, node) {
            return Ok(Value::Number(vec![Case {
                limits: Limits::new(),
                value: Expr::variable(VariableId(number)),
            }]));
        }
        match &node.kind {
            NodeKind::Integer(value) => number(constant(i64::try_from(*value).unwrap_or(i64::MAX))),
            NodeKind::Name(name) => Err(self.wrong(
                node,
                ErrorKind::Name,
                format!("unknown variable `{}`", excerpt(name)),
            )),
            NodeKind::Negate(x) if self.is_negative_end(*x) => number(constant(i64::MIN)),
            NodeKind::Negate(x) => {
                let x = self.number(*x)?;
                number(self.each(node, &[x], |list| list[0].scale(-1))?)
            }
            NodeKind::Sum(summands) => {
                let values = summands.iter().map(|(_, x)| self.number(*x));
                let values = values.collect::<Result<Vec<_>, Error>>()?;
                let signs = summands
                    .iter()
                    .map(|(sign, _)| if *sign == Sign::Plus { 1 } else { -1 });
                let signs: Vec<i64> = signs.collect();
                let sum =
                    |list: &[Expr]| Expr::sum(0, signs.iter().copied().zip(list.iter().cloned()));
                number(self.each(node, &values, sum)?)
            }
            NodeKind::Multiply(x, y) => {
                let (x, y) = (self.number(*x)?, self.number(*y)?);
                number(self.each(node, &[x, y], |list| product(&list[0], &list[1]))?)
            }
            NodeKind::FloorDiv(x, y) => number(self.divided(node, *x, *y, Division::Floor)?),
            NodeKind::CeilDiv(x, y) => number(self.divided(node, *x, *y, Division::Ceil)?),
            NodeKind::Mod(x, y) => number(self.divided(node, *x, *y, Division::Mod)?),
            NodeKind::Compare(operands, relations) => {
                let ([x, y], [relation]) = (&operands[..], &relations[..]) else {
                    return Err(self.wrong(
                        node,
                        ErrorKind::Unsupported,
                        "this comparison is not read",
                    ));
                };
                let bounds = match relation {
                    Relation::Equal => Interval::point(0),
                    Relation::Less => Interval::new(MINUS_INFINITY, -1),
                    Relation::LessEqual => Interval::new(MINUS_INFINITY, 0),
                    Relation::Greater => Interval::new(1, PLUS_INFINITY),
                    Relation::GreaterEqual => Interval::new(0, PLUS_INFINITY),
                };
                let (x, y) = (self.number(*x)?, self.number(*y)?);
                Ok(Value::Truth(self.compared_at(&x, &y, bounds, node)?))
            }
            NodeKind::Not(x) => {
                let region = self.truth(*x)?;
                Ok(Value::Truth(
                    self.few(negated(&region, &self.within()), *x)?,
                ))
            }
            NodeKind::And(list) => {
                let mut region = everywhere();
                for x in list {
                    let other = self.truth(*x)?;
                    region = self.few(intersected(&region, &other, &self.within()), *x)?;
                }
                Ok(self.joined(list, region))
            }
            NodeKind::Or(list) => {
                let mut region = Region::new();
                for x in list {
                    let other = self.truth(*x)?;
                    region = self.united(region, &other, *x)?;
                }
                Ok(self.joined(list, region))
            }
            NodeKind::Call(name, operands) => self.call(node, name, operands),
        }
    }

    /// What `and` or `or` of these is.
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
    ) -> Result<Value, Error> {
        let number = |cases| Ok(Value::Number(cases));
        match (name, operands) {
            ("/" | "%", [x, y]) => {
                if name == "/" {
                    self.slash.get_or_insert(node.span.clone());
                }
                let division = if name == "/" {
                    Division::Floor
                } else {
                    Division::Mod
                };
                let numerators = self.number(*x)?;
                number(self.code_divided(node, numerators, *y, division)?)
            }
            ("!=", [x, y]) => {
                let (left, right) = (self.number(*x)?, self.number(*y)?);
                let equal = self.compared_at(&left, &right, Interval::point(0), node)?;
                Ok(Value::Truth(self.few(negated(&equal, &self.within()), *x)?))
            }
            ("?:", [condition, x, y]) => self.chosen(node, *condition, *x, *y),
            ("~", [x]) => match self.value(*x)? {
                Value::Truth(region) | Value::Either(region) => Ok(Value::Truth(
                    self.few(negated(&region, &self.within()), *x)?,
                )),
                Value::Number(cases) => number(self.each(node, &[cases], |list| {
                    Expr::sum(-1, [(-1, list[0].clone())])
                })?),
            },
            ("&" | "|" | "^", [x, y]) => self.bitwise(node, name, *x, *y),
            ("<<" | ">>" | "**", [x, y]) => number(self.shifted(node, name, *x, *y)?),
            _ => self.function(node, name, operands),
        }
    }

    pub fn chosen(
        &self,
        node: &Node,
        condition: NodeId,
        x: NodeId,
        y: NodeId,
    ) -> Result<Value, Error> {
        let within = self.within();
        let region = self.truth(condition)?;
        let rest = self.few(negated(&region, &within), condition)?;
        let (chosen, other) = (self.number(x)?, self.number(y)?);
        if let ([limits], [first], [second]) = (&region[..], &chosen[..], &other[..])
            && let ([limit], [], []) = (&limits[..], &first.limits[..], &second.limits[..])
        {
            let merged = as_min_or_max(limit, &first.value, &second.value, &within);
            if let Some(value) = merged.map_err(|error| self.not_built(error, node))? {
                return Ok(Value::Number(vec![Case {
                    limits: Limits::new(),
                    value,
                }]));
            }
        }
        let mut cases = Vec::new();
        for (region, values) in [(&region, &chosen), (&rest, &other)] {
            for limits in region {
                cases.extend(values.iter().filter_map(|case| {
                    let limits = both(limits, &case.limits, &within)?;
                    Some(Case {
                        limits,
                        value: case.value.clone(),
                    })
                }));
            }
        }
        let is_few = cases.len() <= MAX_CASES;
        Ok(Value::Number(self.few(is_few.then_some(cases), condition)?))
    }

    fn compared(
        &self,
        x: &[Case],
        y: &[Case],
        bounds: Interval,
        id: NodeId,
    ) -> Result<Region, Error> {
        self.compared_at(x, y, bounds, self.term.node(id))
    }

    /// Where `x - y` is in `bounds`.
    fn compared_at(
        &self,
        x: &[Case],
        y: &[Case],
        bounds: Interval,
        node: &Node,
    ) -> Result<Region, Error> {
        let values = [x.to_vec(), y.to_vec()];
        let differences = self.each(node, &values, |list| list[0].sub(&list[1]))?;
        let mut region = Region::new();
        for case in differences {
            let limit = limit(&case.value, bounds).map_err(|error| self.not_built(error, node))?;
            region.extend(both(&case.limits, &vec![limit], &self.within()));
        }
        Ok(region)
    }

    pub fn range(&self, value: &Expr, limits: &Limits) -> Interval {
        let within = self.within();
        interval_of(value, &|id| bounds_within(limits, id, within(id)))
    }

    /// An operation on each combination of cases.
    pub fn each(
        &self,
        node: &Node,
        values: &[Vec<Case>],
        operation: impl Fn(&[Expr]) -> Result<Expr, ExprError>,
    ) -> Result<Vec<Case>, Error> {
        let mut combined = vec![(Limits::new(), Vec::new())];
        for cases in values {
            let pairs = combined
                .iter()
                .flat_map(|one| cases.iter().map(move |case| (one, case)));
            let joined = pairs.filter_map(|((limits, list), case)| {
                let limits = both(limits, &case.limits, &self.within())?;
                let list: Vec<Expr> = list.iter().chain([&case.value]).cloned().collect();
                Some((limits, list))
            });
            combined = joined.take(MAX_CASES + 1).collect();
            if combined.len() > MAX_CASES {
                let message = format!("this value has more than {MAX_CASES} cases");
                return Err(self.wrong(node, ErrorKind::TooLarge, message));
            }
        }
        let case = |(limits, list): (Limits, Vec<Expr>)| {
            let value = operation(&list).map_err(|error| self.not_built(error, node))?;
            Ok(Case { limits, value })
        };
        combined.into_iter().map(case).collect()
    }

    /// An operation on two values that depends on what is known of them.
    pub fn each_known(
        &self,
        node: &Node,
        values: &[Vec<Case>; 2],
        operation: Binary,
    ) -> Result<Vec<Case>, Error> {
        let [left, right] = values;
        let mut cases = Vec::new();
        for (x, y) in left.iter().flat_map(|x| right.iter().map(move |y| (x, y))) {
            let Some(limits) = both(&x.limits, &y.limits, &self.within()) else {
                continue;
            };
            let range = |value: &Expr| self.range(value, &limits);
            let value = operation(&x.value, &y.value, &range).map_err(|error| match error {
                NoBits::Expr(error) => self.not_built(error, node),
                NoBits::Mask => self
                    .wrong(node, ErrorKind::Unsupported, "this mask has several runs of ones")
                    .hint("a mask is one run of ones: `x & 7` is `x mod 8`, `x & ~7` is `x - x mod 8`"),
                NoBits::Unbounded => self
                    .wrong(node, ErrorKind::Unsupported, "neither value is known to be nonnegative and to have at most 16 bits in common")
                    .hint("bound one of them: `(x & 7)`, or `.., domain: x in [0, 7]` behind the code"),
            })?;
            cases.push(Case { limits, value });
            if cases.len() > MAX_CASES {
                let message = format!("this value has more than {MAX_CASES} cases");
                return Err(self.wrong(node, ErrorKind::TooLarge, message));
            }
        }
        Ok(cases)
    }

    pub fn wrong(&self, node: &Node, kind: ErrorKind, message: impl Into<String>) -> Error {
        Error::new(kind, node.span.clone(), message)
    }

    fn not_built(&self, error: ExprError, node: &Node) -> Error {
        expr_error(error, &node.span, self.text)
    }
}
