//! `diff --entry` through the partitioner: whole arrays before, parts and collectives after, each beside a wrong variant.

use super::support::memory::Memory;
use affinor_commands::Session;

const ADD: &str =
    "add { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT r = f32[] add(x, y) }\n";

/// Returns the summary of the comparison of a module on whole arrays with one for four devices.
fn summary(old: &str, new: &str) -> String {
    let [old, new] = [old, new].map(|text| format!("HloModule m, num_partitions=4\n{ADD}{text}"));
    summary_of(&old, &new)
}

/// Returns the summary of the comparison of two modules.
pub(super) fn summary_of(old: &str, new: &str) -> String {
    let mut host = Memory {
        files: [("old.hlo", old.into()), ("new.hlo", new.into())].into(),
        ..Memory::default()
    };
    let ran = Session::new().run("diff old.hlo new.hlo --entry", &mut host);
    ran.unwrap_or_else(|failure| panic!("{new}\n{}", failure.error.message));
    host.outputs.last().map(|output| output.text.to_string()).unwrap_or_default()
}

const SAME: &str = "nothing differs: 1 value compared";
const UNKNOWN: &str = "1 value compared: 1 unknown";
const CHANGED: &str = "1 value compared: 1 changed";

const ROWS: &str = "sharding={devices=[4,1]<=[4]}";
const COLUMNS: &str = "sharding={devices=[1,4]<=[4]}";
const ALL: &str = "sharding={replicated}";
const GROUP: &str = "channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true";

#[test]
fn sums_over_devices() {
    let old = format!(
        "ENTRY e {{ x = f32[8,16] parameter(0)  w = f32[16,4] parameter(1)\n\
         ROOT d = f32[8,4] dot(x, w), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}, {ALL} }}\n"
    );
    let new = |of_x: &str, groups: &str| {
        format!(
            "ENTRY e {{ x = f32[8,4] parameter(0), {of_x}  w = f32[4,4] parameter(1), {ROWS}\n\
             d = f32[8,4] dot(x, w), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}\n\
             ROOT a = f32[8,4] all-reduce(d), channel_id=1, replica_groups={groups}, use_global_device_ids=true, to_apply=add }}\n"
        )
    };
    assert_eq!(summary(&old, &new(COLUMNS, "{{0,1,2,3}}")), SAME);
    assert_eq!(summary(&old, &new(COLUMNS, "{{3,1,0,2}}")), SAME);
    // Half of the products, and products of other columns.
    assert_eq!(summary(&old, &new(COLUMNS, "{{0,1},{2,3}}")), CHANGED);
    let reversed = "sharding={devices=[1,4]3,2,1,0}";
    let wrong = summary(&old, &new(reversed, "{{0,1,2,3}}"));
    assert!(wrong != SAME && !wrong.contains("rounding"), "{wrong}");
    // Without a sharding, the columns of a device are unknown.
    assert_eq!(summary(&old, &new("metadata={op_name=\"x\"}", "{{0,1,2,3}}")), UNKNOWN);
}

#[test]
fn parts_put_together() {
    let old = |sharding: &str| {
        format!("ENTRY e {{ x = f32[8,4] parameter(0)  ROOT r = f32[8,4] negate(x){sharding} }}\n")
    };
    let rows = format!(", {ROWS}");
    let own =
        format!("ENTRY e {{ x = f32[2,4] parameter(0), {ROWS}  ROOT r = f32[2,4] negate(x) }}\n");
    assert_eq!(summary(&old(&rows), &own), SAME);
    // It is not said that the result is divided as the operand is.
    assert_eq!(summary(&old(""), &own), UNKNOWN);
    let sent = |pairs: &str| {
        format!(
            "ENTRY e {{ x = f32[2,4] parameter(0), {ROWS}\n\
             c = f32[2,4] collective-permute(x), channel_id=1, source_target_pairs={pairs}\n  ROOT r = f32[2,4] negate(c) }}\n"
        )
    };
    let reversed = ", sharding={devices=[4,1]3,2,1,0}";
    let turned = "{{0,3},{1,2},{2,1},{3,0}}";
    assert_eq!(summary(&old(reversed), &sent(turned)), SAME);
    assert_eq!(summary(&old(&rows), &sent(turned)), CHANGED);
    assert_eq!(summary(&old(reversed), &sent("{{0,3},{1,2},{2,1}}")), CHANGED);
    // A compiler may choose other parts than the text says.
    let chosen = format!(
        "HloModule m, num_partitions=4, allow_spmd_sharding_propagation_to_output={{true}}\n{}",
        old(&rows)
    );
    let mut host = Memory {
        files: [
            ("old.hlo", chosen.into_bytes()),
            ("new.hlo", format!("HloModule m, num_partitions=4\n{}", sent(turned)).into_bytes()),
        ]
        .into(),
        ..Memory::default()
    };
    Session::new().run("diff old.hlo new.hlo --entry", &mut host).expect("an answer");
    let last = host.outputs.last().map(|output| output.text.to_string());
    assert_eq!(last.as_deref(), Some(UNKNOWN));
}

