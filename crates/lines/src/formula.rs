//! Statements with `or`, `not`, `!=`, `->`, `<=>` and choices, translated to rules of the language of rules.
//!
//! Law: the statement holds for all integers iff each of the rules does. Its negation is split into cases, each a conjunction
//! of comparisons; a rule states that these exclude each other. Names range over all integers, as in each rule.

use super::implication::{EQUIVALENT, IMPLIES, conditions, equations, spelled, split_at_words};
use affinor::rule::{Rule, read_rule};
use affinor::text::ast::{Node, NodeId, NodeKind, Relation, Sign};
use affinor::text::{Error, ErrorKind};
use affinor_code::expression;

/// The maximum number of cases, and of bytes of the text of all cases.
const MAX_CASES: usize = 64;
const MAX_BYTES: usize = 1 << 16;

/// A comparison of two terms, as texts of the language of rules.
#[derive(Clone)]
struct Literal {
    left: String,
    /// `None` for `!=`
    relation: Option<Relation>,
    right: String,
}

type Case = Vec<Literal>;

/// The cases in which a formula is true, and those in which it is false.
#[derive(Clone)]
struct Truth {
    holds: Vec<Case>,
    fails: Vec<Case>,
}

/// A statement, as rules.
pub struct Statement {
    /// The rules that hold for all integers if the statement does.
    pub rules: Vec<Rule>,
    /// The rules that hold if the premises are never met; `None` without premises.
    pub vacuous: Option<Vec<Rule>>,
}

impl Statement {
    /// Reads `P`, `P where Q, R`, `Q -> P` or `P <=> Q`.
    ///
    /// # Errors
    /// [`ErrorKind::Syntax`], [`ErrorKind::TooLarge`], and [`ErrorKind::Unsupported`] for a part that the language of rules
    /// cannot express.
    pub fn read(text: &str) -> Result<Statement, Error> {
        let text = spelled(&equations(text))?;
        let (claim, premises) = split_at_words(&text, &[" where "])
            .map_or((text.as_str(), None), |(claim, _, rest)| (claim, Some(rest)));
        let mut premises: Vec<Truth> = match premises {
            Some(list) => conditions(list).into_iter().map(truth).collect::<Result<_, _>>()?,
            None => Vec::new(),
        };
        let mut claim = claim;
        let claim = match split_at_words(claim, &EQUIVALENT) {
            Some((left, _, right)) => {
                let (left, right) = (truth(left)?, truth(right)?);
                let holds =
                    either(both(&left.holds, &right.holds)?, both(&left.fails, &right.fails)?)?;
                let fails =
                    either(both(&left.holds, &right.fails)?, both(&left.fails, &right.holds)?)?;
                Truth { holds, fails }
            }
            None => {
                while let Some((premise, _, rest)) = split_at_words(claim, &IMPLIES) {
                    premises.push(truth(premise)?);
                    claim = rest;
                }
                truth(claim)?
            }
        };
        let start = vec![Vec::new()];
        let given = premises.iter().try_fold(start, |all, one| both(&all, &one.holds))?;
        Ok(Statement {
            rules: excluded(&both(&given, &claim.fails)?)?,
            vacuous: match premises.is_empty() {
                true => None,
                false => Some(excluded(&given)?),
            },
        })
    }
}

/// The meaning of a node: a value in each of several cases, or a condition.
#[derive(Clone)]
enum Meaning {
    Value(Vec<(Case, String)>),
    Truth(Truth),
}

fn truth(text: &str) -> Result<Truth, Error> {
    let term = expression(text)?;
    let mut meanings: Vec<Meaning> = Vec::new();
    let mut bytes = 0;
    for (_, node) in term.nodes() {
        let meaning = meaning(node, &meanings)?;
        if let Meaning::Value(values) = &meaning {
            bytes += values.iter().map(|(_, text)| text.len()).sum::<usize>();
        }
        if bytes > MAX_BYTES {
            return Err(too_large());
        }
        meanings.push(meaning);
    }
    match meanings.pop() {
        Some(Meaning::Truth(truth)) => Ok(truth),
        _ => Err(Error::new(ErrorKind::Syntax, 0..text.len(), "expected a comparison")),
    }
}

