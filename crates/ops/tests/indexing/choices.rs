//! What a value can depend on: selections by predicates that are known before run time, compared with values of random programs
//! after one element of a parameter was changed.

use crate::support::integers::{Maker, Program};
use crate::support::reads::{image, keep, read};
use affinor::text::{Style, print_map};
use affinor_ops::indexing::{Analysis, Exactness, OperandReads};
use std::collections::BTreeSet;

/// Returns the reads of the entry's result, by values or by definition.
fn reads(text: &str, by_values: bool) -> Vec<OperandReads> {
    let module = read(text);
    let mut analysis = Analysis::new(&module, &keep).as_sets();
    if by_values {
        analysis = analysis.by_values();
    }
    analysis.computation(module.entry()).unwrap_or_else(|e| panic!("{e}\n{text}")).to_vec()
}

/// Returns the elements of each parameter that the element at `index` of the result may depend on.
fn named(reads: &[OperandReads], parameter: usize, index: &[i64]) -> BTreeSet<Vec<i64>> {
    let of = reads.iter().filter(|entry| entry.operand == parameter);
    of.flat_map(|entry| image(&entry.reads, index)).collect()
}

/// Compares every element of the result with every element of the parameters. Returns how many elements that the op reads by
/// definition a value does not depend on.
fn compare(program: &Program) -> usize {
    let text = program.text();
    let (values, by_definition) = (reads(&text, true), reads(&text, false));
    for entry in &values {
        let maps = entry.reads.maps().expect("maps");
        assert!(maps.iter().all(|map| map.runtime.is_empty()), "{text}");
        assert!(maps.iter().all(|map| map.exactness == Exactness::Exact), "{text}");
    }
    let mut left_out = 0;
    let depends = program.dependences();
    for (index, depends) in &depends {
        for parameter in 0..program.parameters() {
            let changed: BTreeSet<Vec<i64>> = depends
                .iter()
                .filter(|(of, _)| *of == parameter)
                .map(|(_, at)| at.clone())
                .collect();
            let named_values = named(&values, parameter, index);
            let read = named(&by_definition, parameter, index);
            assert!(named_values.is_subset(&read), "{text}\n{index:?} {named_values:?} {read:?}");
            match program.has_unknown_choices() {
                true => {
                    assert!(changed.is_subset(&named_values), "{text}\n{index:?} of {parameter}")
                }
                false => assert_eq!(changed, named_values, "{text}\n{index:?} of {parameter}"),
            }
            left_out += read.len() - named_values.len();
        }
    }
    left_out
}

#[test]
fn values_depend_on_exactly_these_elements() {
    let (mut narrower, mut unknown) = (0, 0);
    for seed in 0..600 {
        let program = Maker::new(seed).program();
        narrower += usize::from(compare(&program) > 0);
        unknown += usize::from(program.has_unknown_choices());
    }
    assert!(
        narrower > 150 && unknown > 60,
        "{narrower} are narrower, {unknown} have unknown choices"
    );
}

/// Checks what the root depends on, as texts of maps from parameter 0.
#[track_caller]
fn check(body: &str, expected: &[&str]) {
    let called = "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
where { m = pred[4,4] parameter(0) x = f32[4,4] parameter(1) y = f32[4,4] parameter(2) ROOT c = f32[4,4] select(m, x, y) }
";
    let entry = format!(
        "{called}ENTRY e {{
  p = f32[4,4] parameter(0)
  flag = pred[] parameter(1)
  mask = pred[4,4] parameter(2)
  nil = f32[] constant(0)
  zeros = f32[4,4] broadcast(nil), dimensions={{}}
  rows = s32[4,4] iota(), iota_dimension=0
  columns = s32[4,4] iota(), iota_dimension=1
{body} }}"
    );
    let reads = reads(&entry, true);
    let of = reads.iter().filter(|entry| entry.operand == 0);
    let maps = of.flat_map(|entry| entry.reads.maps().expect("maps"));
    let maps: Vec<String> = maps.map(|map| print_map(&map.map, Style::Plain)).collect();
    assert_eq!(maps, expected);
}

const ALL: &str = "(d0, d1) -> (d0, d1), domain: d0 in [0, 3], d1 in [0, 3]";

