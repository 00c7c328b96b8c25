//! The simplified forms of the two sides of a statement: as results of a map, or as bounds of its domain.

use affinor::expr::{Domain, IndexingMap};
use affinor::rule::{Condition, Point, Relation, Rule, Statement, Term};
use affinor::simplify::{Options, Simplifier};
use affinor::text::{Style, parse_map, print_expr, variable_names};

/// The comparison of the forms of two sides.
pub(super) enum Forms {
    Same,
    Differ(String, String),
}

/// The subject of a comparison: a rule, at values of its constants or with named sizes for them, and the bound on its
/// expressions.
pub(super) struct Side<'r> {
    pub(super) rule: &'r Rule,
    pub(super) constants: Option<&'r [i64]>,
    pub(super) reach: Option<i64>,
}

/// Compares the forms of both sides of a statement. For an inequality, its negation must have an empty domain.
pub(super) fn forms(
    side: &Side<'_>,
    simplifier: &Simplifier,
    options: &Options,
) -> Result<Forms, String> {
    let simplified = |results: &[&Term], more: &[Condition]| -> Result<IndexingMap, String> {
        let text = side.map_text(results, more).ok_or("a constant is too large")?;
        let map = parse_map(&text).map_err(|error| error.message)?;
        Ok(simplifier.simplify(&map, options).map)
    };
    let nothing = Term::Integer(0);
    let domain = |conditions: &[Condition]| -> Result<Domain, String> {
        Ok(simplified(&[&nothing], conditions)?.domain().clone())
    };
    let sides = |lhs: &Term, rhs: &Term| -> Result<Forms, String> {
        let minus = Term::Product(Box::new(Term::Integer(-1)), Box::new(rhs.clone()));
        let difference = Term::Sum(vec![lhs.clone(), minus]);
        let map = simplified(&[lhs, rhs, &difference], &[])?;
        let names = variable_names(map.domain());
        let written = |expr| print_expr(expr, &names, Style::Plain);
        Ok(match map.results() {
            [left, right, difference] if left != right && difference.as_constant() != Some(0) => {
                Forms::Differ(written(left), written(right))
            }
            _ => Forms::Same,
        })
    };
    let written = |domain: &Domain| {
        let map = IndexingMap::new(domain.clone(), Vec::new()).to_string();
        let limits = map.split_once("domain: ");
        limits.map_or_else(|| "everywhere".to_owned(), |(_, limits)| limits.to_owned())
    };
    match &side.rule.statement {
        Statement::Rewrite(lhs, rhs) => sides(lhs, rhs),
        Statement::Equivalence(lhs, rhs) => {
            let (left, right) = (domain(lhs)?, domain(rhs)?);
            let are_empty = left.is_known_empty() && right.is_known_empty();
            Ok(match left == right || are_empty {
                true => Forms::Same,
                false => Forms::Differ(written(&left), written(&right)),
            })
        }
        Statement::Fact(facts) => {
            for fact in facts {
                let not =
                    |relation| Condition { lhs: fact.rhs.clone(), relation, rhs: fact.lhs.clone() };
                let left = match fact.relation {
                    Relation::Equal => match sides(&fact.lhs, &fact.rhs)? {
                        Forms::Same => continue,
                        differ @ Forms::Differ(..) => return Ok(differ),
                    },
                    Relation::Less => domain(&[not(Relation::LessEqual)])?,
                    Relation::LessEqual => domain(&[not(Relation::Less)])?,
                };
                if !left.is_known_empty() {
                    return Ok(Forms::Differ(written(&left), "empty".to_owned()));
                }
            }
            Ok(Forms::Same)
        }
    }
}

impl Side<'_> {
    /// Returns the text of a map with these results on the domain where the conditions of the rule and `more` hold. Without
    /// values, the constants are sizes.
    fn map_text(&self, results: &[&Term], more: &[Condition]) -> Option<String> {
        let rule = self.rule;
        let mut domain = Vec::new();
        let named: &[String] = match self.constants {
            Some(_) => &[],
            None => &rule.constants,
        };
        let conditions: Vec<&Condition> = rule.conditions.iter().chain(more).collect();
        for name in named.iter().chain(&rule.expressions) {
            let lower = conditions.iter().filter_map(|one| at_least(rule, one, name));
            let lower = lower.max().or(self.reach.map(|reach| -reach));
            let end = |end: Option<i64>, infinite: &str| {
                end.map_or(infinite.to_owned(), |end| end.to_string())
            };
            let (lower, upper) = (end(lower, "-inf"), end(self.reach, "inf"));
            domain.push(format!("{name} in [{lower}, {upper}]"));
        }
        for condition in conditions {
            let lhs = self.with_values(&condition.lhs)?;
            let rhs = self.with_values(&condition.rhs)?;
            if lhs.any(Term::is_variable) || rhs.any(Term::is_variable) {
                let ends = match condition.relation {
                    Relation::Equal => "[0, 0]",
                    Relation::LessEqual => "[0, inf]",
                    Relation::Less => "[1, inf]",
                };
                let difference = format!("({}) - ({})", rule.write(&rhs), rule.write(&lhs));
                domain.push(format!("{difference} in {ends}"));
            } else if !condition.relation.holds(value(&lhs)?, value(&rhs)?) {
                domain = vec!["empty".to_owned()];
                break;
            }
        }
        let results = results.iter();
        let results = results.map(|result| Some(rule.write(&self.with_values(result)?)));
        let results = results.collect::<Option<Vec<String>>>()?.join(", ");
        let sizes = match named.is_empty() {
            true => String::new(),
            false => format!("<{}>", named.join(", ")),
        };
        let (variables, domain) = (rule.expressions.join(", "), domain.join(", "));
        Some(format!("{sizes}({variables}) -> ({results}), domain: {domain}"))
    }

    fn with_values(&self, term: &Term) -> Option<Term> {
        match self.constants {
            Some(values) => evaluated(term, values),
            None => Some(term.clone()),
        }
    }
}

/// Returns the lower bound of a variable in a condition.
fn at_least(rule: &Rule, condition: &Condition, name: &str) -> Option<i64> {
    let Condition { lhs, relation, rhs } = condition;
    let Term::Integer(bound) = lhs else {
        return None;
    };
    if !rhs.is_variable() || rule.name_of(rhs) != name {
        return None;
    }
    match relation {
        Relation::Less => bound.checked_add(1),
        _ => Some(*bound),
    }
}

/// Evaluates the term at these values of the constants; subterms without expressions become integers.
fn evaluated(term: &Term, constants: &[i64]) -> Option<Term> {
    let term = match term {
        Term::Constant(slot) => Term::Integer(*constants.get(usize::from(*slot))?),
        other => other.with_operands(|operand| evaluated(operand, constants))?,
    };
    match term.any(Term::is_variable) {
        true => Some(term),
        false => Some(Term::Integer(i64::try_from(value(&term)?).ok()?)),
    }
}

/// Returns the value of a term without variables.
fn value(term: &Term) -> Option<i128> {
    let nowhere = Point { constants: Vec::new(), expressions: Vec::new() };
    term.eval(&nowhere)
}