fn meaning(node: &Node, known: &[Meaning]) -> Result<Meaning, Error> {
    let foreign = || {
        let shown = "a part that the language of rules does not have";
        Error::new(ErrorKind::Unsupported, node.span.clone(), shown)
    };
    let value = |id: &NodeId| match known.get(id.index()) {
        Some(Meaning::Value(values)) => Ok(values.clone()),
        _ => Err(foreign()),
    };
    let truth_of = |id: &NodeId| match known.get(id.index()) {
        Some(Meaning::Truth(truth)) => Ok(truth.clone()),
        _ => Err(foreign()),
    };
    let infix = |x: &NodeId, operator: &str, y: &NodeId| {
        let values = pairs(&value(x)?, &value(y)?, |x, y| format!("({x} {operator} {y})"))?;
        Ok(Meaning::Value(values))
    };
    Ok(match &node.kind {
        NodeKind::Integer(number) => Meaning::Value(vec![(Vec::new(), number.to_string())]),
        NodeKind::Name(name) if affinor::text::is_name(name) => {
            Meaning::Value(vec![(Vec::new(), (*name).to_owned())])
        }
        NodeKind::Negate(x) => Meaning::Value(each(value(x)?, |x| format!("(-{x})"))),
        NodeKind::Call("+", one) if one.len() == 1 => Meaning::Value(value(&one[0])?),
        NodeKind::Sum(parts) => {
            let mut sum = vec![(Vec::new(), String::new())];
            for (sign, part) in parts {
                let sign = if *sign == Sign::Minus { " - " } else { " + " };
                sum = pairs(&sum, &value(part)?, |sum, part| match (sum, sign) {
                    ("", " + ") => part.to_owned(),
                    ("", _) => format!("(-{part})"),
                    _ => format!("({sum}{sign}{part})"),
                })?;
            }
            Meaning::Value(sum)
        }
        NodeKind::Multiply(x, y) => infix(x, "*", y)?,
        NodeKind::FloorDiv(x, y) => infix(x, "floordiv", y)?,
        NodeKind::CeilDiv(x, y) => infix(x, "ceildiv", y)?,
        NodeKind::Mod(x, y) => infix(x, "mod", y)?,
        NodeKind::Call("/", xy) => match &xy[..] {
            [x, y] => infix(x, "floordiv", y)?,
            _ => return Err(foreign()),
        },
        NodeKind::Call("%", xy) => match &xy[..] {
            [x, y] => infix(x, "mod", y)?,
            _ => return Err(foreign()),
        },
        NodeKind::Call(name @ ("min" | "max"), xs) if !xs.is_empty() => {
            let mut all = value(&xs[0])?;
            for x in &xs[1..] {
                all = pairs(&all, &value(x)?, |all, x| format!("{name}({all}, {x})"))?;
            }
            Meaning::Value(all)
        }
        NodeKind::Call("abs", x) if x.len() == 1 => {
            Meaning::Value(each(value(&x[0])?, |x| format!("max({x}, -{x})")))
        }
        NodeKind::Call("?:", parts) => match &parts[..] {
            [condition, chosen, other] => {
                let condition = truth_of(condition)?;
                let under = |cases: &[Case], values: Vec<(Case, String)>| {
                    let cases: Vec<_> =
                        cases.iter().map(|case| (case.clone(), String::new())).collect();
                    pairs(&cases, &values, |_, value| value.to_owned())
                };
                let mut values = under(&condition.holds, value(chosen)?)?;
                values.extend(under(&condition.fails, value(other)?)?);
                Meaning::Value(values)
            }
            _ => return Err(foreign()),
        },
        NodeKind::Compare(sides, relations) => match (&sides[..], &relations[..]) {
            ([x, y], [relation]) => compared(&value(x)?, Some(*relation), &value(y)?)?,
            _ => return Err(foreign()),
        },
        NodeKind::Call("!=", sides) => match &sides[..] {
            [x, y] => compared(&value(x)?, None, &value(y)?)?,
            _ => return Err(foreign()),
        },
        NodeKind::Not(x) => {
            let Truth { holds, fails } = truth_of(x)?;
            Meaning::Truth(Truth { holds: fails, fails: holds })
        }
        NodeKind::And(parts) => {
            let mut all = Truth { holds: vec![Vec::new()], fails: Vec::new() };
            for part in parts {
                let part = truth_of(part)?;
                all.holds = both(&all.holds, &part.holds)?;
                all.fails = either(all.fails, part.fails)?;
            }
            Meaning::Truth(all)
        }
        NodeKind::Or(parts) => {
            let mut all = Truth { holds: Vec::new(), fails: vec![Vec::new()] };
            for part in parts {
                let part = truth_of(part)?;
                all.fails = both(&all.fails, &part.fails)?;
                all.holds = either(all.holds, part.holds)?;
            }
            Meaning::Truth(all)
        }
        _ => return Err(foreign()),
    })
}

