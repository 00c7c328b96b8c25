//! Random layouts, nested, with gaps, strides of 0 and swizzles: each answer satisfies its definition, and a refusal is correct:
//! no answer exists.

use super::plain::Plain;
use crate::numbers::Random;
use affinor::prove::Budget;
use affinor_layout::cute::algebra::{
    Arrangement, Interleaving, Made, Refusal, coalesce, complement, compose, divide, flatten,
    left_inverse, left_inverse_map, max_common, product, recast, recognise, right_inverse,
};
use affinor_layout::cute::{Layout, Tiler};
use std::cell::Cell;
use std::collections::BTreeSet;

/// Number of random layouts of a test.
const CASES: u64 = 400;

impl Random {
    /// Generates a layout of at most some hundred elements.
    pub fn layout(&mut self) -> Plain {
        let count = 1 + self.below(4) as usize;
        let mut sizes: Vec<i64> = (0..count).map(|_| 1 + self.below(6)).collect();
        if self.below(2) == 0 {
            sizes.iter_mut().for_each(|size| *size = 1 << (*size % 3));
        }
        let mut strides = vec![0; count];
        match self.below(4) {
            // Any strides.
            0 => strides.iter_mut().for_each(|stride| *stride = self.below(20)),
            // In a random order, with gaps.
            kind => {
                let mut order: Vec<usize> = (0..count).collect();
                for at in 0..count {
                    order.swap(at, at + self.below((count - at) as i64) as usize);
                }
                let mut stride = if kind == 1 { 1 + self.below(3) } else { 1 };
                for at in order {
                    strides[at] = stride;
                    stride *= sizes[at];
                    if kind == 1 && self.below(3) == 0 {
                        stride *= 1 + self.below(3);
                    }
                }
                if kind == 2 && self.below(2) == 0 {
                    strides[self.below(count as i64) as usize] = 0;
                }
            }
        }
        let cuts: Vec<bool> = (0..count).map(|_| self.below(3) == 0).collect();
        let nested = |numbers: &[i64]| -> String {
            // Writes `a,b,c` with parentheses around some neighbours.
            let mut modes: Vec<Vec<String>> = vec![Vec::new()];
            for (number, cut) in numbers.iter().zip(&cuts) {
                if *cut && modes.last().is_some_and(|mode| !mode.is_empty()) {
                    modes.push(Vec::new());
                }
                modes.last_mut().expect("a mode").push(number.to_string());
            }
            let modes: Vec<String> = modes
                .iter()
                .map(|mode| match &mode[..] {
                    [only] => only.clone(),
                    several => format!("({})", several.join(",")),
                })
                .collect();
            format!("({})", modes.join(","))
        };
        Plain::of(&format!("{}:{}", nested(&sizes), nested(&strides)))
    }
}

fn plain(made: &Made) -> Plain {
    Plain::of(&made.layout.to_string())
}

pub fn each(of: impl Fn(&mut Random, u64)) {
    for seed in 0..CASES {
        of(&mut Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1), seed);
    }
}

#[test]
fn structures_keep_the_function() {
    each(|random, _| {
        let layout = random.layout();
        for operation in [coalesce, flatten] {
            let found = plain(&operation(&layout.read(), &Budget::default()).expect("an answer"));
            assert_eq!(found.values(), layout.values(), "{} {}", layout.text, found.text);
        }
        let found = plain(&coalesce(&layout.read(), &Budget::default()).expect("an answer"));
        for pair in found.leaves.windows(2) {
            assert_ne!(pair[0].0 * pair[0].1, pair[1].1, "{}", found.text);
        }
        assert!(found.leaves.len() == 1 || found.leaves.iter().all(|leaf| leaf.0 > 1));
    });
}

/// Returns the ways to write a number as a product of factors of at least 2.
fn factorings(number: i64) -> Vec<Vec<i64>> {
    if number == 1 {
        return vec![Vec::new()];
    }
    let first = (2..=number).filter(|first| number % first == 0);
    let each = first.flat_map(|first| {
        factorings(number / first).into_iter().map(move |rest| [vec![first], rest].concat())
    });
    each.collect()
}

/// Returns whether the function, less its first value, is a sum of multiples of the digits of its index, for some sizes of
/// digits.
fn is_layout(values: &[i64]) -> bool {
    factorings(values.len() as i64).iter().any(|sizes| {
        (0..values.len()).all(|index| {
            let (mut rest, mut unit, mut sum) = (index as i64, 1, values[0]);
            for size in sizes {
                sum += (rest % size) * (values[unit as usize] - values[0]);
                (rest, unit) = (rest / size, unit * size);
            }
            sum == values[index]
        })
    })
}

/// Returns whether this function of the elements of `over` is a layout whose modes refine those of `over`.
fn is_layout_over(values: &[i64], over: &Plain) -> bool {
    let mut unit = 1_usize;
    let mut axes: Vec<Vec<i64>> = Vec::new();
    for (size, _) in &over.leaves {
        axes.push((0..*size as usize).map(|digit| values[digit * unit]).collect());
        unit *= *size as usize;
    }
    let adds_up = (0..values.len()).all(|index| {
        let mut rest = index;
        let mut sum = values[0];
        for axis in &axes {
            sum += axis[rest % axis.len()] - values[0];
            rest /= axis.len();
        }
        sum == values[index]
    });
    adds_up && axes.iter().all(|axis| is_layout(axis))
}