#[test]
fn gathered_scattered_and_exchanged() {
    let old = |result: &str| {
        format!("ENTRY e {{ x = f32[8,4] parameter(0)  ROOT r = f32[8,4] add(x, x), {result} }}\n")
    };
    let new = |collective: &str, local: &str| {
        format!(
            "ENTRY e {{ x = f32[2,4] parameter(0), {ROWS}\n  c = {collective}\n  ROOT r = {local} add(c, c) }}\n"
        )
    };
    let gathered = format!("f32[8,4] all-gather(x), dimensions={{0}}, {GROUP}");
    assert_eq!(summary(&old(ALL), &new(&gathered, "f32[8,4]")), SAME);
    let turned = gathered.replace("{0,1,2,3}", "{1,0,2,3}");
    assert_eq!(summary(&old(ALL), &new(&turned, "f32[8,4]")), CHANGED);
    // From rows to columns: blocks are exchanged along one dimension and put together along the other.
    let exchanged = |dimension: &str| {
        format!(
            "ENTRY e {{ x = f32[2,4] parameter(0), {ROWS}\n  s = f32[2,4,1] reshape(x)\n  t = f32[4,2,1] transpose(s), dimensions={{1,0,2}}\n  \
             c = f32[4,2,1] all-to-all(t), dimensions={{{dimension}}}, channel_id=1, replica_groups={{{{0,1,2,3}}}}\n  \
             y = f32[8,1] reshape(c)\n  ROOT r = f32[8,1] add(y, y) }}\n"
        )
    };
    assert_eq!(summary(&old(COLUMNS), &exchanged("0")), SAME);
    assert_eq!(summary(&old(COLUMNS), &exchanged("1")), UNKNOWN);
    // A device's own rows, by its number.
    let own = |number: &str| {
        format!(
            "ENTRY e {{ x = f32[8,4] parameter(0), {ALL}  i = u32[] partition-id()  n = u32[] constant({number})  z = u32[] constant(0)\n  \
             s = u32[] multiply(i, n)  y = f32[2,4] dynamic-slice(x, s, z), dynamic_slice_sizes={{2,4}}\n  ROOT r = f32[2,4] add(y, y) }}\n"
        )
    };
    assert_eq!(summary(&old(ROWS), &own("2")), SAME);
    assert_eq!(summary(&old(ROWS), &own("1")), CHANGED);
}

/// All copies of a part of the result are compared.
#[test]
fn copies_of_results() {
    let old =
        format!("ENTRY e {{ x = f32[8,4] parameter(0)  ROOT r = f32[8,4] add(x, x), {ALL} }}\n");
    let new = |second: &str| {
        format!(
            "ENTRY e {{ x = f32[2,4] parameter(0), {ROWS}  g = f32[8,4] all-gather(x), dimensions={{0}}, {GROUP}\n  \
             i = u32[] partition-id()  n = u32[] constant(3)  p = pred[] compare(i, n), direction=LT\n  b = pred[8,4] broadcast(p), dimensions={{}}\n  \
             a = f32[8,4] add(g, g)  m = f32[8,4] {second}\n  ROOT r = f32[8,4] select(b, a, m) }}\n"
        )
    };
    assert_eq!(summary(&old, &new("add(g, g)")), SAME);
    // Wrong on the last device alone.
    let wrong = summary(&old, &new("multiply(g, g)"));
    assert!(wrong != SAME && !wrong.contains("rounding"), "{wrong}");
}

