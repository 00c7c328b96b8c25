//! Index arithmetic of MLIR as expressions, for ops in loops and for interactive input.
//!
//! Law: an expression has the value of the op, in mathematical integers; `None` is returned for an op, or a list of sizes, that
//! has no expression here. Source: MLIR, *affine dialect*, *arith dialect*, *index dialect*.

use affinor::expr::{Expr, ExprError};

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
    use affinor::text::parse_expr;

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
}
