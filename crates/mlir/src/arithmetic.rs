//! Index arithmetic of MLIR as expressions, for ops in loops and for interactive input.
//!
//! Law: an expression has the value of the op, in mathematical integers; `None` is returned for an op, or a list of sizes, that
//! has no expression here. Source: MLIR, *affine dialect*, *arith dialect*, *index dialect*.

use affinor_maps::expr::{Expr, ExprError};
use affinor_maps::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};

/// Returns the value of an op of arith or index on these operands.
#[must_use]
pub fn arithmetic(op: &str, operands: &[Expr]) -> Option<Result<Expr, ExprError>> {
    let [x, y] = operands else { return None };
    let by = y.as_constant().filter(|by| *by > 0);
    Some(match op {
        "arith.addi" | "index.add" => x.add(y),
        "arith.subi" | "index.sub" => x.sub(y),
        "arith.muli" | "index.mul" => match (x.as_constant(), y.as_constant()) {
            (Some(factor), _) => y.scale(factor),
            (_, Some(factor)) => x.scale(factor),
            _ => return None,
        },
        "arith.floordivsi" | "index.floordivs" => x.floordiv(by?),
        "arith.ceildivsi" | "index.ceildivs" => x.ceildiv(by?),
        "arith.minsi" | "index.mins" => Expr::min([x.clone(), y.clone()]),
        "arith.maxsi" | "index.maxs" => Expr::max([x.clone(), y.clone()]),
        _ => return None,
    })
}

/// Returns the value of an op of arith or index that rounds toward zero, or takes its operands as bits or as unsigned numbers.
///
/// Law: `x divs c = max(x, 0) floordiv c + min(x, 0) ceildiv c`; `x & (2^n - 1) * 2^k` is `x floordiv 2^k mod 2^n * 2^k`, in two's
/// complement, and other masks are sums of these; `x | c = x + c - (x & c)`, `x ^ c = x + c - 2 * (x & c)`. Unsigned ops need
/// operands that are not negative.
pub(crate) fn bits(
    op: &str,
    operands: &[Expr],
    range: &dyn Fn(&Expr) -> Interval,
) -> Option<Result<Expr, ExprError>> {
    let [x, y] = operands else { return None };
    let of_arith = op.strip_prefix("arith.").and_then(|op| op.strip_suffix('i'));
    let name = of_arith.or_else(|| op.strip_prefix("index."))?;
    let is_natural = |expr: &Expr| range(expr).lo() >= 0;
    let by = || y.as_constant().filter(|by| *by > 0);
    let power = || y.as_constant().and_then(|by| 1_i64.checked_shl(u32::try_from(by).ok()?));
    let power = || power().filter(|power| *power > 0);
    let zero = Expr::constant(0);
    let quotient = |by: i64| match (is_natural(x), range(x).hi() <= 0) {
        (true, _) => x.floordiv(by),
        (_, true) => x.ceildiv(by),
        _ => {
            let below = Expr::min([x.clone(), zero.clone()])?.ceildiv(by)?;
            Expr::max([x.clone(), zero.clone()])?.floordiv(by)?.add(&below)
        }
    };
    Some(match name {
        "divu" | "ceildivu" | "remu" | "shru" | "minu" | "maxu" if !is_natural(x) => return None,
        "divu" => x.floordiv(by()?),
        "ceildivu" => x.ceildiv(by()?),
        "remu" => x.modulo(by()?),
        "divs" => quotient(by()?),
        "rems" if is_natural(x) => x.modulo(by()?),
        "rems" => {
            let by = by()?;
            quotient(by).and_then(|quotient| x.sub(&quotient.scale(by)?))
        }
        "shl" => x.scale(power()?),
        "shrs" | "shru" => x.floordiv(power()?),
        "minu" | "maxu" if !is_natural(y) => return None,
        "minu" => Expr::min([x.clone(), y.clone()]),
        "maxu" => Expr::max([x.clone(), y.clone()]),
        "and" | "or" | "xor" => {
            let (x, mask) = match (x.as_constant(), y.as_constant()) {
                (_, Some(mask)) => (x, mask),
                (Some(mask), _) => (y, mask),
                _ => return None,
            };
            let both = masked(x, mask)?;
            let rest = |times| x.add(&Expr::constant(mask))?.sub(&both.clone()?.scale(times)?);
            match name {
                "and" => both,
                "or" => rest(1),
                _ => rest(2),
            }
        }
        _ => return None,
    })
}