/// A loop in which devices exchange elements, with the counter that all share.
#[test]
fn loops_over_devices() {
    let few = |of: &str| {
        format!(
            "few{of} {{ s = (s32[], f32[{of}]) parameter(0)  k = s32[] get-tuple-element(s), index=0  n = s32[] constant(3)  \
             ROOT r = pred[] compare(k, n), direction=LT }}\n"
        )
    };
    let body = |of: &str, step: &str| {
        format!(
            "body{of} {{ s = (s32[], f32[{of}]) parameter(0)  k = s32[] get-tuple-element(s), index=0  v = f32[{of}] get-tuple-element(s), index=1  \
             o = s32[] constant(1)  l = s32[] add(k, o)  {step}  ROOT t = (s32[], f32[{of}]) tuple(l, w) }}\n"
        )
    };
    let entry = |of: &str, sharding: &str| {
        format!(
            "ENTRY e {{ x = f32[{of}] parameter(0){sharding}  z = s32[] constant(0)  t = (s32[], f32[{of}]) tuple(z, x)\n  \
             l = (s32[], f32[{of}]) while(t), condition=few{of}, body=body{of}\n  ROOT r = f32[{of}] get-tuple-element(l), index=1{sharding} }}\n"
        )
    };
    let parts = ", sharding={devices=[4]<=[4]}";
    let old = [
        few("8"),
        body("8", "a = f32[6] slice(v), slice={[2:8]}  b = f32[2] slice(v), slice={[0:2]}  c = f32[8] concatenate(a, b), dimensions={0}  w = f32[8] add(v, c)"),
        entry("8", parts),
    ]
    .concat();
    let new = |pairs: &str| {
        let step = format!(
            "c = f32[2] collective-permute(v), channel_id=1, source_target_pairs={pairs}  w = f32[2] add(v, c)"
        );
        [few("2"), body("2", &step), entry("2", parts)].concat()
    };
    assert_eq!(summary(&old, &new("{{1,0},{2,1},{3,2},{0,3}}")), SAME);
    let wrong = summary(&old, &new("{{0,1},{1,2},{2,3},{3,0}}"));
    assert!(wrong != SAME && !wrong.contains("rounding"), "{wrong}");
}

/// A block of a transformer: normalization, attention with a mask, and two products, on 2 x 4 devices.
#[test]
fn a_block_of_a_transformer() {
    let [old, new] =
        [include_str!("passes/block.before.hlo"), include_str!("passes/block.after.hlo")];
    assert_eq!(summary_of(old, new), SAME);
    for (right, wrong) in [
        ("direction=GE", "direction=GT"),
        ("constant(-1e+09)", "constant(1)"),
        ("add(param, all-reduce)", "subtract(param, all-reduce)"),
        ("all-reduce(dot.7), channel_id=2, replica_groups={{0,1,2,3},{4,5,6,7}}", "copy(dot.7)"),
        ("{{0,1,2,3},{4,5,6,7}}", "{{0,4},{1,5},{2,6},{3,7}}"),
    ] {
        assert!(new.contains(right), "{right}");
        let found = summary_of(old, &new.replace(right, wrong));
        assert!(!found.starts_with("nothing differs"), "{wrong}: {found}");
    }
}

