//! Maps over named sizes: they are proved for all sizes, and altered ones are not.

use affinor::expr::{Domain, Expr, IndexingMap, VariableKind};
use affinor::num::Interval;
use affinor::prove::Budget;
use affinor_compare::agreement::{Judgement, judge};
use affinor_definition::{NamedSizes, NoDefinition, of_named};
use affinor_hlo as hlo;
use affinor_ops::indexing::{Analysis, OperandMap, OperandReads, Reads};
use affinor_ops::open_sizes::OpenSizes;
use std::rc::Rc;

type Judged = Result<(Vec<OperandReads>, Vec<Option<Judgement>>), NoDefinition>;

/// Judges the reads of the root of `text`, or `altered` ones.
fn judged(text: &str, altered: Option<&[OperandReads]>) -> Judged {
    let module = hlo::read_text(text).unwrap_or_else(|error| panic!("{text}: {}", error.message));
    let plain = |map: &IndexingMap| map.clone();
    let open = OpenSizes::of(&module, &plain).unwrap_or_else(|| panic!("{text}: only numbers"));
    let (names, values, symbols) = open.given(module.entry()).expect("it has the entry");
    let sizes =
        NamedSizes { names: names.to_vec(), values: values.to_vec(), symbols: symbols.to_vec() };
    let mut analysis = Analysis::new(&module, &plain).with_open(Some(open.clone()));
    let body = &module[module.entry()];
    let reads = analysis.instruction(module.entry(), body.root());
    let reads = reads.unwrap_or_else(|error| panic!("{text}: {error:?}"));
    let reads = altered.map_or(reads, <[OperandReads]>::to_vec);
    let defined = of_named(&module, (body, body.root()), &sizes).map(Rc::new);
    let judgements = judge(&defined, &reads, &Budget::default());
    defined.map(|_| (reads, judgements))
}

const P: &str = "p = f32[?,3] parameter(0)\n q = f32[?,3] parameter(1)\n k = s64[] parameter(2)\n";

fn modules() -> Vec<String> {
    let stated = |shape: &str, config: &str| {
        format!(
            "r = {shape} custom-call(p, k), custom_call_target=\"linalg.generic\", backend_config={config}"
        )
    };
    let mut roots: Vec<String> = [
        "r = f32[3,?] transpose(p), dimensions={1,0}",
        "r = f32[?,3] reverse(p), dimensions={0,1}",
        "r = f32[?,3] add(p, q)",
        "r = f32[?,3] negate(p)",
        "r = f32[?,3] copy(p)",
        "r = f32[?,4,3] broadcast(p), dimensions={0,2}",
        "r = f32[?,3] concatenate(p, q, p), dimensions={0}",
        "r = f32[?,6] concatenate(p, q), dimensions={1}",
        "r = f32[1,2] slice(p), slice={[0:1],[1:3]}",
        "r = f32[?,?] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={1}",
        "r = f32[3,3] dot(p, q), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
        "r = f32[?] reshape(p)",
    ]
    .map(str::to_owned)
    .into();
    roots.extend([
        stated("f32[?]", "{\"points\":[null,3],\"result\":\"affine_map<(d0, d1) -> (d0)>\",\"reads\":[\"affine_map<(d0, d1) -> (d0, d1)>\",null]}"),
        stated("f32[?,2]", "{\"points\":[null,2],\"result\":\"affine_map<(d0, d1) -> (d0, d1)>\",\"reads\":[\"(d0, d1)[s0] -> (d0 * 2 + s0, d1 + 1), domain: d0 in [-inf, inf], d1 in [-inf, inf], s0 in [-inf, inf]\",null],\"symbols\":[1]}"),
        stated("f32[3]", "{\"points\":[3,[0,0]],\"result\":\"affine_map<(d0, d1) -> (d0)>\",\"reads\":[\"affine_map<(d0, d1) -> (d1, d0)>\",null]}"),
    ]);
    roots.into_iter().map(|root| format!("{P}{root}")).collect()
}

