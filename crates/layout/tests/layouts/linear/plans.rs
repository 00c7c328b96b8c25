//! The moves of conversions, carried out: each element ends where the target layout requires.

use affinor_layout::linear::{
    BANK_BITS, Exchange, Input, LinearLayout, Output, Plan, Shuffles, THREADS, Way,
};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use std::collections::{BTreeMap, BTreeSet};

/// The bits of registers, lanes, warps and blocks.
type Bits = [usize; 4];

fn layout(bits: Bits, bases: &[u64], output_bits: u32) -> LinearLayout {
    let mut rest = bases;
    let inputs = THREADS.iter().zip(bits).map(|(name, count)| {
        let (own, others) = rest.split_at(count);
        rest = others;
        Input { name: (*name).to_owned(), bases: own.to_vec() }
    });
    let outputs = vec![Output { name: "dim0".to_owned(), bits: output_bits }];
    LinearLayout::new(inputs.collect(), outputs).expect("of few bits")
}

/// Returns the thread of a place: its indices without the register.
fn thread(layout: &LinearLayout, place: u64) -> Vec<u64> {
    layout.indices(place)[1..].to_vec()
}

/// Runs the rounds: each thread provides one register of `before`, and reads that of a thread of its warp.
fn shuffle(before: &LinearLayout, after: &LinearLayout, plan: &Shuffles) -> Result<(), String> {
    let mut filled: BTreeMap<u64, u64> = BTreeMap::new();
    let mut shuffled = 0;
    for round in 0..1_u64 << plan.rounds.len() {
        let mut shown: BTreeMap<Vec<u64>, u64> = BTreeMap::new();
        let mut got = BTreeSet::new();
        let mut stays = true;
        for number in 0..1_u64 << plan.threads.len() {
            let one = plan.at(round, number);
            let (from, to) = (thread(before, one.from), thread(after, one.to));
            if from[1..] != to[1..] {
                return Err(format!("{from:?} and {to:?} are not threads of one warp"));
            }
            if !got.insert(to.clone()) {
                return Err(format!("{to:?} gets two elements in round {round}"));
            }
            let first = *shown.entry(from.clone()).or_insert(one.from);
            if first != one.from {
                return Err(format!("{from:?} shows two registers in round {round}"));
            }
            stays &= from == to;
            filled.insert(one.to, before.apply(one.from));
        }
        let is_kept = plan.kept.is_some_and(|bits| round < 1 << bits);
        if is_kept && !stays {
            return Err(format!("round {round} leaves threads"));
        }
        shuffled += u64::from(!is_kept);
    }
    if shuffled != plan.count() {
        return Err(format!("{shuffled} shuffles, not {}", plan.count()));
    }
    // Registers that repeat others of their thread are copied.
    let registers = after.input("register").map_or(0, |input| input.bases.len());
    for place in 0..1_u64 << after.input_bits() {
        let bits = (0..registers).filter(|bit| place >> bit & 1 == 1);
        let source = bits.fold(place >> registers << registers, |sum, bit| sum ^ plan.copies[bit]);
        match filled.get(&source) {
            Some(element) if *element == after.apply(place) => {}
            other => return Err(format!("{place} has {other:?}, not {}", after.apply(place))),
        }
    }
    Ok(())
}

/// Simulates stores and loads, and counts the passes of each access: one for each element of a bank.
fn exchange(before: &LinearLayout, after: &LinearLayout, plan: &Exchange) -> Result<(), String> {
    let inverse = plan.memory.inverse().map_err(|error| error.to_string())?;
    let offset = |element: u64, block: u64| {
        let own = plan.memory.input_at(&[0, block]);
        let at = inverse.layout();
        let found = at.coordinates(at.apply(at.input_at(&[element ^ plan.memory.apply(own)])))[0];
        let back = plan.memory.apply(plan.memory.input_at(&[found, block]));
        (back == element).then_some(found).ok_or(format!("{element} lies nowhere in {block}"))
    };
    let mut memory: BTreeMap<(u64, u64), u64> = BTreeMap::new();
    for (layout, expected) in [(before, plan.store), (after, plan.load)] {
        let is_store = memory.is_empty();
        // The offsets of the lanes, for each warp and each different element of a lane in turn.
        let mut accesses: BTreeMap<(u64, u64, u64), BTreeSet<u64>> = BTreeMap::new();
        let mut seen: BTreeSet<(Vec<u64>, u64)> = BTreeSet::new();
        for place in 0..1_u64 << layout.input_bits() {
            let at = layout.indices(place);
            let element = layout.apply(place);
            let offset = offset(element, at[3])?;
            match is_store {
                true => {
                    memory.insert((at[3], offset), element);
                }
                false if memory.get(&(at[3], offset)) != Some(&element) => {
                    return Err(format!("{element} was not stored at {offset}"));
                }
                false => {}
            }
            let base = layout.input_at(&[at[0], 0, 0, 0]);
            if at[1..] == [0, 0, 0] {
                seen.insert((vec![layout.apply(base)], at[0]));
            }
            accesses.entry((at[0], at[2], at[3])).or_default().insert(offset);
        }
        let mut first: BTreeMap<u64, u64> = BTreeMap::new();
        for (element, register) in seen {
            first.entry(element[0]).or_insert(register);
        }
        for (warp, block) in accesses.keys().map(|(_, w, b)| (*w, *b)).collect::<BTreeSet<_>>() {
            let passes: u64 = first
                .values()
                .map(|register| {
                    let mut banks: BTreeMap<u64, u64> = BTreeMap::new();
                    for offset in &accesses[&(*register, warp, block)] {
                        *banks.entry(offset % (1 << BANK_BITS)).or_default() += 1;
                    }
                    banks.values().max().copied().unwrap_or(0)
                })
                .sum();
            if passes != expected {
                return Err(format!("{passes} passes of warp {warp}, not {expected}"));
            }
        }
    }
    let least = plan.least;
    let is_least = [plan.store, plan.load] == least;
    // With at most one lane for each bank, there are no conflicts.
    let lanes = |layout: &LinearLayout| layout.input("lane").map_or(0, |input| input.bases.len());
    match is_least || lanes(before) > BANK_BITS || lanes(after) > BANK_BITS {
        true => Ok(()),
        false => Err(format!("{} and {}, not {least:?}", plan.store, plan.load)),
    }
}

