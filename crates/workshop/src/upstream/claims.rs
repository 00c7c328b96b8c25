//! States a line in the grammar of rules: an equation, or an implication between comparisons.
//!
//! Rewrites between comparisons become `<=>` if both sides, or the negations of both, are conjunctions. Otherwise, and if a
//! comparison is rewritten to `true` or `false`, they become facts: the last part of a disjunction is stated under the condition
//! that the others fail. A condition with `||` makes a rule for each case.

use super::arithmetic::Reader;
use super::division::Division;
use super::formula::{Case, Formula, MAX_CASES, is_formula};
use super::lines::{Form, Found, System};
use super::stated::{Claim, text_of};
use affinor::rule::{Condition, Relation, Rule, Statement, Term, read_rule, read_term};
use affinor::text::ast::{self, NodeId, NodeKind};
use affinor::text::{Error, ErrorKind, Span};
use affinor_code as code;

/// Calls that list several left sides.
const LISTS: [&str; 2] = ["matches_one_of", "PMatchesOneOf"];

/// An expression: its tree, its node in the tree, and the position at which the tree's text begins.
#[derive(Clone, Copy)]
struct Place<'p, 't> {
    tree: &'p ast::Term<'t>,
    id: NodeId,
    offset: usize,
}

impl Place<'_, '_> {
    fn is_formula(self) -> bool {
        is_formula(self.tree, self.id)
    }

    /// Returns the operand of `&&` or `||` that Halide calls `a` or `b`, if `name` is one of these names.
    fn operand_named(self, name: Self) -> Option<Self> {
        let number = match name.tree.node(name.id).kind {
            NodeKind::Name("a") => 0,
            NodeKind::Name("b") => 1,
            _ => return None,
        };
        match &self.tree.node(self.id).kind {
            NodeKind::And(parts) | NodeKind::Or(parts) if parts.len() == 2 => {
                Some(Place { id: parts[number], ..self })
            }
            _ => None,
        }
    }

    fn term(self, reader: &mut Reader) -> Result<Term, Error> {
        let term = reader.term(self.tree, self.id);
        term.map_err(|error| error.shifted(self.offset))
    }

    fn formula(self, reader: &mut Reader) -> Result<Formula, Error> {
        let formula = reader.formula(self.tree, self.id, true);
        formula.map_err(|error| error.shifted(self.offset))
    }
}

/// Returns the claims of a line.
///
/// # Errors
/// The reason why the line cannot be stated, at a position of `text`.
pub(super) fn claims(text: &str, found: &Found) -> Result<Vec<Claim>, Error> {
    let parsed = |span: &Span| {
        let tree = code::expression(&text[span.clone()]);
        let tree = tree.map_err(|error| error.shifted(span.start))?;
        Ok::<_, Error>((tree, span.start))
    };
    let trees = match &found.form {
        Form::Wrong(error) => return Err(error.clone()),
        Form::Call => vec![parsed(&found.span)?],
        Form::Arrow(lhs, rhs, conditions) => {
            let spans = [lhs, rhs].into_iter().chain(conditions);
            spans.map(parsed).collect::<Result<_, _>>()?
        }
    };
    let roots = trees.iter().map(|(tree, offset)| Place { tree, id: tree.root(), offset: *offset });
    let mut places: Vec<Place<'_, '_>> = roots.collect();
    if let (Form::Call, [call]) = (&found.form, &places[..]) {
        let NodeKind::Call(_, operands) = &call.tree.node(call.id).kind else {
            return Err(shape(found));
        };
        let operands = operands.iter().map(|id| Place { id: *id, ..*call });
        places = operands.collect();
        if !(2..=3).contains(&places.len()) {
            return Err(shape(found));
        }
    }
    let [lhs, rhs, conditions @ ..] = &places[..] else {
        return Err(shape(found));
    };
    let several = match &lhs.tree.node(lhs.id).kind {
        NodeKind::Call(name, list) if LISTS.contains(name) => {
            list.iter().map(|id| Place { id: *id, ..*lhs }).collect()
        }
        _ => vec![*lhs],
    };
    let mut claims = Vec::new();
    for lhs in several {
        let mut read = of_sides(found, (lhs, *rhs, conditions), false)?;
        if read.iter().any(|claim| claim.division == Some(Division::Mixed)) {
            read = of_sides(found, (lhs, *rhs, conditions), true)?;
        }
        claims.extend(read);
    }
    Ok(claims)
}