/// Collectives of several arrays, asynchronous ones, and groups in another notation or order.
#[test]
fn spellings_of_collectives() {
    const GROUPS: &str = "replica_groups={{0,2},{1,3}}, use_global_device_ids=true, to_apply=add";
    let module = |text: &str| {
        format!("ENTRY e {{ x = f32[4] parameter(0)  y = f32[4] parameter(1)\n {text} }}\n")
    };
    let root = |x: &str, y: &str| format!("ROOT r = (f32[4], f32[4]) tuple({x}, {y})");
    let apart = module(&format!(
        "a = f32[4] all-reduce(x), channel_id=1, {GROUPS}\n b = f32[4] all-reduce(y), channel_id=2, {GROUPS}\n {}",
        root("a", "b")
    ));
    let together = module(&format!(
        "c = (f32[4], f32[4]) all-reduce(x, y), channel_id=7, {GROUPS}\n a = f32[4] get-tuple-element(c), index=0\n \
         b = f32[4] get-tuple-element(c), index=1\n {}",
        root("a", "b")
    ));
    let turned = together.replace("{{0,2},{1,3}}", "{{3,1},{0,2}}");
    let in_rows = together.replace("{{0,2},{1,3}}", "[2,2]<=[2,2]T(1,0)");
    let by_axes = together.replace("{{0,2},{1,3}}", "mesh['a'=2,'b'=2] {'a'}");
    let later = module(&format!(
        "s = f32[4] all-reduce-start(x), channel_id=3, {GROUPS}\n b = f32[4] all-reduce(y), channel_id=2, {GROUPS}\n \
         a = f32[4] all-reduce-done(s)\n {}",
        root("a", "b")
    ));
    let found = |new: &str| {
        let modules =
            [&apart, new].map(|text| format!("HloModule m, num_partitions=4\n{ADD}{text}"));
        summary_of(&modules[0], &modules[1])
    };
    for same in [&together, &turned, &in_rows, &by_axes, &later] {
        assert_eq!(found(same), SAME, "{same}");
    }
    for other in [
        together.replace("{{0,2},{1,3}}", "{{0,1},{2,3}}"),
        by_axes.replace("{'a'}", "{'b'}"),
        together.replace("index=0", "index=1"),
        later.replace("channel_id=3, ", "").replace(", use_global_device_ids=true", ""),
    ] {
        assert!(!found(&other).starts_with("nothing differs"), "{other}");
    }
    // Parts of an array from other devices are in the order of their groups.
    let gathered = |groups: &str| {
        let said = format!("channel_id=1, replica_groups={groups}, use_global_device_ids=true");
        let at_once = format!("ROOT r = f32[8] all-gather(x), dimensions={{0}}, {said}");
        let later = format!(
            "s = (f32[4], f32[8]) all-gather-start(x), dimensions={{0}}, {said}\n ROOT r = f32[8] all-gather-done(s)"
        );
        [at_once, later].map(|text| format!("HloModule m, num_partitions=4\n{}", module(&text)))
    };
    let [old, later] = gathered("{{0,2},{1,3}}");
    assert_eq!(summary_of(&old, &later), SAME);
    assert_eq!(summary_of(&old, &gathered("{{1,3},{0,2}}")[1]), SAME);
    let [_, turned] = gathered("{{2,0},{1,3}}");
    assert!(!summary_of(&old, &turned).starts_with("nothing differs"));
    let sent = |pairs: &str| {
        let at_once = format!(
            "ROOT r = f32[4] collective-permute(x), channel_id=1, source_target_pairs={pairs}"
        );
        let later = format!(
            "s = (f32[4], f32[4], u32[], u32[]) collective-permute-start(x), channel_id=4, source_target_pairs={pairs}\n \
             ROOT r = f32[4] collective-permute-done(s)"
        );
        [at_once, later].map(|text| format!("HloModule m, num_partitions=4\n{}", module(&text)))
    };
    let [old, later] = sent("{{0,1},{1,0}}");
    assert_eq!(summary_of(&old, &later), SAME);
    assert!(!summary_of(&old, &sent("{{0,1},{1,2}}")[1]).starts_with("nothing differs"));
    // Parts of an array that are exchanged, and several arrays.
    let exchanged = |groups: &str| {
        format!(
            "ROOT r = f32[4] all-to-all(x), channel_id=5, replica_groups={groups}, dimensions={{0}}"
        )
    };
    let apart = |order: [usize; 2], groups: &str| {
        let [one, other] = order;
        format!(
            "s0 = f32[2] slice(x), slice={{[0:2]}}\n s1 = f32[2] slice(x), slice={{[2:4]}}\n \
             e = (f32[2], f32[2]) all-to-all(s0, s1), channel_id=2, replica_groups={groups}\n \
             t0 = f32[2] get-tuple-element(e), index={one}\n t1 = f32[2] get-tuple-element(e), index={other}\n \
             ROOT r = f32[4] concatenate(t0, t1), dimensions={{0}}"
        )
    };
    let found = |old: &str, new: &str| {
        let modules =
            [old, new].map(|text| format!("HloModule m, num_partitions=4\n{}", module(text)));
        summary_of(&modules[0], &modules[1])
    };
    let old = exchanged("{{0,1},{2,3}}");
    assert_eq!(found(&old, &apart([0, 1], "{{0,1},{2,3}}")), SAME);
    assert_eq!(found(&old, &apart([0, 1], "[2,2]<=[4]")), SAME);
    assert!(!found(&old, &apart([1, 0], "{{0,1},{2,3}}")).starts_with("nothing differs"));
    assert!(!found(&old, &apart([0, 1], "{{0,2},{1,3}}")).starts_with("nothing differs"));
}
