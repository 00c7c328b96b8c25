//! Gives code its meaning: values by cases.
//!
//! Law: at every point that the limits of a case admit, the value of the case is that of the code: mathematical integers,
//! `//` rounds down, `>>` is a division that rounds down, bits are those of two's complement. `/` and `%` round down, or
//! toward zero where the reader says so: then `x / c = max(x floordiv c, 0) + min(x ceildiv c, 0)`, and
//! `x % c = x - c * (x / c)`.

use super::bits::{self, Bits, NoBits};
use super::calls::{Division, Meaning, meaning};
use super::cases::{
    Case, Limits, MAX_CASES, Region, both, bounds_within, everywhere, intersected, limit, negated,
};
use super::choose::as_min_or_max;
use super::variables::Variables;
use crate::expr::{Expr, ExprError, IndexingMap, VariableId, interval_of};
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
        |id| self.bounds.get(id.index()).copied().unwrap_or(Interval::ALL)
    }

    /// The value of a node as a number; what is true is 1.
    pub fn number(&self, id: NodeId) -> Result<Vec<Case>, Error> {
        match self.value(id)? {
            Value::Number(cases) => Ok(cases),
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
            Value::Truth(region) => return Ok(region),
            Value::Number(cases) => cases,
        };
        let zero = self.compared(&cases, &constant(0), Interval::point(0), id)?;
        self.few(negated(&zero, &self.within()), id)
    }

    fn value(&self, id: NodeId) -> Result<Value, Error> {
        let value = self.values.get(id.index()).cloned().flatten();
        value.ok_or_else(|| {
            let message = "this integer does not fit in 64 bits";
            Error::new(ErrorKind::Overflow, self.span(id), message)
        })
    }

    fn span(&self, id: NodeId) -> Span {
        self.term.node(id).span.clone()
    }

    fn few<T>(&self, found: Option<T>, id: NodeId) -> Result<T, Error> {
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
            NodeKind::Name(name) => Err(self.wrong(node, ErrorKind::Name, format!("unknown variable `{}`", excerpt(name)))),
            NodeKind::Negate(x) if self.is_negative_end(*x) => number(constant(i64::MIN)),
            NodeKind::Negate(x) => {
                let x = self.number(*x)?;
                number(self.each(node, &[x], |list| list[0].scale(-1))?)
            }
            NodeKind::Sum(summands) => {
                let values = summands.iter().map(|(_, x)| self.number(*x));
                let values = values.collect::<Result<Vec<_>, Error>>()?;
                let signs = summands.iter().map(|(sign, _)| if *sign == Sign::Plus { 1 } else { -1 });
                let signs: Vec<i64> = signs.collect();
                let sum = |list: &[Expr]| {
                    Expr::sum(0, signs.iter().copied().zip(list.iter().cloned()))
                };
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
                    return Err(self.wrong(node, ErrorKind::Unsupported, "this comparison is not read"));
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
                Ok(Value::Truth(self.few(negated(&region, &self.within()), *x)?))
            }
            NodeKind::And(list) => {
                let mut region = everywhere();
                for x in list {
                    let other = self.truth(*x)?;
                    region = self.few(intersected(&region, &other, &self.within()), *x)?;
                }
                Ok(Value::Truth(region))
            }
            NodeKind::Or(list) => {
                let mut region = Region::new();
                for x in list {
                    let other = self.truth(*x)?;
                    region = self.united(region, &other, *x)?;
                }
                Ok(Value::Truth(region))
            }
            NodeKind::Call(name, operands) => self.call(node, name, operands),
        }
    }

    fn united(&self, mut region: Region, other: &Region, id: NodeId) -> Result<Region, Error> {
        let rest = self.few(negated(&region, &self.within()), id)?;
        region.extend(self.few(intersected(&rest, other, &self.within()), id)?);
        let is_few = region.len() <= MAX_CASES;
        self.few(is_few.then_some(region), id)
    }

    fn call(&mut self, node: &'a Node<'a>, name: &str, operands: &[NodeId]) -> Result<Value, Error> {
        let number = |cases| Ok(Value::Number(cases));
        match (name, operands) {
            ("/" | "%", [x, y]) => {
                let division = if name == "/" { Division::Floor } else { Division::Mod };
                match self.truncates {
                    true => number(self.truncated(node, *x, *y, division)?),
                    false => {
                        let may_be_negative = self.number(*x)?.iter().any(|case| {
                            self.range(&case.value, &case.limits).lo() < 0
                        });
                        if may_be_negative {
                            self.rounded.get_or_insert(node.span.clone());
                        }
                        number(self.divided(node, *x, *y, division)?)
                    }
                }
            }
            ("!=", [x, y]) => {
                let (left, right) = (self.number(*x)?, self.number(*y)?);
                let equal = self.compared_at(&left, &right, Interval::point(0), node)?;
                Ok(Value::Truth(self.few(negated(&equal, &self.within()), *x)?))
            }
            ("?:", [condition, x, y]) => self.chosen(node, *condition, *x, *y),
            ("~", [x]) => match self.value(*x)? {
                Value::Truth(region) => {
                    Ok(Value::Truth(self.few(negated(&region, &self.within()), *x)?))
                }
                Value::Number(cases) => {
                    number(self.each(node, &[cases], |list| Expr::sum(-1, [(-1, list[0].clone())]))?)
                }
            },
            ("&" | "|" | "^", [x, y]) => self.bitwise(node, name, *x, *y),
            ("<<" | ">>" | "**", [x, y]) => number(self.shifted(node, name, *x, *y)?),
            _ => self.function(node, name, operands),
        }
    }

    fn function(&mut self, node: &'a Node<'a>, name: &str, operands: &[NodeId]) -> Result<Value, Error> {
        let last = name.rsplit(['.', ':']).next().unwrap_or(name);
        let Some(meaning) = meaning(last) else {
            let message = format!("unknown function `{}`", excerpt(name));
            let error = self.wrong(node, ErrorKind::Name, message);
            return Err(error.hint(
                "known are min, max, cdiv, floordiv, mod, where, clamp, abs, tl.program_id, and casts to integers",
            ));
        };
        let count = match meaning {
            Meaning::Min | Meaning::Max => operands.len().max(2),
            Meaning::Divide(_) | Meaning::And | Meaning::Or => 2,
            Meaning::Choose | Meaning::Clamp => 3,
            Meaning::Abs | Meaning::Not => 1,
            Meaning::Same => operands.len().max(1),
        };
        if operands.len() != count {
            let message = format!("`{}` takes {count} values, not {}", excerpt(name), operands.len());
            return Err(self.wrong(node, ErrorKind::Arity, message));
        }
        let numbers = |lowering: &Self| -> Result<Vec<Vec<Case>>, Error> {
            operands.iter().map(|x| lowering.number(*x)).collect()
        };
        let cases = match (meaning, operands) {
            (Meaning::Min, _) => self.each(node, &numbers(self)?, |list| Expr::min(list.to_vec()))?,
            (Meaning::Max, _) => self.each(node, &numbers(self)?, |list| Expr::max(list.to_vec()))?,
            (Meaning::Divide(division), [x, y]) => self.divided(node, *x, *y, division)?,
            (Meaning::Choose, [condition, x, y]) => return self.chosen(node, *condition, *x, *y),
            (Meaning::Clamp, _) => self.each(node, &numbers(self)?, |list| {
                let below = Expr::max([list[0].clone(), list[1].clone()])?;
                Expr::min([below, list[2].clone()])
            })?,
            (Meaning::Abs, _) => self.each(node, &numbers(self)?, |list| {
                Expr::max([list[0].clone(), list[0].scale(-1)?])
            })?,
            (Meaning::And, [x, y]) => {
                let (x_region, y_region) = (self.truth(*x)?, self.truth(*y)?);
                let region = intersected(&x_region, &y_region, &self.within());
                return Ok(Value::Truth(self.few(region, *x)?));
            }
            (Meaning::Or, [x, y]) => {
                let (x_region, y_region) = (self.truth(*x)?, self.truth(*y)?);
                return Ok(Value::Truth(self.united(x_region, &y_region, *y)?));
            }
            (Meaning::Not, [x]) => {
                let region = self.truth(*x)?;
                return Ok(Value::Truth(self.few(negated(&region, &self.within()), *x)?));
            }
            (_, [x, ..]) => return self.value(*x),
            (_, []) => return Err(self.wrong(node, ErrorKind::Arity, "a value is missing")),
        };
        Ok(Value::Number(cases))
    }

    fn bitwise(&self, node: &Node, name: &str, x: NodeId, y: NodeId) -> Result<Value, Error> {
        if let (Value::Truth(left), Value::Truth(right)) = (self.value(x)?, self.value(y)?) {
            let joint = || self.few(intersected(&left, &right, &self.within()), x);
            return Ok(Value::Truth(match name {
                "&" => joint()?,
                "|" => self.united(left, &right, x)?,
                _ => {
                    let either = self.united(left.clone(), &right, x)?;
                    let not_both = self.few(negated(&joint()?, &self.within()), x)?;
                    self.few(intersected(&either, &not_both, &self.within()), x)?
                }
            }));
        }
        let operation = match name {
            "&" => bits::and,
            "|" => bits::or,
            _ => bits::xor,
        };
        let values = [self.number(x)?, self.number(y)?];
        let cases = self.each_known(node, &values, &|x, y, range| {
            let bits = |value| Bits { value, range: range(value) };
            operation(&bits(x), &bits(y))
        })?;
        Ok(Value::Number(cases))
    }

    fn shifted(&self, node: &Node, name: &str, x: NodeId, y: NodeId) -> Result<Vec<Case>, Error> {
        let (value, count) = (self.number(x)?, self.number(y)?);
        let count = match &count[..] {
            [only] => only.value.as_constant(),
            _ => None,
        };
        if name == "**" {
            let base = match &value[..] {
                [only] => only.value.as_constant(),
                _ => None,
            };
            let power = base.zip(count).and_then(|(base, count)| base.checked_pow(u32::try_from(count).ok()?));
            return power.map(constant).ok_or_else(|| {
                self.wrong(node, ErrorKind::Unsupported, "only powers of integers that fit in 64 bits are read")
            });
        }
        let Some(count) = count.filter(|count| (0..63).contains(count)) else {
            let message = "the number of bits to shift by must be an integer between 0 and 62";
            let error = Error::new(ErrorKind::Unsupported, self.span(y), message);
            return Err(error.hint("`x >> 3` is `x floordiv 8`, `x << 3` is `x * 8`"));
        };
        let factor = 1i64 << count;
        self.each(node, &[value], |list| match name {
            "<<" => list[0].scale(factor),
            _ => list[0].floordiv(factor),
        })
    }

    fn chosen(&self, node: &Node, condition: NodeId, x: NodeId, y: NodeId) -> Result<Value, Error> {
        let within = self.within();
        let region = self.truth(condition)?;
        let rest = self.few(negated(&region, &within), condition)?;
        let (chosen, other) = (self.number(x)?, self.number(y)?);
        if let ([limits], [first], [second]) = (&region[..], &chosen[..], &other[..])
            && let ([limit], [], []) = (&limits[..], &first.limits[..], &second.limits[..])
        {
            let merged = as_min_or_max(limit, &first.value, &second.value, &within);
            if let Some(value) = merged.map_err(|error| self.not_built(error, node))? {
                return Ok(Value::Number(vec![Case { limits: Limits::new(), value }]));
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
        Ok(Value::Number(self.few(is_few.then_some(cases), condition)?))
    }

    /// `x / y` that rounds as it says.
    fn divided(&self, node: &Node, x: NodeId, y: NodeId, division: Division) -> Result<Vec<Case>, Error> {
        let values = [self.number(x)?, self.number(y)?];
        self.check_divisor(&values[1], y, division == Division::Mod)?;
        self.each(node, &values, |list| divide(&list[0], &list[1], division))
    }

    /// `x / y` or `x % y` of C.
    fn truncated(&self, node: &Node, x: NodeId, y: NodeId, division: Division) -> Result<Vec<Case>, Error> {
        let values = [self.number(x)?, self.number(y)?];
        self.check_divisor(&values[1], y, false)?;
        self.each_known(node, &values, &|x, y, range| {
            let quotient = truncate(x, y, range(x))?;
            match division {
                Division::Mod if range(x).lo() >= 0 => {
                    let magnitude = y.as_constant().and_then(i64::checked_abs);
                    let divisor = magnitude.map_or_else(|| y.clone(), Expr::constant);
                    Ok(divide(x, &divisor, Division::Mod)?)
                }
                Division::Mod => Ok(x.sub(&product(&quotient, y)?)?),
                _ => Ok(quotient),
            }
        })
    }

    fn check_divisor(&self, divisors: &[Case], id: NodeId, is_mod: bool) -> Result<(), Error> {
        let error = |message: &str| Error::new(ErrorKind::Division, self.span(id), message);
        let mut constants = divisors.iter().filter_map(|case| case.value.as_constant());
        let never = divisors.iter().any(|case| {
            case.value.as_constant().is_none() && self.range(&case.value, &case.limits).hi() < 1
        });
        match constants.find(|c| *c == 0 || *c == i64::MIN || (is_mod && *c < 0)) {
            Some(0) => Err(error("division by zero").hint("divisors are integers of at least 1")),
            Some(_) => Err(error("a remainder by a negative number is not defined here")
                .hint("remainders are defined for divisors of at least 1")),
            None if never => Err(error("this divisor is never positive")
                .hint("a divisor that is a variable must be at least 1")),
            None => Ok(()),
        }
    }

    fn compared(&self, x: &[Case], y: &[Case], bounds: Interval, id: NodeId) -> Result<Region, Error> {
        self.compared_at(x, y, bounds, self.term.node(id))
    }

    /// Where `x - y` is in `bounds`.
    fn compared_at(&self, x: &[Case], y: &[Case], bounds: Interval, node: &Node) -> Result<Region, Error> {
        let values = [x.to_vec(), y.to_vec()];
        let differences = self.each(node, &values, |list| list[0].sub(&list[1]))?;
        let mut region = Region::new();
        for case in differences {
            let limit = limit(&case.value, bounds).map_err(|error| self.not_built(error, node))?;
            region.extend(both(&case.limits, &vec![limit], &self.within()));
        }
        Ok(region)
    }

    fn range(&self, value: &Expr, limits: &Limits) -> Interval {
        let within = self.within();
        interval_of(value, &|id| bounds_within(limits, id, within(id)))
    }

    /// An operation on each combination of cases.
    fn each(
        &self,
        node: &Node,
        values: &[Vec<Case>],
        operation: impl Fn(&[Expr]) -> Result<Expr, ExprError>,
    ) -> Result<Vec<Case>, Error> {
        let mut combined = vec![(Limits::new(), Vec::new())];
        for cases in values {
            let pairs = combined.iter().flat_map(|one| cases.iter().map(move |case| (one, case)));
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
    fn each_known(&self, node: &Node, values: &[Vec<Case>; 2], operation: Binary) -> Result<Vec<Case>, Error> {
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

    fn wrong(&self, node: &Node, kind: ErrorKind, message: impl Into<String>) -> Error {
        Error::new(kind, node.span.clone(), message)
    }

    fn not_built(&self, error: ExprError, node: &Node) -> Error {
        expr_error(error, &node.span, self.text)
    }
}

/// The result of a map with these expressions for its variables, where its constraints hold.
fn value_of(map: &IndexingMap, places: &[Expr]) -> Result<Case, ExprError> {
    let constraints = map.domain().constraints().iter();
    let limits = constraints.map(|c| limit(&c.expr.substitute(places)?, c.bounds));
    let result = map.results().first().ok_or(ExprError::TooLarge)?;
    Ok(Case {
        limits: limits.collect::<Result<Limits, ExprError>>()?,
        value: result.substitute(places)?,
    })
}

fn constant(value: i64) -> Vec<Case> {
    vec![Case {
        limits: Limits::new(),
        value: Expr::constant(value),
    }]
}

fn product(x: &Expr, y: &Expr) -> Result<Expr, ExprError> {
    match (x.as_constant(), y.as_constant()) {
        (_, Some(factor)) => x.scale(factor),
        (Some(factor), _) => y.scale(factor),
        (None, None) => x.times(y),
    }
}

/// `x / y`, where y is not 0; a divisor that is no integer is taken to be positive.
fn divide(x: &Expr, y: &Expr, division: Division) -> Result<Expr, ExprError> {
    let Some(divisor) = y.as_constant() else {
        return match division {
            Division::Floor => x.floordiv_by(y),
            Division::Ceil => x.ceildiv_by(y),
            Division::Mod => x.modulo_by(y),
        };
    };
    let magnitude = divisor.checked_abs().ok_or(ExprError::Overflow)?;
    let dividend = if divisor < 0 { x.scale(-1)? } else { x.clone() };
    match division {
        Division::Floor => dividend.floordiv(magnitude),
        Division::Ceil => dividend.ceildiv(magnitude),
        Division::Mod => x.modulo(divisor),
    }
}

/// `x / y` rounded toward zero.
fn truncate(x: &Expr, y: &Expr, range: Interval) -> Result<Expr, ExprError> {
    if let Some(divisor) = y.as_constant().filter(|divisor| *divisor < 0) {
        let magnitude = divisor.checked_neg().ok_or(ExprError::Overflow)?;
        return truncate(x, &Expr::constant(magnitude), range)?.scale(-1);
    }
    let (down, up) = (divide(x, y, Division::Floor)?, divide(x, y, Division::Ceil)?);
    if range.lo() >= 0 {
        return Ok(down);
    }
    if range.hi() <= 0 {
        return Ok(up);
    }
    let zero = Expr::constant(0);
    Expr::max([down, zero.clone()])?.add(&Expr::min([up, zero])?)
}
