//! The elements of two arrays that overlap in memory, for any tiles and widths.
//!
//! Law: element `d` of the output reads element `i` of the operand iff, with both arrays starting at the same address, `d` and
//! `i` have a bit in common. Position `p` takes the bits from `prefix + p * width` on, where `width` is `E(n)` or whole bytes
//! and `prefix` is `M(n)`; positions are those of [`Placement`].
//! Source: XLA, *Shapes and layout* and *Tiled layout*.
//!
//! If an element of the output overlaps padding of the operand, the map is undefined: padding is not an element of the operand,
//! so nothing is read, and the value is arbitrary.
//!
//! Bits are counted in units of the greatest common divisor of both widths and of the distance of the prefixes. An element of
//! `m` units at position `p` then reads the elements that share its units `m * p + s0`, for each `s0` below `m`.

use super::op::NoMap;
use affinor::expr::{ComposeError, Domain, Expr, IndexingMap, Variable, VariableId, VariableKind};
use affinor::num::{Interval, gcd};
use affinor::text::{Error, ErrorKind};
use affinor_hlo::shape::ArrayShape;
use affinor_layout::memory::Placement;

/// Returns the map of a bitcast between two arrays of fixed sizes.
pub(super) fn output_to_operand(
    output: &ArrayShape,
    operand: &ArrayShape,
) -> Result<IndexingMap, NoMap> {
    if [output, operand].iter().any(|x| !x.layout().splits().is_empty()) {
        let reason = "a bitcast of an array that is split between memories has no map yet";
        return Err(NoMap::unknown(reason));
    }
    let to = Placement::new(output).map_err(no_place)?;
    let from = Placement::new(operand).map_err(no_place)?;
    match (to.physical_bytes(), from.physical_bytes()) {
        (Some(to), Some(from)) if to == from => {}
        (Some(to), Some(from)) => {
            let reason = format!(
                "a bitcast of {operand}, which takes {from} byte(s), does not give {output}, which takes {to}"
            );
            // Which padding of tiles is stored is up to the compiler.
            let tiled = [output, operand].iter().any(|array| !array.layout().tiles().is_empty());
            return Err(if tiled { NoMap::unknown(reason) } else { NoMap::invalid(reason) });
        }
        _ => return Err(too_large()),
    }
    let units = Units::new(&to, &from).ok_or_else(too_large)?;
    let composed = match units {
        Units { output: 1, operand: 1, ahead: 0 } => to.position().then(from.element()),
        _ => {
            let positions = units.position_map(to.positions(), from.positions())?;
            let position = to.position().then(&positions);
            position.and_then(|position| position.then(from.element()))
        }
    };
    composed.map_err(|error| match error {
        ComposeError::Expr(error) => error.into(),
        ComposeError::Arity { .. } => NoMap::unknown(error.to_string()),
    })
}

fn no_place(error: Error) -> NoMap {
    match error.kind {
        ErrorKind::Shape => NoMap::invalid(error.message),
        _ => NoMap::unknown(error.message),
    }
}

fn too_large() -> NoMap {
    NoMap::unknown("its arrays take more than 64 bits can count")
}

/// Widths in units; all numbers of units are representable in 64 bits.
#[derive(Clone, Copy)]
struct Units {
    /// The width of a position of the output.
    output: i64,
    /// The width of a position of the operand.
    operand: i64,
    /// The distance from the operand's first position to the output's.
    ahead: i64,
}

impl Units {
    fn new(to: &Placement, from: &Placement) -> Option<Units> {
        let prefix = |placement: &Placement| placement.shape().layout().metadata_prefix_bytes();
        let ahead = prefix(to).checked_sub(prefix(from))?.checked_mul(8)?;
        let (output, operand) = (to.bits_per_position(), from.bits_per_position());
        let unit = gcd(gcd(output, operand)?, ahead)?;
        Some(Units {
            output: output.checked_div(unit)?,
            operand: operand.checked_div(unit)?,
            ahead: ahead.checked_div(unit)?,
        })
    }

