//! Rule sets, compiled once per process.

use super::division_rule::DivisionRule;
use crate::rule::matching::{Equivalence, Matcher, Operator};
use crate::rule::verify::descent;
use crate::rule::{Role, Rule, RuleId, RuleSet, Statement, TwoSided, check_firing};
use crate::simplify::saturate::{Family, Rewritings};
use crate::text::{Error, ErrorKind};
use serde::{Deserialize, Serialize};
use std::sync::{Arc, OnceLock};

/// The definition of a remainder: the engine represents only quotients.
pub const REMAINDER: &str = "x mod c => x - c*(x floordiv c) where c >= 1";

/// A compiled rule set, indexed by use.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Program {
    set: RuleSet,
    division: Vec<DivisionRule>,
    rewritings: Rewritings,
    two_sided: TwoSided,
    /// The rules tried on the bounds of a domain.
    equivalences: Vec<(RuleId, Equivalence)>,
    /// The rule that expands a remainder.
    pub(super) remainder: Option<RuleId>,
    /// The rule that merges nested quotients.
    pub(super) nesting: Option<RuleId>,
    /// The rule that merges a quotient inside a quotient with the addends beside it.
    pub(super) merging: Option<RuleId>,
    /// The rule by which two forms of a value share their ranges.
    pub(super) equality: Option<RuleId>,
    /// The rule for a quotient whose numerator stays in one block.
    pub(super) block: Option<RuleId>,
    /// The rule for a quotient whose numerator stays in one block but for multiples of the divisor.
    pub(super) strip: Option<RuleId>,
    /// The rule that drops low digits from a quotient.
    pub(super) low_digits: Option<RuleId>,
    /// The rule by which multiples of the divisor leave a quotient.
    pub(super) extraction: Option<RuleId>,
    /// Disabled rules; empty right after compilation.
    #[serde(skip)]
    off: Vec<RuleId>,
    /// Whether it searches as far as with session rules.
    #[serde(skip)]
    is_wide: bool,
    /// Whether a rule of the session is on.
    #[serde(skip)]
    has_session_rule: bool,
    /// This program without the rules that discovery found, created on demand.
    #[serde(skip)]
    plain: OnceLock<Arc<Program>>,
}

impl Program {
    /// Compiles a rule set.
    ///
    /// # Errors
    /// [`ErrorKind::Rule`] if a rule that normalizes quotients has an unsupported left side, or does not decrease the
    /// termination measure.
    pub fn compile(set: RuleSet) -> Result<Program, Error> {
        let mut division = Vec::new();
        for (id, rule) in (0u16..).map(RuleId).zip(set.rules()) {
            if rule.role == Role::NormalForm {
                let compiled = matcher(id, rule)?;
                if let Err(term) = descent(rule) {
                    let message = format!(
                        "'{}' does not decrease the termination measure: it leads to {}",
                        rule.name,
                        rule.write(&term)
                    );
                    return Err(Error::without_span(ErrorKind::Rule, message).hint(
                        "normal forms fire until none applies: rules/README.md defines the measure",
                    ));
                }
                division.push(compiled);
            }
        }
        let mut program = Program {
            set,
            division,
            rewritings: Rewritings::default(),
            two_sided: TwoSided::default(),
            equivalences: Vec::new(),
            remainder: None,
            nesting: None,
            merging: None,
            equality: None,
            block: None,
            strip: None,
            low_digits: None,
            extraction: None,
            off: Vec::new(),
            is_wide: false,
            has_session_rule: false,
            plain: OnceLock::new(),
        };
        program.index()?;
        Ok(program)
    }

    /// Rebuilds the indices by use.
    fn index(&mut self) -> Result<(), Error> {
        let is_on =
            |id: &RuleId| !self.off.contains(id) && self.set.rule(*id).role != Role::SessionLaw;
        let saying = |text| Ok(self.set.saying(text)?.filter(is_on));
        let mut numbered = (0u16..).map(RuleId).zip(self.set.rules());
        self.has_session_rule = numbered.any(|(id, rule)| rule.role == Role::Session && is_on(&id));
        self.remainder = saying(REMAINDER)?;
        self.nesting = saying("(x floordiv a) floordiv b = x floordiv (a*b) where a >= 1, b >= 1")?;
        self.merging = saying(
            "(x floordiv a + y) floordiv b => (x + a*y) floordiv (a*b) where a >= 1, b >= 1",
        )?;
        self.equality = saying("x => y where x = y")?;
        self.block = saying(
            "x floordiv c => t
               constant c t
               where c >= 1, c*t <= x, x < c*t + c",
        )?;
        self.strip = saying(
            "(c*x + y) floordiv c => x + t
               constant c t
               where c >= 1, c*t <= y, y < c*t + c",
        )?;
        self.low_digits = saying(
            "(g*x + y) floordiv (g*d) => (x + t) floordiv d
               constant d g t
               where g >= 1, d >= 1, g*t <= y, y < g*t + g",
        )?;
        self.extraction = saying("(c*x + y) floordiv c => x + y floordiv c where c >= 1")?;
        self.rewritings = Rewritings::of(&self.set, |id| is_on(&id));
        self.two_sided = TwoSided::of(&self.set, |id| is_on(&id));
        let numbered = (0u16..).map(RuleId).zip(self.set.rules());
        let tried = numbered.filter(|(id, rule)| is_on(id) && !rule.is_law_of_code());
        self.equivalences =
            tried.filter_map(|(id, rule)| Some((id, Equivalence::new(rule).ok()?))).collect();
        Ok(())
    }

