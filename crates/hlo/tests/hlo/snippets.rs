//! Forms that XLA's text parser accepts besides whole modules, and their interpretation.

use affinor_hlo as hlo;
use affinor_hlo::attribute::AttributeValue;
use affinor_hlo::module::Module;

#[track_caller]
fn read(text: &str) -> Module {
    hlo::read_text(text).unwrap_or_else(|error| panic!("{text}: {error:?}"))
}

/// Checks that `text` parses to a module that prints as `expected`.
#[track_caller]
fn check(text: &str, expected: &str) {
    let printed = read(text).to_string();
    assert_eq!(printed.trim_end(), expected.trim_end(), "{text}");
    assert_eq!(read(&printed).to_string(), printed, "{text}");
}

#[test]
fn instructions_without_a_module() {
    check(
        "p0 = f32[20] parameter(0)\nbc0 = f32[10, 20, 30] broadcast(p0), dimensions={1}",
        "ENTRY %entry {
  %p0 = f32[20]{0} parameter(0)
  ROOT %bc0 = f32[10,20,30]{2,1,0} broadcast(%p0), dimensions={1}
}",
    );
    assert_eq!(read("x = f32[] iota(), iota_dimension=0").name(), None);
}

#[test]
fn lines_that_separate_are_no_part_of_the_text() {
    let expected = "ENTRY %entry {
  %a = f32[] parameter(0)
  ROOT %b = f32[] negate(%a)
}";
    for line in ["----------", "===", "***", "  ~~~~  ", "---\n\n---"] {
        check(&format!("a = f32[] parameter(0)\n{line}\nb = f32[] negate(a)\n{line}\n"), expected);
        let body = format!("  a = f32[] parameter(0)\n{line}\n  ROOT b = f32[] negate(a)\n");
        let module = read(&format!("HloModule m\n\n{line}\nENTRY e {{\n{body}}}\n{line}\n"));
        assert_eq!(module[module.entry()].instructions().len(), 2);
    }
    // Separators must be on lines of their own, and consist of a single character.
    for wrong in [
        "a = f32[] parameter(0) ---\nb = f32[] negate(a)",
        "--\na = f32[] parameter(0)",
        "\n-=-\na = f32[] parameter(0)",
    ] {
        assert!(hlo::read_text(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn the_root_need_not_be_last() {
    check(
        "ROOT a = f32[] parameter(0) b = f32[] negate(a)",
        "ENTRY %entry {
  ROOT %a = f32[] parameter(0)
  %b = f32[] negate(%a)
}",
    );
}

#[test]
fn a_computation_without_entry_is_the_entry() {
    check(
        "f {
  p0 = f32[4,8] parameter(0)
  t = f32[8,4]{0,1} transpose(p0), dimensions={1, 0}
}",
        "ENTRY %f {
  %p0 = f32[4,8]{1,0} parameter(0)
  ROOT %t = f32[8,4]{0,1} transpose(%p0), dimensions={1,0}
}",
    );
}

#[test]
fn operands_may_carry_their_shapes() {
    check(
        "src = s32[20,30] parameter(0)
upd = s32[5,10] parameter(1)
of1 = s32[] parameter(2)
of2 = s32[] parameter(3)
dus = s32[20,30] dynamic-update-slice(
    s32[20,30] src, s32[5,10]{0,1} %upd, s32[] of1, /*index=3*/s32[] of2)",
        "ENTRY %entry {
  %src = s32[20,30]{1,0} parameter(0)
  %upd = s32[5,10]{1,0} parameter(1)
  %of1 = s32[] parameter(2)
  %of2 = s32[] parameter(3)
  ROOT %dus = s32[20,30]{1,0} dynamic-update-slice(%src, %upd, %of1, %of2)
}",
    );
}

#[test]
fn a_single_instruction_brings_its_parameters() {
    check(
        "add = f32[8] add(f32[8] x, f32[8] y)",
        "ENTRY %entry {
  %x = f32[8]{0} parameter(0)
  %y = f32[8]{0} parameter(1)
  ROOT %add = f32[8]{0} add(%x, %y)
}",
    );
    check(
        "add = f32[8] add(f32[8], f32[8])",
        "ENTRY %entry {
  %parameter = f32[8]{0} parameter(0)
  %parameter.1 = f32[8]{0} parameter(1)
  ROOT %add = f32[8]{0} add(%parameter, %parameter.1)
}",
    );
}