fn shape(found: &Found) -> Error {
    let message = "expected two sides, and perhaps a condition";
    Error::new(ErrorKind::Syntax, found.span.clone(), message)
}

/// Returns the claims for one left side. If the line `writes_out`, they contain no division toward zero.
fn of_sides(
    found: &Found,
    (lhs, rhs, conditions): (Place<'_, '_>, Place<'_, '_>, &[Place<'_, '_>]),
    writes_out: bool,
) -> Result<Vec<Claim>, Error> {
    let mut reader = Reader::new(found.system, writes_out);
    let says_nothing = |message: &str| Error::new(ErrorKind::Rule, found.span.clone(), message);
    let too_many = || {
        let message = format!("the line has more than {MAX_CASES} cases");
        Error::new(ErrorKind::TooLarge, found.span.clone(), message)
    };
    let statements = if lhs.is_formula() {
        let left = lhs.formula(&mut reader)?;
        reader.left_is_read(None);
        let operand = Some(rhs).filter(|_| found.system == System::Halide);
        let operand = operand.and_then(|rhs| lhs.operand_named(rhs));
        let right = operand.unwrap_or(rhs).formula(&mut reader)?;
        same_truth(&left, &right).ok_or_else(too_many)?
    } else {
        let left = lhs.term(&mut reader)?;
        let is_halide = found.system == System::Halide;
        reader.left_is_read(Some(&left).filter(|_| is_halide));
        let right = rhs.term(&mut reader)?;
        vec![(Statement::Rewrite(left, right), Vec::new())]
    };
    reader.in_condition = true;
    let mut required = Vec::new();
    for condition in conditions {
        required.push(condition.formula(&mut reader)?);
    }
    let cases = Formula::All(required).cases().ok_or_else(too_many)?;
    if cases.is_empty() {
        return Err(says_nothing("the line says nothing: its condition never holds"));
    }
    if cases.len() * statements.len() > MAX_CASES {
        return Err(too_many());
    }
    let mut claims = Vec::new();
    for (statement, conditions) in &statements {
        for case in &cases {
            let case = case.and(&Case { conditions: conditions.clone(), fits: Vec::new() });
            if let Statement::Fact(facts) = statement
                && facts.iter().all(|fact| case.conditions.contains(fact))
            {
                continue;
            }
            let claim = stated(&reader, found.system, statement.clone(), case);
            claims.push(claim.map_err(|error| Error { span: Some(found.span.clone()), ..error })?);
        }
    }
    match claims.is_empty() {
        true => Err(says_nothing("the line says nothing: its sides are the same")),
        false => Ok(claims),
    }
}

/// Prints the rule and parses it back: the rule that is shown is the rule that is judged.
fn stated(
    reader: &Reader,
    system: System,
    statement: Statement,
    case: Case,
) -> Result<Claim, Error> {
    let written = Rule {
        conditions: case.conditions,
        constants: reader.variables.constants.clone(),
        expressions: reader.variables.expressions.clone(),
        ..Rule::stating(statement)
    };
    let text = text_of(&written);
    let mut rule = read_rule(&text)?;
    // Literals of the other system that would be parsed as expressions here.
    let literals = match system {
        System::Plain => factors(&written),
        _ => written.constants.clone(),
    };
    let is_expression = |name: &&String| rule.expressions.contains(name);
    let mut declared = String::new();
    for name in literals.iter().filter(is_expression) {
        declared += &format!(" {name}");
    }
    if !declared.is_empty() {
        declared.insert_str(0, " constant");
    }
    // Expressions that could only be bounds; divisors and factors are literals here.
    let is_bound = |name: &&String| {
        let has_name = |part: &Term| rule.name_of(part) == name.as_str();
        let scales = |part: &Term| match part {
            Term::FloorDiv(_, y) | Term::Mod(_, y) => y.any(has_name),
            Term::Product(x, y) => {
                !matches!(**x, Term::Integer(_)) && (x.any(has_name) || y.any(has_name))
            }
            _ => false,
        };
        rule.constants.contains(name) && !rule.stated_terms().any(|term| term.any(scales))
    };
    let bounds: Vec<&str> = match system {
        System::Plain => Vec::new(),
        _ => written.expressions.iter().filter(is_bound).map(String::as_str).collect(),
    };
    if !bounds.is_empty() {
        declared += &format!(" expression {}", bounds.join(" "));
    }
    if !declared.is_empty() {
        rule = read_rule(&format!("{text}{declared}"))?;
    }
    let fits = case.fits.iter();
    let fits = fits.map(|term| read_term(&written.write(term), &rule));
    Ok(Claim {
        fits: fits.collect::<Result<_, _>>()?,
        rule,
        system,
        division: reader.division,
        has_ceildiv: reader.has_ceildiv,
    })
}