#[test]
fn a_known_predicate_narrows_and_any_other_does_not() {
    let tril = "(d0, d1) -> (d0, d1), domain: d0 in [0, 3], d1 in [0, 3], d0 - d1 in [0, inf]";
    let masked = "lower = pred[4,4] compare(rows, columns), direction=GE\n";
    check(&format!("{masked} ROOT r = f32[4,4] select(lower, p, zeros)"), &[tril]);
    check(&format!("{masked} ROOT r = f32[4,4] call(lower, p, zeros), to_apply=where"), &[tril]);
    check(
        &format!("{masked} ROOT r = f32[4,4] select(lower, p, p)"),
        &[tril, "(d0, d1) -> (d0, d1), domain: d0 in [0, 3], d1 in [0, 3], d0 - d1 in [-inf, -1]"],
    );
    check("no = pred[] constant(false) \n ROOT r = f32[4,4] select(no, p, zeros)", &[]);
    // A trace: the diagonal.
    check(
        "same = pred[4,4] compare(rows, columns), direction=EQ
         d = f32[4,4] select(same, p, zeros)
         ROOT r = f32[4] reduce(d, nil), dimensions={1}, to_apply=add",
        &["(d0) -> (d0, d0), domain: d0 in [0, 3]"],
    );
    // A product with 0 is not 0 for an infinity, nor for a NaN.
    check(
        &format!("{masked} ones = f32[4,4] convert(lower) \n ROOT r = f32[4,4] multiply(ones, p)"),
        &[ALL],
    );
    // Nothing is known about a predicate of the caller, or about one that compares floats.
    check("ROOT r = f32[4,4] select(flag, p, zeros)", &[ALL]);
    check("ROOT r = f32[4,4] call(mask, p, zeros), to_apply=where", &[ALL]);
    check(
        "above = pred[4,4] compare(zeros, zeros), direction=EQ \n ROOT r = f32[4,4] select(above, p, zeros)",
        &[ALL],
    );
    // By definition both operands are read.
    let both = "p = f32[4] parameter(0) \n q = f32[4] parameter(1) \n no = pred[] constant(false) \n ROOT r = f32[4] select(no, p, q)";
    assert!(
        reads(both, false)
            .iter()
            .all(|entry| entry.reads.maps().is_some_and(|maps| maps.len() == 1))
    );
    let left: Vec<usize> =
        reads(both, true).iter().filter_map(|entry| Some(entry.reads.maps()?.len())).collect();
    assert_eq!(left, [0, 1]);
}

#[test]
fn a_known_mask_narrows_below_an_unknown_one() {
    let tril = "(d0, d1) -> (d0, d1), domain: d0 in [0, 3], d1 in [0, 3], d0 - d1 in [0, inf]";
    let above = "(d0, d1) -> (d0, d1), domain: d0 in [0, 3], d1 in [0, 3], d0 - d1 in [-inf, -1]";
    let masked = "lower = pred[4,4] compare(rows, columns), direction=GE\n";
    for (with_mask, choice, expected) in [
        ("and(lower, mask)", "select(m, p, zeros)", tril),
        ("and(lower, mask)", "call(m, p, zeros), to_apply=where", tril),
        ("or(lower, mask)", "select(m, zeros, p)", above),
        ("and(lower, mask)", "select(m, zeros, p)", ALL),
        ("or(lower, mask)", "select(m, p, zeros)", ALL),
        ("xor(lower, mask)", "select(m, p, zeros)", ALL),
    ] {
        check(
            &format!("{masked} m = pred[4,4] {with_mask}\n ROOT r = f32[4,4] {choice}"),
            &[expected],
        );
    }
    check(
        &format!(
            "{masked} m = pred[4,4] and(mask, lower)
             n = pred[4,4] not(m)
             ROOT r = f32[4,4] select(n, zeros, p)"
        ),
        &[tril],
    );
}

#[test]
fn a_predicate_in_a_loop_may_depend_on_the_counter() {
    // Iteration `t` of four moves element `t`.
    let text = |choice: &str| {
        format!(
            "HloModule loop
             body {{
               s = (s32[], f32[6], f32[6]) parameter(0)
               t = s32[] get-tuple-element(s), index=0
               x = f32[6] get-tuple-element(s), index=1
               y = f32[6] get-tuple-element(s), index=2
               i = s32[6] iota(), iota_dimension=0
               at = s32[6] broadcast(t), dimensions={{}}
               m = pred[6] compare(i, at), direction=EQ
               z = f32[6] {choice}
               one = s32[] constant(1)
               u = s32[] add(t, one)
               ROOT n = (s32[], f32[6], f32[6]) tuple(u, x, z)
             }}
             condition {{
               s = (s32[], f32[6], f32[6]) parameter(0)
               t = s32[] get-tuple-element(s), index=0
               four = s32[] constant(4)
               ROOT less = pred[] compare(t, four), direction=LT
             }}
             ENTRY main {{
               x = f32[6] parameter(0)
               y = f32[6] parameter(1)
               zero = s32[] constant(0)
               start = (s32[], f32[6], f32[6]) tuple(zero, x, y)
               loop = (s32[], f32[6], f32[6]) while(start), condition=condition, body=body
               ROOT r = f32[6] get-tuple-element(loop), index=2
             }}"
        )
    };
    for (choice, of_x, of_y) in [
        ("select(m, x, y)", &[0, 1, 2, 3][..], &[4, 5][..]),
        ("select(m, y, x)", &[0, 1, 2, 3, 4, 5], &[]),
    ] {
        let found = reads(&text(choice), true);
        for at in 0..6 {
            for (parameter, expected) in [(0, of_x), (1, of_y)] {
                let wanted = expected.contains(&at).then(|| vec![at]);
                let found = named(&found, parameter, &[at]);
                assert_eq!(found, wanted.into_iter().collect(), "{choice} {at} of {parameter}");
            }
        }
    }
}