/// Returns the bits of `x` in a mask: the sum over the runs of ones in it, the last of which may extend to the sign.
fn masked(x: &Expr, mask: i64) -> Option<Result<Expr, ExprError>> {
    /// The maximum number of runs.
    const MAX_RUNS: usize = 4;
    let (mut terms, mut left) = (Vec::new(), mask);
    while left != 0 {
        let low = left.trailing_zeros();
        let high = low + (left >> low).trailing_ones();
        let unit = 1_i64.checked_shl(low).filter(|unit| *unit > 0 && terms.len() < MAX_RUNS)?;
        let size = 1_i64.checked_shl(high - low).filter(|size| high < 63 && *size > 0);
        if size.is_none() && left >= 0 {
            return None;
        }
        terms.push((unit, size));
        left = if size.is_some() { left >> high << high } else { 0 };
    }
    Some(terms.into_iter().try_fold(Expr::constant(0), |sum, (unit, size)| {
        let shifted = x.floordiv(unit)?;
        let kept = size.map_or(Ok(shifted.clone()), |size| shifted.modulo(size))?;
        sum.add(&kept.scale(unit)?)
    }))
}

/// Returns `a` if `expr` is in `bounds`, else `b`, where that is an expression.
///
/// Law: `e <= 0 ? b + e : b` is `min(b + e, b)`; `e >= 1 ? b + k * e + c : b` is `b + k * max(e, 0) + c * min(max(e, 0), 1)`.
pub(crate) fn chosen(
    (expr, bounds): (&Expr, Interval),
    a: &Expr,
    b: &Expr,
    range: Interval,
) -> Option<Result<Expr, ExprError>> {
    if bounds.contains_all(range) || a == b {
        return Some(Ok(a.clone()));
    }
    if bounds.intersect(range).is_empty() {
        return Some(Ok(b.clone()));
    }
    // The condition as `by >= 1`; at 0 it does not hold.
    let by = match (bounds.lo(), bounds.hi()) {
        (MINUS_INFINITY, high) => Expr::constant(high.checked_add(1)?).sub(expr),
        (low, PLUS_INFINITY) => expr.sub(&Expr::constant(low.checked_sub(1)?)),
        _ => return None,
    };
    let (by, more) = (by.ok()?, a.sub(b).ok()?);
    let one = Expr::constant(1);
    let less = by.sub(&one).ok()?;
    if more == by || more == less {
        return Some(Expr::max([a.clone(), b.clone()]));
    }
    if [&by, &less].iter().any(|by| by.scale(-1).as_ref() == Ok(&more)) {
        return Some(Expr::min([a.clone(), b.clone()]));
    }
    // `b` and a multiple of the condition's distance, with a constant if it holds.
    let zero = Expr::constant(0);
    // Sums cancel term by term, and multiples of a sum do not.
    let parts = |times: i64, of: &Expr| {
        let less = |rest: Expr, _| if times > 0 { rest.sub(of) } else { rest.add(of) };
        (0..times.abs()).try_fold(more.clone(), less).ok()?.as_constant()
    };
    let found = [(0, &by), (2, &by), (-2, &by), (2, &less), (-2, &less), (1, &by), (-1, &by)];
    let is_plain = |(times, of): &(i64, &Expr)| *times != 0 && parts(*times, of) == Some(0);
    let (times, of) = found
        .into_iter()
        .find(is_plain)
        .or_else(|| found.into_iter().find(|(times, of)| parts(*times, of).is_some()))?;
    let constant = parts(times, of)?;
    let value = || {
        let holds = Expr::min([Expr::max([by.clone(), zero.clone()])?, one.clone()])?;
        let distance = Expr::max([of.clone(), zero.clone()])?;
        b.add(&distance.scale(times)?)?.add(&holds.scale(constant)?)
    };
    Some(value())
}