fn each(values: Vec<(Case, String)>, of: impl Fn(&str) -> String) -> Vec<(Case, String)> {
    values.into_iter().map(|(case, text)| (case, of(&text))).collect()
}

fn pairs(
    left: &[(Case, String)],
    right: &[(Case, String)],
    of: impl Fn(&str, &str) -> String,
) -> Result<Vec<(Case, String)>, Error> {
    if left.len() * right.len() > MAX_CASES {
        return Err(too_large());
    }
    let pairs = left.iter().flat_map(|left| right.iter().map(move |right| (left, right)));
    Ok(pairs.map(|((a, x), (b, y))| ([a.as_slice(), b].concat(), of(x, y))).collect())
}

fn compared(
    left: &[(Case, String)],
    relation: Option<Relation>,
    right: &[(Case, String)],
) -> Result<Meaning, Error> {
    let list = pairs(left, right, |x, y| format!("{x}\0{y}"))?;
    let of = |relation: Option<Relation>| {
        let cases = list.iter().map(|(case, sides)| {
            let (left, right) = sides.split_once('\0').unwrap_or((sides, ""));
            let literal = Literal { left: left.to_owned(), relation, right: right.to_owned() };
            [case.as_slice(), &[literal]].concat()
        });
        cases.collect()
    };
    Ok(Meaning::Truth(Truth { holds: of(relation), fails: of(negated(relation)) }))
}

fn negated(relation: Option<Relation>) -> Option<Relation> {
    match relation {
        None => Some(Relation::Equal),
        Some(Relation::Equal) => None,
        Some(Relation::Less) => Some(Relation::GreaterEqual),
        Some(Relation::LessEqual) => Some(Relation::Greater),
        Some(Relation::Greater) => Some(Relation::LessEqual),
        Some(Relation::GreaterEqual) => Some(Relation::Less),
    }
}

fn both(left: &[Case], right: &[Case]) -> Result<Vec<Case>, Error> {
    if left.len() * right.len() > MAX_CASES {
        return Err(too_large());
    }
    let pairs = left.iter().flat_map(|left| right.iter().map(move |right| (left, right)));
    Ok(pairs.map(|(left, right)| [left.as_slice(), right].concat()).collect())
}

fn either(mut left: Vec<Case>, right: Vec<Case>) -> Result<Vec<Case>, Error> {
    left.extend(right);
    match left.len() > MAX_CASES {
        true => Err(too_large()),
        false => Ok(left),
    }
}

fn too_large() -> Error {
    let message = format!("the statement has more than {MAX_CASES} cases, or is too long");
    Error::without_span(ErrorKind::TooLarge, message)
}

/// Returns rules stating that no integers satisfy any of the cases.
fn excluded(cases: &[Case]) -> Result<Vec<Rule>, Error> {
    let mut rules = Vec::new();
    for case in cases {
        for text in excluding(case)? {
            rules.push(read_rule(&text)?);
        }
    }
    Ok(rules)
}

/// Returns the texts of rules stating that the comparisons of a case exclude each other.
fn excluding(case: &Case) -> Result<Vec<String>, Error> {
    let mut rest = case.clone();
    // The conclusion of the rule is the negation of one comparison, preferably of an inequation.
    let is_unequal = |literal: &Literal| literal.relation.is_none();
    let is_bound = |literal: &Literal| literal.relation != Some(Relation::Equal);
    let place = rest.iter().rposition(is_unequal).or(rest.iter().rposition(is_bound));
    let place = place.or(rest.len().checked_sub(1));
    let goal = match place.map(|place| rest.remove(place)) {
        None => "0 = 1".to_owned(),
        Some(Literal { left, relation: Some(Relation::Equal), right }) => {
            rest.push(Literal {
                left: left.clone(),
                relation: Some(Relation::GreaterEqual),
                right: right.clone(),
            });
            format!("{left} > {right}")
        }
        Some(literal) => written(&literal, negated(literal.relation)),
    };
    let mut sets = vec![Vec::new()];
    for literal in &rest {
        let ways = match literal.relation {
            None => vec![Some(Relation::Less), Some(Relation::Greater)],
            relation => vec![relation],
        };
        if sets.len() * ways.len() > MAX_CASES {
            return Err(too_large());
        }
        let longer = |set: &Vec<String>, way: &Option<Relation>| {
            [set.as_slice(), &[written(literal, *way)]].concat()
        };
        sets = sets.iter().flat_map(|set| ways.iter().map(move |way| longer(set, way))).collect();
    }
    let rule = |set: Vec<String>| match set.is_empty() {
        true => goal.clone(),
        false => format!("{goal} where {}", set.join(", ")),
    };
    Ok(sets.into_iter().map(rule).collect())
}