/// Generates two layouts with the same numbers of lanes, warps and blocks: permutations of bits, some perturbed.
fn pairs() -> impl Strategy<Value = (LinearLayout, LinearLayout)> {
    let sizes = (0_usize..4, 0_usize..4, 0_usize..5, 0_usize..3, 0_usize..2);
    sizes.prop_flat_map(|(before, after, lanes, warps, blocks)| {
        let all = [before, after].map(|registers| [registers, lanes, warps, blocks]);
        let bits = all[0].iter().sum::<usize>().clamp(1, 8);
        let bases = move |bits_of: Bits| {
            let count: usize = bits_of.iter().sum();
            let units: Vec<u64> =
                (0..count.max(bits)).map(|bit| 1_u64 << bit.min(bits - 1)).collect();
            let mixed = prop::collection::vec(0_u64..1 << bits, count);
            let bent = (
                Just(units.clone()).prop_shuffle(),
                prop::collection::vec((0..units.len(), 0_u64..1 << bits), 0..3),
            );
            let bent = bent.prop_map(move |(mut bases, changes)| {
                for (at, value) in changes {
                    bases[at] ^= value;
                }
                bases.truncate(count);
                bases
            });
            prop_oneof![1 => mixed, 4 => bent]
        };
        let layouts = (bases(all[0]), bases(all[1]), any::<u64>(), any::<bool>());
        layouts.prop_map(move |(one, mut other, seed, is_near)| {
            let before = layout(all[0], &one, bits as u32);
            if is_near {
                // Sums of registers, lanes and own warps before, so that elements stay within warps.
                let mut state = seed | 1;
                for (bit, basis) in other.iter_mut().enumerate() {
                    let near = all[0][0] + lanes;
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    let mask = (state >> 32) & ((1 << near) - 1);
                    *basis = before.apply(mask);
                    if let Some(own) = bit.checked_sub(all[1][0] + lanes) {
                        *basis ^= one[near + own];
                    }
                }
            }
            let after = layout(all[1], &other, bits as u32);
            (before, after)
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn each_element_ends_where_the_layout_after_says((before, after) in pairs()) {
        let Ok(found) = before.conversion(&after) else { return Ok(()) };
        let done = match (&found.plan, found.way) {
            (Some(Plan::Shuffles(plan)), Way::Registers | Way::Shuffles) => {
                let is_free = plan.count() == 0;
                prop_assert_eq!(is_free, found.way == Way::Registers);
                shuffle(&before, &after, plan)
            }
            (Some(Plan::Exchange(plan)), Way::Shared) => exchange(&before, &after, plan),
            (None, Way::Nothing | Way::Cluster) => Ok(()),
            (plan, way) => Err(format!("{way:?} with {plan:?}")),
        };
        prop_assert!(done.is_ok(), "{before} to {after}: {done:?}");
    }

    #[test]
    fn moves_are_those_of_the_plan((before, after) in pairs()) {
        let Ok(found) = before.conversion(&after) else { return Ok(()) };
        let Some(Plan::Shuffles(plan)) = &found.plan else { return Ok(()) };
        let Some(moves) = plan.moves(&before, &after).expect("small") else { return Ok(()) };
        for place in 0..1_u64 << moves.input_bits() {
            let at = moves.indices(place);
            let own = after.input_at(&[0, at[1], at[2], at[3]]);
            let registers = after.input("register").map_or(0, |input| input.bases.len());
            let one = plan.at(at[0], own >> registers);
            let expected =
                [after.indices(one.to)[0], before.indices(one.from)[0], before.indices(one.from)[1]];
            prop_assert_eq!(thread(&after, one.to), at[1..].to_vec());
            prop_assert_eq!(moves.coordinates(moves.apply(place)), expected.to_vec());
        }
    }
}

#[test]
fn pairs_take_each_way_often() {
    let mut runner = TestRunner::deterministic();
    let mut ways = BTreeMap::new();
    for _ in 0..2000 {
        let (before, after) = pairs().new_tree(&mut runner).expect("a pair").current();
        let Ok(found) = before.conversion(&after) else { continue };
        *ways.entry(found.way).or_insert(0) += 1;
    }
    for way in [Way::Registers, Way::Shuffles, Way::Shared, Way::Cluster] {
        assert!(ways.get(&way).is_some_and(|count| *count >= 50), "{ways:?}");
    }
}
