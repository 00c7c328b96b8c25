//! The pictures in Triton's documentation of its attributes (`TritonGPUAttrDefs.td`): the thread that holds each element, and the
//! order of elements in shared memory.

use affinor_layout::linear::attribute::Encoding;
use std::collections::BTreeSet;

fn read(text: &str) -> Encoding {
    Encoding::read(text).unwrap_or_else(|error| panic!("{text}: {error:?}"))
}

/// Returns, for each block, the threads that hold an element, numbered through the lanes of one warp after the other.
fn threads(encoding: &Encoding, element: &[u64]) -> Vec<BTreeSet<u64>> {
    let layout = encoding.layout();
    let count = |name: &str| layout.input(name).map_or(1, |input| 1 << input.bases.len());
    let sizes = ["register", "lane", "warp", "block"].map(count);
    let mut found = vec![BTreeSet::new(); sizes[3] as usize];
    for input in 0..sizes.iter().product() {
        let place = layout.indices(input);
        if layout.coordinates(layout.apply(input)) == element {
            found[place[3] as usize].insert(place[2] * sizes[1] + place[1]);
        }
    }
    found
}

fn numbers(text: &str) -> Vec<u64> {
    text.split_whitespace()
        .map(|word| word.parse().unwrap_or_else(|_| panic!("{word} in {text}")))
        .collect()
}

