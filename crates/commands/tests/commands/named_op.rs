//! `op` with named sizes: with values bound to the names, its maps are those of the same op with these numbers.

use crate::support::talk::Talk;
use affinor::expr::{IndexingMap, VariableKind};
use affinor::text::{parse_map, parse_symbolic_expr};
use affinor_commands::Failure;
use serde_json::Value;
use std::collections::BTreeSet;

/// Ops, and chains of ops, over the sizes `n`, `m` and `k`.
const OPS: &[&str] = &[
    "reshape f32[n,m] -> f32[n*m]",
    "reshape f32[n*m] -> f32[n,m]",
    "reshape f32[n,m*k] -> f32[n*m,k]",
    "reshape f32[n,m*k] -> f32[n,k,m]",
    "reshape f32[m,n,k] -> f32[k,m*n]",
    "reshape f32[n,1,m] -> f32[1,n,m,1]",
    "reshape f32[n,m] -> f32[k]",
    "reshape f32[n,m] -> f32[k,2]",
    "reshape f32[n] -> f32[m]",
    "reshape f32[n,2*m] -> f32[2*n,m]",
    "reshape f32[n,4] -> f32[n floordiv 2,8]",
    "reshape f32[n,4] -> f32[cdiv(n, 2),8]",
    "reshape f32[n-1,m] -> f32[m,n-1]",
    "reshape f32[(n-1)*m] -> f32[n-1,m]",
    "bitcast f32[n,m] -> f32[n*m]",
    "transpose f32[n,3,k] {2,0,1}",
    "transpose f32[n,m] {1,0} -> f32[k,n]",
    "reverse f32[n,m] {1}",
    "reverse f32[n,m*2] {0,1}",
    "broadcast f32[n] {1} -> f32[m,n]",
    "broadcast f32[n,m] {2,0} -> f32[m,k,n]",
    "broadcast f32[] {} -> f32[n,m]",
    "broadcast f32[n] {0} -> f32[m,3]",
    "slice f32[n] [1:n]",
    "slice f32[n,m] [0:n:2],[k:m]",
    "slice f32[4*n] [0:m:k]",
    "slice f32[n] slice={[0:n-1]}",
    "concatenate f32[n,3] f32[m,3] {0}",
    "concatenate f32[2,n] f32[2,m] f32[2,k-1] {1}",
    "concatenate f32[n,m] f32[k,3] {0}",
    "pad f32[n] 1_2",
    "pad f32[n,m] 1_0_1x-1_2",
    "pad f32[n] -2_-1_2",
    "pad f32[n] f32[] 0_3_1",
    "reduce f32[n,m] {1}",
    "reduce f32[n,m,k] {0,2}",
    "dot f32[n,k] f32[k,m] lhs_contracting_dims={1} rhs_contracting_dims={0}",
    "dot f32[2,n,k] f32[m,2,3] lhs_batch_dims={0} rhs_batch_dims={1} lhs_contracting_dims={2} rhs_contracting_dims={0}",
    "add f32[n,m] f32[n,m]",
    "add f32[n] f32[m]",
    "compare f32[n,2] f32[n,2] direction=LT",
    "select pred[] f32[n] f32[n]",
    "clamp f32[] f32[n] f32[n]",
    "copy f32[n]",
    "convert f32[n] -> bf16[n]",
    "iota -> f32[n]",
    "reshape f32[n,m] -> f32[n*m] | reshape -> f32[n,m]",
    "transpose f32[n,m] {1,0} | reshape -> f32[n*m] | slice [0:n]",
    "pad f32[n] 1_1 | slice [1:n+1]",
    "transpose f32[n,m] {1,0} | add f32[m,n] | reduce {0}",
    "concatenate f32[n] f32[m] {0} | reverse {0}",
    "reduce f32[n,m] {1} | broadcast {1} -> f32[k,n]",
    "dot f32[n,k] f32[k,m] lhs_contracting_dims={1} rhs_contracting_dims={0} | reverse {1}",
    "reshape f32[n,m] -> f32[n*m] | reshape -> f32[k,2]",
];

