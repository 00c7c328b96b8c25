//! The bit widths that steps of certificates state: no part of a step is wider at any point, and a smaller width is not accepted.

use crate::certificate::{certificate, certify, map};
use crate::support::random;
use affinor::certificate::{Certificate, Claim, read_line};
use affinor::expr::{Domain, IndexingMap};
use affinor::num::Interval;
use affinor::rule::RuleSet;
use proptest::prelude::*;
use serde_json::Value;
use std::sync::LazyLock;

static RULES: LazyLock<RuleSet> =
    LazyLock::new(|| RuleSet::shipped().unwrap_or_else(|error| panic!("{error:?}")));

fn written(certificate: &Certificate) -> Value {
    serde_json::to_value(certificate.with_rules(&RULES)).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the sides of a rule's statement, with its variables replaced by the bindings of a step.
fn sides(step: &Value) -> Vec<String> {
    let name = step["rule"].as_str().expect("a name");
    let rule = RULES.rule(RULES.find(name).expect("a rule"));
    let statement = rule.write_statement();
    let mut sides = vec![String::new()];
    for word in words(&statement) {
        let side = sides.last_mut().expect("a side");
        *side += &match (&step["bindings"][word], word) {
            (Value::String(bound), _) => format!(" ({bound})"),
            (Value::Number(bound), _) => format!(" ({bound})"),
            (_, "<" | "=" | ">" | "and") => {
                sides.push(String::new());
                continue;
            }
            _ => format!(" {word}"),
        };
    }
    sides.retain(|side| !side.is_empty()); // `<=` is split into two words
    sides
}

/// Evaluates a text at a point, recording each intermediate value.
struct Values<'t> {
    words: Vec<&'t str>,
    next: usize,
    names: &'t [String],
    point: &'t [i64],
    seen: Vec<i128>,
}

impl Values<'_> {
    fn takes(&mut self, word: &str) -> bool {
        let found = self.words.get(self.next) == Some(&word);
        self.next += usize::from(found);
        found
    }

    fn saw(&mut self, value: i128) -> i128 {
        self.seen.push(value);
        value
    }

    fn sum(&mut self) -> i128 {
        let mut total = self.product();
        loop {
            total = match () {
                () if self.takes("+") => total + self.product(),
                () if self.takes("-") => total - self.product(),
                () => return total,
            };
            self.saw(total);
        }
    }

    fn product(&mut self) -> i128 {
        let mut total = self.one();
        loop {
            total = match () {
                () if self.takes("*") => total * self.one(),
                () if self.takes("floordiv") => total.div_euclid(self.one()),
                () if self.takes("ceildiv") => -(-total).div_euclid(self.one()),
                () if self.takes("mod") => total.rem_euclid(self.one()),
                () => return total,
            };
            self.saw(total);
        }
    }

    fn one(&mut self) -> i128 {
        let word = self.words[self.next];
        self.next += 1;
        let value = match word {
            // A negative number is one constant.
            "-" => match self.words[self.next].parse::<i128>() {
                Ok(number) => {
                    self.next += 1;
                    -number
                }
                Err(_) => -self.one(),
            },
            "(" => {
                let value = self.sum();
                assert!(self.takes(")"));
                value
            }
            "min" | "max" => {
                assert!(self.takes("("));
                let mut value = self.sum();
                while self.takes(",") {
                    let other = self.sum();
                    value = if word == "min" { value.min(other) } else { value.max(other) };
                }
                assert!(self.takes(")"));
                value
            }
            _ => match self.names.iter().position(|name| name == word) {
                Some(index) => self.point[index].into(),
                None => word.parse().unwrap_or_else(|_| panic!("{word} in {:?}", self.words)),
            },
        };
        self.saw(value)
    }
}

