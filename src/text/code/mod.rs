//! Kernel code as index maps: expressions, lambdas and functions of Python, C, CUDA and Triton.
//!
//! In order: `types`, `functions`, `token`, `number`, `parse`, `calls`, `program`, `statements` and `bounds` build a tree;
//! `kinds` and `variables` say what its names are; `cases`, `arithmetic`, `bits`, `choose`, `widths`, `lower` and
//! `operations` what its conditions and operations mean; [`read`] makes maps of the values. The syntax tree and the
//! expressions are those of maps; only this folder knows the languages. docs/code.md says what code means here.
//!
//! Law: on its domain each map has the values of the code, over mathematical integers; the domains of the maps of one
//! code exclude each other, and cover all that its bounds admit. What cannot be said exactly is an error.

mod arithmetic;
mod bits;
mod bounds;
mod calls;
mod cases;
mod choose;
mod functions;
mod kinds;
mod lower;
mod number;
mod operations;
mod parse;
mod program;
mod statements;
mod token;
mod types;
mod variables;
mod widths;

pub use token::{MAX_BYTES, goes_on};
pub use types::is_type;
pub use variables::Known;

use crate::expr::{Domain, Expr, IndexingMap, Variable, VariableId, VariableKind};
use crate::text::ast::{NodeId, NodeKind, Relation, Term};
use crate::num::Interval;
use crate::text::{Error, ErrorKind, Span};
use arithmetic::product;
use cases::{Case, Limits, MAX_CASES, Region, both, everywhere, intersected, truth_of};
use kinds::{Kinds, reachable};
use lower::Lowering;
use program::Program;
use variables::{Part, Variables};

/// Code as maps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Code {
    /// The values that the text names, and the one at its end, which has no name.
    pub values: Vec<Value>,
    /// The names to which the text assigns something that no map says, and why.
    pub without_map: Vec<(String, Error)>,
    /// Which sides are compared, if the last value is a comparison: the two results of each map.
    pub relation: Option<Comparison>,
}

/// A value of code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Value {
    /// The name that it is assigned to.
    pub name: Option<String>,
    /// One map, or one for each case that the conditions of the code tell apart.
    pub maps: Vec<IndexingMap>,
    /// All cases as one map, if that is one: the sum of the values, each times 1 where its conditions hold and 0 elsewhere.
    pub whole: Option<IndexingMap>,
    /// Whether it rests on what only code says: sizes of at least 1, or the types and division of C.
    pub assumes: bool,
    /// The divisors that are taken to be at least 1, with the domains that do not say so.
    pub assumed: Vec<Assumed>,
    /// What was assumed or read in one of several ways, a sentence each.
    pub notes: Vec<String>,
    /// The names of the indices that have no bounds.
    pub unbounded: Vec<String>,
}

/// A divisor that is not known to be positive by intervals and signs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assumed {
    /// Where the code has a value if the divisor is positive there.
    pub domain: Domain,
    /// The divisor.
    pub divisor: Expr,
}

/// How two values are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// As maps compare values.
    Is(Relation),
    /// `!=`
    Differs,
}

/// Reads code. If it `truncates`, it is C, and `/` and `%` round toward zero. A name that is `known` stands for a value.
///
/// # Errors
/// One [`Error`] at its position in `text`.
pub fn read(text: &str, truncates: bool, known: Known) -> Result<Code, Error> {
    let text = Text::parse(text, truncates)?;
    let kinds = Kinds::of(&[&text.program], &|name| known(name).is_some());
    let (ends, mut named) = (text.ends(), Vec::new());
    let mut without_map = Vec::new();
    for (name, value) in &text.program.named {
        match text.value(&[*value], &text.variables(&[*value], &kinds, known)) {
            Ok(value) => named.push(Value {
                name: Some((*name).to_owned()),
                ..value
            }),
            Err(error) => without_map.push(((*name).to_owned(), error)),
        }
    }
    match (&ends[..], without_map.pop()) {
        ([], Some((_, error))) => return Err(error),
        (_, last) => without_map.extend(last),
    }
    if !ends.is_empty() {
        named.push(text.value(&ends, &text.variables(&ends, &kinds, known))?);
    }
    Ok(Code {
        values: named,
        without_map,
        relation: text.relation,
    })
}

