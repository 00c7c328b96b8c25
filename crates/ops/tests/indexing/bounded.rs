//! Ops on arrays with dynamic sizes: at every size within the bounds, the elements read are among those of the map, and are all
//! of them if the map is exact.

use crate::support::reads::{image, keep, lines, read};
use affinor_ops::indexing::{Analysis, CustomCalls, Exactness, OperandReads};

const MOST: i64 = 4;

/// Returns the reads of the root.
fn reads(text: &str) -> Result<Vec<OperandReads>, String> {
    let module = read(text);
    let entry = module.entry();
    let mut analysis = Analysis::new(&module, &keep).with_custom_calls(&CustomCalls::published());
    analysis.instruction(entry, module[entry].root()).map_err(|error| error.message)
}

/// Returns the text with the value of `n` for `{n}`, and of the sums for `{4n}`, `{n+2}`, ..
fn at(text: &str, n: &str, of: impl Fn(i64) -> String) -> String {
    [("{4n}", 4 * MOST), ("{2n}", 2 * MOST), ("{n+3}", MOST + 3), ("{n-1}", MOST - 1)]
        .iter()
        .fold(text.replace("{n}", n), |text, (name, value)| text.replace(name, &of(*value)))
}

const OPS: &[(&str, bool)] = &[
    ("p = s32[{n},3] parameter(0) \n r = s32[3,{n}] transpose(p), dimensions={1,0}", true),
    ("p = s32[{n}] parameter(0) \n r = s32[{n},3] broadcast(p), dimensions={0}", true),
    ("p = s32[3] parameter(0) \n r = s32[{n},3] broadcast(p), dimensions={1}", true),
    ("p = s32[{n},3] parameter(0) \n r = s32[{n},3] reverse(p), dimensions={1}", true),
    ("p = s32[{n},3] parameter(0) \n r = s32[{n},3] reverse(p), dimensions={0}", false),
    ("p = s32[{n},2,2] parameter(0) \n r = s32[{4n}] reshape(p)", true),
    ("p = s32[{n},2,2] parameter(0) \n r = s32[{2n},2] reshape(p)", true),
    ("p = s32[2,{n}] parameter(0) \n r = s32[{2n}] reshape(p)", false),
    (
        "p = s32[{n},2] parameter(0) \n q = s32[{n},3] parameter(1) \n r = s32[{n},5] concatenate(p, q), dimensions={1}",
        true,
    ),
    (
        "p = s32[{n}] parameter(0) \n q = s32[3] parameter(1) \n r = s32[{n+3}] concatenate(p, q), dimensions={0}",
        false,
    ),
    (
        "p = s32[{n}] parameter(0) \n q = s32[] parameter(1) \n r = s32[{n+3}] pad(p, q), padding=1_2",
        false,
    ),
    (
        "p = s32[{n},2] parameter(0) \n q = s32[2,{n}] parameter(1) \n r = s32[{n},{n}] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
        false,
    ),
    (
        "p = s32[2,{n}] parameter(0) \n q = s32[{n},2] parameter(1) \n r = s32[2,2] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
        false,
    ),
];

#[test]
fn what_is_read_at_each_size_is_within_the_bounds() {
    for (text, is_exact) in OPS {
        let bounded = at(text, &format!("<={MOST}"), |size| format!("<={size}"));
        let named = reads(&bounded).expect(text);
        assert!(named.iter().all(|entry| entry.reads.is_exact()) == *is_exact, "{text}: {named:?}");
        for n in 1..=MOST {
            let fixed = at(text, &n.to_string(), |most| {
                let size = match most {
                    most if most == 4 * MOST => 4 * n,
                    most if most == 2 * MOST => 2 * n,
                    most => most - MOST + n,
                };
                size.to_string()
            });
            for (entry, bound) in reads(&fixed).expect(text).iter().zip(&named) {
                assert_eq!((entry.operand, &entry.output), (bound.operand, &bound.output));
                let Some(map) = entry.reads.maps().and_then(|maps| maps.first()) else {
                    continue;
                };
                let rank = map.map.domain().ids(affinor::expr::VariableKind::Dimension).count();
                let mut indices = vec![Vec::new()];
                for bounds in map.map.domain().intervals().take(rank) {
                    let values = || bounds.lo()..=bounds.hi();
                    indices = indices
                        .iter()
                        .flat_map(|index: &Vec<i64>| {
                            values().map(|value| [index.as_slice(), &[value]].concat())
                        })
                        .collect();
                }
                for index in indices {
                    let (read, named) = (image(&entry.reads, &index), image(&bound.reads, &index));
                    let is_right = match is_exact {
                        true => read == named,
                        false => read.is_subset(&named),
                    };
                    assert!(is_right, "{text} at {n}, {index:?}: {read:?}, named are {named:?}");
                }
            }
        }
    }
}

