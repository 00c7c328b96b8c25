//! False certificates of maps with parameters: each is rejected, or the fuel is spent, whatever its polynomials are.

use crate::certificate_fuel::{RULES, claim_over, listed, within};
use affinor::certificate::{Certificate, Instance, RejectionKind, replay};
use affinor::expr::Expr;
use affinor::num::{Fuel, Interrupt};
use affinor::text::parse_symbolic_expr;
use allocation_counter::measure;

const NAMES: [&str; 8] = ["d0", "d1", "n", "m", "k", "p", "q", "r"];

const SIZES: &str = "n in [1, inf], m in [2, inf], k in [1, inf], p in [1, inf], q in [3, inf], r in [1, inf], \
    d0 in [0, inf], d1 in [0, n * m - 1]";

/// Claims that two results are the same, by these steps.
fn claim(before: &str, after: &str, domain: &str, steps: &[Instance]) -> Certificate {
    claim_over("<n, m, k, p, q, r>(d0, d1)", [before, after], domain, steps)
}

fn step(rule: &str, constants: &[&str], expressions: &[&str]) -> Instance {
    let expr = |text: &&str| {
        parse_symbolic_expr(text, &NAMES).unwrap_or_else(|error| panic!("{error:?} in {text}"))
    };
    Instance {
        rule: rule.to_owned(),
        constants: constants.iter().map(expr).collect(),
        expressions: expressions.iter().map(expr).collect(),
    }
}

/// Returns a product of `exponent` sums of all sizes.
fn power(exponent: usize) -> String {
    listed(exponent, " * ", |i| format!("(n + m + k + p + q + r * {})", i + 2))
}

/// Returns a sum of products of sizes to high powers.
fn long(count: usize, of: usize) -> String {
    listed(count, " + ", |i| {
        let factor = |j: usize| NAMES[2 + (i * (j + 3) + j * j) % 6].to_owned();
        format!("{} * {}", listed(of, " * ", factor), i + 2)
    })
}

/// `((d0 floordiv n + d1) * m floordiv k ..)`, nested to this depth.
fn nested(depth: usize) -> String {
    (0..depth).fold("d0".to_owned(), |x, i| {
        let [by, times] = [i, i + 1].map(|i| NAMES[2 + i % 6]);
        format!("(({x} + d1) floordiv {by} * {times})")
    })
}

/// `count` facts about sums of products.
fn facts(count: usize) -> String {
    listed(count, ", ", |i| {
        let [x, y, z] = [i, i / 6, i / 36].map(|i| NAMES[2 + i % 6]);
        format!("d0 * {x} * {y} + d1 * {} - {z} * {y} floordiv {} in [-9, inf]", i + 1, i % 7 + 2)
    })
}

/// Claims that are all false.
fn hostile() -> Vec<(&'static str, Certificate)> {
    let strip = |x: &str, y: &str, c: &str, count: usize, domain: &str| {
        let steps = vec![step("div-strip", &[c, "0"], &[x, y]); count];
        claim("d0", "d0 + n", domain, &steps)
    };
    let same = |x: &str, y: &str| step("same-value", &[], &[x, y]);
    let stated = format!("{SIZES}, {}", facts(300));
    const HUGE: &str = "9223372036854775807";
    let beyond = listed(3, " * ", |i| format!("({} * {HUGE} + {})", NAMES[2 + i], NAMES[3 + i]));
    let many: Vec<Instance> = (0..300)
        .map(|i| {
            let x = format!("(d0 + {}) floordiv n * m + d1 floordiv {}", i % 7, i + 2);
            step("div-extract", &["n * m"], &[&x, &format!("d1 + p * {i}")])
        })
        .collect();
    vec![
        ("a power of a sum", claim("d0", "d0 + 1", SIZES, &vec![same(&power(7), &power(7)); 9])),
        ("a product of long sums", {
            let x = format!("({}) * ({})", long(40, 6), long(40, 5));
            claim("d0", "d0 + 1", SIZES, &vec![same(&x, &x); 9])
        }),
        ("a long sum of high powers as a divisor", strip("d0", "d1", &long(60, 12), 40, SIZES)),
        (
            "a long sum left of a comparison",
            strip("d0", &long(60, 8), "n * m * k * p * q * r", 40, SIZES),
        ),
        ("a difference of long sums", {
            let y = format!("{} - ({})", long(40, 6), long(39, 6));
            strip("d0", &y, "n * m * k", 20, SIZES)
        }),
        ("quotients inside quotients", strip("d0", &nested(40), "n * m", 20, SIZES)),
        ("quotients of quotients as divisors", {
            let c = format!(
                "({} + 1)",
                (0..20).fold("n".to_owned(), |x, i| format!("({x} * m + k) floordiv {}", i + 2))
            );
            strip("d0", "d1", &c, 20, SIZES)
        }),
        ("numbers beyond 128 bits", claim("d0", "d0 + 1", SIZES, &vec![same(&beyond, "d0"); 9])),
        ("hundreds of facts", strip("d0", "d1 * k", "n * m * k", 9, &stated)),
        ("hundreds of facts that do not help", strip("d0", "d1 * k + p", "n * m * k", 9, &stated)),
        (
            "facts that are not there",
            Certificate {
                before: claim("d0", "d0", &stated, &[]).before,
                ..claim("d0", "d0", SIZES, &[])
            },
        ),
        ("equations between quotients by sizes", claim("d0", "d0 + n", SIZES, &many)),
        ("mins of products", {
            let y = listed(5, " + ", |i| {
                let operand = |j: usize| format!("d1 * {} * {}", NAMES[2 + (i + j) % 6], j + 1);
                format!("min({})", listed(6, ", ", operand))
            });
            strip("d0", &y, "n * m", 20, SIZES)
        }),
    ]
}

