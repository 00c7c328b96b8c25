//! Maps are proved against definitions, and maps that were made wrong are not.
//!
//! Each program is small enough to evaluate its maps at every element of the output, for some values of the
//! tensors that steer what is read. A mutant that then differs from the right maps must be refuted, and with an
//! element on which both disagree. Mutants differ in a stride, a constant, a bound, a clamp, a source, a constraint,
//! the order of results, or a whole map.

use affinor::agreement::{Judgement, judge};
use affinor::definition::{Definitions, NoDefinition};
use affinor::expr::{Expr, VariableId};
use affinor::hlo;
use affinor::indexing::{Analysis, Exactness, OperandMap, OperandReads, Reads, ValueSource};
use affinor::interval::Interval;
use affinor::map::{Domain, IndexingMap, VariableKind};
use affinor::prove::Budget;
use std::collections::BTreeSet;

const PROGRAMS: &[&str] = &[
    "p = f32[4,3] parameter(0) \n r = f32[4,3] negate(p)",
    "p = pred[] parameter(0) \n q = f32[4] parameter(1) \n r = f32[4] select(p, q, q)",
    "p = f32[9,4] parameter(0) \n r = f32[4,2] slice(p), slice={[1:9:2], [1:3]}",
    "p = f32[5,4] parameter(0) \n r = f32[5,4] reverse(p), dimensions={0}",
    "p = f32[3,4,2] parameter(0) \n r = f32[4,2,3] transpose(p), dimensions={1,2,0}",
    "p = f32[4] parameter(0) \n r = f32[3,4,2] broadcast(p), dimensions={1}",
    "p = f32[3,2] parameter(0) \n q = f32[2,2] parameter(1) \n r = f32[5,2] concatenate(p, q), dimensions={0}",
    "p = f32[4] parameter(0) \n v = f32[] parameter(1) \n r = f32[12] pad(p, v), padding=3_-1_2",
    "p = f32[4,6] parameter(0) \n r = f32[8,3] reshape(p)",
    "p = f32[4,6] parameter(0) \n r = f32[3,8] reshape(p)",
    "p = f32[4,6]{1,0} parameter(0) \n r = f32[6,4]{0,1} bitcast(p)",
    "p = f32[4,6]{1,0:T(2,2)} parameter(0) \n r = f32[24] bitcast(p)",
    "p = f32[3,5]{1,0:T(2,2)} parameter(0) \n r = f32[24] bitcast(p)",
    "p = f32[24] parameter(0) \n r = f32[3,5]{0,1:T(2,2)} bitcast(p)",
    "p = f32[2,3,2]{2,1,0:T(*,2)} parameter(0) \n r = f32[3,4]{1,0:T(4)} bitcast(p)",
    "p = bf16[4,4]{1,0:T(2,2)(2,1)} parameter(0) \n r = u32[2,4] bitcast(p)",
    "p = u32[3,3]{1,0:T(2,2)} parameter(0) \n r = s16[4,8]{1,0:T(2)} bitcast(p)",
    "p = s8[6] parameter(0) \n r = s4[12]{0:E(4)} bitcast(p)",
    "p = s16[4] parameter(0) \n r = s32[1]{0:M(4)} bitcast(p)",
    "p = f32[4,3] parameter(0) \n i = f32[] parameter(1) \n r = f32[4] reduce(p, i), dimensions={1}, to_apply=add",
    "p = f32[2,3,4] parameter(0) \n q = f32[2,4,5] parameter(1) \n r = f32[2,3,5] dot(p, q), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={1}",
    "p = f32[7] parameter(0) \n i = f32[] parameter(1) \n r = f32[5] reduce-window(p, i), window={size=3 stride=2 pad=2_2}, to_apply=add",
    "p = f32[1,5,4] parameter(0) \n k = f32[3,2,6] parameter(1) \n r = f32[1,5,6] convolution(p, k), window={size=3 pad=1_1 rhs_reversal=1}, dim_labels=b0f_0io->b0f, feature_group_count=2",
    "p = f32[1,4,2] parameter(0) \n k = f32[3,2,2] parameter(1) \n r = f32[1,7,2] convolution(p, k), window={size=3 pad=1_1 lhs_dilate=2}, dim_labels=b0f_0io->b0f",
    "p = f32[6,4] parameter(0) \n a = s32[] parameter(1) \n b = s32[] parameter(2) \n r = f32[3,4] dynamic-slice(p, a, b), dynamic_slice_sizes={3,4}",
    "p = f32[6,4] parameter(0) \n u = f32[2,3] parameter(1) \n a = s32[] parameter(2) \n b = s32[] parameter(3) \n r = f32[6,4] dynamic-update-slice(p, u, a, b)",
    "p = f32[6,4] parameter(0) \n i = s32[3,1] parameter(1) \n r = f32[3,2,4] gather(p, i), offset_dims={1,2}, collapsed_slice_dims={}, start_index_map={0}, index_vector_dim=1, slice_sizes={2,4}",
    "p = f32[2,5] parameter(0) \n i = s32[2,1] parameter(1) \n r = f32[2,3] gather(p, i), offset_dims={1}, collapsed_slice_dims={}, start_index_map={1}, operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=1, slice_sizes={1,3}",
    "a = f32[] parameter(0) \n p = f32[4] parameter(1) \n b = f32[] parameter(2) \n r = f32[4] clamp(a, p, b)",
    "p = f32[3,2] parameter(0) \n r = f32[3,2] copy(p)",
    "p = u8[3,4] parameter(0) \n r = u32[3] bitcast-convert(p)",
    "p = u32[3] parameter(0) \n r = u16[3,2] bitcast-convert(p)",
    "p = f32[4,6] parameter(0) \n r = c64[4,4] fft(p), fft_type=RFFT, fft_length={6}",
    "p = f32[4,3] parameter(0) \n s = f32[3] parameter(1) \n o = f32[3] parameter(2) \n m = f32[3] parameter(3) \n v = f32[3] parameter(4) \n r = f32[4,3] batch-norm-inference(p, s, o, m, v), epsilon=0.001, feature_index=1",
    "p = f32[4,2,1] parameter(0) \n k = f32[1,1,6] parameter(1) \n r = f32[2,2,6] convolution(p, k), window={size=1}, dim_labels=b0f_0io->b0f, batch_group_count=2",
    "p = f32[5] parameter(0) \n i = f32[] parameter(1) \n r = f32[4] reduce-window(p, i), window={size=2 stride=2 pad=-1_2 lhs_dilate=2 rhs_dilate=2}, to_apply=add",
    "p = f32[6] parameter(0) \n s = f32[3] parameter(1) \n v = f32[] parameter(2) \n r = f32[6] select-and-scatter(p, s, v), window={size=2 stride=2}, select=ge, scatter=add",
    "p = f32[5] parameter(0) \n s = f32[3] parameter(1) \n v = f32[] parameter(2) \n r = f32[5] select-and-scatter(p, s, v), window={size=3 stride=2 pad=1_1}, select=ge, scatter=add",
    "p = f32[6] parameter(0) \n i = s32[2,1] parameter(1) \n u = f32[2,3] parameter(2) \n r = f32[6] scatter(p, i, u), update_window_dims={1}, inserted_window_dims={}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add",
    "HloModule m \n less { a = f32[] parameter(0) \n b = f32[] parameter(1) \n ROOT c = pred[] compare(a, b), direction=LT } \n ENTRY e { p = f32[4,3] parameter(0) \n ROOT r = f32[4,3] sort(p), dimensions={1}, to_apply=less }",
    "HloModule m \n minus { a = f32[] parameter(0) \n ROOT n = f32[] negate(a) } \n ENTRY e { p = f32[4,3] parameter(0) \n ROOT r = f32[4,3] map(p), dimensions={0,1}, to_apply=minus }",
    // Counted: the counter, a bound that is passed on, a sum, rows of a table, an element moved along.
    "HloModule m \n body { t = (s32[], s32[], f32[2], f32[3,2], f32[4]) parameter(0) \n i = s32[] get-tuple-element(t), index=0 \n n = s32[] get-tuple-element(t), index=1 \n a = f32[2] get-tuple-element(t), index=2 \n x = f32[3,2] get-tuple-element(t), index=3 \n v = f32[4] get-tuple-element(t), index=4 \n one = s32[] constant(1) \n zero = s32[] constant(0) \n j = s32[] add(i, one) \n r = f32[1,2] dynamic-slice(x, i, zero), dynamic_slice_sizes={1,2} \n q = f32[2] reshape(r) \n b = f32[2] add(a, q) \n h = f32[3] slice(v), slice={[1:4]} \n l = f32[1] slice(v), slice={[0:1]} \n w = f32[4] concatenate(h, l), dimensions={0} \n ROOT o = (s32[], s32[], f32[2], f32[3,2], f32[4]) tuple(j, n, b, x, w) } \n test { t = (s32[], s32[], f32[2], f32[3,2], f32[4]) parameter(0) \n i = s32[] get-tuple-element(t), index=0 \n n = s32[] get-tuple-element(t), index=1 \n ROOT c = pred[] compare(i, n), direction=LT } \n ENTRY e { t = (s32[], s32[], f32[2], f32[3,2], f32[4]) parameter(0) \n ROOT w = (s32[], s32[], f32[2], f32[3,2], f32[4]) while(t), condition=test, body=body }",
    "t = (f32[4], f32[3]) parameter(0) \n r = f32[3] get-tuple-element(t), index=1",
    "p = f32[4,2] parameter(0) \n r = f32[4,2] all-reduce(p), replica_groups={{0,1}}, to_apply=add",
    "p = f32[3,2] parameter(0) \n r = f32[6,2] all-gather(p), replica_groups={{0,1}}, dimensions={0}",
    "p = f32[6,2] parameter(0) \n r = f32[3,2] reduce-scatter(p), replica_groups={{0,1}}, dimensions={0}, to_apply=add",
    "p = f32[4] parameter(0) \n r = f32[4] collective-permute(p), source_target_pairs={{0,1},{1,0}}",
    "p = f32[6,2] parameter(0) \n r = f32[6,2] all-to-all(p), replica_groups={{0,1,2}}, dimensions={0}",
    "p = f32[6] parameter(0) \n r = f32[6] all-to-all(p), replica_groups={{0},{1}}, dimensions={0}",
    "p = f32[4] parameter(0) \n r = f32[4] all-to-all(p), dimensions={0}",
    "p = f32[2] parameter(0) \n q = f32[2] parameter(1) \n r = (f32[2], f32[2]) all-to-all(p, q), replica_groups={{0,1}}",
    "p = f32[3] parameter(0) \n r = f32[3] all-gather(p), replica_groups={{0}}, dimensions={0}",
    "a = f32[2,4,4] parameter(0) \n b = f32[2,4,3] parameter(1) \n r = f32[2,4,3] triangular-solve(a, b), left_side=true, lower=true, unit_diagonal=false, transpose_a=NO_TRANSPOSE",
    "a = f32[4,4] parameter(0) \n b = f32[4,2] parameter(1) \n r = f32[4,2] triangular-solve(a, b), left_side=true, lower=true, unit_diagonal=true, transpose_a=TRANSPOSE",
    "a = f32[4,4] parameter(0) \n b = f32[4,2] parameter(1) \n r = f32[4,2] triangular-solve(a, b), left_side=true, lower=false, unit_diagonal=false, transpose_a=NO_TRANSPOSE",
    "a = f32[4,4] parameter(0) \n b = f32[2,4] parameter(1) \n r = f32[2,4] triangular-solve(a, b), lower=true, transpose_a=NO_TRANSPOSE",
    "a = f32[4,4] parameter(0) \n b = f32[2,4] parameter(1) \n r = f32[2,4] triangular-solve(a, b), lower=false, unit_diagonal=true, transpose_a=ADJOINT",
    "a = f32[2,4,4] parameter(0) \n r = f32[2,4,4] cholesky(a), lower=true",
    "a = f32[4,4] parameter(0) \n r = f32[4,4] cholesky(a), lower=false",
    "p = f32[2,4] parameter(0) \n q = f32[4,6] parameter(1) \n s = f32[2,2] parameter(2) \n t = f32[4,2] parameter(3) \n r = f32[2,6] scaled-dot(p, q, s, t), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
    "p = f32[5,4] parameter(0) \n q = f32[3,4,2] parameter(1) \n g = s32[3] parameter(2) \n r = f32[5,2] ragged-dot(p, q, g), lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}",
    "lo = f32[] parameter(0) \n hi = f32[] parameter(1) \n r = f32[3] rng(lo, hi), distribution=rng_uniform",
    "p = f32[3] parameter(0) \n r = (f32[3], f32[3], u32[]) copy-start(p)",
    "p = f32[3] parameter(0) \n s = (f32[3], f32[3], u32[]) copy-start(p) \n r = f32[3] copy-done(s)",
    "p = f32[3] parameter(0) \n r = f32[3] all-reduce-start(p), replica_groups={{0,1}}, to_apply=add",
];