/// Writes the op with values in place of the names.
fn with_numbers(op: &str, values: &[i64; 3]) -> String {
    let (mut text, mut rest) = (String::new(), op);
    while let Some(open) = rest.find('[') {
        let close = open + rest[open..].find(']').expect("a closing bracket");
        let evaluated = |part: &str| {
            let expr = parse_symbolic_expr(part, &["n", "m", "k"]).expect(part);
            expr.eval(values).expect(part).to_string()
        };
        let inside = rest[open + 1..close].replace("cdiv(n, 2)", "(n ceildiv 2)");
        text += &rest[..=open];
        for (k, size) in inside.split(',').filter(|size| !size.is_empty()).enumerate() {
            let ends: Vec<String> = size.split(':').map(evaluated).collect();
            text += if k == 0 { "" } else { "," };
            text += &ends.join(":");
        }
        text.push(']');
        rest = &rest[close + 1..];
    }
    text + rest
}

/// Returns the maps of an answer, with the numbers of their operands or inputs.
fn maps(answer: &Value) -> Vec<(u64, IndexingMap)> {
    let mut maps = Vec::new();
    for entry in answer["results"].as_array().expect("results") {
        let number = entry["operand"].as_u64().or(entry["parameter"].as_u64());
        for map in entry["maps"].as_array().expect("maps") {
            assert_eq!(map["exact"], true, "{answer}");
            let map = parse_map(map["map"].as_str().expect("a map"));
            maps.push((number.expect("a number"), map.expect("it reads back")));
        }
    }
    maps
}

/// Binds the values of the map's parameters.
fn bound(map: &IndexingMap, values: &[i64; 3]) -> IndexingMap {
    let domain = map.domain();
    let value = |id| {
        let name = &*domain.variables()[affinor::expr::VariableId::index(id)].name;
        let place = ["n", "m", "k"].iter().position(|known| *known == name);
        (id, values[place.expect("a known name")])
    };
    let values: Vec<_> = domain.ids(VariableKind::Parameter).map(value).collect();
    map.bound(&values).expect("it is representable")
}

/// An index of the result, the number of an operand, and the operand's index that is read.
type Read = (Vec<i64>, u64, Vec<i64>);

/// Returns the reads of maps for dimensions from 0 to `sizes` and range variables in `[0, most]`.
fn read(maps: &[(u64, IndexingMap)], sizes: &[i64], most: i64) -> BTreeSet<Read> {
    let mut reads = BTreeSet::new();
    for (operand, map) in maps {
        let domain = map.domain();
        assert_eq!(domain.count(VariableKind::Dimension), sizes.len(), "{map}");
        let ranges = domain.count(VariableKind::Range);
        let ends: Vec<i64> = sizes.iter().copied().chain((0..ranges).map(|_| most)).collect();
        let mut point = vec![0; ends.len()];
        loop {
            if domain.contains(&point) == Ok(true) {
                let index = map.eval(&point).expect("a value");
                reads.insert((point[..sizes.len()].to_vec(), *operand, index));
            }
            let Some(place) = (0..ends.len()).rev().find(|k| point[*k] < ends[*k]) else {
                break;
            };
            point[place] += 1;
            point[place + 1..].fill(0);
        }
    }
    reads
}

/// Returns the sizes of the result in an answer about an op with numbers.
fn sizes(answer: &Value) -> Vec<i64> {
    let stages = answer["stages"].as_array();
    let last = stages.and_then(|stages| stages.last()).unwrap_or(answer);
    let shape = last["shape"].as_str().expect("a shape");
    let inside = &shape[shape.find('[').expect("[") + 1..shape.find(']').expect("]")];
    let sizes = inside.split(',').filter(|size| !size.is_empty());
    sizes.map(|size| size.parse().expect("a size")).collect()
}