#[test]
fn false_certificates_with_sizes_are_rejected_within_their_steps() {
    let mut wrong = Vec::new();
    for (name, certificate) in hostile() {
        let whole = certificate.fuel(&Interrupt::new());
        assert!(whole.left() < 10_000_000, "{name}");
        let mut answer = None;
        let work = measure(|| answer = Some(within(&certificate, &whole)));
        let (verdict, taken) = answer.expect("an answer");
        assert!(verdict.is_err(), "{name}");
        let made = work.count_total;
        if made >= 20_000 + 8 * taken {
            wrong.push(format!("{name}: {made} allocations in {taken} steps"));
        }
        for part in [1, taken / 100, taken / 2].into_iter().filter(|part| *part < taken) {
            let (stopped, _) = within(&certificate, &Fuel::new(part, &Interrupt::new()));
            let kind = stopped.err().map(|rejection| rejection.kind);
            if kind != Some(RejectionKind::Stopped) {
                wrong.push(format!("{name}: {kind:?} with {part} of {taken} steps"));
            }
        }
        assert_eq!(replay(&certificate, &RULES), verdict, "{name}");
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A random comparison of polynomials that fails at some point is never shown.
#[test]
fn random_comparisons_that_fail_at_a_point_are_not_shown() {
    let mut state = 0x5EED_u64;
    let mut number = |below: i64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as i64 % below
    };
    let (mut wrong, mut right) = (0, 0);
    for _ in 0..1500 {
        let sum = |number: &mut dyn FnMut(i64) -> i64| {
            let count = 1 + number(4) as usize;
            let terms: Vec<String> = (0..count)
                .map(|_| {
                    let degree = 1 + number(3) as usize;
                    let factors: Vec<&str> =
                        (0..degree).map(|_| NAMES[number(8) as usize]).collect();
                    let product = format!("{} * {}", factors.join(" * "), number(7) - 2);
                    match number(5) {
                        0 => format!("({product}) floordiv {}", NAMES[2 + number(6) as usize]),
                        1 => format!("min({product}, {})", NAMES[number(8) as usize]),
                        _ => product,
                    }
                })
                .collect();
            terms.join(" + ")
        };
        let (x, y) = (sum(&mut number), sum(&mut number));
        let claim = claim("d0", "d0", SIZES, &[step("max-ge", &[], &[&x, &y])]);
        let [x, y] = [&x, &y].map(|x| parse_symbolic_expr(x, &NAMES).expect("an expression"));
        let mut fails = false;
        for _ in 0..60 {
            let sizes = [1, 2, 1, 1, 3, 1].map(|lo| lo + number(6));
            let mut point = vec![number(40), number(sizes[0] * sizes[1])];
            point.extend(sizes);
            let values = [&x, &y].map(|x: &Expr| x.eval(&point));
            fails |= matches!(values, [Ok(x), Ok(y)] if x < y);
        }
        let verdict = replay(&claim, &RULES);
        wrong += usize::from(fails);
        right += usize::from(verdict.is_ok());
        assert!(!fails || verdict.is_err(), "{claim:?}");
    }
    assert!(wrong > 700 && right > 100, "{wrong} wrong, {right} shown");
}