/// Reads two texts of code that are compared: a name is of one kind in both, and each value has the variables of both. A
/// variable that only one text has, has its bounds in the other, too.
///
/// # Errors
/// One [`Error`] at its position, with the number of the text.
pub fn read_two(
    texts: [&str; 2],
    truncates: bool,
    known: Known,
) -> Result<[Code; 2], (usize, Error)> {
    let parse = |number: usize| {
        let text = Text::parse(texts[number], truncates);
        text.map_err(|error| (number, error))
    };
    let texts = [parse(0)?, parse(1)?];
    let programs = [&texts[0].program, &texts[1].program];
    let kinds = Kinds::of(&programs, &|name| known(name).is_some());
    let used = [0, 1].map(|number| {
        let text: &Text = &texts[number];
        text.used(&text.ends())
    });
    let parts = [0, 1].map(|number| (programs[number], &used[number][..]));
    let code = |number: usize, parts: &[Part]| -> Result<Code, (usize, Error)> {
        let variables = Variables::of(parts, &kinds, known);
        let text = &texts[number];
        let value = text.value(&text.ends(), &variables);
        Ok(Code {
            values: vec![value.map_err(|error| (number, error))?],
            without_map: Vec::new(),
            relation: text.relation,
        })
    };
    let (mut first, mut second) = (code(0, &parts)?, code(1, &parts)?);
    let own = [0, 1].map(|number| Variables::of(&[parts[number]], &kinds, known));
    first.bound_by(&second, &own[0]);
    second.bound_by(&first, &own[1]);
    Ok([first, second])
}

impl Code {
    /// Gives the variables that are not among its `own` the bounds that they have in the other text.
    fn bound_by(&mut self, other: &Code, own: &Variables) {
        let wholes = other.values.iter().filter_map(|value| value.whole.as_ref());
        let Some(domain) = wholes.last().map(IndexingMap::domain) else {
            return;
        };
        let is_own = |id: &VariableId| {
            let variable = domain.variables().get(id.index());
            variable.is_none_or(|variable| own.list.iter().any(|found| *found.name == *variable.name))
        };
        let bounded = |map: &IndexingMap| {
            let numbered = (0..).map(VariableId).zip(domain.variables());
            let strange = numbered.filter(|(id, _)| !is_own(id));
            let map = strange.fold(map.clone(), |map, (id, variable)| {
                map.restricted(&Expr::variable(id), variable.bounds)
            });
            let constraints = domain.constraints().iter();
            let strange = constraints.filter(|c| !c.expr.variables().iter().all(is_own));
            strange.fold(map, |map, c| map.restricted(&c.expr, c.bounds))
        };
        for value in &mut self.values {
            value.maps = value.maps.iter().map(bounded).collect();
            value.whole = value.whole.as_ref().map(bounded);
        }
    }
}

/// A text with its tree.
struct Text<'t> {
    text: &'t str,
    program: Program<'t>,
    /// The values at its end: two of a comparison.
    results: Vec<NodeId>,
    relation: Option<Comparison>,
    truncates: bool,
}

