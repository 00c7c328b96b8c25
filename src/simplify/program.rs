//! A rule set made ready for firing: once per process.

use super::divide::DivisionRule;
use crate::error::{Error, ErrorKind};
use crate::rule::matching::{Matcher, Operator};
use crate::rule::{Rule, RuleId, RuleSet, SESSION, SESSION_LAWS, Statement, check_firing};
use crate::saturate::{Rewriting, Rewritings};
use crate::verify::descent;

/// The file whose rules normalise quotients.
const NORMAL_FORMS: &str = "floordiv.rules";

/// The file whose rules the search tries.
const CHOICES_OF_FORM: &str = "forms.rules";

/// The rules, those of them that normalise quotients, and those that the search proposes.
#[derive(Clone, Debug)]
pub struct Program {
    set: RuleSet,
    division: Vec<DivisionRule>,
    known: Known,
    rewritings: Rewritings,
    /// Those of them that the search tries.
    proposed: Rewritings,
    /// Rules that must not fire.
    off: Vec<RuleId>,
}

impl Program {
    /// Compiles a rule set.
    ///
    /// # Errors
    /// [`ErrorKind::Rule`] if a rule that a generator proposes is missing or has other variables.
    pub fn compile(set: RuleSet) -> Result<Program, Error> {
        let known = Known::find(&set)?;
        let mut division = Vec::new();
        for (id, rule) in (0u16..).map(RuleId).zip(set.rules()) {
            if rule.file == NORMAL_FORMS {
                let compiled = matcher(id, rule)?;
                if let Err(term) = descent(rule) {
                    let message = format!(
                        "'{}' leads to {}, which is no smaller than what it comes from",
                        rule.name,
                        rule.write(&term)
                    );
                    return Err(Error::without_span(ErrorKind::Rule, message).hint(
                        "normal forms are fired until none applies: rules/README.md says what is smaller",
                    ));
                }
                division.push(compiled);
            }
        }
        let mut program = Program {
            set,
            division,
            known,
            rewritings: Rewritings::default(),
            proposed: Rewritings::default(),
            off: Vec::new(),
        };
        program.index();
        Ok(program)
    }

    /// Finds again which rules rewrite terms.
    fn index(&mut self) {
        let is_on = |id| !self.off.contains(&id) && self.set.rule(id).file != SESSION_LAWS;
        let is_proposed = |id| is_on(id) && self.set.rule(id).file == CHOICES_OF_FORM;
        self.proposed = Rewritings::of(&self.set, is_proposed);
        self.rewritings = Rewritings::of(&self.set, is_on);
    }

    /// Can a rule of a session be fired, in an e-graph? It is asked of a rule that is true.
    ///
    /// # Errors
    /// [`ErrorKind::Rule`] if nothing would ever match its left side, or an instance need not be an index map.
    pub fn can_fire(rule: &Rule) -> Result<(), Error> {
        check_firing(rule)?;
        let refuse = |reason: &str| Err(Error::without_span(ErrorKind::Rule, reason));
        if let Statement::Rewrite(left, right) = &rule.statement
            && !left.has_operation()
            && !right.has_operation()
        {
            return refuse("its sides are sums alone, which are one form in any order");
        }
        let matched = Matcher::new(rule).map(|_| ());
        matched.or_else(|reason| refuse(&reason))
    }

    /// The same rules, of which those called `names` do not fire.
    ///
    /// # Errors
    /// [`ErrorKind::Name`] if there is no such rule.
    pub fn without(mut self, names: &[&str]) -> Result<Program, Error> {
        for name in names {
            let id = self.set.find(name).ok_or_else(|| {
                let message = format!("there is no rule '{name}'");
                Error::without_span(ErrorKind::Name, message)
            })?;
            self.division.retain(|division| division.rule != id);
            self.off.push(id);
        }
        self.index();
        Ok(self)
    }

    /// The rules.
    #[must_use]
    pub fn rules(&self) -> &RuleSet {
        &self.set
    }

    /// Is this rule fired? One that is not is a law of native code, or was left out.
    #[must_use]
    pub fn fires(&self, id: RuleId) -> bool {
        let fired = self.division.iter().any(|division| division.rule == id)
            || self.rewritings.iter().any(|rewriting| rewriting.rule == id)
            || self.known.all().any(|known| known == id);
        fired && !self.is_left_out(id)
    }

    /// Is a rule of the session among them, or one left out?
    pub(super) fn is_changed(&self) -> bool {
        !self.off.is_empty() || self.set.rules().iter().any(|rule| rule.file == SESSION)
    }

    /// Must this rule not fire?
    pub(super) fn is_left_out(&self, id: RuleId) -> bool {
        self.off.contains(&id)
    }

    /// The rule with this number.
    pub(super) fn rule(&self, id: RuleId) -> &Rule {
        self.set.rule(id)
    }

    /// The rules that normalise quotients, in the order in which they are tried.
    pub(super) fn division_rules(&self) -> &[DivisionRule] {
        &self.division
    }

    /// The rules that rewrite terms.
    pub(super) fn rewritings(&self) -> &Rewritings {
        &self.rewritings
    }

