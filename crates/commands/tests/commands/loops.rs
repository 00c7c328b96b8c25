//! A loop with a known counter has a trip count whatever its step, and no answer contradicts it.

use crate::support::memory::Memory;
use affinor_commands::Session;

/// Returns a loop that starts at 0 and runs while the counter is below `end` in steps of `step`, and reads and writes
/// elements of arrays.
fn module(step: i64, end: i64, taken: &str, put: &str) -> String {
    let state = "(s32[], f32[16], f32[16])";
    format!(
        "HloModule loop
         body {{
           state = {state} parameter(0)
           i = s32[] get-tuple-element(state), index=0
           step = s32[] constant({step})
           next = s32[] add(i, step)
           last = s32[] constant(15)
           back = s32[] subtract(last, i)
           a = f32[16] get-tuple-element(state), index=1
           b = f32[16] get-tuple-element(state), index=2
           one = f32[1] dynamic-slice(b, {taken}), dynamic_slice_sizes={{1}}
           c = f32[16] dynamic-update-slice(a, one, {put})
           ROOT t = {state} tuple(next, c, b)
         }}
         condition {{
           state = {state} parameter(0)
           i = s32[] get-tuple-element(state), index=0
           end = s32[] constant({end})
           ROOT less = pred[] compare(i, end), direction=LT
         }}
         ENTRY main {{
           x = f32[16] parameter(0)
           y = f32[16] parameter(1)
           zero = s32[] constant(0)
           start = {state} tuple(zero, x, y)
           ROOT w = {state} while(start), condition=condition, body=body
         }}"
    )
}

/// Returns the answer about the loop, with `--check`.
fn answer(module: &str) -> String {
    let mut host = Memory::default();
    host.files.insert("loop.hlo", module.as_bytes().to_vec());
    let line = "hlo loop.hlo --instruction w --check";
    let status = Session::new().run(line, &mut host);
    assert!(status.is_ok(), "{status:?}");
    let texts = host.outputs.iter().map(|output| output.text.to_string());
    texts.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_counter_may_make_steps_of_any_size() {
    for (step, end) in [(1, 7), (2, 7), (2, 15), (3, 15), (5, 11)] {
        for (taken, put) in [("i", "i"), ("back", "i"), ("i", "back")] {
            let said = answer(&module(step, end, taken, put));
            let what = format!("{step}, {end}, {taken}, {put}: {said}");
            assert!(!said.contains("known only at run time"), "{what}");
            assert!(said.contains("{1} reads start{1}") && !said.contains("refuted:"), "{what}");
        }
    }
}