/// Returns the sizes of all digits except the first, whose size does not matter and may be omitted from a basis.
fn inner(basis: &[i64], digits: usize) -> Option<&[i64]> {
    let skipped = (basis.len() + 1).checked_sub(digits).filter(|skipped| *skipped < 2)?;
    basis.get(skipped..).filter(|_| basis.iter().all(|size| *size > 0))
}

/// Returns the digits of `affine.delinearize_index value into basis`, the most significant first; `digits` is their number.
#[must_use]
pub fn delinearized(
    value: &Expr,
    basis: &[i64],
    digits: usize,
) -> Option<Result<Vec<Expr>, ExprError>> {
    let sizes = inner(basis, digits)?;
    let split = || {
        let (mut found, mut rest) = (Vec::new(), value.clone());
        for size in sizes.iter().rev() {
            found.push(rest.modulo(*size)?);
            rest = rest.floordiv(*size)?;
        }
        found.push(rest);
        found.reverse();
        Ok(found)
    };
    Some(split())
}

/// Returns the value of `affine.linearize_index [digits] by basis`.
#[must_use]
pub fn linearized(digits: &[Expr], basis: &[i64]) -> Option<Result<Expr, ExprError>> {
    let sizes = inner(basis, digits.len())?;
    let (first, rest) = digits.split_first()?;
    let joined = |value: Expr, (digit, size): (&Expr, &i64)| value.scale(*size)?.add(digit);
    Some(rest.iter().zip(sizes).try_fold(first.clone(), joined))
}

#[cfg(test)]
mod tests {
    use super::*;
    use affinor_maps::text::parse_expr;

    fn of(text: &str) -> Expr {
        let names = ["a", "b", "c"].map(str::to_owned);
        parse_expr(text, &names).unwrap_or_else(|error| panic!("{text}: {}", error.message))
    }

    #[test]
    fn digits_are_split_and_joined_with_the_first_size_or_without() {
        for (basis, digits, expected) in [
            (&[4, 8][..], 2, Some(&["a floordiv 8", "a mod 8"][..])),
            (&[8], 2, Some(&["a floordiv 8", "a mod 8"])),
            (&[4, 8], 3, Some(&["a floordiv 8 floordiv 4", "a floordiv 8 mod 4", "a mod 8"])),
            (&[4], 1, Some(&["a"])),
            (&[], 1, Some(&["a"])),
            (&[4, 8], 1, None),
            (&[4, 8], 4, None),
            (&[4, 0], 2, None),
            (&[], 0, None),
        ] {
            let found = delinearized(&of("a"), basis, digits);
            let expected = expected.map(|list| Ok(list.iter().map(|text| of(text)).collect()));
            assert_eq!(found, expected, "{basis:?} {digits}");
        }
        let digits = [of("a"), of("b"), of("c")];
        for (basis, expected) in [
            (&[2, 4, 8][..], Some("(a * 4 + b) * 8 + c")),
            (&[4, 8], Some("(a * 4 + b) * 8 + c")),
            (&[4], None),
            (&[1, 2, 4, 8], None),
            (&[4, -8], None),
        ] {
            assert_eq!(linearized(&digits, basis), expected.map(|text| Ok(of(text))), "{basis:?}");
        }
    }

