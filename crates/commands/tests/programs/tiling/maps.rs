//! Tiles of random maps, with sizes that may or may not divide the array, compared with enumeration: partial rows, reshapes,
//! windows, padding and slices.
//!
//! If the reads are a tile in each place, the answer must be exact. A description over named sizes must not claim more.

use super::checked;
use super::random::Random;
use affinor::text::parse_map;
use affinor_ops::footprint::tiling::Grid;

/// A map as text, and the sizes of its dimensions.
struct Drawn {
    text: String,
    sizes: Vec<i64>,
}

/// Writes a map with dimensions `d0, d1, ..` of these sizes, further variables and constraints.
fn drawn(sizes: &[i64], ranges: &[i64], results: &[String], constraints: &[String]) -> Drawn {
    let names = |letter: char, count: usize| -> Vec<String> {
        (0..count).map(|number| format!("{letter}{number}")).collect()
    };
    let (dimensions, range_names) = (names('d', sizes.len()), names('s', ranges.len()));
    let variables = dimensions.iter().chain(&range_names).zip(sizes.iter().chain(ranges));
    let bounds = variables.map(|(name, size)| format!("{name} in [0, {}]", size - 1));
    let domain: Vec<String> = bounds.chain(constraints.iter().cloned()).collect();
    let text = format!(
        "({})[{}] -> ({}), domain: {}",
        dimensions.join(", "),
        range_names.join(", "),
        results.join(", "),
        domain.join(", ")
    );
    Drawn { text, sizes: sizes.to_vec() }
}

/// Returns the row-major position in the dimensions `places` of an array of these sizes, and the number of positions.
fn position(sizes: &[i64], places: &[usize]) -> (String, i64) {
    let mut terms = Vec::new();
    let mut count = 1;
    for place in places.iter().rev() {
        terms.push(format!("d{place} * {count}"));
        count *= sizes[*place];
    }
    (terms.join(" + "), count)
}

/// Draws a map that linearizes some dimensions, from either end and shifted.
fn rows(random: &mut Random) -> Drawn {
    let rank = random.within(2..=3) as usize;
    let sizes: Vec<i64> = (0..rank).map(|_| random.within(1..=7)).collect();
    let apart = (random.place(5) < 2).then(|| random.place(rank));
    let places: Vec<usize> = (0..rank).filter(|place| Some(*place) != apart).collect();
    let (position, count) = position(&sizes, &places);
    let shift = random.within(0..=3);
    let turned = format!("{} - ({position})", count - 1 + shift);
    let mut results =
        vec![if random.place(4) == 0 { turned } else { format!("{position} + {shift}") }];
    results.extend(apart.map(|place| format!("d{place}")));
    drawn(&sizes, &[], &results, &[])
}

/// Draws a reshape, which may be reversed.
fn reshape(random: &mut Random) -> Drawn {
    let count = [12, 16, 18, 24, 30, 32, 36, 48][random.place(8)];
    let mut shape = || {
        let (mut sizes, mut left) = (Vec::new(), count);
        for _ in 0..random.place(3) {
            let divisors: Vec<i64> = (1..=left).filter(|size| left % size == 0).collect();
            sizes.push(divisors[random.place(divisors.len())]);
            left /= sizes[sizes.len() - 1];
        }
        sizes.insert(random.place(sizes.len() + 1), left);
        sizes
    };
    let (from, to) = (shape(), shape());
    let (mut position, _) = position(&from, &(0..from.len()).collect::<Vec<usize>>());
    if random.place(4) == 0 {
        position = format!("{} - ({position})", count - 1);
    }
    let mut below = 1;
    let mut results = Vec::new();
    for size in to.iter().rev() {
        results.insert(0, format!("({position}) floordiv {below} mod {size}"));
        below *= size;
    }
    drawn(&from, &[], &results, &[])
}

/// Draws windows with strides and dilation over a padded array.
fn window(random: &mut Random) -> Drawn {
    let (mut sizes, mut ranges, mut results, mut constraints) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for number in 0..1 + random.place(2) {
        let array = random.within(3..=12);
        let (size, stride, dilation) =
            (random.within(1..=4), random.within(1..=3), random.within(1..=2));
        let (before, after) = (random.within(0..=2), random.within(0..=2));
        let room = array + before + after - (size - 1) * dilation - 1;
        sizes.push((room.max(0)) / stride + 1);
        ranges.push(size);
        let read = format!("d{number} * {stride} + s{number} * {dilation} - {before}");
        constraints.push(format!("{read} in [0, {}]", array - 1));
        results.push(read);
    }
    drawn(&sizes, &ranges, &results, &constraints)
}

/// Draws the reads of a concatenation, an interior padding, a slice or a row of windows.
fn part(random: &mut Random) -> Drawn {
    let (size, before, step) = (random.within(3..=14), random.within(0..=3), random.within(1..=3));
    let width = random.within(1..=6);
    let last = before + (size - 1) * step;
    match random.place(4) {
        0 => {
            let inside = format!("d0 in [{before}, {}]", before + size - 1);
            drawn(&[before + size + 2], &[], &[format!("d0 - {before}")], &[inside])
        }
        1 => {
            let on_step = format!("(d0 - {before}) mod {step} in [0, 0]");
            let inside = format!("d0 in [{before}, {last}]");
            let read = format!("(d0 - {before}) floordiv {step}");
            drawn(&[last + 2], &[], &[read], &[inside, on_step])
        }
        2 => {
            let results = [format!("d0 * {step} + {before}"), format!("{} - d1", width - 1)];
            drawn(&[size, width], &[], &results, &[])
        }
        _ => {
            let window = random.within(1..=3);
            let row = width + window - 1;
            drawn(&[size, width], &[window], &[format!("d0 * {row} + d1 + s0")], &[])
        }
    }
}

/// Nearly all tiles that could be exact are reported as exact; all answers contain the reads.
#[test]
fn tiles_of_random_maps() {
    let mut random = Random::new(0x0051_de00);
    let (mut tiles, mut exact) = (0, 0);
    for _ in 0..1000 {
        let kinds = [rows, rows, reshape, reshape, window, part];
        let drawn = kinds[random.place(kinds.len())](&mut random);
        let map =
            parse_map(&drawn.text).unwrap_or_else(|error| panic!("{}: {error:?}", drawn.text));
        let sizes = drawn.sizes.iter().map(|size| random.within(1..=(size + 1).min(8))).collect();
        let about = format!("{} in tiles of {sizes:?}", drawn.text);
        let grid = Grid::of_sizes(sizes).expect("at least 1");
        let Some((is_exact, could_be)) = checked(&map, &grid, &about) else {
            continue;
        };
        assert!(could_be || !is_exact, "{about}");
        // A window with dilation has gaps in some tiles and none in others.
        assert!(is_exact || !could_be || drawn.text.contains("s0 * 2"), "{about}");
        tiles += usize::from(could_be);
        exact += usize::from(is_exact);
    }
    assert_eq!((tiles, exact), (756, 752));
}