#[test]
fn shapes_may_be_left_out_where_the_operation_leaves_no_choice() {
    check(
        "add.936 = bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)}
          add(exponential.183, broadcast.3115)",
        "ENTRY %entry {
  %exponential.183 = bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)} parameter(0)
  %broadcast.3115 = bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)} parameter(1)
  ROOT %add.936 = bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)} add(%exponential.183, %broadcast.3115)
}",
    );
    check(
        "src = s32[2,2,258] parameter(0)
of1 = s32[] parameter(1)
ds = dynamic-slice(s32[2,2,258] src, s32[] of1, s32[] of1, s32[] of1), dynamic_slice_sizes={1, 2, 32}
n = negate(ds)",
        "ENTRY %entry {
  %src = s32[2,2,258]{2,1,0} parameter(0)
  %of1 = s32[] parameter(1)
  %ds = s32[1,2,32]{2,1,0} dynamic-slice(%src, %of1, %of1, %of1), dynamic_slice_sizes={1,2,32}
  ROOT %n = s32[1,2,32]{2,1,0} negate(%ds)
}",
    );
    for (text, message) in [
        // The element type of a comparison's operands is unknown, as is the operand of a gather.
        ("x = pred[8] compare(p, q)", "the operand `p` is not defined"),
        ("x = f32[8] gather(p, q)", "the operand `p` is not defined"),
        // The element type of a conversion is a choice.
        ("x = convert(f32[8] p)", "expected a shape such as `f32[8,16]`, found `convert`"),
        (
            "x = dynamic-slice(f32[8] p, s32[] i), dynamic_slice_sizes={1,1}",
            "expected a shape such as `f32[8,16]`, found `dynamic-slice`",
        ),
        ("x = add(f32[8] p, f32[9] q)", "expected a shape such as `f32[8,16]`, found `add`"),
        // The called computation is not yet known.
        (
            "f { p = f32[8] parameter(0) x = call(p), to_apply=g } g { p = f32[8] parameter(0) }",
            "expected a shape such as `f32[8,16]`, found `call`",
        ),
        ("p = f32[8] parameter(0) x = f32[8] negate(q)", "the operand `q` is not defined"),
    ] {
        let error = hlo::read_text(text).expect_err(text);
        assert_eq!(error.message, message, "{text}");
    }
}

#[test]
fn operands_may_be_written_in_place() {
    check(
        "add = f32[2] parameter(0)
x = f32[2] negate(f32[2] add(f32[2] add(add, add), f32[2] constant({1, 2})))",
        "ENTRY %entry {
  %add = f32[2]{0} parameter(0)
  %add.anon = f32[2]{0} add(%add, %add)
  %constant.anon = f32[2]{0} constant({1, 2})
  %add.anon.1 = f32[2]{0} add(%add.anon, %constant.anon)
  ROOT %x = f32[2]{0} negate(%add.anon.1)
}",
    );
}

#[test]
fn computations_may_be_written_in_place() {
    check(
        "ENTRY %e {
  p = f32[4] parameter(0)
  z = f32[] constant(-inf)
  ROOT r = f32[] reduce(p, z), dimensions={0}, to_apply=
  {
    a = f32[] parameter(0)
    b = f32[] parameter(1)
    ROOT m = f32[] maximum(f32[] a, f32[] b)
  }
}",
        "%r.to_apply {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %m = f32[] maximum(%a, %b)
}

ENTRY %e {
  %p = f32[4]{0} parameter(0)
  %z = f32[] constant(-inf)
  ROOT %r = f32[] reduce(%p, %z), dimensions={0}, to_apply=%r.to_apply
}",
    );
}

#[test]
fn computations_may_follow_their_users_or_be_missing() {
    let module = read(
        "HloModule m
ENTRY e { p = f32[4] parameter(0) c = f32[] call(p), to_apply=later
  ROOT r = f32[] reduce(p, c), dimensions={0}, to_apply=max }
later { p = f32[4] parameter(0) ROOT z = f32[] constant(0) }",
    );
    let entry = &module[module.entry()];
    assert_eq!(entry.name(), "e");
    let call = &entry[entry.instruction_named("c").unwrap()];
    assert_eq!(module[call.called("to_apply").unwrap()].name(), "later");
    let reduce = &entry[entry.root()];
    let reference = reduce.computation_reference("to_apply").unwrap();
    assert_eq!((reference.name(), reference.target()), ("max", None));
    let error = reduce.called("to_apply").unwrap_err();
    assert_eq!(error.message, "the computation `max` is not defined");
}