#[test]
fn compositions_are_found_where_they_exist() {
    let (found, none) = (Cell::new(0), Cell::new(0));
    each(|random, _| {
        let (first, second) = (random.layout(), random.layout());
        let values: Vec<i64> = second.values().iter().map(|offset| first.at(*offset)).collect();
        let case = format!("{} ; {}", first.text, second.text);
        match compose(&first.read(), &second.read(), &Budget::default()) {
            Ok(made) => {
                found.set(found.get() + 1);
                let made = plain(&made);
                assert_eq!(made.values(), values, "{case}: {}", made.text);
                assert_eq!(made.sizes(), second.sizes(), "{case}: {}", made.text);
            }
            Err(Refusal::None(why)) => {
                none.set(none.get() + 1);
                assert!(!is_layout_over(&values, &second), "{case}: {why}");
            }
            Err(other) => panic!("{case}: {other}"),
        }
    });
    assert!(found.get() > 100 && none.get() > 20, "{found:?} {none:?}");
}

/// Returns the leaves without strides of 0 and sizes of 1.
fn kept(layout: &Plain) -> Vec<(i64, i64)> {
    layout.leaves.iter().filter(|(size, stride)| *size > 1 && *stride != 0).copied().collect()
}

fn sums(one: &[i64], other: &[i64]) -> Vec<i64> {
    let mut sums: Vec<i64> = one.iter().flat_map(|x| other.iter().map(move |y| x + y)).collect();
    sums.sort_unstable();
    sums
}

#[test]
fn a_complement_covers_each_number_once() {
    each(|random, _| {
        let layout = random.layout();
        let target = 1 + random.below(60);
        let reached: BTreeSet<i64> = layout.values().into_iter().collect();
        let count: i64 = kept(&layout).iter().map(|(size, _)| size).product();
        let once = reached.len() as i64 == count;
        let case = format!("{} in {target}", layout.text);
        match complement(&layout.read(), target) {
            Ok(made) => {
                let made = plain(&made);
                let sums = sums(&reached.into_iter().collect::<Vec<_>>(), &made.values());
                // Each number below the target occurs, and none occurs twice.
                let is_covered =
                    (0..target).all(|number| sums.get(number as usize) == Some(&number));
                let is_once = sums.windows(2).all(|pair| pair[0] < pair[1]);
                assert!(once && is_covered && is_once, "{case}: {}", made.text);
            }
            Err(Refusal::None(_)) => {
                let mut kept = kept(&layout);
                kept.sort_by_key(|(_, stride)| *stride);
                let nests = kept.windows(2).all(|p| p[1].1 % (p[0].0 * p[0].1) == 0);
                assert!(!nests, "{case}");
            }
            Err(other) => panic!("{case}: {other}"),
        }
    });
}

#[test]
fn a_division_has_each_element_once() {
    each(|random, _| {
        let (layout, tile) = (random.layout(), random.layout());
        let whole = Tiler::Whole(tile.read());
        let case = format!("{} ; {}", layout.text, tile.text);
        let divided = |arrangement| divide(&layout.read(), &whole, arrangement, &Budget::default());
        let Ok(made) = divided(Arrangement::Logical) else { return };
        let made = plain(&made);
        let rest = complement(&tile.read(), layout.size()).expect("it was used");
        let rest = Plain::of(&rest.layout.to_string());
        let mut expected = Vec::new();
        for over in rest.values() {
            expected.extend(tile.values().iter().map(|within| layout.at(within + over)));
        }
        assert_eq!(made.values(), expected, "{case}: {}", made.text);
        assert_eq!(made.sizes(), [tile.size(), rest.size()], "{case}: {}", made.text);
        for arrangement in [Arrangement::Zipped, Arrangement::Tiled, Arrangement::Flat] {
            let other = plain(&divided(arrangement).expect("the same"));
            assert_eq!(other.values(), expected, "{case}: {}", other.text);
        }
    });
}

#[test]
fn a_product_has_a_copy_for_each_element() {
    each(|random, _| {
        let (layout, tile) = (random.layout(), random.layout());
        let case = format!("{} ; {}", layout.text, tile.text);
        let tiler = Tiler::Whole(tile.read());
        let multiplied = |how| product(&layout.read(), &tiler, how, &Budget::default());
        let Ok(made) = multiplied(Interleaving::Apart(Arrangement::Logical)) else { return };
        let made = plain(&made);
        let (block, copies) = (layout.size() as usize, tile.size() as usize);
        let (values, elements) = (made.values(), layout.values());
        // Copy y of all elements is offset from the first by a constant: that of B's element.
        for y in 0..copies {
            let apart = values[y * block] - values[0];
            for x in 0..block {
                assert_eq!(values[y * block + x], elements[x] + apart, "{case}: {}", made.text);
            }
        }
        // Copies for different elements of B do not overlap.
        let mut seen = BTreeSet::new();
        for (y, offset) in tile.values().iter().enumerate() {
            for x in 0..block {
                seen.insert((values[y * block + x], *offset, elements[x]));
            }
        }
        let places: BTreeSet<i64> = seen.iter().map(|(place, ..)| *place).collect();
        assert_eq!(places.len(), seen.len(), "{case}: {}", made.text);
        // The other arrangements have the same elements in other orders.
        for how in [Interleaving::Blocked, Interleaving::Raked] {
            let mut other = plain(&multiplied(how).expect("the same")).values();
            let mut all = values.clone();
            other.sort_unstable();
            all.sort_unstable();
            assert_eq!(other, all, "{case}");
        }
    });
}

