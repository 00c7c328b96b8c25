//! Decides whether a true statement is known here: a rule states it, or the rules together derive that its sides are equal.
//!
//! At first its constants are named sizes, so that the answer holds for all of them; if that is inconclusive, a few of their
//! values are tried. Sides whose forms differ are shown, so that a reader can see whether the line would make our form smaller.

use super::forms::{Forms, Side, forms};
use crate::failure::Failure;
use crate::output::Object;
use crate::table::Call;
use affinor::prove::Budget;
use affinor::rule::verify::{Draw, subsumes};
use affinor::rule::{Rule, Statement, Truth};
use affinor::simplify::{Options, Simplifier};

/// The maximal number of values of the constants that are tried.
const TRIED: usize = 4;

/// The number of points that are drawn to find values of the constants.
const DRAWS: usize = 400;

/// The bound on the absolute values of expressions, tried if the forms of unbounded ones differ: constraints have a unique form
/// only if the variables are bounded.
const REACH: i64 = 1 << 20;

/// Whether a statement is known.
pub(super) enum Known {
    /// A rule states it, possibly from right to left.
    Rule { name: String, turned: bool },
    /// Both sides have one form, or their difference is 0, for all constants.
    Derived,
    /// Both sides are equal at all values of the constants that were tried, `values` in number; possibly only for expressions up
    /// to [`REACH`].
    Tried { values: usize, bounded: bool },
    /// The sides have these forms; `at` are the values of the constants.
    New { at: Vec<(String, i64)>, ours: String, theirs: String },
    /// The sides could not be compared.
    Open(String),
}

impl Known {
    /// Looks a rule up, and simplifies its sides.
    ///
    /// # Errors
    /// If the user stops it, or the rules do not load.
    pub(super) fn of(call: &Call<'_>, rule: &Rule) -> Result<Known, Failure> {
        let simplifier = call.uncounted_simplifier()?;
        if let Some((name, turned)) = stated_by(rule, &simplifier, &call.rule_budget()) {
            return Ok(Known::Rule { name, turned });
        }
        let options = Options { interrupt: call.host.interrupt(), ..Options::default() };
        let compared = |constants: Option<&[i64]>, reach: Option<i64>| {
            let side = Side { rule, constants, reach };
            forms(&side, &simplifier, &options)
        };
        let symbolic = compared(None, None);
        call.go_on()?;
        if let Ok(Forms::Same) = symbolic {
            return Ok(Known::Derived);
        }
        let (mut tried, mut bounded) = (0, false);
        for constants in &values(rule) {
            call.go_on()?;
            let mut found = compared(Some(constants), None);
            if !matches!(found, Ok(Forms::Same)) {
                bounded = true;
                found = compared(Some(constants), Some(REACH));
            }
            match found {
                Ok(Forms::Same) => tried += 1,
                Ok(Forms::Differ(ours, theirs)) => {
                    let names = rule.constants.iter().cloned();
                    let at = names.zip(constants.iter().copied()).collect();
                    return Ok(Known::New { at, ours, theirs });
                }
                Err(reason) => return Ok(Known::Open(reason)),
            }
        }
        Ok(match (symbolic, tried) {
            (_, 1..) => Known::Tried { values: tried, bounded },
            (Err(reason), _) => Known::Open(reason),
            _ => Known::Open(
                "no values of the constants were found that satisfy the conditions".to_owned(),
            ),
        })
    }

    /// Returns its word in JSON.
    pub(super) fn word(&self) -> &'static str {
        match self {
            Known::Rule { .. } => "rule",
            Known::Derived => "derived",
            Known::Tried { .. } => "tried",
            Known::New { .. } => "new",
            Known::Open(_) => "open",
        }
    }

    /// Describes it in words.
    pub(super) fn text(&self) -> String {
        match self {
            Known::Rule { name, turned } => {
                let turned = if *turned { ", from right to left" } else { "" };
                format!("known: `{name}`{turned}")
            }
            Known::Derived => "known: `simplify` finds both sides equal".to_owned(),
            Known::Tried { values, bounded } => {
                let values = match values {
                    1 => String::new(),
                    count => format!(", at the {count} values of the constants that were tried"),
                };
                let bounded = match bounded {
                    true => format!(", of expressions in [-{REACH}, {REACH}]"),
                    false => String::new(),
                };
                format!("known: `simplify` finds both sides equal{values}{bounded}")
            }
            Known::New { at, ours, theirs } => {
                let at: Vec<String> =
                    at.iter().map(|(name, value)| format!("{name} = {value}")).collect();
                let at = match at.is_empty() {
                    true => String::new(),
                    false => format!(" at {}", at.join(", ")),
                };
                format!("new:{at} `simplify` leaves {ours}, and of the right side {theirs}")
            }
            Known::Open(reason) => format!("not looked up: {reason}"),
        }
    }

    /// Returns an object such as `{"is": "rule", "rule": "div-div"}`
    pub(super) fn object(&self) -> Object {
        let object = Object::nested().with("is", self.word());
        match self {
            Known::Rule { name, turned } => {
                object.with("rule", name.as_str()).with("from_right_to_left", turned)
            }
            Known::Derived => object,
            Known::Tried { values, bounded } => {
                let object = object.with("values", values);
                object.with_some("reach", bounded.then_some(REACH))
            }
            Known::New { at, ours, theirs } => {
                let at = at
                    .iter()
                    .fold(Object::nested(), |object, (name, value)| object.with(name, value));
                object.with("at", at).with("left", ours.as_str()).with("right", theirs.as_str())
            }
            Known::Open(reason) => object.with("reason", reason.as_str()),
        }
    }
}

/// Returns the first rule that the given one is an instance of, and whether its sides are exchanged. The split strategy of that
/// rule is ignored.
fn stated_by(rule: &Rule, simplifier: &Simplifier, budget: &Budget) -> Option<(String, bool)> {
    let rule = rule.directed();
    for turned in [false, true] {
        let statement = match (&rule.statement, turned) {
            (same, false) => same.clone(),
            (Statement::Rewrite(lhs, rhs), true) => Statement::Rewrite(rhs.clone(), lhs.clone()),
            (Statement::Equivalence(lhs, rhs), true) => {
                Statement::Equivalence(rhs.clone(), lhs.clone())
            }
            (Statement::Fact(_), true) => return None,
        };
        let special = Rule { statement, ..rule.clone() };
        for general in simplifier.rules().rules() {
            let general = general.directed();
            let special = Rule { splits: general.splits.clone(), ..special.clone() };
            if subsumes(&general, &special, budget) {
                return Some((general.name, turned));
            }
        }
    }
    None
}

/// Returns a few values of the constants at which the conditions hold for some values of the expressions. Values with few of 0, 1
/// and -1, which are degenerate, come first.
fn values(rule: &Rule) -> Vec<Vec<i64>> {
    let mut draw = Draw::new(rule);
    let mut found: Vec<Vec<i64>> = Vec::new();
    for _ in 0..DRAWS {
        let point = draw.point();
        if rule.truth(&point) == Truth::Holds && !found.contains(&point.constants) {
            found.push(point.constants);
        }
    }
    let small = |values: &Vec<i64>| values.iter().filter(|value| value.abs() < 2).count();
    found.sort_by_key(small);
    found.truncate(TRIED);
    found
}
