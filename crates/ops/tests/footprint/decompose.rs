//! Bitcasts as transpose, reshape, transpose: compared with all orders of dimensions, and the ops with positions.

use affinor::prove::Budget;
use affinor_hlo as hlo;
use affinor_layout::memory::Placement;
use affinor_ops::relayout::{Decomposition, decompose};
use proptest::prelude::*;

fn placed(shape: &str) -> Placement {
    let shape = hlo::read_shape(shape).unwrap_or_else(|error| panic!("{shape}: {error}"));
    Placement::new(shape.as_array().expect("an array")).expect("small")
}

fn found(from: &str, to: &str) -> Option<Decomposition> {
    decompose(&placed(from), &placed(to), &Budget::default()).expect("small numbers")
}

#[track_caller]
fn check(from: &str, to: &str, chain: &str) {
    let ops = found(from, to).unwrap_or_else(|| panic!("{from} to {to}"));
    assert_eq!(ops.chain(&placed(from)), chain, "{from} to {to}");
    assert_in_place(&placed(from), &placed(to), &ops);
}

#[test]
fn bitcasts_that_are_ops() {
    check(
        "f32[2,3,4]{0,2,1}",
        "f32[6,4]{0,1}",
        "transpose f32[2,3,4] {1,2,0} | reshape -> f32[4,6] | transpose {1,0}",
    );
    check("f32[6,4]", "f32[4,6]", "reshape f32[6,4] -> f32[4,6]");
    check("f32[6,4]", "f32[4,6]{0,1}", "transpose f32[6,4] {1,0}");
    check("s8[1,6,1]", "u8[6]", "reshape s8[1,6,1] -> s8[6]");
    check("f32[]", "f32[1,1]", "reshape f32[] -> f32[1,1]");
    // Tiles without padding act as separate dimensions.
    check(
        "f32[8,256]{1,0:T(4,128)}",
        "f32[2,2,4,128]",
        "reshape f32[8,256] -> f32[2,4,2,128] | transpose {0,2,1,3}",
    );
    check("f32[4,128]{1,0:T(4,128)}", "f32[512]", "reshape f32[4,128] -> f32[512]");
}

#[test]
fn bitcasts_that_are_none() {
    for (from, to) in [
        ("f32[3,5]", "f32[3,5]"),            // no step
        ("f32[3,5]", "f32[3,4]"),            // other elements
        ("f32[4]", "s16[8]"),                // parts of an element
        ("f32[4]", "f32[4]{0:S(1)}"),        // another memory
        ("f32[0,5]", "f32[5,0]"),            // no element
        ("f32[3,5]{1,0:T(2,2)}", "f32[24]"), // padding is read
        ("f32[24]", "f32[3,5]{1,0:T(2,2)}"), // some elements are not read
        ("f32[6,4]{1,0:T(3,4)}", "f32[4,6]{1,0:T(2,3)}"),
    ] {
        assert_eq!(found(from, to), None, "{from} to {to}");
    }
}

/// Returns all elements of an array of these sizes, in row-major order.
fn indices(sizes: &[i64]) -> Vec<Vec<i64>> {
    sizes.iter().fold(vec![Vec::new()], |points, size| {
        let next = |point: Vec<i64>| (0..*size).map(move |at| [point.clone(), vec![at]].concat());
        points.into_iter().flat_map(next).collect()
    })
}

fn positions(placement: &Placement) -> Vec<i64> {
    let position = |index: Vec<i64>| placement.position().eval(&index).expect("small")[0];
    indices(placement.sizes()).into_iter().map(position).collect()
}

/// Checks that the ops, run on an array whose elements are their positions, give each element its position.
#[track_caller]
fn assert_in_place(from: &Placement, to: &Placement, ops: &Decomposition) {
    let (mut array, mut sizes) = (positions(from), from.sizes().to_vec());
    for op in &ops.ops {
        if let Some(dimensions) = &op.dimensions {
            let element = |index: Vec<i64>| {
                let mut source = vec![0; index.len()];
                for (at, dimension) in dimensions.iter().enumerate() {
                    source[*dimension] = index[at];
                }
                let number = source.iter().zip(&sizes).fold(0, |sum, (i, size)| sum * size + i);
                array[usize::try_from(number).expect("an index")]
            };
            array = indices(&op.sizes).into_iter().map(element).collect();
        }
        sizes.clone_from(&op.sizes);
    }
    assert_eq!(sizes, to.sizes());
    assert_eq!(array, positions(to), "{} to {}: {ops:?}", from.shape(), to.shape());
}

fn orders(rank: usize) -> Vec<Vec<usize>> {
    (0..rank).fold(vec![Vec::new()], |orders, _| {
        let longer = |order: Vec<usize>| {
            let next = (0..rank).filter({
                let order = order.clone();
                move |d| !order.contains(d)
            });
            next.map(move |d| [order.as_slice(), &[d]].concat())
        };
        orders.into_iter().flat_map(longer).collect()
    })
}

/// Returns the positions in each order of the dimensions.
fn numberings(placement: &Placement) -> Vec<Vec<i64>> {
    let all = indices(placement.sizes());
    let position = positions(placement);
    let in_order = |order: Vec<usize>| {
        let mut numbered: Vec<(Vec<i64>, i64)> = all
            .iter()
            .zip(&position)
            .map(|(index, at)| (order.iter().map(|d| index[*d]).collect(), *at))
            .collect();
        numbered.sort();
        numbered.into_iter().map(|(_, at)| at).collect()
    };
    orders(placement.sizes().len()).into_iter().map(in_order).collect()
}

/// Returns a shape of 24 elements; the tiles leave no padding in some of them.
fn shape() -> impl Strategy<Value = String> {
    let sizes = prop::sample::select(vec![
        vec![24],
        vec![4, 6],
        vec![6, 4],
        vec![2, 12],
        vec![8, 3],
        vec![2, 3, 4],
        vec![4, 3, 2],
        vec![2, 2, 6],
        vec![1, 24],
        vec![6, 1, 4],
        vec![2, 2, 2, 3],
    ]);
    let tiles = prop::sample::select(vec!["", "", ":T(2,2)", ":T(2)", ":T(2,3)", ":T(2,2)(2,1)"]);
    (sizes, any::<prop::sample::Index>(), tiles).prop_map(|(sizes, order, tiles)| {
        let orders = orders(sizes.len());
        let order: Vec<String> = order.get(&orders).iter().map(usize::to_string).collect();
        let tiles = if sizes.len() < 2 { "" } else { tiles };
        let sizes: Vec<String> = sizes.iter().map(i64::to_string).collect();
        format!("f32[{}]{{{}{tiles}}}", sizes.join(","), order.join(","))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn is_found_exactly_where_orders_agree(from in shape(), to in shape()) {
        let (source, result) = (placed(&from), placed(&to));
        let numbered = numberings(&source);
        let same_extent = source.positions() == result.positions();
        let agree = same_extent && numberings(&result).iter().any(|one| numbered.contains(one));
        // Arrays with the same element at each index need no op.
        let is_same = source.sizes() == result.sizes() && positions(&source) == positions(&result);
        let ops = found(&from, &to);
        prop_assert_eq!(ops.is_some(), agree && !is_same, "{} to {}", from, to);
        if let Some(ops) = ops {
            assert_in_place(&source, &result, &ops);
        }
    }
}
