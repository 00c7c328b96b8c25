//! A statement that is refuted only because a divisor need not be positive: the verdict where each divisor is.
//!
//! `x mod n < n` has no value at n = 0, so it is refuted there; a reader wants to know about the other n.

use super::verdict::{at, counterexample, lines, sides};
use crate::failure::Failure;
use crate::output::{Object, Role, Text};
use crate::table::Call;
use affinor::rule::verify::Verdict;
use affinor::rule::{Condition, Relation, Rule, Term, Truth};

/// A statement with the further conditions that each of its divisors is at least 1, and the verdict on it.
pub struct Positive {
    rule: Rule,
    /// The further conditions, as texts.
    conditions: Vec<String>,
    verdict: Verdict,
}

impl Positive {
    /// Judges a refuted rule under these conditions; `None` if its counterexample does not lie in a divisor, or if no values meet
    /// the conditions.
    ///
    /// # Errors
    /// If the user stops it.
    pub fn of(
        call: &Call<'_>,
        rule: &Rule,
        verdict: &Verdict,
    ) -> Result<Option<Positive>, Failure> {
        Positive::of_all(call, std::slice::from_ref(rule), rule, verdict)
    }

    /// Judges rules under these conditions, as [`Positive::of`] does; `rule` is the one that was refuted.
    ///
    /// # Errors
    /// If the user stops it.
    pub fn of_all(
        call: &Call<'_>,
        rules: &[Rule],
        rule: &Rule,
        verdict: &Verdict,
    ) -> Result<Option<Positive>, Failure> {
        match verdict {
            Verdict::Refuted(point) if rule.truth(point) == Truth::Undefined => {}
            _ => return Ok(None),
        }
        let mut conditions: Vec<String> = Vec::new();
        let mut rules = rules.to_vec();
        for rule in &mut rules {
            let further = positive_divisors(rule);
            for one in further.iter().map(|one| rule.write_condition(one)) {
                if !conditions.contains(&one) {
                    conditions.push(one);
                }
            }
            rule.conditions.extend(further);
        }
        let (verdict, gravest) = call.judged_rules(&rules)?;
        let is_vacuous = rules.iter().all(|rule| call.proved_of_nothing(rule, &verdict));
        let rule = gravest.unwrap_or(rule).clone();
        Ok((!is_vacuous).then_some(Positive { rule, conditions, verdict }))
    }

    /// Returns the line below the verdict, with both sides if it is refuted.
    pub fn text(&self) -> Text {
        let under = format!(" where {}", self.conditions.join(", "));
        match &self.verdict {
            Verdict::Proved => Text::new().with(Role::Good, "\nproved").plain(under),
            Verdict::Unknown(_) => Text::new().with(Role::Doubtful, "\nunknown").plain(under),
            Verdict::Refuted(point) => {
                let at = at(&self.rule, point);
                let mut text = Text::new().with(Role::Bad, "\nrefuted");
                text.push(Role::Plain, format!("{under}, too: {at}"));
                text.append(lines(&sides(&self.rule, point)));
                text
            }
        }
    }

    /// Adds `positive_divisors`.
    pub fn object(&self, json: Object) -> Object {
        let object = Object::nested()
            .with("where", self.conditions.clone())
            .with("verdict", self.verdict.word());
        json.with(
            "positive_divisors",
            match &self.verdict {
                Verdict::Proved => object,
                Verdict::Unknown(reason) => object.with("reason", reason.as_str()),
                Verdict::Refuted(point) => {
                    object.with("counterexample", counterexample(&self.rule, point))
                }
            },
        )
    }
}

/// Returns the condition `divisor >= 1` for each divisor of a rule that is not an integer, in the order of the text. A product
/// needs none if its factors have theirs.
fn positive_divisors(rule: &Rule) -> Vec<Condition> {
    let mut divisors: Vec<Term> = Vec::new();
    for term in rule.stated_terms() {
        term.visit(&mut |part| {
            if let Term::FloorDiv(_, divisor) | Term::Mod(_, divisor) = part
                && !matches!(**divisor, Term::Integer(_))
                && !divisors.contains(divisor)
            {
                divisors.push(Term::clone(divisor));
            }
        });
    }
    let follows = |term: &Term| match term {
        Term::Product(x, y) => divisors.contains(x) && divisors.contains(y),
        _ => false,
    };
    let needed = divisors.iter().filter(|divisor| !follows(divisor)).cloned();
    let one = |rhs| Condition { lhs: Term::Integer(1), relation: Relation::LessEqual, rhs };
    needed.map(one).collect()
}