fn written(literal: &Literal, relation: Option<Relation>) -> String {
    let sign = match relation {
        Some(Relation::Less) => "<",
        Some(Relation::LessEqual) => "<=",
        Some(Relation::Greater) => ">",
        Some(Relation::GreaterEqual) => ">=",
        Some(Relation::Equal) | None => "=",
    };
    format!("{} {sign} {}", bare(&literal.left), bare(&literal.right))
}

/// Strips the brackets around the whole of a text.
fn bare(text: &str) -> &str {
    let Some(inner) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) else {
        return text;
    };
    let mut depth = 0i64;
    let is_one = inner.chars().all(|letter| {
        depth += i64::from(letter == '(') - i64::from(letter == ')');
        depth >= 0
    });
    if is_one { inner } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use affinor::rule::{Point, Truth};

    /// Checks that the rules hold at each point where the statement is true, and that they do not all hold where it is false.
    #[track_caller]
    fn check(text: &str, is_true: fn(i64, i64) -> bool) {
        let statement = Statement::read(text).expect("a statement");
        for (x, y) in (-7..=7).flat_map(|x| (-7..=7).map(move |y| (x, y))) {
            let holds = statement.rules.iter().all(|rule| {
                let of = |names: &[String]| {
                    names.iter().map(|name| if name == "x" { x } else { y }).collect()
                };
                let point =
                    Point { constants: of(&rule.constants), expressions: of(&rule.expressions) };
                matches!(rule.truth(&point), Truth::Holds | Truth::Outside)
            });
            assert_eq!(holds, is_true(x, y), "{text} at {x}, {y}");
        }
    }

    #[test]
    fn statements_are_rules() {
        check("x != 3", |x, _| x != 3);
        check("x = 3 or x != y", |x, y| x == 3 || x != y);
        check("x > 1 -> x > 0", |_, _| true);
        check("x > y => y > 0 ==> x > 2", |x, y| !(x > y && y > 0) || x > 2);
        check("x > 0 implies y > 0", |x, y| x <= 0 || y > 0);
        check("not (x > 0 and y = 2)", |x, y| !(x > 0 && y == 2));
        check("x = 1 <=> y = 1 or y = 2", |x, y| (x == 1) == (y == 1 || y == 2));
        check("(x > 0 -> y > 0 -> x > y) or x = 3", |x, y| x <= 0 || y <= 0 || x > y || x == 3);
        check("not ((x > 1) <=> (y > 1)) and (x > 1)", |x, y| x > 1 && y <= 1);
        check("x mod 2 = 0 or x mod 2 = 1", |_, _| true);
        check("x > 2 where y > 1 or y = -2, x != 3", |x, y| !(y > 1 || y == -2) || x == 3 || x > 2);
        check("0 < x < y or x >= y or x <= 0", |_, _| true);
        check("(1 if x > 0 else -1) * x = abs(x)", |_, _| true);
        check("min(x, y, 3) <= -x % 4 - (y - 1)", |x, y| {
            x.min(y).min(3) <= (-x).rem_euclid(4) - (y - 1)
        });
        check("x / 2 != y // 3", |x, y| x.div_euclid(2) != y.div_euclid(3));
        check("True or x = 1", |_, _| true);
        check("False", |_, _| false);
        check("x != y != 2", |x, y| x != y && y != 2);
    }

    #[test]
    fn other_texts_are_errors() {
        for text in [
            "x",
            "x & 1 == 0",
            "x > 0 + (y < 1)",
            "not x",
            "f(x) = 1",
            "x > 0 ->",
            "a.b > 1 or x = 1",
            "x > 0 where",
            "0.5 < x or x = 1",
        ] {
            assert!(Statement::read(text).is_err(), "{text}");
        }
        let large = ["(x = 1 or y = 1)"; 10].join(" and ");
        let error = Statement::read(&format!("x = 5 where {large}")).err().map(|error| error.kind);
        assert_eq!(error, Some(ErrorKind::TooLarge));
    }
}