    #[test]
    fn products_and_quotients_need_a_constant() {
        for (op, x, y, expected) in [
            ("arith.muli", "a", "3", Some("a * 3")),
            ("index.mul", "3", "a", Some("a * 3")),
            ("arith.muli", "a", "b", None),
            ("arith.floordivsi", "a", "4", Some("a floordiv 4")),
            ("arith.ceildivsi", "a", "4", Some("a ceildiv 4")),
            ("arith.floordivsi", "a", "-4", None),
            ("arith.floordivsi", "a", "b", None),
            ("arith.divsi", "a", "4", None),
            ("index.maxs", "a", "b", Some("max(a, b)")),
        ] {
            let found = arithmetic(op, &[of(x), of(y)]);
            assert_eq!(found, expected.map(|text| Ok(of(text))), "{op} {x} {y}");
        }
        assert_eq!(arithmetic("arith.addi", &[of("a")]), None);
    }

    /// Each op has the value that two's complement gives, for operands in a range and constants of both signs.
    #[test]
    fn bits_are_those_of_integers() {
        type Of = fn(i64, i64) -> Option<i64>;
        let ops: [(&str, Of); 12] = [
            ("arith.andi", |x, y| Some(x & y)),
            ("index.or", |x, y| Some(x | y)),
            ("arith.xori", |x, y| Some(x ^ y)),
            ("arith.divsi", |x, y| x.checked_div(y)),
            ("index.rems", |x, y| x.checked_rem(y)),
            ("arith.shli", |x, y| (y >= 0).then(|| x << y)),
            ("index.shrs", |x, y| (y >= 0).then(|| x >> y)),
            ("arith.shrui", |x, y| (x >= 0 && y >= 0).then(|| x >> y)),
            ("index.divu", |x, y| (x >= 0 && y > 0).then(|| x / y)),
            ("arith.remui", |x, y| (x >= 0 && y > 0).then(|| x % y)),
            ("index.ceildivu", |x, y| (x >= 0 && y > 0).then(|| (x + y - 1) / y)),
            ("arith.minui", |x, y| (x >= 0 && y >= 0).then(|| x.min(y))),
        ];
        let mut exact = 0;
        for (op, value) in ops {
            for (low, high) in [(-20, 20), (0, 20), (-20, -1)] {
                for y in -9..40 {
                    let range = |expr: &Expr| match expr.as_constant() {
                        Some(value) => Interval::point(value),
                        None => Interval::new(low, high),
                    };
                    let found = bits(op, &[of("a"), Expr::constant(y)], &range);
                    let Some(found) = found else { continue };
                    let found = found.unwrap_or_else(|error| panic!("{op} {y}: {error}"));
                    for x in low..=high {
                        assert_eq!(found.eval(&[x]).ok(), value(x, y), "{op} {x} {y}");
                        exact += 1;
                    }
                }
            }
        }
        assert!(exact > 15_000, "{exact}");
    }

    #[test]
    fn choices_are_those_of_conditions() {
        let texts = ["a", "b", "a + 3", "7", "a * 2 - b", "b - a", "a - 2"];
        let all = [Interval::at_least(1), Interval::new(MINUS_INFINITY, -1), Interval::point(2)];
        let range = Interval::new(-8, 8);
        let mut exact = 0;
        for (test, bounds) in texts.iter().flat_map(|test| all.map(|bounds| (of(test), bounds))) {
            for (a, b) in texts.iter().flat_map(|a| texts.map(|b| (of(a), of(b)))) {
                let Some(found) = chosen((&test, bounds), &a, &b, range) else { continue };
                let found = found.unwrap_or_else(|error| panic!("{error}"));
                for point in (-4..5).flat_map(|x| (-4..5).map(move |y| [x, y])) {
                    let value = |expr: &Expr| expr.eval(&point).ok();
                    let holds = value(&test).is_some_and(|test| bounds.contains(test));
                    let expected = if holds { value(&a) } else { value(&b) };
                    assert_eq!(
                        value(&found),
                        expected,
                        "{test:?} {bounds:?} {a:?} {b:?} {point:?}"
                    );
                    exact += 1;
                }
            }
        }
        assert!(exact > 10_000, "{exact}");
    }
}