/// Instructions of a program with what they read.
fn analysed(
    text: &str,
    check: impl FnOnce(&mut Definitions<'_>, &hlo::module::Computation, &[OperandReads]),
) {
    let module = hlo::read(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"));
    let entry = module.entry();
    let reads = Analysis::new(&module, &|map| map.clone()).instruction(entry, module[entry].root());
    let reads = reads.unwrap_or_else(|error| panic!("{text}: {error}"));
    check(&mut Definitions::new(&module), &module[entry], &reads);
}

fn judged(
    definitions: &mut Definitions<'_>,
    body: &hlo::module::Computation,
    reads: &[OperandReads],
) -> Vec<Option<Judgement>> {
    judge(
        definitions,
        body,
        &body[body.root()],
        reads,
        &Budget::default(),
    )
    .expect("a valid op")
}

#[test]
fn maps_are_proved() {
    for text in PROGRAMS {
        analysed(text, |definitions, body, reads| {
            for (entry, judgement) in reads.iter().zip(judged(definitions, body, reads)) {
                if entry.reads.maps().is_some() {
                    assert_eq!(judgement, Some(Judgement::Proved), "{text}: {entry:?}");
                }
            }
        });
    }
}

/// Large ones, whose elements cannot be tried one by one.
#[test]
fn tiled_bitcasts_are_proved() {
    let mut open = Vec::new();
    for (result, operand) in [
        ("f32[2,8,128]{2,1,0:T(8,128)}", "f32[16,128]{1,0:T(8,128)}"),
        ("f32[4,4,256]{2,1,0:T(4,128)}", "f32[16,256]{1,0:T(8,128)}"),
        ("f32[2048]{0:T(1024)}", "f32[16,128]{1,0:T(8,128)}"),
        ("f32[1024]{0:T(1024)}", "f32[5,128]{1,0:T(8,128)}"),
        ("f32[80,100]{1,0:T(8,128)}", "f32[10,8,100]{2,1,0:T(8,128)}"),
        ("f32[10240]", "f32[80,100]{1,0:T(8,128)}"),
        ("f32[80,100]{1,0:T(8,128)}", "f32[10240]"),
        ("bf16[65536]", "bf16[256,256]{1,0:T(8,128)(2,1)}"),
        (
            "bf16[256,256]{1,0:T(8,128)(2,1)}",
            "bf16[32,8,256]{2,1,0:T(8,128)(2,1)}",
        ),
        ("u32[32768]", "bf16[256,256]{1,0:T(8,128)(2,1)}"),
        ("bf16[65536]", "u32[32768]{0:T(1024)}"),
        ("s8[32,512]{1,0:T(8,128)(4,1)}", "s8[16384]"),
        ("pred[256,128]{1,0:T(32,128)(32,1)E(1)}", "u32[1024]"),
        ("f32[2000]", "f32[7,8,11,2]{3,2,1,0:T(*,*,*,1)L(1000)}"),
    ] {
        let text = format!("p = {operand} parameter(0) \n r = {result} bitcast(p)");
        analysed(&text, |definitions, body, reads| {
            let judgement = judged(definitions, body, reads).swap_remove(0);
            if judgement != Some(Judgement::Proved) {
                open.push(format!("{text}: {judgement:?}\n"));
            }
        });
    }
    assert!(open.is_empty(), "{}", open.concat());
}

/// Random layouts of few elements against all of the memory as one array, in both directions.
#[test]
fn random_tiled_bitcasts_are_proved() {
    let mut state = 1_u64;
    let mut pick = |count: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % count
    };
    let mut compared = 0;
    for _ in 0..120 {
        let rank = pick(4);
        let sizes: Vec<String> = (0..rank).map(|_| (1 + pick(6)).to_string()).collect();
        let mut order: Vec<String> = (0..rank).rev().map(|k| k.to_string()).collect();
        if rank > 1 {
            order.swap(0, pick(rank));
        }
        let tiles = [
            "T(2,2)",
            "T(3)",
            "T(2,4)(2,1)",
            "T(*,2)",
            "T(*,3)(2)",
            "T(4,2)L(8)",
            "T(1,2,2)",
            "M(4)",
        ];
        let (tile, name) = (tiles[pick(tiles.len())], ["f32", "bf16", "s8"][pick(3)]);
        let tiled = format!("{name}[{}]{{{}:{tile}}}", sizes.join(","), order.join(","));
        let shape = hlo::read_shape(&tiled).unwrap_or_else(|error| panic!("{tiled}: {error}"));
        let placement = affinor::memory::Placement::new(shape.as_array().expect("an array"));
        let bytes = placement.expect("a layout").physical_bytes().expect("few");
        let (plain, width) = [("u32", 4), ("s16", 2), ("u8", 1)][pick(3)];
        if bytes % width != 0 {
            continue;
        }
        let plain = format!("{plain}[{}]", bytes / width);
        for (result, operand) in [(&plain, &tiled), (&tiled, &plain)] {
            let text = format!("p = {operand} parameter(0) \n r = {result} bitcast(p)");
            analysed(&text, |definitions, body, reads| {
                let judgement = judged(definitions, body, reads).swap_remove(0);
                assert_eq!(judgement, Some(Judgement::Proved), "{text}: {reads:?}");
            });
            compared += 1;
        }
    }
    assert!(compared >= 160, "{compared}");
}

#[test]
fn fusions_are_proved_by_what_is_inside() {
    let text = "HloModule m\n\
        add { a = f32[] parameter(0) \n b = f32[] parameter(1) \n ROOT c = f32[] add(a, b) }\n\
        fused { p = f32[4,6] parameter(0) \n z = f32[] constant(0) \n s = f32[4] reduce(p, z), dimensions={1}, to_apply=add\n\
        b = f32[4,6] broadcast(s), dimensions={0} \n d = f32[4,6] divide(p, b) \n t = f32[6,4] transpose(d), dimensions={1,0}\n\
        ROOT r = f32[24] reshape(t) }\n\
        ENTRY e { p = f32[4,6] parameter(0) \n ROOT f = f32[24] fusion(p), kind=kLoop, calls=fused }";
    analysed(text, |definitions, body, reads| {
        assert_eq!(reads.len(), 1);
        let judgements = judged(definitions, body, reads);
        assert_eq!(judgements, [Some(Judgement::Proved)], "{reads:?}");
        // Without the way through the sum, or without the direct way, something is missing.
        let Reads::Maps(maps) = &reads[0].reads else {
            panic!("{reads:?}")
        };
        for left_out in 0..maps.len() {
            let mut fewer = maps.clone();
            fewer.remove(left_out);
            let fewer = OperandReads {
                reads: Reads::Maps(fewer),
                ..reads[0].clone()
            };
            let other = Reads::Maps(maps.clone());
            let differs = all_read(&fewer.reads, &[24]) != all_read(&other, &[24]);
            let judgements = judged(definitions, body, &[fewer]);
            assert_eq!(differs, judgements != [Some(Judgement::Proved)]);
        }
    });
}

/// What a set of maps reads at every element of the output, for some values of tensors.
fn all_read(reads: &Reads, sizes: &[i64]) -> Vec<BTreeSet<Vec<i64>>> {
    let maps = reads.maps().expect("maps");
    let mut all = Vec::new();
    for round in 0..12 {
        for d in indices(sizes) {
            let own = maps.iter().flat_map(|map| read_by(map, &d, round));
            all.push(own.collect());
        }
    }
    all
}

fn read_by(map: &OperandMap, d: &[i64], round: i64) -> BTreeSet<Vec<i64>> {
    let domain = map.map.domain();
    let mut found = BTreeSet::new();
    let ranges = domain.ids(VariableKind::Range).map(|id| domain.bounds(id));
    let ranges: Vec<Interval> = ranges.collect();
    let sizes: Vec<i64> = ranges.iter().map(|r| r.hi() - r.lo() + 1).collect();
    for s in indices(&sizes) {
        let s = s.iter().zip(&ranges).map(|(s, range)| s + range.lo());
        let mut point: Vec<i64> = d.iter().copied().chain(s).collect();
        point.resize(domain.variables().len(), 0);
        for runtime in &map.runtime {
            let index = runtime.index.iter().map(|x| x.eval(&point).expect("small"));
            let ValueSource::Operand { operand, .. } = runtime.source else {
                panic!("{runtime:?}")
            };
            let place = index.fold(operand as i64 * 31 + round * 7, |sum, k| sum * 13 + k * 5);
            let raw = (place * place + place).rem_euclid(11) - 3;
            point[runtime.variable.index()] = raw.min(runtime.clamp.hi()).max(runtime.clamp.lo());
        }
        if domain.contains(&point).expect("small") {
            found.insert(map.map.eval(&point).expect("small"));
        }
    }
    found
}

fn indices(sizes: &[i64]) -> Vec<Vec<i64>> {
    sizes.iter().fold(vec![Vec::new()], |all, size| {
        let longer = |index: &Vec<i64>| {
            let index = index.clone();
            (0..*size).map(move |k| [&index[..], &[k]].concat())
        };
        all.iter().flat_map(longer).collect()
    })
}

/// Wrong (or only different) versions of a map.
fn mutants(map: &OperandMap) -> Vec<OperandMap> {
    let (domain, results) = (map.map.domain(), map.map.results());
    let with = |domain: Domain, results: Vec<Expr>| OperandMap {
        map: IndexingMap::new(domain, results),
        ..map.clone()
    };
    let rebuilt = |number: Option<usize>, bounds: Option<Interval>, dropped: Option<usize>| {
        let mut variables = domain.variables().to_vec();
        if let (Some(number), Some(bounds)) = (number, bounds) {
            variables[number].bounds = bounds;
        }
        let mut other = Domain::new(variables);
        for (place, constraint) in domain.constraints().iter().enumerate() {
            if dropped != Some(place) {
                other.constrain(&constraint.expr, constraint.bounds);
            }
        }
        other
    };
    let mut mutants = Vec::new();
    for (place, result) in results.iter().enumerate() {
        for other in [
            Expr::sum(1, [(1, result.clone())]),
            Expr::sum(-1, [(1, result.clone())]),
            Expr::sum(0, [(2, result.clone())]),
            result.floordiv(2),
            Ok(Expr::constant(0)),
            Expr::sum(3, [(-1, result.clone())]),
        ] {
            let mut results = results.to_vec();
            results[place] = other.expect("small");
            mutants.push(with(domain.clone(), results));
        }
    }
    if let [first, second, ..] = results {
        let mut swapped = results.to_vec();
        (swapped[0], swapped[1]) = (second.clone(), first.clone());
        mutants.push(with(domain.clone(), swapped));
    }
    for (number, variable) in domain.variables().iter().enumerate() {
        let (lo, hi) = (variable.bounds.lo(), variable.bounds.hi());
        for bounds in [(lo + 1, hi), (lo, hi - 1), (lo, hi + 1), (lo - 1, hi)] {
            let is_range = variable.kind == VariableKind::Range;
            if bounds.0 <= bounds.1 && (is_range || lo <= bounds.0 && bounds.1 <= hi) {
                let bounds = Interval::new(bounds.0, bounds.1);
                mutants.push(with(
                    rebuilt(Some(number), Some(bounds), None),
                    results.to_vec(),
                ));
            }
        }
        let held = Expr::variable(VariableId(number as u32))
            .modulo(2)
            .expect("small");
        let mut halved = domain.clone();
        halved.constrain(&held, Interval::point(0));
        mutants.push(with(halved, results.to_vec()));
    }
    for (place, constraint) in domain.constraints().iter().enumerate() {
        mutants.push(with(rebuilt(None, None, Some(place)), results.to_vec()));
        let (lo, hi) = (constraint.bounds.lo(), constraint.bounds.hi());
        for (lo, hi) in [(lo - 1, hi), (lo + 1, hi), (lo, hi - 1), (lo, hi + 1)] {
            let mut other = rebuilt(None, None, Some(place));
            other.constrain(&constraint.expr, Interval::new(lo, hi));
            mutants.push(with(other, results.to_vec()));
        }
    }
    for number in 0..map.runtime.len() {
        let mut other = map.clone();
        let clamp = other.runtime[number].clamp;
        other.runtime[number].clamp = Interval::new(clamp.lo(), clamp.hi() - 1);
        mutants.push(other);
        let mut other = map.clone();
        if let ValueSource::Operand { operand, .. } = &mut other.runtime[number].source {
            *operand += 1;
        }
        mutants.push(other);
        for place in 0..map.runtime[number].index.len() {
            let mut other = map.clone();
            let index = &mut other.runtime[number].index[place];
            *index = Expr::sum(1, [(1, index.clone())]).expect("small");
            mutants.push(other);
        }
    }
    mutants
}

#[test]
fn wrong_maps_are_not_proved() {
    let (mut wrong, mut right) = (0, 0);
    let mut open = Vec::new();
    for text in PROGRAMS {
        analysed(text, |definitions, body, reads| {
            for (place, entry) in reads.iter().enumerate() {
                let part = body[body.root()].shape().at(&entry.output);
                let array = part.and_then(|part| part.as_array()).expect("an array");
                let sizes = array.sizes().expect("known sizes");
                let Reads::Maps(maps) = &entry.reads else {
                    continue;
                };
                let truth = all_read(&entry.reads, &sizes);
                let mut sets: Vec<Vec<OperandMap>> = Vec::new();
                for (number, map) in maps.iter().enumerate() {
                    let mut fewer = maps.clone();
                    fewer.remove(number);
                    sets.push(fewer);
                    for mutant in mutants(map) {
                        let mut other = maps.clone();
                        other[number] = mutant;
                        sets.push(other);
                    }
                }
                let is_exact = entry.reads.is_exact();
                for set in sets {
                    let read = all_read(&Reads::Maps(set.clone()), &sizes);
                    // What is said to be read at most may be more than what is read.
                    let differs = match is_exact {
                        true => read != truth,
                        false => truth
                            .iter()
                            .zip(&read)
                            .any(|(all, read)| !all.is_subset(read)),
                    };
                    let mut changed = reads.to_vec();
                    changed[place].reads = Reads::Maps(set.clone());
                    let judgement = judged(definitions, body, &changed).swap_remove(place);
                    if differs {
                        let is_proved = judgement == Some(Judgement::Proved);
                        assert!(!is_proved, "{text}: operand {} by {set:?}", entry.operand);
                        wrong += 1;
                        if !matches!(judgement, Some(Judgement::Refuted(_))) {
                            open.push(format!("{text}: {judgement:?} by {set:?}"));
                        }
                    } else {
                        let is_refuted = matches!(judgement, Some(Judgement::Refuted(_)));
                        let is_same = set.iter().all(|map| map.runtime.is_empty());
                        let is_wider = !is_exact && read != truth;
                        assert!(
                            !(is_refuted && is_same && !is_wider),
                            "{text}: {judgement:?} by {set:?}"
                        );
                        right += 1;
                    }
                }
            }
        });
    }
    assert!(
        wrong >= 1200 && right >= 100,
        "{wrong} wrong, {right} right"
    );
    assert!(open.is_empty(), "{}", open.join("\n"));
}

#[test]
fn at_most_needs_only_to_be_wide_enough() {
    let text = "p = f32[4,3] parameter(0) \n r = f32[4,3] negate(p)";
    analysed(text, |definitions, body, reads| {
        let mut wider = reads.to_vec();
        let Reads::Maps(maps) = &mut wider[0].reads else {
            panic!("{reads:?}")
        };
        let mut variables = maps[0].map.domain().variables().to_vec();
        let every = Interval::new(0, 2);
        variables.push(affinor::map::Variable::new(
            "s0",
            VariableKind::Range,
            every,
        ));
        let results = vec![Expr::variable(VariableId(0)), Expr::variable(VariableId(2))];
        maps[0].map = IndexingMap::new(Domain::new(variables), results);
        let judgement = judged(definitions, body, &wider).swap_remove(0);
        assert!(
            matches!(judgement, Some(Judgement::Refuted(_))),
            "{judgement:?}"
        );
        let Reads::Maps(maps) = &mut wider[0].reads else {
            panic!("{reads:?}")
        };
        maps[0].exactness = Exactness::AtMost {
            reason: "the whole row".into(),
        };
        let judgement = judged(definitions, body, &wider).swap_remove(0);
        assert_eq!(judgement, Some(Judgement::Proved));
    });
}

#[test]
fn what_contradicts_itself_has_no_definition() {
    for (text, expected) in [
        (
            "p = f32[4] parameter(0) \n r = f32[3,4] negate(p)",
            "the sizes of the result",
        ),
        (
            "p = f32[4] parameter(0) \n r = f32[4] transpose(p), dimensions={1}",
            "expected dimension numbers",
        ),
        (
            "p = f32[4] parameter(0) \n r = f32[4] broadcast(p), dimensions={}",
            "for each one",
        ),
        (
            "p = f32[4] parameter(0) \n r = f32[4] concatenate(p), dimensions={}",
            "one dimension",
        ),
        (
            "p = f32[4] parameter(0) \n a = s32[] parameter(1) \n r = f32[5] dynamic-slice(p, a), dynamic_slice_sizes={5}",
            "not be larger",
        ),
        (
            "p = f32[3,5]{1,0:T(2,2)} parameter(0) \n r = f32[15] bitcast(p)",
            "as many bytes",
        ),
        (
            "p = f32[4]{0:T(2,*)} parameter(0) \n r = f32[4] bitcast(p)",
            "none to be combined with",
        ),
        (
            "p = f32[4] parameter(0) \n r = f32[4] get-tuple-element(p), index=1",
            "no such part",
        ),
    ] {
        let module = hlo::read(text.as_bytes()).expect("a snippet");
        let body = &module[module.entry()];
        match affinor::definition::of(&module, body, &body[body.root()]) {
            Err(NoDefinition::Invalid(error)) => {
                assert!(error.message.contains(expected), "{text}: {error}");
                assert!(error.span.is_some(), "{text}");
            }
            other => panic!("{text}: {other:?}"),
        }
    }
}
