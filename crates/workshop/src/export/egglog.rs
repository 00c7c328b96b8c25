//! Exports the rules as an egglog program: bounds are functions, conditions compare bounds, laws rewrite sums.
//!
//! Law: a rule of the program is generated from the rule that it is named for. The prelude and the four documented
//! expressions are copied.

use super::egg_instance::{Instance, instance};
use super::egglog_code::{Writer, constant, integer, integer_of, quotient, written};
use super::firing::{Firing, Sums, firing};
use super::parts::{File, Known, file};
use affinor::rule::matching::Choice;
use affinor::rule::{Condition, Point, Rule, Statement, Term, verify};
use std::fmt::Write;

pub(super) fn files(rules: &[Known<'_>], false_rules: &[Rule]) -> Vec<File> {
    let mut program = include_str!("files/egglog/prelude.egg").to_owned();
    let mut fire = FIRE.to_owned();
    let mut claims = CLAIMS.to_owned();
    let mut not_fired = NOT_FIRED.to_owned();
    for known in rules {
        let rule = known.rule;
        let head = head(rule, &known.hashes[0]);
        if let Some(point) = verify::inside(rule) {
            claims.push_str(&format!("\n{head}{}", claim(rule, &point, true)));
        }
        match rewrite(rule) {
            Ok((text, test)) => {
                program.push_str(&format!("\n{head}{text}"));
                fire.push_str(&test);
            }
            Err(reason) => {
                // Writing to a string cannot fail.
                let _ = writeln!(not_fired, "| `{}` | {} | {reason} |", rule.name, rule.file);
            }
        }
    }
    let mut must_fail = MUST_FAIL.to_owned();
    for rule in false_rules {
        if let Some(point) = verify::counterexample(rule) {
            let head = head(rule, &verify::rule_hash(rule));
            must_fail.push_str(&format!("\n{head}{}", claim(rule, &point, false)));
        }
    }
    vec![
        file("README.md", include_str!("files/egglog/README.md")),
        file("recheck.py", include_str!("files/egglog/recheck.py")),
        file("prelude.py", include_str!("files/egglog/prelude.py")),
        file("four.egg", include_str!("files/egglog/four.egg")),
        file("rules.egg", program),
        file("fire.egg", fire),
        file("claims.egg", claims),
        file("must_fail.egg", must_fail),
        file("not_fired.md", not_fired),
    ]
}

const FIRE: &str =
    "; Each rewrite fires on an instance: integers for its constants, ranges for its expressions.
(include \"rules.egg\")
";

const CLAIMS: &str = "; Every rule at a point at which its conditions hold, computed by egglog: so does its statement.
";

const MUST_FAIL: &str = "; Rules that look true and are false, each at a point at which its conditions hold and its statement does not.
";

const NOT_FIRED: &str = "# Rules that are not rewrites of `rules.egg`

They are in `claims.egg`, where each is evaluated.

| rule | of | why nothing is rewritten by it |
|---|---|---|
";

fn head(rule: &Rule, hash: &str) -> String {
    let mut head = format!("; {} ({}:{}): {}\n", rule.name, rule.file, rule.line, rule.purpose);
    for line in verify::hashed_text(rule).lines() {
        let _ = writeln!(head, "; | {line}");
    }
    let _ = writeln!(head, "; rule-sha256 {hash}");
    head
}

/// Prints a rule and the test that fires it.
///
/// # Errors
/// The reason why the rule cannot be a rewrite of egglog.
fn rewrite(rule: &Rule) -> Result<(String, String), String> {
    let firing = firing(rule, Sums::Terms)?;
    let mut writer = Writer::new(rule);
    let left = writer.pattern(&firing.left)?;
    writer.facts.push(format!("(= root {left})"));
    for (slot, term) in &firing.defined {
        let pattern = writer.pattern(term)?;
        let name = integer(rule, &Term::Expression(*slot));
        writer.facts.push(format!("(= {name} {pattern})"));
    }
    writer.solve();
    for (slot, choice) in &firing.choices {
        match choice {
            Choice::Value(value) => {
                // Binds the bounds that the value mentions.
                let mut ends = Ok(String::new());
                value.visit(&mut |part| {
                    if let (Term::Lo(end) | Term::Hi(end), Ok(_)) = (part, &ends) {
                        ends = writer.end(&Term::Expression(*end), matches!(part, Term::Hi(_)));
                    }
                });
                ends?;
                writer.exactly(*slot, &integer(rule, value), "1");
            }
            Choice::Exactly { value, divisor } => {
                let (value, divisor) = (integer(rule, value), integer(rule, divisor));
                writer.exactly(*slot, &value, &divisor);
            }
            Choice::Greatest { bound, factor } => {
                let bound = writer.end(bound, false)?;
                let value = match factor {
                    Term::Integer(1) => bound,
                    factor => quotient(&bound, &integer(rule, factor)),
                };
                writer.exactly(*slot, &value, "1");
            }
            Choice::Solution { .. } | Choice::CommonDivisor(_) => {
                let name = constant(rule, *slot);
                return Err(format!(
                    "`{name}` would have to be searched for: it solves a congruence"
                ));
            }
        }
        writer.solve();
    }
    if writer.is_open() {
        return Err("its left side does not tell each constant by itself".to_owned());
    }
    for condition in &rule.conditions {
        let is_definition = firing.defined.iter().any(|(slot, term)| {
            (&condition.lhs, &condition.rhs) == (term, &Term::Expression(*slot))
        });
        if !is_definition {
            writer.condition(condition)?;
        }
    }
    let right = writer.built(&firing.right)?;
    let name = &rule.name;
    let facts = writer.facts.join("\n       ");
    let text = format!(
        "(ruleset {name})\n(rule ({facts})\n      ((union root {right}))\n      :ruleset {name} :name \"{name}\")\n"
    );
    let instance = instance(rule, &firing).ok_or("no instance of it was found")?;
    Ok((text, test(rule, &firing, &instance)?))
}

/// Prints a program that fires a rule once.
fn test(rule: &Rule, firing: &Firing, instance: &Instance) -> Result<String, String> {
    let mut point = Point {
        constants: instance.constants.clone(),
        expressions: vec![0; instance.expressions.len()],
    };
    let mut ranges = String::new();
    let free = |slot: u8| !firing.defined.iter().any(|(defined, _)| *defined == slot);
    for ((slot, name), (lo, hi)) in (0..).zip(&rule.expressions).zip(&instance.expressions) {
        if free(slot) {
            let _ = writeln!(
                ranges,
                "(set (lo (Variable \"{name}\")) {lo}) (set (hi (Variable \"{name}\")) {hi})"
            );
        }
        point.expressions[usize::from(slot)] = *lo;
    }
    let (left, right) =
        (ground(rule, firing, &point, &firing.left)?, ground(rule, firing, &point, &firing.right)?);
    let name = &rule.name;
    Ok(format!(
        "\n; {name}\n(push)\n{ranges}(let ${name} {left})\n(fail (check (= ${name} {right})))\n\
         (run-schedule (saturate (run bounds)) (run {name}) (repeat 3 (run integers)))\n\
         (let $right-{name} {right})\n(run-schedule (repeat 3 (run integers)))\n(check (= ${name} $right-{name}))\n(pop)\n"
    ))
}

/// Prints a term with integers for its constants; expressions stay variables.
fn ground(rule: &Rule, firing: &Firing, point: &Point, term: &Term) -> Result<String, String> {
    if !term.has_expression() {
        let value = term.eval(point).ok_or("a term of it has no value")?;
        return Ok(format!("(Integer {value})"));
    }
    if let Term::Expression(slot) = term {
        let defined = firing.defined.iter().find(|(defined, _)| defined == slot);
        return match defined {
            Some((_, term)) => ground(rule, firing, point, term),
            None => Ok(format!("(Variable \"{}\")", integer(rule, term))),
        };
    }
    written(term, &mut |part| ground(rule, firing, point, part), rule)
}

/// Prints the check of a rule at a point.
fn claim(rule: &Rule, point: &Point, is_true: bool) -> String {
    let names = rule.variables();
    let values = point.constants.iter().chain(&point.expressions);
    let at: Vec<String> =
        names.zip(values).map(|(name, value)| format!("{name} = {value}")).collect();
    let mut text = format!("; at {}\n", at.join(", "));
    let variable = |part: &Term| part.eval(point).unwrap_or_default().to_string();
    let value = |term: &Term| integer_of(term, &variable);
    let compared = |condition: &Condition| {
        let [lhs, rhs] = condition.sides().map(value);
        format!("({} {lhs} {rhs})", condition.relation.symbol())
    };
    let mut check = |conditions: &[String], holds: bool| {
        let all = format!("(check {})", conditions.join(" "));
        let _ = match holds {
            true => writeln!(text, "{all}"),
            false => writeln!(text, "(fail {all})"),
        };
    };
    let all =
        |conditions: &[Condition]| -> Vec<String> { conditions.iter().map(compared).collect() };
    let hold =
        |conditions: &[Condition]| conditions.iter().all(|one| one.holds(point) == Some(true));
    for condition in &rule.conditions {
        check(&[compared(condition)], true);
    }
    match &rule.statement {
        Statement::Rewrite(left, right) => {
            check(&[format!("(= {} {})", value(left), value(right))], is_true);
        }
        Statement::Equivalence(left, right) => {
            check(&all(left), hold(left));
            check(&all(right), hold(right));
        }
        Statement::Fact(facts) => check(&all(facts), is_true),
    }
    text
}