/// A line of a picture: the row, the first column, and the holders of the elements from there on.
type Line = (u64, u64, &'static str);

/// Checks lines of pictures in which each element has one thread; a row and a column belong to a block.
fn check(text: &str, block: usize, lines: &[Line]) {
    let encoding = read(text);
    for (row, first, line) in lines {
        for (column, thread) in (*first..).zip(numbers(line)) {
            let found = threads(&encoding, &[*row, column]);
            for (number, held) in found.iter().enumerate() {
                let expected: Vec<u64> = (number == block).then_some(thread).into_iter().collect();
                assert!(held.iter().eq(&expected), "{text}: ({row}, {column}) {held:?} {thread}");
            }
        }
    }
}

#[test]
fn blocked_threads_are_those_of_the_pictures() {
    let blocked = |more: &str, shape: &str| {
        format!(
            "#ttg.blocked<{{sizePerThread = [2, 2], threadsPerWarp = [8, 4], warpsPerCTA = [1, 2], order = [1, 0]{more}}}> : {shape}"
        )
    };
    let first = "0 0 1 1 2 2 3 3 32 32 33 33 34 34 35 35";
    let second = "4 4 5 5 6 6 7 7 36 36 37 37 38 38 39 39";
    let last = "28 28 29 29 30 30 31 31 60 60 61 61 62 62 63 63";
    let tile = [(0, first), (1, first), (2, second), (3, second), (14, last), (15, last)];
    let at = |row: u64, column: u64| tile.map(|(line, text)| (row + line, column, text));
    check(&blocked("", "16x16"), 0, &at(0, 0));
    // A larger tensor repeats the tile.
    for corner in [(0, 0), (0, 16), (16, 0), (16, 16)] {
        check(&blocked("", "32x32"), 0, &at(corner.0, corner.1));
    }
    // Four blocks have a quarter each.
    let cluster = ", CTAsPerCGA = [2, 2], CTASplitNum = [2, 2], CTAOrder = [1, 0]";
    for (block, corner) in [(0, 0), (0, 16), (16, 0), (16, 16)].into_iter().enumerate() {
        check(&blocked(cluster, "32x32"), block, &at(corner.0, corner.1));
    }
}

#[test]
fn results_of_tensor_cores_are_those_of_the_pictures() {
    let mma = "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}> : 32x16";
    let upper = "0 0 1 1 2 2 3 3 32 32 33 33 34 34 35 35";
    let below = "4 4 5 5 6 6 7 7 36 36 37 37 38 38 39 39";
    let last = "28 28 29 29 30 30 31 31 60 60 61 61 62 62 63 63";
    let lower = "64 64 65 65 66 66 67 67 96 96 97 97 98 98 99 99";
    let lower_below = "68 68 69 69 70 70 71 71 100 100 101 101 102 102 103 103";
    let lower_last = "92 92 93 93 94 94 95 95 124 124 125 125 126 126 127 127";
    let lines: Vec<Line> = [
        (0, upper),
        (1, below),
        (7, last),
        (8, upper),
        (9, below),
        (15, last),
        (16, lower),
        (17, lower_below),
        (23, lower_last),
        (24, lower),
        (25, lower_below),
        (31, lower_last),
    ]
    .map(|(row, text)| (row, 0, text))
    .to_vec();
    check(mma, 0, &lines);
}

#[test]
fn results_of_matrix_cores_are_those_of_the_pictures() {
    let mfma = |size: u64, shape: &str| {
        format!(
            "#ttg.amd_mfma<{{version = 3, warpsPerCTA = [1, 2], instrShape = [{size}, {size}, 8], isTransposed = false}}> : {shape}"
        )
    };
    // Each line occurs in four rows; in 32 by 32 the halves of a warp alternate.
    let mut lines: Vec<Line> = Vec::new();
    for row in 0..32 {
        let half = row / 4 % 2;
        lines.push((row, 0, ["0 1 2 3", "32 33 34 35"][half as usize]));
        lines.push((row, 30, ["30 31", "62 63"][half as usize]));
        lines.push((row, 32, ["64 65 66 67", "96 97 98 99"][half as usize]));
        lines.push((row, 62, ["94 95", "126 127"][half as usize]));
    }
    check(&mfma(32, "32x64"), 0, &lines);
    lines.clear();
    let quarters = [
        ["0 1 2 3", "14 15 64 65 66 67", "78 79"],
        ["16 17 18 19", "30 31 80 81 82 83", "94 95"],
        ["32 33 34 35", "46 47 96 97 98 99", "110 111"],
        ["48 49 50 51", "62 63 112 113 114 115", "126 127"],
    ];
    for row in 0..16 {
        let places = [0, 14, 30].into_iter().zip(quarters[row as usize / 4]);
        lines.extend(places.map(|(column, line)| (row, column, line)));
    }
    check(&mfma(16, "16x32"), 0, &lines);
    // For `wmma`, the pictures give only the lanes, in each of two by two warps.
    let wmma = |version: u64, transposed: bool| {
        format!(
            "#ttg.amd_wmma<{{version = {version}, isTranspose = {transposed}, warpsPerCTA = [2, 2]}}> : 32x64"
        )
    };
    type Lane = fn(u64, u64) -> u64;
    let table: [(u64, bool, Lane); 3] = [
        (1, false, |row, column| row % 2 * 16 + column % 16),
        (2, false, |row, column| row % 16 / 8 * 16 + column % 16),
        (2, true, |row, column| column % 16 / 8 * 16 + row % 16),
    ];
    for (version, transposed, lane) in table {
        let encoding = read(&wmma(version, transposed));
        let layout = encoding.layout();
        for input in 0..1 << layout.bases().len() {
            let place = layout.coordinates(layout.apply(input));
            let found = layout.indices(input)[1];
            assert_eq!(found, lane(place[0], place[1]), "version {version}: {place:?}");
        }
    }
}

#[test]
fn threads_of_slices_and_of_small_tensors_are_those_of_the_pictures() {
    // Four by four threads.
    let parent = "#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 4], warpsPerCTA = [1, 1], order = [1, 0]}>";
    let encoding = read(&format!("{parent} : 2x8"));
    for row in 0..2 {
        for column in 0..8 {
            let held = &threads(&encoding, &[row, column])[0];
            let first = 4 * row + column % 4;
            assert!(held.iter().eq(&[first, first + 8]), "({row}, {column}): {held:?}");
        }
    }
    for index in 0..8 {
        let columns = read(&format!("#ttg.slice<{{dim = 0, parent = {parent}}}> : 8"));
        let held = &threads(&columns, &[index])[0];
        assert!(held.iter().copied().eq((0..4).map(|row| 4 * row + index % 4)), "{held:?}");
        let rows = read(&format!("#ttg.slice<{{dim = 1, parent = {parent}}}> : 8"));
        let held = &threads(&rows, &[index])[0];
        assert!(held.iter().copied().eq((0..4).map(|column| index % 4 * 4 + column)), "{held:?}");
    }
}

/// Returns the elements of an array in memory order, as numbers in row-major order; -1 for padding.
fn memory(text: &str) -> Vec<i64> {
    let encoding = read(text);
    let sizes = encoding.layout().shape();
    let map = encoding.map().unwrap_or_else(|error| panic!("{text}: {error:?}"));
    let mut all = Vec::new();
    for number in 0..sizes.iter().product() {
        let mut rest = number;
        let mut index: Vec<i64> = Vec::new();
        for size in sizes.iter().rev() {
            index.insert(0, (rest % size) as i64);
            rest /= size;
        }
        let offset = map.eval(&index).expect("in the domain")[0] as usize;
        if all.len() <= offset {
            all.resize(offset + 1, -1);
        }
        assert_eq!(std::mem::replace(&mut all[offset], number as i64), -1, "{text}: {index:?}");
    }
    all
}

#[test]
fn shared_memory_is_that_of_the_pictures() {
    let swizzled = |kind: &str, [vec, per_phase, phases]: [u64; 3], shape: &str| {
        format!(
            "#ttg.{kind}<{{vec = {vec}, perPhase = {per_phase}, maxPhase = {phases}, order = [1, 0]}}> : {shape}"
        )
    };
    let table = [
        ("swizzled_shared", [1, 1, 4], "4x4", "0 1 2 3 5 4 7 6 10 11 8 9 15 14 13 12"),
        ("swizzled_shared", [1, 2, 4], "4x4", "0 1 2 3 4 5 6 7 9 8 11 10 13 12 15 14"),
        (
            "swizzled_shared",
            [1, 1, 2],
            "8x4",
            "0 1 2 3 5 4 7 6 8 9 10 11 13 12 15 14 16 17 18 19 21 20 23 22 24 25 26 27 29 28 31 30",
        ),
        (
            "swizzled_shared",
            [1, 2, 2],
            "8x4",
            "0 1 2 3 4 5 6 7 9 8 11 10 13 12 15 14 16 17 18 19 20 21 22 23 25 24 27 26 29 28 31 30",
        ),
        (
            "swizzled_shared",
            [2, 1, 4],
            "4x8",
            "0 1 2 3 4 5 6 7 10 11 8 9 14 15 12 13 20 21 22 23 16 17 18 19 30 31 28 29 26 27 24 25",
        ),
        (
            "amd_rotating_shared",
            [1, 1, 2],
            "8x4",
            "0 1 2 3 5 4 7 6 9 8 11 10 12 13 14 15 16 17 18 19 21 20 23 22 25 24 27 26 28 29 30 31",
        ),
        (
            "amd_rotating_shared",
            [1, 2, 2],
            "8x4",
            "0 1 2 3 4 5 6 7 9 8 11 10 13 12 15 14 17 16 19 18 21 20 23 22 24 25 26 27 28 29 30 31",
        ),
        (
            "amd_rotating_shared",
            [1, 1, 4],
            "8x4",
            "0 1 2 3 5 4 7 6 10 11 8 9 15 14 13 12 17 16 19 18 20 21 22 23 27 26 25 24 30 31 28 29",
        ),
    ];
    for (kind, parameters, shape, elements) in table {
        let text = swizzled(kind, parameters, shape);
        let expected: Vec<i64> = numbers(elements).into_iter().map(|x| x as i64).collect();
        assert_eq!(memory(&text), expected, "{text}");
    }
}

#[test]
fn padding_is_that_of_the_pictures() {
    let plain = "#ttg.padded_shared<[2:+2] {order = [1, 0], shape = [16, 32]}>";
    let bases = "#ttg.padded_shared<[2:+2] {offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], block = []}>";
    assert_eq!(read(plain), read(bases));
    let table: [(&str, &[i64]); 4] = [
        ("[2:+2] {order = [0], shape = [4]}", &[0, 1, -1, -1, 2, 3]),
        ("[2:+1, 4:+2] {order = [0], shape = [8]}", &[0, 1, -1, 2, 3, -1, -1, -1, 4, 5, -1, 6, 7]),
        ("[2:+2] {offset = [[2], [1]], block = []}", &[0, 2, -1, -1, 1, 3]),
        // Rows 0, 2, 4, 6, a free element, and the other rows.
        (
            "[16:+1] {offset = [[0, 1], [0, 2], [2, 0], [4, 0], [1, 0]], block = []}",
            &[
                0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27, -1, 4, 5, 6, 7, 12, 13,
                14, 15, 20, 21, 22, 23, 28, 29, 30, 31,
            ],
        ),
    ];
    for (parameters, expected) in table {
        assert_eq!(memory(&format!("#ttg.padded_shared<{parameters}>")), expected, "{parameters}");
    }
    // The bases without padding.
    let linear = "#ttg.shared_linear<{offset = [[0, 1], [0, 2], [2, 0], [1, 0]], block = []}, alignment = 16>";
    assert_eq!(memory(linear), [0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14, 15]);
}