/// Splits a text into words: names, numbers and single characters.
fn words(text: &str) -> Vec<&str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let (mut words, mut rest) = (Vec::new(), text.trim_start());
    while let Some(first) = rest.chars().next() {
        let length = match is_word(first) {
            true => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        words.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    words
}

/// Checks each step at points; returns the number of steps that state a bit width.
fn check(map: &IndexingMap, points: &[Vec<i64>]) -> usize {
    let certificate = certify(map).certificate;
    let domain = certificate.before.domain();
    if domain.intervals().any(Interval::is_empty) {
        return 0;
    }
    let names: Vec<String> = domain.variables().iter().map(|one| one.name.to_string()).collect();
    let json = written(&certificate);
    let lists = ["domain_steps", "result_steps"].map(|key| json[key].as_array().expect("steps"));
    let mut stated = 0;
    for step in lists.into_iter().flatten() {
        let Some(bits) = step["bits"].as_u64() else {
            continue;
        };
        stated += 1;
        let fitting = -(1_i128 << (bits - 1))..1_i128 << (bits - 1);
        for side in sides(step) {
            for point in points {
                let words = words(&side);
                let mut values = Values { words, next: 0, names: &names, point, seen: Vec::new() };
                values.sum();
                assert_eq!(values.next, values.words.len(), "{side}");
                let outside = values.seen.iter().find(|value| !fitting.contains(value));
                assert_eq!(outside, None, "in {bits} bits: {side} at {point:?}");
            }
        }
    }
    stated
}

/// Returns the points at which each of the first six variables has its least or greatest value.
fn corners(domain: &Domain) -> Vec<Vec<i64>> {
    let bounds: Vec<Interval> = domain.intervals().collect();
    let points = (0..1 << bounds.len().min(6)).map(|corner: usize| {
        let ends = bounds.iter().enumerate();
        ends.map(|(i, x)| if corner >> i & 1 == 0 { x.lo() } else { x.hi() }).collect()
    });
    points.collect()
}

#[test]
fn steps_need_no_more_bits_than_they_state() {
    for (text, bits) in [
        // The divisor 8 is a part, too.
        ("(d0) -> (d0 mod 8), domain: d0 in [0, 7]", Some(5)),
        ("(d0) -> (d0 mod 7), domain: d0 in [0, 6]", Some(4)),
        (
            "(d0, d1) -> ((d0 * 1000 + d1) floordiv 1000), domain: d0 in [0, 4], d1 in [0, 999]",
            Some(14),
        ),
        ("(d0) -> (d0 * 100 mod 50), domain: d0 in [0, inf]", None),
        ("<n>(d0) -> (d0 mod n), domain: n in [1, inf], d0 in [0, n - 1]", None),
        ("(d0) -> (d0), domain: d0 in [0, 7]", None),
    ] {
        let claim = Claim::from(certificate(&map(text)));
        assert_eq!(claim.bits(&RULES), bits, "{text}");
    }
}

#[test]
fn fewer_bits_than_a_step_needs_are_refused() {
    let certificate = certificate(&map("(d0) -> (d0 mod 8), domain: d0 in [0, 7]"));
    let line = written(&certificate).to_string();
    let with = |bits: &str| {
        let line = line.replace("\"bits\":5", &format!("\"bits\":{bits}"));
        read_line(&line, &RULES).1.map(|claim| claim.certificate).map_err(|error| error.message)
    };
    for bits in ["5", "6", "64", "null"] {
        assert_eq!(with(bits), Ok(certificate.clone()), "{bits}");
    }
    for (bits, message) in [
        ("4", "the integers of this step need 5 bits"),
        ("0", "the integers of this step need 5 bits"),
        ("-5", "expected a number of bits"),
        ("\"5\"", "expected a number of bits"),
    ] {
        assert_eq!(with(bits), Err(message.to_owned()), "{bits}");
    }
    let endless = "(d0) -> (d0 mod 8 mod 8), domain: d0 in [0, inf]";
    let line = written(&self::certificate(&map(endless))).to_string();
    let line = line.replacen("\"bits\":null", "\"bits\":64", 1);
    let refused = read_line(&line, &RULES).1.map_err(|error| error.message);
    let message = "the integers of this step are not known to fit in 64 bits";
    assert_eq!(refused, Err(message.to_owned()));
}

#[test]
fn measured_steps_state_their_bits() {
    let cases = crate::support::cases::chains();
    let stated: usize = cases.iter().take(60).map(|case| check(&case.map, &[])).sum();
    assert!(stated > 60, "{stated}");
}

proptest! {
    #[test]
    fn steps_of_random_maps_fit_in_the_bits_that_they_state(map in random::small_map()) {
        check(&map, &random::box_points(map.domain()));
    }

    #[test]
    fn steps_of_extreme_maps_fit_in_the_bits_that_they_state(map in random::extreme_map()) {
        check(&map, &corners(map.domain()));
    }
}