#[test]
fn conditionals_list_their_branches() {
    let text = "a { p = f32[] parameter(0) } b { p = f32[] parameter(0) }
i = s32[] parameter(0) p = f32[] parameter(1)
x = f32[] conditional(i, p, p), branch_computations={%a, %b}
ROOT y = f32[] conditional(i, x, x), true_computation=a, false_computation={p = f32[] parameter(0)}";
    let module = read(text);
    let entry = &module[module.entry()];
    let names = |name: &str| -> Vec<_> {
        let branches = entry[entry.instruction_named(name).unwrap()].branches();
        let branches = branches.unwrap();
        branches.iter().map(|&id| module[id].name()).collect()
    };
    assert_eq!(names("x"), ["a", "b"]);
    assert_eq!(names("y"), ["a", "y.false_computation"]);
}

#[test]
fn unknown_operations_and_attributes_are_kept() {
    check(
        r#"p = f32[8] parameter(0), sharding={devices=[2,4]<=[8] last_tile_dim_replicate}, origin={{"p"}}
x = (f32[8], u32[]) warp-drive(p, p), speed=9.5, mode=fast, to=@mesh<x>[1, 2]{"}"}, groups={{0},{1,2}},
  on={true,false}, backend_config={"a":["}", {"b":1}]}, replica_groups=[2,4]<=[4,2]T(1,0), note="a \"b\" ,c",
  metadata={op_name="f/g" source_line=3}, frontend_attributes={k="v",_x.y={foo = 1}}"#,
        r#"ENTRY %entry {
  %p = f32[8]{0} parameter(0), sharding={devices=[2,4]<=[8] last_tile_dim_replicate}, origin={{"p"}}
  ROOT %x = (f32[8]{0}, u32[]) warp-drive(%p, %p), speed=9.5, mode=fast, to=@mesh<x>[1, 2]{"}"}, groups={{0},{1,2}}, on={true,false}, backend_config={"a":["}", {"b":1}]}, replica_groups=[2,4]<=[4,2]T(1,0), note="a \"b\" ,c", metadata={op_name="f/g" source_line=3}, frontend_attributes={k="v",_x.y={foo = 1}}
}"#,
    );
}

#[test]
fn attributes_have_the_form_that_their_text_has() {
    let module = read(
        r#"x = f32[] no-op(), a=-3, b=true, c=kLoop, d="s", e={1,2}, f={x, y}, g={{0,1},{2}}, h=2.5, i={[0:1]}, j={}"#,
    );
    let entry = &module[module.entry()];
    let forms: Vec<_> = entry[entry.root()]
        .attributes()
        .iter()
        .map(|attribute| attribute.value().clone())
        .collect();
    assert_eq!(
        forms,
        [
            AttributeValue::Integer(-3),
            AttributeValue::Boolean(true),
            AttributeValue::Word("kLoop".into()),
            AttributeValue::String("s".into()),
            AttributeValue::Integers(vec![1, 2]),
            AttributeValue::Words(vec!["x".into(), "y".into()]),
            AttributeValue::Groups(vec![vec![0, 1], vec![2]]),
            AttributeValue::Text("2.5".into()),
            AttributeValue::Text("{[0:1]}".into()),
            AttributeValue::Integers(vec![]),
        ]
    );
}

