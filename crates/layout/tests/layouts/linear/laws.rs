//! Random linear layouts, compared with arithmetic over GF(2).

use affinor::expr::IndexingMap;
use affinor_layout::linear::attribute::Encoding;
use affinor_layout::linear::{Input, Inverse, LinearLayout, Output, recognised};
use proptest::prelude::*;

/// Generates a layout of 5 to 12 bits in two inputs and two outputs: dense or sparse bases, or a permutation of bits with some
/// bits added to others.
fn layout() -> impl Strategy<Value = LinearLayout> {
    let bases = (5_usize..=12).prop_flat_map(|bits| {
        let dense = prop::collection::vec(0_u64..1 << bits, bits);
        let pair = (dense.clone(), dense.clone());
        let sparse =
            pair.prop_map(|(x, y)| x.iter().zip(y).map(|(x, y)| x & y).collect::<Vec<_>>());
        let units: Vec<u64> = (0..bits).map(|k| 1 << k).collect();
        let permutation = Just(units).prop_shuffle();
        let sums = prop::collection::vec((0..bits, 0..bits), 1..5);
        let added = (permutation.clone(), sums).prop_map(|(mut bases, sums)| {
            for (to, from) in sums.into_iter().filter(|(to, from)| to != from) {
                bases[to] ^= bases[from];
            }
            bases
        });
        prop_oneof![dense, sparse, permutation, added]
    });
    (bases, 0_usize..5, 0_usize..5).prop_map(|(bases, inner, outer)| {
        let inputs = [("register", &bases[..inner]), ("lane", &bases[inner..])];
        let inputs =
            inputs.map(|(name, bases)| Input { name: name.to_owned(), bases: bases.to_vec() });
        let bits = [outer, bases.len() - outer];
        let outputs = bits.iter().enumerate();
        let outputs =
            outputs.map(|(k, bits)| Output { name: format!("dim{k}"), bits: *bits as u32 });
        LinearLayout::new(inputs.to_vec(), outputs.collect()).expect("of few bits")
    })
}

/// Multiplies matrix and vector, bit by bit.
fn product(bases: &[u64], input: u64) -> u64 {
    let places = 0..bases.iter().map(|basis| 64 - basis.leading_zeros()).max().unwrap_or(0);
    places
        .map(|place| {
            let ones = bases
                .iter()
                .enumerate()
                .filter(|(k, basis)| input >> k & 1 == 1 && **basis >> place & 1 == 1);
            ((ones.count() % 2) as u64) << place
        })
        .sum()
}