/// Returns maps that read other elements: the first index is one larger, or a bound by a name is one larger or missing.
fn alterations(map: &IndexingMap) -> Vec<IndexingMap> {
    let domain = map.domain();
    let mut all = Vec::new();
    if let Some((first, rest)) = map.results().split_first() {
        let larger = first.add(&Expr::constant(1)).expect("a small map");
        let results = std::iter::once(larger).chain(rest.iter().cloned()).collect();
        all.push(IndexingMap::new(domain.clone(), results));
    }
    for altered in 0..domain.constraints().len() {
        for is_dropped in [true, false] {
            let mut other = Domain::new(domain.variables().to_vec());
            for (k, constraint) in domain.constraints().iter().enumerate() {
                let (lo, hi) = (constraint.bounds.lo(), constraint.bounds.hi());
                let wider = |end: i64, by: i64| end.checked_add(by).unwrap_or(end);
                let bounds = match (k == altered, is_dropped) {
                    (true, true) => continue,
                    (true, false) if hi < i64::MAX => Interval::new(lo, wider(hi, -1)),
                    (true, false) => Interval::new(wider(lo, 1), hi),
                    _ => constraint.bounds,
                };
                other.constrain(&constraint.expr, bounds);
            }
            all.push(IndexingMap::new(other, map.results().to_vec()));
        }
    }
    all
}

/// Returns the elements that each element reads, for sizes from 1 to 4 and indices and other names from -2 to 9.
fn listed(map: &IndexingMap) -> Vec<(Vec<i64>, Vec<i64>)> {
    let domain = map.domain();
    let mut points = vec![Vec::new()];
    for variable in domain.variables() {
        let (lo, hi) = (variable.bounds.lo().max(-2), variable.bounds.hi());
        let most = if variable.kind == VariableKind::Parameter { 4 } else { 12 };
        let longer = |point: &Vec<i64>| {
            (lo..=hi.min(most)).map(|at| [&point[..], &[at]].concat()).collect::<Vec<_>>()
        };
        points = points.iter().flat_map(longer).collect();
    }
    points.retain(|point| domain.contains(point).expect("a small map"));
    let dimensions = domain.count(VariableKind::Dimension);
    let first = domain.ids(VariableKind::Parameter).next().map_or(0, |id| id.index());
    let mut found: Vec<_> = points
        .into_iter()
        .map(|point| {
            let index = map.eval(&point).expect("a small map");
            let names = &point[first..];
            ([&point[..dimensions], names].concat(), index)
        })
        .collect();
    found.sort();
    found.dedup();
    found
}

#[test]
fn maps_are_proved_for_all_sizes_and_altered_ones_are_not() {
    let (mut proved, mut altered_count) = (0, 0);
    for text in modules() {
        let (reads, judgements) =
            judged(&text, None).unwrap_or_else(|reason| panic!("{text}: {reason}"));
        for judgement in judgements.iter().flatten() {
            assert_eq!(*judgement, Judgement::Proved, "{text}\n{reads:?}");
            proved += 1;
        }
        for (k, entry) in reads.iter().enumerate() {
            let [map] = entry.reads.maps().unwrap_or_default() else { continue };
            for altered in alterations(&map.map) {
                if listed(&altered) == listed(&map.map) {
                    continue;
                }
                let mut others = reads.clone();
                let one = OperandMap { map: altered.clone(), ..map.clone() };
                others[k].reads = Reads::union([one]);
                let (_, judgements) = judged(&text, Some(&others)).expect("it has a definition");
                assert_ne!(judgements[k], Some(Judgement::Proved), "{text}\n{altered:?}");
                altered_count += 1;
            }
        }
    }
    assert!(proved >= 20 && altered_count >= 40, "{proved} proved, {altered_count} altered");
}

/// Definitions that compute with sizes do not take names.
#[test]
fn other_definitions_are_refused() {
    for root in [
        "r = f32[3,?] reshape(p)",
        "r = f32[?,1] dynamic-slice(p, k, k), dynamic_slice_sizes={1,1}",
        "r = f32[?,3] sort(p), dimensions={0}, to_apply=c",
    ] {
        let computation = "c { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = pred[] compare(a, b), direction=LT }\n";
        let text = format!("{computation}ENTRY e {{ {P} ROOT {root} }}");
        let judged = judged(&text, None);
        assert!(matches!(judged, Err(NoDefinition::Unknown(_))), "{text}: {judged:?}");
    }
}
