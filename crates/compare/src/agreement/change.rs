//! Compares the reads of two unions of maps.
//!
//! Law: the comparison is for each output element and all values of the tensors that runtime variables are elements of. A
//! tensor is the same in both if it is the same operand. A change is an element that one side certainly reads and the other
//! does not read, found by evaluating both. The absence of changes is proved; the proof fails if a map may be too wide.

use super::align::{Aligned, Side};
use super::known_value::KnownValue;
use super::{Open, sample, sizes_of};
use affinor::num::Fuel;
use affinor::prove::{Budget, covered, covered_by_points};
use affinor_ops::indexing::{Exactness, OperandMap, Origin};

/// The result of a comparison.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Change {
    /// Both read the same elements.
    None,
    /// A counterexample.
    At {
        /// The index of the output element.
        output: Vec<i64>,
        /// The element that one side reads.
        element: Vec<i64>,
        /// Whether the first side reads it.
        by_first: bool,
        /// The values known only at run time at which the sides differ; empty if they differ at all values.
        values: Vec<KnownValue>,
    },
    /// The arrays have different ranks and no elements in common.
    Rank,
    /// Neither equality nor a difference was established.
    Unknown(String),
}

/// Maps with the origins of the runtime variables of each, in order; empty if the origins are not known.
pub type Traced<'a> = (&'a [OperandMap], &'a [Vec<Option<Origin>>]);

/// Compares the reads of `first` and `second` from one array, over one list of operands. Values computed inside are the same
/// if they have the same origin. Points are tried with the fuel of the budget, or with that of one answer.
#[must_use]
pub fn change(first: Traced<'_>, second: Traced<'_>, budget: &Budget) -> Change {
    let ((first, of_first), (second, of_second)) = (first, second);
    let (one, other) = (sides(first, of_first), sides(second, of_second));
    let maps = || first.iter().chain(second);
    if one.iter().chain(&other).any(Side::has_inner_values) {
        let reason = "the reads depend on values that are computed inside";
        return Change::Unknown(reason.to_owned());
    }
    let may_be_less = maps().find_map(|map| match &map.exactness {
        Exactness::Exact => None,
        Exactness::AtMost { reason } => Some(reason),
    });
    if first == second && of_first == of_second && may_be_less.is_none() {
        return Change::None;
    }
    let ranks = |map: &OperandMap| (sizes_of(map).len(), map.map.results().len());
    let mut all_ranks = maps().map(ranks);
    let first_ranks = all_ranks.next();
    if all_ranks.any(|ranks| Some(ranks) != first_ranks) {
        return Change::Rank;
    }
    let sizes: Vec<Vec<i64>> = maps().map(sizes_of).collect();
    let Some(rank) = sizes.first().map(Vec::len) else {
        return Change::None;
    };
    // The points at which some map may be defined.
    let hull = (0..rank).map(|d| sizes.iter().filter_map(|sizes| sizes.get(d).copied()).max());
    let hull: Vec<i64> = hull.map(Option::unwrap_or_default).collect();
    let fuel = budget.fuel.clone();
    let fuel = fuel.unwrap_or_else(|| budget.own_fuel(super::STEPS));
    if let Some((found, by_first, values)) = sample::change(&hull, first, second, &fuel) {
        return Change::At { output: found.output, element: found.element, by_first, values };
    }
    // Equal upper bounds do not imply equal reads.
    if let Some(reason) = may_be_less {
        return Change::Unknown(reason.to_string());
    }
    let shown = is_covered(&one, &other, budget, &fuel)
        .and_then(|()| is_covered(&other, &one, budget, &fuel));
    match shown {
        Ok(()) => Change::None,
        Err(Open(reason)) => Change::Unknown(reason),
    }
}

fn sides(maps: &[OperandMap], origins: &[Vec<Option<Origin>>]) -> Vec<Side> {
    let side = |(number, map)| {
        let origins = origins.get(number).map_or(&[][..], Vec::as_slice);
        Side::traced(map, origins)
    };
    maps.iter().enumerate().map(side).collect()
}