#[test]
fn the_form_of_a_layout_has_three_operations_for_each_one() {
    let table = [
        // Bits that change their order share a product.
        (
            "#ttg.linear<{register = [], lane = [[8, 0], [0, 16]], warp = [[2, 0], [0, 2], [1, 0], [0, 8], [0, 1], [0, 32], [4, 1], [0, 4], [16, 0]], block = []}> : 32x64",
            "warp mod 8 * 9 floordiv 4 mod 4",
        ),
        // A sum at the position of a digit is added to the digit.
        (
            "#ttg.linear<{register = [[0, 16], [12, 8], [1, 32], [16, 0], [0, 1], [8, 0], [2, 0], [0, 2]], lane = [], warp = [[0, 4], [0, 8], [34, 0], [1, 0]], block = []}> : 64x64",
            "(warp + register floordiv 2 * 2) mod 4 * 4",
        ),
        // Forms that are short enough stay readable.
        (
            "#ttg.linear<{register = [[2, 0], [1, 0]], lane = [[0, 1]], warp = [], block = []}> : 4x2",
            "register floordiv 2 + register mod 2 * 2, lane",
        ),
    ];
    for (text, part) in table {
        let layout = Encoding::read(text).expect("a layout").layout().clone();
        let map = layout.map().expect("small");
        let operations: u64 = map.results().iter().map(|expr| expr.cost().ops).sum();
        assert!(operations <= 3 * u64::from(layout.ones()), "{map}");
        assert!(map.to_string().contains(part), "{map}");
        assert!(recognised(&map).is_ok_and(|again| again.bases() == layout.bases()), "{map}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn the_map_of_a_layout_is_its_matrix(layout in layout()) {
        let map = layout.map().expect("small");
        // Each 1 of the matrix costs a quotient, a sum, and a share of the remainder and the product. A 1 that is alone in its
        // place has a remainder and a product to itself, unless the neighbouring places share their quotients, as in a
        // permutation.
        let operations = |map: &IndexingMap| -> u64 {
            map.results().iter().map(|expr| expr.cost().ops).sum()
        };
        let ones = u64::from(layout.ones());
        let of_place = |place: u32| layout.bases().iter().filter(|basis| **basis >> place & 1 == 1).count();
        let alone = (0..layout.output_bits()).filter(|place| of_place(*place) == 1).count() as u64;
        prop_assert!(operations(&map) <= 3 * ones + alone, "{map}: {} for {ones}", operations(&map));
        let flat = layout.flattened("element").expect("small").map().expect("small");
        let is_permutation = layout.bases().iter().all(|basis| basis.is_power_of_two()) && layout.is_injective();
        if is_permutation {
            prop_assert!(operations(&flat) <= 3 * ones, "{flat}: {} for {ones}", operations(&flat));
        }
        for input in 0..1_u64 << layout.input_bits() {
            let element = product(&layout.bases(), input);
            prop_assert_eq!(layout.apply(input), element);
            let point: Vec<i64> = layout.indices(input).iter().map(|index| *index as i64).collect();
            let found = map.eval(&point).expect("in the domain");
            let expected: Vec<i64> = layout.coordinates(element).iter().map(|x| *x as i64).collect();
            prop_assert_eq!(found, expected);
        }
        // An output whose highest bit occurs in no input is recognised as a smaller one.
        let again = recognised(&map).expect("a sum of bits");
        prop_assert!(again.inputs().iter().zip(layout.inputs()).all(|(x, y)| x.name == y.name));
        for input in 0..1_u64 << layout.input_bits() {
            prop_assert_eq!(again.coordinates(again.apply(input)), layout.coordinates(layout.apply(input)));
        }
    }

    #[test]
    fn an_inverse_undoes_a_layout(layout in layout()) {
        let inverse = layout.inverse().expect("small");
        let there_and_back = layout.then(inverse.layout()).expect("of the same sizes");
        let images: std::collections::BTreeSet<u64> =
            (0..1_u64 << layout.input_bits()).map(|input| layout.apply(input)).collect();
        let is_bijection = images.len() == 1 << layout.input_bits()
            && images.len() == 1 << layout.output_bits();
        prop_assert_eq!(matches!(inverse, Inverse::Exact(_)), is_bijection);
        prop_assert_eq!(layout.is_surjective(), images.len() == 1 << layout.output_bits());
        prop_assert_eq!(layout.is_injective(), images.len() == 1 << layout.input_bits());
        let again = there_and_back.then(&layout).expect("of the same sizes");
        for input in 0..1_u64 << layout.input_bits() {
            prop_assert_eq!(again.apply(input), layout.apply(input));
            if is_bijection {
                let back = there_and_back.coordinates(there_and_back.apply(input));
                prop_assert_eq!(back, layout.indices(input));
            }
        }
    }

    #[test]
    fn holders_are_all_inputs_of_an_element(layout in layout(), number in any::<u64>()) {
        let element = number % (1 << layout.output_bits());
        let mut expected: Vec<u64> =
            (0..1_u64 << layout.input_bits()).filter(|input| layout.apply(*input) == element).collect();
        let mut found = Vec::new();
        if let Some((first, free)) = layout.holders(element) {
            for choice in 0..1_u64 << free.len() {
                found.push(first ^ product(&free, choice));
            }
        }
        found.sort_unstable();
        expected.sort_unstable();
        prop_assert_eq!(&found, &expected);
        // The first holder has no free bit set.
        let free = layout.input_at(&layout.free());
        prop_assert!(layout.holders(element).is_none_or(|(first, _)| first & free == 0));
    }

    #[test]
    fn flattened_outputs_hold_the_same(layout in layout()) {
        let flat = layout.flattened("element").expect("small");
        for input in 0..1_u64 << layout.input_bits() {
            prop_assert_eq!(flat.coordinates(flat.apply(input)), vec![layout.apply(input)]);
        }
    }
}