    /// Checks that a session rule, which is true, can fire in an e-graph or on the bounds of a domain.
    ///
    /// # Errors
    /// [`ErrorKind::Rule`] if its left side cannot match, or an instance may not be an index map.
    pub fn can_fire(rule: &Rule) -> Result<(), Error> {
        check_firing(rule)?;
        let refuse = |reason: &str| Err(Error::without_span(ErrorKind::Rule, reason));
        if let Statement::Rewrite(left, right) = &rule.statement
            && !left.has_operation()
            && !right.has_operation()
        {
            return refuse("its sides are sums, whose normal form is the same");
        }
        let matched = match &rule.statement {
            Statement::Equivalence(..) => Equivalence::new(rule).map(|_| ()),
            _ => Matcher::new(rule).map(|_| ()),
        };
        matched.or_else(|reason| refuse(&reason))
    }

    /// Disables the rules called `names`.
    ///
    /// # Errors
    /// [`ErrorKind::Name`] if there is no such rule.
    pub fn without(mut self, names: &[&str]) -> Result<Program, Error> {
        for name in names {
            let id = self.set.find(name).ok_or_else(|| {
                let message = format!("unknown rule '{name}'");
                Error::without_span(ErrorKind::Name, message)
            })?;
            self.division.retain(|division| division.rule != id);
            self.off.push(id);
        }
        self.plain = OnceLock::new();
        self.index()?;
        Ok(self)
    }

    /// Disables the rules that discovery found. The result is compiled once, since there is an index entry for each rule.
    ///
    /// # Errors
    /// None: the rules were compiled before.
    pub(super) fn without_found(&self) -> Result<Arc<Program>, Error> {
        if let Some(known) = self.plain.get() {
            return Ok(known.clone());
        }
        let found = self.set.rules().iter().filter(|rule| rule.role == Role::Found);
        let names: Vec<&str> = found.map(|rule| rule.name.as_str()).collect();
        let plain = Arc::new(self.clone().without(&names)?);
        Ok(self.plain.get_or_init(|| plain).clone())
    }

    /// Returns the rules.
    #[must_use]
    pub fn rules(&self) -> &RuleSet {
        &self.set
    }

    /// Returns whether a rule fires. If not, it is a law of native code, or disabled.
    #[must_use]
    pub fn fires(&self, id: RuleId) -> bool {
        let fired = self.division.iter().any(|division| division.rule == id)
            || self.rewritings.has(id)
            || self.two_sided.has_equivalence(id)
            || self.equivalences.iter().any(|(rule, _)| *rule == id)
            || self.equality == Some(id);
        fired && !self.is_left_out(id)
    }

    /// Makes the program search as far as with session rules.
    pub(super) fn widened(mut self) -> Program {
        self.is_wide = true;
        self.plain = OnceLock::new();
        self
    }

    /// Returns whether it has a session rule, or searches as if it had one.
    pub(super) fn has_own(&self) -> bool {
        self.is_wide || self.has_session_rule
    }

    /// Returns whether a rule is disabled.
    pub(super) fn is_left_out(&self, id: RuleId) -> bool {
        self.off.contains(&id)
    }

    pub(super) fn rule(&self, id: RuleId) -> &Rule {
        self.set.rule(id)
    }

    /// Returns the rules that normalize quotients, in the order in which they are tried.
    pub(super) fn division_rules(&self) -> &[DivisionRule] {
        &self.division
    }

    /// Returns the rules that rewrite terms.
    pub(super) fn rewritings(&self) -> &Rewritings {
        &self.rewritings
    }

    /// Returns the rules that the search tries on a sum (`None`) or an operation, in the order of their file.
    pub(super) fn proposed(
        &self,
        root: Option<Operator>,
        has_mins_or_maxes: bool,
    ) -> impl Iterator<Item = &Family> {
        let bit = |operator: Operator| 1u8 << (operator as u8);
        let divisions = bit(Operator::FloorDiv) | bit(Operator::Mod);
        let mins_and_maxes = bit(Operator::Min) | bit(Operator::Max);
        let operators = if has_mins_or_maxes { divisions | mins_and_maxes } else { divisions };
        self.rewritings.tried_at(root, operators)
    }

    /// Returns the rules tried on the bounds of a domain, in the order of their files.
    pub(super) fn equivalences(&self) -> &[(RuleId, Equivalence)] {
        &self.equivalences
    }

    /// Returns the rules indexed for two-sided queries.
    pub(super) fn two_sided(&self) -> &TwoSided {
        &self.two_sided
    }
}

/// Compiles a rule that normalizes quotients.
fn matcher(id: RuleId, rule: &Rule) -> Result<DivisionRule, Error> {
    DivisionRule::compile(id, rule).map_err(|reason| {
        let message = format!("'{}' cannot normalise quotients: {reason}", rule.name);
        Error::without_span(ErrorKind::Rule, message)
    })
}