#[test]
fn inverses_take_back() {
    each(|random, seed| {
        let mut layout = random.layout();
        if seed % 4 == 0 {
            layout.text =
                format!("Swizzle<1,{},{}> o {}", random.below(2), 1 + random.below(2), layout.text);
            layout = Plain::of(&layout.text);
        }
        let distinct: BTreeSet<i64> = layout.values().into_iter().collect();
        let case = &layout.text;
        match left_inverse(&layout.read(), &Budget::default()) {
            Ok(made) => {
                let back = plain(&made);
                for (x, offset) in layout.values().iter().enumerate() {
                    assert_eq!(back.at(*offset), x as i64, "{case}: {}", back.text);
                }
            }
            Err(Refusal::None(why)) => {
                assert!((distinct.len() as i64) < layout.size(), "{case}: {why}");
            }
            Err(_) => {}
        }
        if let Ok((map, _, _)) = left_inverse_map(&layout.read(), &Budget::default()) {
            for (x, offset) in layout.values().iter().enumerate() {
                assert_eq!(map.eval(&[*offset]), Ok(vec![x as i64]), "{case}: {map}");
            }
        }
        match right_inverse(&layout.read(), &Budget::default()) {
            Ok(made) => {
                let there = plain(&made);
                for (i, element) in there.values().iter().enumerate() {
                    assert_eq!(layout.at(*element), i as i64, "{case}: {}", there.text);
                }
            }
            Err(other) => assert!(layout.swizzle.is_some(), "{case}: {other}"),
        }
        if layout.swizzle.is_none() {
            let other = random.layout();
            let made = max_common(&layout.read(), &other.read(), &Budget::default());
            let common = plain(&made.expect("an answer"));
            for (i, element) in common.values().iter().enumerate() {
                let both = (layout.at(*element), other.at(*element));
                assert_eq!(both, (i as i64, i as i64), "{case}: {}", common.text);
            }
            // No longer layout begins with the first element that both map to each offset.
            let elements = layout.size().min(other.size());
            let at = |i: i64| (0..elements).find(|x| layout.at(*x) == i && other.at(*x) == i);
            let first: Vec<i64> = (0..elements).map_while(at).collect();
            let longer = (common.values().len() + 1)..=first.len();
            let longer = longer.into_iter().find(|count| is_layout(&first[..*count]));
            assert_eq!(longer, None, "{case}: {} ; {}", layout.text, other.text);
        }
    });
}

#[test]
fn other_widths_are_the_same_bytes() {
    each(|random, _| {
        let layout = random.layout();
        for n in [2, 4] {
            if let Ok(made) = recast(&layout.read(), 8, 8 * n, &Budget::default()) {
                let wide: BTreeSet<i64> = plain(&made).values().into_iter().collect();
                let held: BTreeSet<i64> = layout.values().iter().map(|offset| offset / n).collect();
                assert_eq!(wide, held, "{}", layout.text);
            }
            if let Ok(made) = recast(&layout.read(), 8 * n, 8, &Budget::default()) {
                let narrow: BTreeSet<i64> = plain(&made).values().into_iter().collect();
                let parts = if made.notes.is_empty() { n } else { 1 };
                let held = layout.values().into_iter();
                let held: BTreeSet<i64> =
                    held.flat_map(|offset| (0..parts).map(move |part| offset * n + part)).collect();
                assert_eq!(narrow, held, "{}", layout.text);
            }
        }
    });
}

#[test]
fn maps_of_layouts_are_recognised() {
    each(|random, seed| {
        let mut layout = random.layout();
        if seed % 2 == 0 {
            let bits = 1 + random.below(2);
            let shift = (bits + random.below(2)) * if random.below(2) == 0 { 1 } else { -1 };
            let base = random.below(3);
            let text =
                format!("Swizzle<{bits},{base},{shift}> o {} o {}", random.below(3), layout.text);
            layout = Plain::of(&Layout::read(&text).expect("a layout").to_string());
        }
        let read = layout.read();
        let made = recognise(read.map(), &Budget::default());
        let made = made.unwrap_or_else(|why| panic!("{}: {why}", layout.text));
        let found = plain(&made);
        assert_eq!(found.values(), layout.values(), "{}: {}", layout.text, found.text);
        let bits = |layout: &Plain| layout.swizzle.map_or(0, |[bits, ..]| bits);
        assert!(bits(&found) <= bits(&layout), "{}: {}", layout.text, found.text);
    });
}