/// Proves that `others` contain all reads of `maps`.
fn is_covered(maps: &[Side], others: &[Side], budget: &Budget, fuel: &Fuel) -> Result<(), Open> {
    let without_solver = Budget { solver_steps: 0, ..budget.clone() };
    for from in maps {
        let sides: Vec<&Side> = [from].into_iter().chain(others).collect();
        let aligned = Aligned::of(&sides);
        let from = aligned.place(from)?.split()?;
        let mut readers = Vec::new();
        for other in others {
            readers.extend(from.reader(&aligned.place(other)?.split()?, true));
        }
        let is_same = readers.iter().any(|reader| {
            reader.map.domain() == &from.domain && reader.map.results() == reader.wanted
        });
        // The solver comes last: it is slow if it finds no proof.
        let is_shown = is_same
            || covered(&from.domain, &readers, &without_solver).is_ok()
            || covered_by_points(&from.domain, &readers, fuel);
        if !is_shown {
            covered(&from.domain, &readers, budget)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use affinor::expr::IndexingMap;
    use affinor::num::Interrupt;
    use affinor_hlo as hlo;
    use affinor_ops::indexing::{Analysis, Origins, Scope};

    /// Returns the reads of parameter 0 by the root of a snippet, through all instructions.
    fn maps(text: &str) -> Vec<OperandMap> {
        let module = hlo::read_text(text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
        let plain = |map: &IndexingMap| map.clone();
        let reads = Analysis::new(&module, &plain).computation(module.entry());
        let reads = reads.unwrap_or_else(|error| panic!("{text}: {error:?}"));
        let of_first = reads.iter().find(|entry| entry.operand == 0);
        let maps = of_first.and_then(|entry| entry.reads.maps());
        maps.unwrap_or_else(|| panic!("{text}: {reads:?}")).to_vec()
    }

    #[track_caller]
    fn check(first: &str, second: &str, same: bool) {
        let (first, second) = (maps(first), maps(second));
        for (one, other, by_one) in [(&first, &second, true), (&second, &first, false)] {
            match change((one, &[]), (other, &[]), &Budget::default()) {
                Change::None => assert!(same),
                Change::At { by_first, .. } => {
                    // The counterexample is read by the side with more reads.
                    assert!(!same && by_first == by_one);
                }
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn equal_upper_bounds_do_not_say_that_reads_are_equal() {
        let on_another_device =
            "r = f32[4] collective-permute(f32[4] p), source_target_pairs={{0,1}}";
        let maps = maps(on_another_device);
        let found = change((&maps, &[]), (&maps, &[]), &Budget::default());
        assert!(matches!(found, Change::Unknown(_)), "{found:?}");
    }

    #[test]
    fn arrays_of_other_ranks_have_no_common_element() {
        let (flat, square) =
            (maps("r = f32[16] reshape(f32[4,4] p)"), maps("r = negate(f32[4,4] p)"));
        assert_eq!(change((&flat, &[]), (&square, &[]), &Budget::default()), Change::Rank);
        assert_eq!(
            change((&flat, &[]), (&[], &[]), &Budget::default()),
            Change::At { output: vec![0], element: vec![0, 0], by_first: true, values: Vec::new() }
        );
        assert_eq!(change((&[], &[]), (&[], &[]), &Budget::default()), Change::None);
    }

    #[test]
    fn the_same_is_proved_and_a_change_has_a_point() {
        let source = "p = f32[64,48] parameter(0)\n z = f32[] parameter(1)\n";
        let with = |text: &str| format!("{source}{text}");
        let turned = with(
            "t = transpose(p), dimensions={1,0}\n r = f32[12,4,64] reshape(t)\n s = slice(r), slice={[0:12],[1:3],[0:64]}",
        );
        let after = with(
            "r = f32[64,12,4] reshape(p)\n s = slice(r), slice={[0:64],[0:12],[1:3]}\n t = transpose(s), dimensions={1,2,0}",
        );
        check(&turned, &after, true);
        let larger = with("s = reduce-window(p, z), window={size=3x1 pad=1_1x0_0}, to_apply=any");
        let middle = with("n = negate(p)");
        check(&larger, &middle, false);
    }

    #[test]
    fn offsets_are_the_same_where_they_are_the_same_element() {
        let source =
            "p = f32[32,8] parameter(0)\n i = s32[] parameter(1)\n j = s32[] parameter(2)\n";
        let slice = |offsets: &str, sizes: &str| {
            format!("{source}s = dynamic-slice(p, {offsets}), dynamic_slice_sizes={{{sizes}}}")
        };
        check(&slice("i, j", "4,8"), &slice("i, j", "4,8"), true);
        let (ij, ji) = (maps(&slice("i, j", "4,4")), maps(&slice("j, i", "4,4")));
        assert!(matches!(change((&ij, &[]), (&ji, &[]), &Budget::default()), Change::At { .. }));
        // The second offset is clamped to a single value.
        check(&slice("i, j", "4,8"), &slice("i, i", "4,8"), true);
    }

    /// Compares reads as `diff --entry` does: values computed inside are the same if they have the same origin.
    #[track_caller]
    fn check_origins(first: &str, second: &str, same: bool) {
        let plain = |map: &IndexingMap| map.clone();
        let mut origins = Origins::default();
        let mut traced = Vec::new();
        for (side, text) in [first, second].into_iter().enumerate() {
            let module = hlo::read_text(text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
            let maps = maps(text);
            let scope = Scope { side, module: &module, loops: &[] };
            let of_map = |map| origins.of_map(&scope, map, &plain, &Interrupt::new());
            let found: Vec<_> = maps.iter().map(of_map).collect();
            traced.push((maps, found));
        }
        let found =
            change((&traced[0].0, &traced[0].1), (&traced[1].0, &traced[1].1), &Budget::default());
        assert_eq!(found == Change::None, same, "{found:?}");
    }

    #[test]
    fn values_computed_inside_are_the_same_by_their_origin() {
        let slice = |text: &str| {
            format!(
                "p = f32[32] parameter(0)\n i = s32[] parameter(1)\n j = s32[] parameter(2)\n n = s32[] constant(0)\n \
                 c = s32[] constant(32)\n m = s32[] constant(-32)\n {text}\n r = dynamic-slice(p, o), dynamic_slice_sizes={{4}}"
            )
        };
        let wrapped =
            "a = add(i, c)\n b = pred[] compare(i, n), direction=LT\n o = select(b, a, i)";
        let turned = "b = pred[] compare(i, n), direction=LT\n a = add(c, i)\n x = copy(i)\n o = select(b, a, x)";
        check_origins(&slice(wrapped), &slice(turned), true);
        // The sum is never negative, so the select adds nothing.
        let positive = "a = add(i, m)\n o = maximum(a, n)";
        let selected = "a = subtract(i, c)\n x = maximum(a, n)\n b = pred[] compare(x, n), direction=LT\n y = add(x, c)\n o = select(b, y, x)";
        check_origins(&slice(positive), &slice(selected), true);
        for other in [
            "a = add(j, c)\n b = pred[] compare(i, n), direction=LT\n o = select(b, a, i)",
            "a = add(i, c)\n b = pred[] compare(i, n), direction=LE\n o = select(b, a, i)",
            "a = add(i, m)\n b = pred[] compare(i, n), direction=LT\n o = select(b, a, i)",
            "a = add(i, c)\n b = pred[] compare(i, n), direction=LT\n o = select(b, i, a)",
            "o = add(i, c)",
        ] {
            check_origins(&slice(wrapped), &slice(other), false);
        }
    }
}