    /// The rules that the search tries on a sum (`None`) or an operation, in the order of their file.
    pub(super) fn proposed(
        &self,
        root: Option<Operator>,
        has_lattices: bool,
    ) -> impl Iterator<Item = &Rewriting> {
        let bit = |operator: Operator| 1u8 << (operator as u8);
        let divisions = bit(Operator::FloorDiv) | bit(Operator::Mod);
        let lattices = bit(Operator::Min) | bit(Operator::Max);
        let operators = if has_lattices {
            divisions | lattices
        } else {
            divisions
        };
        self.proposed.at(root, operators)
    }

    /// The rules that native code fires.
    pub(super) fn known(&self) -> &Known {
        &self.known
    }
}

/// How a rule that normalises quotients is matched.
fn matcher(id: RuleId, rule: &Rule) -> Result<DivisionRule, Error> {
    let unsupported = || {
        let message = format!("unsupported left-hand side in '{}'", rule.name);
        Error::without_span(ErrorKind::Rule, message).hint(
            "left sides are x floordiv c, (c*x + y) floordiv d and (x floordiv a + y) floordiv b",
        )
    };
    DivisionRule::compile(id, rule).ok_or_else(unsupported)
}

/// Declares the rules that generators propose, each with its variables in the order in which the
/// generator binds them; a rule file that says otherwise is refused.
macro_rules! known_rules {
    ($($field:ident = $name:literal [$($constant:literal)*] [$($expression:literal)*];)*) => {
        /// The numbers of the rules that generators propose.
        #[derive(Clone, Debug)]
        pub struct Known {
            $(pub $field: RuleId,)*
        }

        impl Known {
            fn find(set: &RuleSet) -> Result<Known, Error> {
                Ok(Known { $($field: find(set, $name, &[$($constant),*], &[$($expression),*])?,)* })
            }

            /// All of them.
            fn all(&self) -> impl Iterator<Item = RuleId> {
                [$(self.$field),*].into_iter()
            }
        }
    };
}

known_rules! {
    constraint_shift = "constraint-shift" ["l" "k" "u"] ["x"];
    constraint_scale = "constraint-scale" ["l" "c" "u"] ["x"];
    constraint_negate = "constraint-negate" ["l" "u"] ["x"];
    constraint_floordiv = "constraint-floordiv" ["l" "c" "u"] ["x" "y"];
    constraint_low_upper = "constraint-low-upper" ["g" "u" "q"] ["x" "y"];
    constraint_low_lower = "constraint-low-lower" ["l" "g" "p"] ["x" "y"];
    constraint_mod_shift = "constraint-mod-shift" ["k" "c" "r" "w"] ["x"];
    constraint_stride = "constraint-stride" ["l" "u" "c" "r"] ["x"];
    constraint_crt = "constraint-crt" ["a" "r" "b" "s" "m" "w" "p" "q" "u" "v" "d"] ["x"];
    congruence_never = "congruence-never" ["a" "r" "b" "s" "d" "p" "q"] ["x"];
    min_le = "min-le" [] ["x" "y"];
    min_le_among = "min-le-among" [] ["x" "y" "z"];
    min_affine = "min-affine" ["m"] ["x" "z" "y"];
    min_affine_among = "min-affine-among" ["m"] ["x" "z" "y" "w"];
    min_affine_negative = "min-affine-negative" ["m"] ["x" "z" "y"];
    min_affine_negative_among = "min-affine-negative-among" ["m"] ["x" "z" "y" "w"];
    max_ge = "max-ge" [] ["x" "y"];
    max_ge_among = "max-ge-among" [] ["x" "y" "z"];
    max_affine = "max-affine" ["m"] ["x" "z" "y"];
    max_affine_among = "max-affine-among" ["m"] ["x" "z" "y" "w"];
    max_affine_negative = "max-affine-negative" ["m"] ["x" "z" "y"];
    max_affine_negative_among = "max-affine-negative-among" ["m"] ["x" "z" "y" "w"];
    clamp_order = "clamp-order" [] ["x" "y" "z"];
    min_plus_max = "min-plus-max" ["m"] ["x" "y" "z"];
    min_difference = "min-difference" ["m"] ["x" "v" "w" "z"];
    max_difference = "max-difference" ["m"] ["x" "v" "w" "z"];
    div_min = "div-min" ["m" "c"] ["x" "y" "z"];
    div_min_negative = "div-min-negative" ["m" "c"] ["x" "y" "z"];
    div_max = "div-max" ["m" "c"] ["x" "y" "z"];
    div_max_negative = "div-max-negative" ["m" "c"] ["x" "y" "z"];
    same_value = "same-value" [] ["x" "y"];
    mod_def = "mod-def" ["c"] ["x"];
}

fn find(
    set: &RuleSet,
    name: &str,
    constants: &[&str],
    expressions: &[&str],
) -> Result<RuleId, Error> {
    let Some(id) = set.find(name) else {
        let message = format!("the rule files lack '{name}', which the search proposes");
        return Err(Error::without_span(ErrorKind::Rule, message));
    };
    let rule = set.rule(id);
    if rule.constants != constants || rule.expressions != expressions {
        let message = format!(
            "'{name}' must use the constants {constants:?} and the expressions {expressions:?} in this order of \
             first use, as the search binds them; it has {:?} and {:?}",
            rule.constants, rule.expressions
        );
        return Err(Error::without_span(ErrorKind::Rule, message));
    }
    Ok(id)
}