/// Compares an op with names with the op with numbers; returns whether the latter is valid.
#[track_caller]
fn compare(talk: &mut Talk, op: &str, values: &[i64; 3], options: &str) -> bool {
    let named = maps(&talk.object(&format!("op {op} {options}")));
    let named: Vec<(u64, IndexingMap)> =
        named.iter().map(|(operand, map)| (*operand, bound(map, values))).collect();
    let number = with_numbers(op, values);
    talk.host.outputs.clear();
    let result: Result<_, Failure> = talk.session.run(&format!("op {number}"), &mut talk.host);
    if result.is_err() {
        for (_, map) in &named {
            let ends = vec![9; map.domain().count(VariableKind::Dimension)];
            let found = read(&[(0, map.clone())], &ends, 9);
            assert!(found.is_empty(), "{op} at {values:?} is not an op, and {map} reads {found:?}");
        }
        return false;
    }
    let output = talk.host.outputs.first().expect("an answer");
    let answer = Value::from(output.json.clone().expect("an object"));
    let sizes = sizes(&answer);
    let most = 16;
    let expected = read(&maps(&answer), &sizes, most);
    assert_eq!(read(&named, &sizes, most), expected, "{op} {options} at {values:?}, as {number}");
    true
}

#[test]
fn with_values_the_maps_are_those_of_the_op_with_numbers() {
    let mut talk = Talk::default();
    let mut random = 0x5eed_u64;
    for op in OPS {
        let mut compared = 0;
        // Sizes that an op requires to be equal rarely are at random: such values are tried in order.
        for round in 0..60 {
            let mut value = |most: u64| {
                random =
                    random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
                (random >> 33) as i64 % most as i64 + 1
            };
            let values = match round < 6 {
                true => [value(4), value(4), value(4)],
                false => [1 + round % 4, 1 + round / 4 % 4, 1 + round / 16],
            };
            compared += usize::from(compare(&mut talk, op, &values, ""));
            if compared >= 5 {
                break;
            }
        }
        assert!(compared >= 3, "{op}: compared at {compared} settings of its sizes");
        compare(&mut talk, op, &[3, 2, 2], "--no-simplify");
    }
}

#[test]
fn a_requirement_is_a_constraint_and_more_can_be_said() {
    let mut talk = Talk::default();
    let mut check = |op: &str, map: &str| {
        let object = talk.object(&format!("op {op}"));
        assert_eq!(object["results"][0]["maps"][0]["map"], map, "{op}");
    };
    check(
        "reshape f32[n,m] -> f32[n*m]",
        "<n, m>(d0) -> (d0 floordiv m, d0 mod m), domain: n in [1, inf], m in [1, inf], d0 in [0, n * m - 1]",
    );
    check(
        "add f32[n] f32[m]",
        "<n, m>(d0) -> (d0), domain: n in [1, inf], m in [1, inf], d0 in [0, n - 1], n - m in [0, 0]",
    );
    check(
        "reshape f32[n,4] -> f32[n floordiv 2,8], domain: n mod 2 in [0, 0], n in [4, inf]",
        "<n>(d0, d1) -> (d0 * 2 + d1 floordiv 4, d1 mod 4), domain: n in [4, inf], d0 in [0, n floordiv 2 - 1], \
         d1 in [0, 7], n mod 2 in [0, 0]",
    );
    check(
        "reshape f32[n*m] -> f32[n,m] | reshape -> f32[n*m]",
        "<n, m>(d0) -> (d0), domain: n in [1, inf], m in [1, inf], d0 in [0, n * m - 1]",
    );
    // A generated variable does not take the name of a size.
    check(
        "transpose f32[d0,s0] {1,0}",
        "<d0, s0>(d1, d2) -> (d2, d1), domain: d0 in [1, inf], s0 in [1, inf], d1 in [0, s0 - 1], d2 in [0, d0 - 1]",
    );
    // The answer is the last map, and its names can be bound.
    talk.say("op reshape f32[n,m] -> f32[n*m]");
    assert_eq!(
        talk.say("bind n = 2, m = 3"),
        "(d0) -> (d0 floordiv 3, d0 mod 3), domain: d0 in [0, 5]"
    );
}