/// Returns the factors of a plain line that denote literals: of two names, the one that also occurs in a divisor or a condition,
/// otherwise the right one, since MLIR puts constants on the right.
fn factors(rule: &Rule) -> Vec<String> {
    let is_name = |term: &Term| matches!(term, Term::Expression(_));
    let limited = |name: &Term| {
        let conditions = rule.conditions.iter().flat_map(Condition::sides);
        let mut divisors = rule.stated_terms().flat_map(Term::divisors);
        conditions.into_iter().any(|side| side.any(|part| part == name))
            || divisors.any(|divisor| divisor.any(|part| part == name))
    };
    let mut found = Vec::new();
    for term in rule.stated_terms() {
        term.visit(&mut |part| {
            if let Term::Product(x, y) = part
                && is_name(x)
                && is_name(y)
            {
                let factor = if limited(x) && !limited(y) { x } else { y };
                found.push(rule.name_of(factor).to_owned());
            }
        });
    }
    found
}

type Stating = (Statement, Vec<Condition>);

/// Returns statements, each with its own conditions, that together state the equivalence of two formulas; `None` if there are too
/// many cases.
fn same_truth(left: &Formula, right: &Formula) -> Option<Vec<Stating>> {
    let (not_left, not_right) = (left.negated(), right.negated());
    let is_true = |formula: &Formula| *formula == Formula::All(Vec::new());
    if is_true(right) {
        return facts(left);
    }
    if is_true(&not_right) {
        return facts(&not_left);
    }
    for (left, right) in [(left, right), (&not_left, &not_right)] {
        if let (Some(lhs), Some(rhs)) = (conjunction(left)?, conjunction(right)?) {
            return Some(vec![(Statement::Equivalence(lhs, rhs), Vec::new())]);
        }
    }
    let mut all = Vec::new();
    for (premise, conclusion) in [(left, right), (right, left)] {
        for case in premise.cases()? {
            for (statement, conditions) in facts(conclusion)? {
                all.push((statement, [case.conditions.clone(), conditions].concat()));
            }
        }
    }
    Some(all)
}

/// Returns the conditions of a formula if it is a conjunction; the outer `None` if it has too many cases.
fn conjunction(formula: &Formula) -> Option<Option<Vec<Condition>>> {
    let mut cases = formula.cases()?;
    Some(match (cases.pop(), cases.is_empty()) {
        (Some(case), true) if !case.conditions.is_empty() => Some(case.conditions),
        _ => None,
    })
}

/// States that a formula holds.
fn facts(formula: &Formula) -> Option<Vec<Stating>> {
    if let Some(facts) = conjunction(formula)? {
        return Some(vec![(Statement::Fact(facts), Vec::new())]);
    }
    let mut all = Vec::new();
    for mut clause in formula.clauses()? {
        let last = clause.iter().rposition(|literal| matches!(literal, Formula::Is(_)));
        let conclusion = match last.map(|last| clause.remove(last)) {
            Some(Formula::Is(condition)) => condition,
            // Only disequalities are left: the statement is that their equations cannot all hold.
            _ => Condition {
                lhs: Term::Integer(1),
                relation: Relation::LessEqual,
                rhs: Term::Integer(0),
            },
        };
        let others = Formula::Any(clause).negated();
        for case in others.cases()? {
            all.push((Statement::Fact(vec![conclusion.clone()]), case.conditions));
        }
    }
    Some(all)
}