#[test]
fn every_op_with_bounds_answers_at_most_by_them() {
    const COMPUTATIONS: &str =
        "add { a = s32[] parameter(0) b = s32[] parameter(1) ROOT c = s32[] add(a, b) }
lt { a = s32[] parameter(0) b = s32[] parameter(1) ROOT c = pred[] compare(a, b), direction=LT }
turned { a = s32[<=4] parameter(0) ROOT c = s32[<=4] reverse(a), dimensions={0} }
ENTRY e {
  p = s32[<=4] parameter(0)
  q = s32[<=4,3] parameter(1)
  w = s32[8] parameter(2)
  z = s32[] parameter(3)
  i = s32[2,1] parameter(4)
  j = s32[<=4,1] parameter(5)
  u = s32[2] parameter(6)
  s = s32[2,3] parameter(7)
";
    for (op, is_exact) in [
        ("s32[<=4] reduce-window(p, z), window={size=3 pad=1_1}, to_apply=add", false),
        ("s32[3] reduce(q, z), dimensions={0}, to_apply=add", false),
        ("s32[<=3] slice(p), slice={[1:4]}", false),
        ("s32[<=4] sort(p), dimensions={0}, to_apply=lt", false),
        ("s32[2] dynamic-slice(p, z), dynamic_slice_sizes={2}", false),
        ("s32[<=4] dynamic-update-slice(p, u, z)", false),
        (
            "s32[2,3] gather(q, i), offset_dims={1}, start_index_map={0}, collapsed_slice_dims={0}, index_vector_dim=1, slice_sizes={1,3}",
            false,
        ),
        (
            "s32[<=4] gather(w, j), offset_dims={}, start_index_map={0}, collapsed_slice_dims={0}, index_vector_dim=1, slice_sizes={1}",
            true,
        ),
        (
            "s32[<=4,3] scatter(q, i, s), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add",
            false,
        ),
        ("s32[3,<=4]{0,1} bitcast(q)", false),
        ("f32[<=4] bitcast-convert(p)", false),
        ("s32[<=8] all-gather(p), dimensions={0}, replica_groups={{0,1}}", false),
        ("s32[<=4] dynamic-reshape(p, z)", false),
        ("s32[<=4] fusion(p), kind=kLoop, calls=turned", false),
        ("s32[<=4] copy(p)", true),
    ] {
        let text = format!("{COMPUTATIONS}  ROOT r = {op}\n}}");
        let found = reads(&text).expect(op);
        assert!(found.iter().all(|entry| entry.reads.maps().is_some()), "{op}: {found:?}");
        let all_exact = found.iter().filter(|entry| entry.operand == 0);
        assert_eq!(all_exact.clone().all(|entry| entry.reads.is_exact()), is_exact, "{op}");
        let bounds = found.iter().flat_map(|entry| entry.reads.maps().unwrap_or_default());
        for map in bounds {
            let is_said = match &map.exactness {
                Exactness::Exact => true,
                Exactness::AtMost { reason } => reason.starts_with('`'),
            };
            assert!(is_said, "{op}");
        }
    }
    // Without a bound there are no maps.
    let text = "p = s32[?] parameter(0) \n r = s32[?] reverse(p), dimensions={0}";
    assert_eq!(
        lines(text),
        Ok(vec!["[] <- 0[]: unknown, `r`: one of its dimensions has no bound".to_owned()])
    );
}
