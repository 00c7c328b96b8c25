//! The behaviour of a proved statement in code: with division that rounds toward zero, and in 64 bits.
//!
//! Nothing is reported if a search without a proof found no counterexample.

use super::verdict::{at, lines, point_object, statement_sides, with_sides};
use crate::failure::Failure;
use crate::output::{Object, Role, Text};
use crate::table::Call;
use affinor::rule::verify::{
    Overflow, Verdict, is_bounded, judge, overflow, overflow_of, truncated, truncating, wrapped,
    wrapped_value,
};
use affinor::rule::{Point, Rule};

/// The behaviour of a proved statement in code.
pub struct InCode<'r> {
    rule: &'r Rule,
    /// The verdict on it with division that rounds toward zero; `None` if it has no division.
    toward_zero: Option<Verdict>,
    overflow: Option<Overflow>,
}

impl<'r> InCode<'r> {
    /// Judges a proved rule in `bits` bits; by default in 64, and in 32 if the bounds of all names fit.
    ///
    /// # Errors
    /// If the user stops it.
    pub fn of(call: &Call<'_>, rule: &'r Rule, bits: Option<u32>) -> Result<InCode<'r>, Failure> {
        // C has no `ceildiv`, and the function that a program calls instead is unknown.
        let is_in_c = !rule.text.to_lowercase().contains("ceildiv");
        let code = truncating(rule);
        let toward_zero = match is_in_c && code != *rule {
            true => Some(call.judged(judge(&code, &call.rule_budget()))?),
            false => None,
        };
        let overflow = match is_in_c {
            true => match bits {
                Some(bits) => overflow_of(rule, bits),
                // If the bounds of all names fit into 32 bits, a program may compute in 32 bits.
                None => overflow(rule)
                    .or_else(|| is_bounded(rule, 32).then(|| overflow_of(rule, 32)).flatten()),
            },
            false => None,
        };
        Ok(InCode { rule, toward_zero, overflow })
    }

    /// Collects the findings about a rule so far. The overflow is of this rule, or of this rule with more conditions.
    pub fn found(
        rule: &'r Rule,
        toward_zero: Option<Verdict>,
        overflow: Option<Overflow>,
    ) -> InCode<'r> {
        InCode { rule, toward_zero, overflow }
    }

    /// Returns the lines below the verdict; empty if there are no findings.
    pub fn text(&self) -> Text {
        let mut text = Text::new();
        match &self.toward_zero {
            None => {}
            Some(Verdict::Proved) => {
                text.push(Role::Faint, "\nalso if division rounds toward zero, as / and % of C")
            }
            Some(Verdict::Unknown(_)) => {
                text.push(Role::Faint, "\nunknown if division rounds toward zero, as / and % of C")
            }
            Some(Verdict::Refuted(point)) => {
                text.push(Role::Bad, "\nfails in C");
                let at = at(self.rule, point);
                text.push(Role::Plain, format!(", where / and % round toward zero: {at}"));
                text.append(lines(&self.sides_toward_zero(point)));
            }
        }
        if let Some(found) = &self.overflow {
            let point = at(self.rule, &found.point);
            let (term, value) = (self.rule.write(&found.term), found.value);
            let (role, fails) = match found.fails {
                true => (Role::Bad, "fails in"),
                false => (Role::Doubtful, "overflows"),
            };
            text.push(role, format!("\n{fails} {} bits", found.bits));
            let sides = self.sides_of(found, false);
            if found.fails && sides != self.sides_of(found, true) {
                text.push(Role::Plain, ", where / and % round toward zero");
            }
            let low = wrapped(value, found.bits);
            text.push(
                Role::Plain,
                format!(": {point}\n  {term} is {value}, which wraps around to {low}"),
            );
            match found.fails {
                true => text.append(lines(&sides)),
                false => text.push(
                    Role::Plain,
                    "\n  the statement holds there all the same if it wraps around; in C, overflow is undefined",
                ),
            }
        }
        text
    }

    /// Adds `toward_zero` and `overflow`, if there are such findings.
    pub fn object(&self, json: Object) -> Object {
        let toward_zero = self.toward_zero.as_ref().map(|verdict| {
            let object = Object::nested().with("verdict", verdict.word());
            match verdict {
                Verdict::Proved => object,
                Verdict::Unknown(reason) => object.with("reason", reason.as_str()),
                Verdict::Refuted(point) => {
                    let example = self.example(point);
                    let example = with_sides(example, &self.sides_toward_zero(point));
                    object.with("counterexample", example)
                }
            }
        });
        let overflow = self.overflow.as_ref().map(|found| {
            let mut example = self.example(&found.point);
            if found.fails {
                example = with_sides(example, &self.sides_of(found, false));
            }
            Object::nested()
                .with("fails", found.fails)
                .with("bits", found.bits)
                .with("term", self.rule.write(&found.term))
                .with("value", found.value.to_string())
                .with("at", example)
        });
        json.with_some("toward_zero", toward_zero).with_some("overflow", overflow)
    }

    fn example(&self, point: &Point) -> Object {
        Object::nested().with("point", point_object(self.rule, point))
    }

    fn sides_toward_zero(&self, point: &Point) -> Vec<super::verdict::Side> {
        statement_sides(self.rule, &|term| truncated(term).eval(point))
    }

    fn sides_of(&self, found: &Overflow, rounds_down: bool) -> Vec<super::verdict::Side> {
        let value = |term: &_| wrapped_value(term, found, rounds_down).map(i128::from);
        statement_sides(self.rule, &value)
    }
}