    /// `(d0)[s0] -> ((d0 * output + s0 + ahead) floordiv operand)`: the positions of the operand that overlap a position of the
    /// output.
    fn position_map(self, positions: i64, operand_positions: i64) -> Result<IndexingMap, NoMap> {
        let position = Interval::of_size(positions);
        let mut variables = vec![Variable::new("d0", VariableKind::Dimension, position)];
        let mut terms = vec![(self.output, Expr::variable(VariableId(0)))];
        if self.output > 1 {
            let unit = Interval::of_size(self.output);
            variables.push(Variable::new("s0", VariableKind::Range, unit));
            terms.push((1, Expr::variable(VariableId(1))));
        }
        let unit = Expr::sum(self.ahead, terms)?;
        let position = unit.floordiv(self.operand)?;
        let mut domain = Domain::new(variables);
        let known = Interval::of_size(operand_positions);
        if !known.contains_all(domain.range_of(&position)) {
            domain.constrain(&position, known);
        }
        Ok(IndexingMap::new(domain, vec![position]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::indexing::testing::{built, check_against, points};
    use affinor_hlo as hlo;
    use proptest::prelude::*;

    fn array(text: &str) -> ArrayShape {
        let shape = hlo::read_shape(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        shape.as_array().expect("an array").clone()
    }

    /// Returns the first bit of the element and the bit after its last, by the formula for a single tile on the last
    /// dimensions.
    fn bits(array: &ArrayShape, index: &[i64]) -> (i64, i64) {
        let layout = array.layout();
        let order = || layout.minor_to_major().iter().rev();
        let sizes = array.sizes().expect("known sizes");
        let mut digits: Vec<(i64, i64)> = order().map(|k| (index[*k], sizes[*k])).collect();
        for tile in layout.tiles() {
            let tile: Vec<i64> = tile
                .dimensions()
                .iter()
                .map(|entry| match entry {
                    hlo::layout::TileDimension::Size(size) => *size,
                    hlo::layout::TileDimension::Combine => panic!("not in these tests"),
                })
                .collect();
            while digits.len() < tile.len() {
                digits.insert(0, (0, 1));
            }
            let cut = digits.split_off(digits.len() - tile.len());
            let pairs = || cut.iter().zip(&tile);
            digits.extend(pairs().map(|((e, d), t)| (e / t, (d + t - 1) / t)));
            digits.extend(pairs().map(|((e, _), t)| (e % t, *t)));
        }
        let position = digits.iter().fold(0, |position, (e, d)| position * d + e);
        let width = match layout.element_bits() {
            0 => 8 * i64::from(array.element_type().bytes()),
            bits => bits,
        };
        let start = 8 * layout.metadata_prefix_bytes() + position * width;
        (start, start + width)
    }

    #[track_caller]
    fn check(output: &str, operand: &str) {
        let (output, operand) = (array(output), array(operand));
        let map = built(output_to_operand(&output, &operand));
        let all = points(&operand.sizes().expect("known sizes"));
        check_against(&[map], &output.sizes().expect("known sizes"), |d| {
            let (start, end) = bits(&output, d);
            let overlaps = |i: &&Vec<i64>| {
                let (from, to) = bits(&operand, i);
                from < end && start < to
            };
            all.iter().filter(overlaps).cloned().collect()
        });
    }

    #[test]
    fn elements_lie_where_the_tiles_say() {
        check("f32[24]{0}", "f32[4,6]{1,0:T(2,2)}");
        check("f32[4,6]{1,0:T(2,2)}", "f32[24]{0}");
        check("f32[3,5]{0,1:T(2,2)}", "s32[3,5]{1,0:T(4,2)(2,1)}");
        check("f32[5,3]{1,0:T(2,2)L(8)}", "f32[24]");
        check("f32[]{:T(128)}", "f32[1]{0:T(128)}");
        check("f32[0,5]{1,0:T(2,2)}", "f32[7,0]");
    }

    #[test]
    fn elements_on_padding_read_nothing() {
        // Positions 9 and 11 of the operand are padding.
        let map = built(output_to_operand(&array("f32[24]"), &array("f32[3,5]{1,0:T(2,2)}")));
        let is_read = |position: i64| map.domain().contains(&[position]).expect("small numbers");
        let padding: Vec<i64> = (0..24).filter(|position| !is_read(*position)).collect();
        assert_eq!(padding, [9, 11, 14, 15, 18, 19, 21, 22, 23]);
        check("f32[24]", "f32[3,5]{1,0:T(2,2)}");
        check("f32[3,5]{1,0:T(2,2)}", "f32[4,5]{1,0:T(4,2)}");
    }

    #[test]
    fn elements_of_other_widths_share_bits() {
        check("s16[4,12]", "f32[4,6]");
        check("f32[4,6]", "s16[4,12]");
        check("bf16[4,8]{1,0:T(2,4)(2,1)}", "u32[4,4]{1,0:T(2,2)}");
        check("u32[2,8]{1,0:T(1,4)}", "bf16[3,8]{1,0:T(2,4)(2,1)}");
        check("s8[6]", "s4[12]{0:E(4)}");
        check("s4[3]{0:E(4)}", "s8[2]");
        check("u16[2]", "s4[8]{0:E(4)}");
        check("pred[5]", "s8[5]{0:T(5)}");
        check("s8[4]{0:M(4)}", "s16[4]");
        check("s16[2]{0:M(4)}", "s16[3]{0:M(2)}");
        check("s32[2]{0:M(6)}", "s32[3]{0:M(2)}");
        check("s16[4]", "s32[1]{0:M(4)}");
    }

    #[test]
    fn refuses_what_does_not_fit() {
        for (output, operand) in [
            ("f32[24]", "f32[3,5]"),
            ("f32[24]{0:L(32)}", "f32[24]"),
            ("f32[24]{0:T(2,*)}", "f32[24]"),
        ] {
            let refused = output_to_operand(&array(output), &array(operand));
            assert!(matches!(refused, Err(NoMap::Invalid(_))), "{refused:?}");
        }
        // A layout that is not modelled, and a tiled layout of another size.
        for (output, operand) in
            [("f32[4]{0:SC(0:2)}", "f32[4]"), ("f32[15]", "f32[3,5]{1,0:T(2,2)}")]
        {
            let refused = output_to_operand(&array(output), &array(operand));
            assert!(matches!(refused, Err(NoMap::Unknown(_))), "{refused:?}");
        }
    }

    /// Returns a strategy for arrays of two dimensions with an element type and tiles.
    fn tiled() -> impl Strategy<Value = ArrayShape> {
        let types = prop::sample::select(vec!["f32", "s32", "bf16", "s8"]);
        let tiles = prop::sample::select(vec![
            "",
            ":T(2,2)",
            ":T(4)",
            ":T(2,4)(2,1)",
            ":T(1,3)",
            ":T(4,2)(4)",
            ":M(4)",
            ":E(16)",
        ]);
        let order = prop::sample::select(vec!["1,0", "0,1"]);
        (types, 1i64..6, 1i64..6, order, tiles).prop_map(|(name, rows, columns, order, tiles)| {
            array(&format!("{name}[{rows},{columns}]{{{order}{tiles}}}"))
        })
    }

    proptest! {
        #[test]
        fn reads_what_shares_bits(operand in tiled(), name in prop::sample::select(vec!["s8", "s16", "s32"]), is_back in any::<bool>()) {
            // An untiled array over all of the memory, in whole elements.
            let bytes = Placement::new(&operand).expect("small").physical_bytes().expect("small");
            let width = i64::from(array(&format!("{name}[]")).element_type().bytes());
            prop_assume!(bytes % width == 0);
            let (tiled, plain) = (operand.to_string(), format!("{name}[{}]", bytes / width));
            match is_back {
                false => check(&plain, &tiled),
                true => check(&tiled, &plain),
            }
        }
    }
}