#[test]
fn what_is_wrong_is_said_where_it_is() {
    let mut talk = Talk::default();
    let mut check = |line: &str, marked: &str, message: &str| {
        let result = talk.session.run(line, &mut talk.host);
        let error = result.expect_err(line).error;
        let span = error.span.clone().unwrap_or_default();
        assert_eq!((&line[span], error.message.as_str()), (marked, message), "{line}");
    };
    check(
        "op reshape f32[n] -> f32[n+1]",
        "reshape",
        "the number of elements: `n + 1 = n` holds for no sizes",
    );
    check(
        "op slice f32[n] [0:n+1]",
        "slice",
        "the slice of dimension 0: `n + 1 <= n` holds for no sizes",
    );
    check(
        "op transpose f32[n,mod] {1,0}",
        "mod",
        "expected a name, a number, `-` or `(`, found `mod`",
    );
    check(
        "op transpose f32[n,] {1,0}",
        "",
        "expected a name, a number, `-` or `(`, found the end of the text",
    );
    check(
        "op transpose f32[n m] {1,0}",
        "m",
        "expected an operator or the end of the expression, found `m`",
    );
    check(
        "op transpose f32[n,3]{1,0} {1,0}",
        "f32[n,3]{1,0}",
        "expected a type and sizes, without a layout, found `f32[n,3]{1,0}`",
    );
    check("op transpose f33[n,3] {1,0}", "f33[n,3]", "unknown element type `f33`");
    check("op copy (f32[n], f32[2])", "(f32[n], f32[2])", "a tuple has no sizes with names");
    check("op copy f32[n], domain: q in [0, 3]", "q", "unknown variable `q`");
    check("op copy f32[n] domain n in [2, 3]", "domain", "expected `:` after `domain`");
    check(
        "op copy f32[n // (m - 1)]",
        "(m - 1)",
        "the divisor `m - 1` is not known to be positive",
    );
    check("op copy f32[cdiv(n)]", "cdiv(n)", "`cdiv` needs two operands");
    check("op reshape f32[n]", "reshape", "`reshape` needs `-> SHAPE`");
    check("op transpose f32[n,m]", "transpose", "`transpose` needs `dimensions=..`");
    check("op transpose f32[n,3] {1,x}", "x", "expected an integer, found `x`");
    check("op slice f32[n] [0:n:1:1]", "[0:n:1:1]", "expected an interval such as `[0:n:2]`");
    check(
        "op transpose f32[n] {0} -> f32[n,1]",
        "transpose",
        "expected 1 dimension(s) for the result, found 2",
    );
    check(
        "op convert f32[n]",
        "convert",
        "`convert` needs `-> SHAPE`: its operands and attributes do not imply the shape, or do not match",
    );
    check(
        "op gather f32[n] s32[2] start_index_map={0} index_vector_dim=1 slice_sizes={1}",
        "gather",
        "no map of `gather` with names as sizes is known: offsets known only at run time are forced into intervals, \
         whose ends are numbers",
    );
    check(
        "op sort f32[n] {0}",
        "sort",
        "no map of `sort` with names as sizes is known: its map is derived for numbers only",
    );
    check("op copy f32[n] --check", "op", "`--check` judges maps with numbers as sizes");
    check("op copy f32[n] --explain", "op", "`--explain` explains maps with numbers as sizes");
    check(
        "op copy f32[n] --direction input-to-output",
        "op",
        "maps from the operands to the output have numbers as sizes",
    );
}