impl<'t> Text<'t> {
    fn parse(text: &'t str, truncates: bool) -> Result<Text<'t>, Error> {
        let program = program::program(text, truncates)?;
        if let (Some(span), true) = (&program.chain, truncates || program.c.is_some()) {
            let message = "C reads a chain of comparisons differently";
            let error = Error::new(ErrorKind::Syntax, span.clone(), message);
            return Err(error.hint("write `a < b && b < c`"));
        }
        let (results, relation) = match &program.results[..] {
            [only] => compared(&program.term.node(*only).kind, *only),
            list => (list.to_vec(), None),
        };
        Ok(Text {
            text,
            program,
            results,
            relation,
            truncates,
        })
    }

    /// The values at its end; of a text that only assigns, the last one that it names if it is asked for a value.
    fn ends(&self) -> Vec<NodeId> {
        self.results.clone()
    }

    fn used(&self, values: &[NodeId]) -> Vec<bool> {
        let conditions = self.program.conditions.iter();
        reachable(&self.program.term, values.iter().chain(conditions).copied())
    }

    fn variables(&self, values: &[NodeId], kinds: &Kinds, known: Known) -> Variables {
        Variables::of(&[(&self.program, &self.used(values))], kinds, known)
    }

    /// The maps of some values.
    fn value(&self, values: &[NodeId], variables: &Variables) -> Result<Value, Error> {
        let program = &self.program;
        let mut lowering = Lowering::new(&program.term, self.text, variables);
        lowering.truncates = self.truncates || program.c.is_some();
        // First what the bounds say, for which bits depend on it.
        let conditions = program.conditions.iter().copied();
        lowering.run(&reachable(&program.term, conditions))?;
        let region = domain(&program.conditions, &mut lowering)?;
        let assumes = lowering.take_positive();
        let base = region.clone();
        lowering.rounded = None;
        lowering.run(&self.used(values))?;
        let mut combined: Vec<(Limits, Vec<Expr>)> = region
            .into_iter()
            .map(|limits| (limits, Vec::new()))
            .collect();
        for id in values {
            combined = with(&combined, &lowering.number(*id)?, &lowering);
            if combined.len() > MAX_CASES {
                let span = program.term.node(*id).span.clone();
                let message = format!("the code has more than {MAX_CASES} cases");
                return Err(Error::new(ErrorKind::TooLarge, span, message));
            }
        }
        let whole = match &base[..] {
            [base] if combined.len() > 1 => self.whole(&lowering, variables, base, &combined),
            _ => None,
        };
        let (mut maps, mut assumed) = (Vec::new(), Vec::new());
        for (limits, values) in combined {
            let (map, own) = map(&lowering, variables, &limits, values);
            if !own.is_empty() && map.domain().is_known_empty() {
                let message = "a divisor is never positive";
                return Err(Error::new(ErrorKind::Division, 0..self.text.len(), message));
            }
            assumed.extend(own);
            if !map.domain().is_known_empty() {
                maps.push(map);
            }
        }
        if maps.is_empty() {
            let span = 0..self.text.len();
            let message = "the bounds exclude every point".to_owned();
            return Err(Error::new(ErrorKind::Domain, span, message));
        }
        Ok(Value {
            name: None,
            unbounded: unbounded(&maps),
            whole: whole.or_else(|| (maps.len() == 1).then(|| maps[0].clone())),
            maps,
            assumed,
            assumes: !assumes.is_empty() || program.c.is_some(),
            notes: self.notes(variables, &lowering, &assumes),
        })
    }

    /// The cases as one map over the limits of the bounds, unless a divisor is positive in some cases only.
    fn whole(
        &self,
        lowering: &Lowering,
        variables: &Variables,
        base: &Limits,
        cases: &[(Limits, Vec<Expr>)],
    ) -> Option<IndexingMap> {
        let count = cases.first()?.1.len();
        let mut totals = vec![Expr::constant(0); count];
        for (limits, values) in cases {
            let own = limits.iter().filter(|limit| !base.contains(limit));
            let truth = truth_of(own).ok()?;
            for (total, value) in totals.iter_mut().zip(values) {
                *total = total.add(&product(&truth, value).ok()?).ok()?;
            }
        }
        let (whole, assumed) = map(lowering, variables, base, totals);
        assumed.is_empty().then_some(whole)
    }

    /// How the text was read where that is not literally what it says.
    fn notes(
        &self,
        variables: &Variables,
        lowering: &Lowering,
        positive: &[VariableId],
    ) -> Vec<String> {
        let mut notes = variables.notes();
        notes.extend(sizes(variables, lowering, positive));
        let excerpt =
            |span: &Span| super::token::excerpt(self.text.get(span.clone()).unwrap_or(""));
        let is_c = self.program.c.is_some();
        if let (Some(span), true, false) =
            (&lowering.slash, self.program.is_python, self.truncates)
        {
            notes.push(format!("the `/` of `{}` is read as `//`", excerpt(span)));
        }
        match &lowering.rounded {
            Some(span) if is_c && !self.truncates => {
                notes.push(format!("`{}` rounds toward zero, as in C", excerpt(span)));
            }
            Some(span) if !self.program.is_python && !self.truncates => {
                let shown = excerpt(span);
                notes.push(format!("`{shown}` rounds down here, and may be of a negative value: in C it rounds toward zero, `--c`"));
            }
            _ => {}
        }
        if let Some((span, of)) = lowering.taken.borrow().as_ref() {
            let shown = excerpt(span);
            notes.push(format!("`{shown}` is taken to fit in its type, {of}, since names in it have no bounds"));
        }
        notes
    }
}

/// Parses one expression, which may be a condition or a call, to the end of the text. Nothing is said of what its names
/// and operations mean.
///
/// # Errors
/// One [`Error`] at its position in `text`.
pub fn expression(text: &str) -> Result<Term<'_>, Error> {
    let mut parser = parse::Parser::new(token::Tokens::new(text)?);
    let root = parser.choice()?;
    match parser.tokens.is_end() {
        true => Ok(parser.terms.finish(root)),
        false => Err(parser
            .tokens
            .unexpected("an operator or the end of the expression")),
    }
}

/// The two sides of a comparison.
fn compared(kind: &NodeKind, id: NodeId) -> (Vec<NodeId>, Option<Comparison>) {
    match kind {
        NodeKind::Compare(sides, relations) => {
            let relation = relations.first().copied();
            (sides.clone(), relation.map(Comparison::Is))
        }
        NodeKind::Call("!=", sides) => (sides.clone(), Some(Comparison::Differs)),
        _ => (vec![id], None),
    }
}