#[test]
fn attributes_of_a_form_that_is_not_known_are_kept_as_text() {
    #[track_caller]
    fn check(attributes: &str, unread: &[(&str, &str)]) {
        let text = format!("p = f32[8] parameter(0)\nr = f32[8] all-reduce(p){attributes}\n");
        // The text after it is parsed as before, even on one line.
        for follower in ["s = f32[8] negate(r)", "ROOT s = f32[8] negate(r)"] {
            for text in [format!("{text}{follower}"), format!("{} {follower}", text.trim_end())] {
                let module = read(&text);
                let entry = &module[module.entry()];
                assert_eq!(entry.instructions().count(), 3, "{text}");
                let (_, reduced) = entry.instructions().nth(1).expect("an instruction");
                let found: Vec<_> = reduced
                    .attributes()
                    .unread()
                    .map(|attribute| match attribute.value() {
                        AttributeValue::Unread(text) => (attribute.name(), &**text),
                        other => panic!("{other:?}"),
                    })
                    .collect();
                assert_eq!(found, unread, "{text}");
                let printed = module.to_string();
                assert_eq!(read(&printed).to_string(), printed, "{text}");
                for (name, value) in unread {
                    assert!(printed.contains(&format!("{name}={value}")), "{printed}");
                }
            }
        }
    }
    let mesh = "ring['axis_0'=2,'axis_1'=2] {'axis_1'}";
    check(&format!(", replica_groups={mesh}, to_apply=add"), &[("replica_groups", mesh)]);
    check(&format!(", replica_groups={mesh}"), &[("replica_groups", mesh)]);
    let mesh = "mesh['x'=4] device_ids=([4]<=[2,2]T(1,0)) {'y'}";
    check(&format!(", replica_groups={mesh}, channel_id=1"), &[("replica_groups", mesh)]);
    check(
        ", replica_groups=mesh['x'=4], device_ids=(3,1,0,2) {'x':(3)2}, channel_id=1",
        &[("replica_groups", "mesh['x'=4]"), ("device_ids", "(3,1,0,2) {'x':(3)2}")],
    );
    check(", to_apply=1 2, channel_id=1", &[("to_apply", "1 2")]);
    check(", level=1,2,three", &[("level", "1,2,three")]);
    // These parse, or are kept as text of free form.
    check(", replica_groups={{0,1}}, a={x}, sharding={devices=[2]<=[2]}, b=2.5", &[]);
    check(", replica_groups=mesh['axis_0'=2,'axis_1'=2] {'axis_1'}, to_apply=add", &[]);
    check(", select=3, calls={1}, branch_computations=x, called_computations={{0}}", &[]);
    check(", literal=s32[] 1", &[]);
    check(", literal=f32[2,2] { {1, 2}, {3, 4} }, a=1", &[]);
    check(", literal=(s32[], f32[2]) ( 1, {2, 3} ), a=1", &[]);
}

#[test]
fn computations_may_have_attributes_and_async_shapes() {
    check(
        r#"HloModule m, is_scheduled=true, input_output_alias={ {0}: (0, {}, may-alias) }

%w (p: (f32[8], u32[]{:S(2)})) -> (f32[8], u32[]{:S(2)}) {
  ROOT %p = (f32[8]{0:T(256)}, u32[]{:S(2)}) parameter(0) // a comment
}, execution_thread="host"

ENTRY %e (q: (f32[8], u32[])) -> () {
  %q = (f32[8]{0}, u32[]) parameter(0)
  %s = ((f32[8]{0}, u32[]), (), token[]) async-start(%q), calls=%w
  ROOT %t = () tuple()
}"#,
        r#"HloModule m, is_scheduled=true, input_output_alias={ {0}: (0, {}, may-alias) }

%w (p: (f32[8], u32[]{:S(2)})) -> (f32[8], u32[]{:S(2)}) {
  ROOT %p = (f32[8]{0:T(256)}, u32[]{:S(2)}) parameter(0)
}, execution_thread="host"

ENTRY %e (q: (f32[8], u32[])) -> () {
  %q = (f32[8]{0}, u32[]) parameter(0)
  %s = ((f32[8]{0}, u32[]), (), token[]) async-start(%q), calls=%w
  ROOT %t = () tuple()
}"#,
    );
}

#[test]
fn literals_are_kept_and_integers_understood() {
    let module = read(
        "a = s32[2,2] constant({ { 1, 2 }, { /*i0=1*/ -3, 4 } })
b = f32[2] constant({inf, -nan})
c = f32[1000] constant({...})
d = pred[] constant(false)
e = (s32[], f32[]) constant((1, 2.5))
f = s32[3] constant({1, 2})
ROOT t = () tuple()",
    );
    let entry = &module[module.entry()];
    let integers = |name: &str| {
        let id = entry.instruction_named(name).unwrap();
        entry[id].constant_integers()
    };
    assert_eq!(integers("a"), Ok(Some(vec![1, 2, -3, 4])));
    assert_eq!(integers("b"), Ok(None));
    assert_eq!(integers("c"), Ok(None));
    assert_eq!(integers("d"), Ok(Some(vec![0])));
    assert_eq!(integers("e"), Ok(None));
    assert_eq!(
        integers("f").unwrap_err().message,
        "the constant has 2 values, but its shape has 3 elements"
    );
}
