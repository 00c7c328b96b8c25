//! Kernel code as index maps: expressions, lambdas and functions of Python, C, CUDA and Triton.
//!
//! In order: `token`, `number`, `parse`, `program` and `bounds` build a tree; `calls`, `variables`, `cases`, `arithmetic`, `bits` and
//! `choose` say what names, conditions and operations mean; `lower` and `operations` put them together, and [`read`] makes
//! maps of the values. The syntax tree and
//! the expressions are those of maps; only this folder knows the languages.
//!
//! Law: on its domain each map has the values of the code, over mathematical integers; the domains of the maps of one
//! code exclude each other, and cover all that its bounds admit. What cannot be said exactly is an error.

mod arithmetic;
mod bits;
mod bounds;
mod calls;
mod cases;
mod choose;
mod lower;
mod number;
mod operations;
mod parse;
mod program;
mod token;
mod variables;

pub use parse::is_type;
pub use token::{MAX_BYTES, goes_on};
pub use variables::Known;

use crate::expr::{Domain, Expr, IndexingMap, Variable, VariableId, VariableKind};
use crate::text::ast::{NodeId, NodeKind, Relation, Term};
use crate::text::{Error, ErrorKind, Span};
use cases::{Case, Limits, MAX_CASES, Region, both, everywhere, intersected};
use lower::Lowering;
use variables::{Variables, reachable};

/// Code as maps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Code {
    /// One map, or one for each case that the conditions of the code tell apart.
    pub maps: Vec<IndexingMap>,
    /// Which sides are compared, if the code is a comparison: the two results of each map.
    pub relation: Option<Comparison>,
    /// The name that the value is assigned to.
    pub name: Option<String>,
    /// Whether a divisor is taken to be positive.
    pub assumes: bool,
    /// What was assumed or read in one of several ways, a sentence each.
    pub notes: Vec<String>,
    /// The names of the variables that have no bounds.
    pub unbounded: Vec<String>,
}

/// How two values are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// As maps compare values.
    Is(Relation),
    /// `!=`
    Differs,
}

/// Reads code. If it `truncates`, `/` and `%` round toward zero, as in C. A name that is `known` stands for the value of
/// its map, if this has one result and no variables but dimensions and parameters.
///
/// # Errors
/// One [`Error`] at its position in `text`.
pub fn read(text: &str, truncates: bool, known: Known) -> Result<Code, Error> {
    let program = program::program(text)?;
    if let (Some(span), true) = (&program.chain, truncates) {
        let message = "C reads a chain of comparisons differently";
        let error = Error::new(ErrorKind::Syntax, span.clone(), message);
        return Err(error.hint("write `a < b && b < c`"));
    }
    let (results, relation) = match (&program.results[..], program.name) {
        ([only], None) => compared(&program.term.node(*only).kind, *only),
        _ => (program.results.clone(), None),
    };
    let roots = || results.iter().chain(&program.conditions).copied();
    let used = reachable(&program.term, roots());
    let variables = Variables::of(&program, &used, known);
    let mut lowering = Lowering::new(&program.term, text, &variables);
    lowering.truncates = truncates;
    // First what the bounds say, for which bits depend on it.
    lowering.run(&reachable(
        &program.term,
        program.conditions.iter().copied(),
    ))?;
    let region = domain(&program.conditions, &mut lowering)?;
    lowering.rounded = None;
    lowering.run(&used)?;
    let mut combined: Vec<(Limits, Vec<Expr>)> = region
        .into_iter()
        .map(|limits| (limits, Vec::new()))
        .collect();
    for id in &results {
        combined = with(&combined, &lowering.number(*id)?, &lowering);
        if combined.len() > MAX_CASES {
            let span = program.term.node(*id).span.clone();
            let message = format!("the code has more than {MAX_CASES} cases");
            return Err(Error::new(ErrorKind::TooLarge, span, message));
        }
    }
    let mut notes = variables.notes();
    let mut maps = Vec::new();
    let mut assumes = false;
    for (limits, values) in combined {
        let (map, assumed) = map(&lowering, &variables, &limits, values);
        if !assumed.is_empty() && map.domain().is_known_empty() {
            let message = "a divisor is never positive";
            return Err(Error::new(ErrorKind::Division, 0..text.len(), message));
        }
        assumes |= !assumed.is_empty();
        for divisor in assumed {
            let names = super::variable_names(map.domain());
            let shown = super::print_expr(&divisor, &names, super::Style::Plain);
            note(
                &mut notes,
                format!("the divisor `{shown}` is taken to be at least 1"),
            );
        }
        if !map.domain().is_known_empty() {
            maps.push(map);
        }
    }
    if maps.is_empty() {
        let span = 0..text.len();
        let message = "the bounds exclude every point".to_owned();
        return Err(Error::new(ErrorKind::Domain, span, message));
    }
    let excerpt = |span: &Span| super::token::excerpt(text.get(span.clone()).unwrap_or(""));
    if let (Some(span), true, false) = (&lowering.slash, is_python(text), truncates) {
        let text = format!("the `/` of `{}` is read as `//`", excerpt(span));
        note(&mut notes, text);
    }
    if text.contains("unsigned") || text.contains("uint") {
        let text = "integers do not wrap here: a negative value stays negative";
        note(&mut notes, text.to_owned());
    }
    if let (Some(span), true) = (&lowering.rounded, !is_python(text)) {
        let shown = excerpt(span);
        note(
            &mut notes,
            format!(
                "`{shown}` rounds down here, and may be of a negative value: in C it rounds toward zero, `--c`"
            ),
        );
    }
    Ok(Code {
        relation,
        assumes,
        name: program.name.map(str::to_owned),
        unbounded: unbounded(&maps),
        notes,
        maps,
    })
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

/// The map of a case, and what its divisors add to its domain: that they are at least 1.
fn map(
    lowering: &Lowering,
    variables: &Variables,
    limits: &Limits,
    values: Vec<Expr>,
) -> (IndexingMap, Vec<Expr>) {
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
    (map, assumed)
}

fn unbounded(maps: &[IndexingMap]) -> Vec<String> {
    let domain = maps.first().map(IndexingMap::domain);
    let variables = domain.map_or(&[][..], Domain::variables);
    let is_free = |variable: &&Variable| {
        let is_bounded = |map: &IndexingMap| {
            let mut others = map.domain().variables().iter();
            others.any(|other| other.name == variable.name && other.bounds.is_bounded())
        };
        variable.kind == VariableKind::Dimension && !maps.iter().all(is_bounded)
    };
    let free = variables.iter().filter(is_free);
    free.map(|variable| variable.name.to_string()).collect()
}

fn note(notes: &mut Vec<String>, text: String) {
    if !notes.contains(&text) {
        notes.push(text);
    }
}

/// Is it evidently Python, whose `%` rounds down?
fn is_python(text: &str) -> bool {
    let words = [
        "//", "lambda ", "def ", "tl.", " and ", " or ", " if ", "triton",
    ];
    words.iter().any(|word| text.contains(word))
}