/// Where the conditions hold. What they say of single variables becomes their bounds.
fn domain(conditions: &[NodeId], lowering: &mut Lowering) -> Result<Region, Error> {
    let mut region = everywhere();
    for condition in conditions {
        let truth = lowering.truth(*condition)?;
        let joint = intersected(&region, &truth, &lowering.within());
        region = joint.ok_or_else(|| {
            let span = lowering.term.node(*condition).span.clone();
            Error::new(
                ErrorKind::TooLarge,
                span,
                format!("the bounds have more than {MAX_CASES} cases"),
            )
        })?;
    }
    if let [limits] = &mut region[..] {
        limits.retain(|limit| match limit.expr.as_variable() {
            Some(id) => {
                let bounds = &mut lowering.bounds[id.index()];
                *bounds = bounds.intersect(limit.bounds);
                false
            }
            None => true,
        });
    }
    Ok(region)
}

/// The combinations of values so far with the cases of one more.
fn with(
    combined: &[(Limits, Vec<Expr>)],
    cases: &[Case],
    lowering: &Lowering,
) -> Vec<(Limits, Vec<Expr>)> {
    let pairs = combined
        .iter()
        .flat_map(|one| cases.iter().map(move |case| (one, case)));
    let joined = pairs.filter_map(|((limits, values), case)| {
        let limits = both(limits, &case.limits, &lowering.within())?;
        let values = values.iter().chain([&case.value]).cloned().collect();
        Some((limits, values))
    });
    joined.take(MAX_CASES + 1).collect()
}

/// Which names are sizes, and which of them are taken to be at least 1.
fn sizes(variables: &Variables, lowering: &Lowering, positive: &[VariableId]) -> Option<String> {
    let numbered = (0..).map(VariableId).zip(&variables.list);
    let sizes = numbered.filter(|(_, found)| found.size.is_some());
    let (taken, others): (Vec<_>, Vec<_>) = sizes.partition(|(id, _)| positive.contains(id));
    let (free, stated): (Vec<_>, Vec<_>) = others
        .into_iter()
        .partition(|(id, _)| lowering.bounds[id.index()] == Interval::ALL);
    let group = |list: Vec<(VariableId, &variables::Found)>, [one, several]: [&str; 2]| {
        let names: Vec<&str> = list.iter().map(|(_, found)| &*found.name).collect();
        let said = if names.len() == 1 { one } else { several };
        (!names.is_empty()).then(|| format!("{}{said}", names.join(", ")))
    };
    let count = taken.len() + free.len() + stated.len();
    let groups = [
        group(stated, ["", ""]),
        group(taken, [", at least 1", ", each at least 1"]),
        group(free, [", any integer", ", any integers"]),
    ];
    let groups: Vec<String> = groups.into_iter().flatten().collect();
    let word = if count == 1 { "size" } else { "sizes" };
    (!groups.is_empty()).then(|| format!("{word}: {}", groups.join("; ")))
}

/// The map of a case, and the divisors that its domain does not show to be at least 1.
fn map(
    lowering: &Lowering,
    variables: &Variables,
    limits: &Limits,
    values: Vec<Expr>,
) -> (IndexingMap, Vec<Assumed>) {
    let found = variables.list.iter().zip(&lowering.bounds);
    let list = found.map(|(found, bounds)| Variable::new(found.name.as_str(), found.kind, *bounds));
    let mut domain = Domain::new(list.collect());
    for limit in limits {
        domain.constrain(&limit.expr, limit.bounds);
    }
    let map = IndexingMap::new(domain.clone(), values);
    let bounds = domain.variables().iter().zip(map.domain().variables());
    let tightened = bounds
        .enumerate()
        .filter(|(_, (before, after))| before.bounds != after.bounds);
    let mut assumed: Vec<Expr> = tightened
        .map(|(number, _)| Expr::variable(VariableId(number as u32)))
        .collect();
    let added = map
        .domain()
        .constraints()
        .iter()
        .filter(|c| !domain.constraints().contains(c));
    assumed.extend(added.map(|constraint| constraint.expr.clone()));
    let assumed = assumed.into_iter().map(|divisor| Assumed {
        domain: domain.clone(),
        divisor,
    });
    (map, assumed.collect())
}

/// The indices that neither bounds nor constraints end on both sides.
fn unbounded(maps: &[IndexingMap]) -> Vec<String> {
    let Some(domain) = maps.first().map(IndexingMap::domain) else {
        return Vec::new();
    };
    let is_bounded = |map: &IndexingMap, id: VariableId| {
        let mut constraints = map.domain().constraints().iter();
        map.domain().bounds(id).is_bounded()
            || constraints.any(|constraint| constraint.expr.variables().contains(&id))
    };
    let numbered = (0..).map(VariableId).zip(domain.variables());
    let free = numbered.filter(|(id, variable)| {
        variable.kind == VariableKind::Dimension && !maps.iter().all(|map| is_bounded(map, *id))
    });
    free.map(|(_, variable)| variable.name.to_string()).collect()
}
