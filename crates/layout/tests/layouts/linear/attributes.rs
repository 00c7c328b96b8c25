//! Triton's attributes, compared element by element with their documented rules.

use affinor_layout::linear::attribute::{Encoding, Padding};

fn read(text: &str) -> Encoding {
    Encoding::read(text).unwrap_or_else(|error| panic!("{text}: {error:?}"))
}

/// Returns the element of a register of a lane of a warp of a block.
fn held(encoding: &Encoding, place: [u64; 4]) -> Vec<u64> {
    let layout = encoding.layout();
    layout.coordinates(layout.apply(layout.input_at(&place)))
}

/// Checks each register, lane and warp of a layout of one block against `rule`.
fn check(text: &str, registers: u64, warps: u64, rule: impl Fn(u64, u64, u64) -> [u64; 2]) {
    check_lanes(text, [registers, 32, warps], rule);
}

fn check_lanes(text: &str, sizes: [u64; 3], rule: impl Fn(u64, u64, u64) -> [u64; 2]) {
    let [registers, lanes, warps] = sizes;
    let encoding = read(text);
    let sizes: Vec<u64> =
        encoding.layout().inputs().iter().map(|input| 1 << input.bases.len()).collect();
    assert_eq!(sizes, [registers, lanes, warps, 1], "{text}");
    for register in 0..registers {
        for lane in 0..lanes {
            for warp in 0..warps {
                let found = held(&encoding, [register, lane, warp, 0]);
                assert_eq!(found, rule(register, lane, warp), "{text}: {register} {lane} {warp}");
            }
        }
    }
}

#[test]
fn blocked_threads_have_blocks_in_order() {
    let text = "#ttg.blocked<{sizePerThread = [2, 2], threadsPerWarp = [8, 4], warpsPerCTA = [1, 2], order = [1, 0]}> : tensor<16x16xf32>";
    check(text, 4, 2, |r, l, w| [2 * (l / 4) + r / 2, 8 * w + 2 * (l % 4) + r % 2]);
    // The same in column order: the first dimension is the fastest in registers, lanes and warps.
    let text = "#ttg.blocked<{sizePerThread = [2, 2], threadsPerWarp = [8, 4], warpsPerCTA = [2, 2], order = [0, 1]}> : 32x16";
    check(text, 4, 4, |r, l, w| {
        [16 * (w % 2) + 2 * (l % 8) + r % 2, 8 * (w / 2) + 2 * (l / 8) + r / 2]
    });
    // A larger tensor repeats it in registers, the fastest dimension first.
    let text = "#triton_gpu.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [2, 1], order = [1, 0]}> : tensor<16x64xf16>";
    check(text, 16, 2, |r, l, w| {
        [8 * (r / 8) + 4 * w + l / 8, 32 * (r / 4 % 2) + 4 * (l % 8) + r % 4]
    });
    // For a smaller tensor, several threads hold the same elements.
    let text = "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [2, 1], order = [1, 0]}> : 4x8";
    check(text, 4, 2, |r, l, _| [l / 8, 4 * (l % 2) + r]);
}

#[test]
fn tensor_cores_have_the_fragments_of_their_instructions() {
    // m16n8: rows `lane / 4` and 8 below, two columns.
    let mma = "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>";
    check(&format!("{mma} : 32x16"), 4, 4, |r, l, w| {
        [16 * (w / 2) + l / 4 + 8 * (r / 2), 8 * (w % 2) + l % 4 * 2 + r % 2]
    });
    // wgmma: a warp has 16 rows, warps go down first.
    let wgmma = "#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 32, 16]}>";
    check(&format!("{wgmma} : tensor<64x32xf32>"), 16, 4, |r, l, w| {
        [16 * w + l / 4 + r / 2 % 2 * 8, r / 4 * 8 + l % 4 * 2 + r % 2]
    });
    // The first operand of m16n8k16, two elements in a register; warps along N hold the same elements.
    let dot = |index: u32, width: u32, shape: &str| {
        format!(
            "#mma = {mma} #ttg.dot_op<{{opIdx = {index}, parent = #mma, kWidth = {width}}}> : {shape}"
        )
    };
    check(&dot(0, 2, "32x16"), 8, 4, |r, l, w| {
        [16 * (w / 2) + l / 4 + r / 2 % 2 * 8, l % 4 * 2 + r % 2 + r / 4 * 8]
    });
    check(&dot(1, 2, "16x16"), 4, 4, |r, l, w| {
        [l % 4 * 2 + r % 2 + r / 2 * 8, 8 * (w % 2) + l / 4]
    });
    // m16n8k8 of 32-bit elements, and m16n8k32 of 8-bit ones.
    check(&dot(0, 1, "32x8"), 4, 4, |r, l, w| {
        [16 * (w / 2) + l / 4 + r % 2 * 8, l % 4 + r / 2 * 4]
    });
    check(&dot(1, 4, "32x16"), 8, 4, |r, l, w| {
        [l % 4 * 4 + r % 4 + r / 4 * 16, 8 * (w % 2) + l / 4]
    });
    // Tiles repeat along K first.
    check(&dot(0, 2, "32x32"), 16, 4, |r, l, w| {
        [16 * (w / 2) + l / 4 + r / 2 % 2 * 8, l % 4 * 2 + r % 2 + r / 4 * 8]
    });
}

#[test]
fn matrix_cores_have_the_registers_of_their_instructions() {
    let mfma = |shape: &str, more: &str| {
        format!(
            "#ttg.amd_mfma<{{version = 3, warpsPerCTA = [1, 2], instrShape = {shape}, {more}}}>"
        )
    };
    // A lane has four rows of a column, across 32 columns, then four rows below; warps are side by side.
    check_lanes(
        &format!("{} : 32x64", mfma("[32, 32, 8]", "isTransposed = false")),
        [16, 64, 2],
        |r, l, w| [r / 4 * 8 + l / 32 * 4 + r % 4, 32 * w + l % 32],
    );
    check_lanes(
        &format!("{} : tensor<32x64xf32>", mfma("[32, 32]", "isTransposed = true")),
        [16, 64, 2],
        |r, l, w| [l % 32, 32 * w + r / 4 * 8 + l / 32 * 4 + r % 4],
    );
    check_lanes(&mfma("[16, 16, 16]", "isTransposed = false"), [4, 64, 2], |r, l, w| {
        [l / 16 * 4 + r, 16 * w + l % 16]
    });
    // Elements of 64 bits: one row at a time in a lane.
    check_lanes(
        &mfma("[16, 16, 4]", "isTransposed = false, elementBitWidth = 64"),
        [4, 64, 2],
        |r, l, w| [r * 4 + l / 16, 16 * w + l % 16],
    );
    check_lanes(&mfma("[64, 4, 4]", "isTransposed = true"), [4, 64, 2], |r, l, w| [l, 4 * w + r]);
    // Two by two tiles per warp, continued to the end of a row before the next rows.
    check_lanes(
        &format!("{} : 32x128", mfma("[16, 16, 16]", "isTransposed = true, tilesPerWarp = [2, 2]")),
        [32, 64, 2],
        |r, l, w| {
            let column = r / 8 % 2 * 64 + 32 * w + r / 4 % 2 * 16 + l / 16 * 4 + r % 4;
            [r / 16 * 16 + l % 16, column]
        },
    );
    let dot = |index: u32, parent: &str, width: u32, shape: &str| {
        format!("#ttg.dot_op<{{opIdx = {index}, parent = {parent}, kWidth = {width}}}> : {shape}")
    };
    let parent = mfma("[32, 32, 8]", "isTransposed = false");
    check_lanes(&dot(0, &parent, 4, "32x32"), [16, 64, 2], |r, l, _| {
        [l % 32, r / 4 * 8 + l / 32 * 4 + r % 4]
    });
    check_lanes(&dot(1, &parent, 4, "16x64"), [8, 64, 2], |r, l, w| {
        [r / 4 * 8 + l / 32 * 4 + r % 4, 32 * w + l % 32]
    });
    let wmma = |version: u32, more: &str| {
        format!(
            "#ttg.amd_wmma<{{version = {version}, ctaLayout = {{warp = [[0, 1], [1, 0]]}}{more}}}>"
        )
    };
    // Every other row in a lane; from version 2 on, eight contiguous rows.
    check(&wmma(1, ", isTranspose = false"), 8, 4, |r, l, w| {
        [16 * (w / 2) + 2 * r + l / 16, 16 * (w % 2) + l % 16]
    });
    let eight_rows = |r, l, w| [16 * (w / 2) + l / 16 * 8 + r, 16 * (w % 2) + l % 16];
    check(&wmma(2, ", isTranspose = false"), 8, 4, eight_rows);
    check("#ttg.amd_wmma<{version = 2, warpsPerCTA = [2, 2]}>", 8, 4, eight_rows);
    check(&wmma(2, ", isTranspose = true"), 8, 4, |r, l, w| {
        [16 * (w / 2) + l % 16, 16 * (w % 2) + l / 16 * 8 + r]
    });
    check(&wmma(3, ", isTranspose = false, instrShape = [32, 16, 128]"), 16, 4, |r, l, w| {
        [32 * (w / 2) + r / 8 * 16 + l / 16 * 8 + r % 8, 16 * (w % 2) + l % 16]
    });
    // In version 1, both halves of a wave have the same elements of an operand.
    check(&dot(0, &wmma(1, ""), 16, "32x16"), 16, 4, |r, l, w| [16 * (w / 2) + l % 16, r]);
    check(&dot(1, &wmma(2, ""), 8, "32x32"), 16, 4, |r, l, w| {
        [r / 8 * 16 + l / 16 * 8 + r % 8, 16 * (w % 2) + l % 16]
    });
    // The tiles of a warp continue as `ctaLayout` specifies.
    let two = "#ttg.amd_wmma<{version = 2, isTranspose = false, ctaLayout = {register = [[1, 0]], warp = [[0, 1], [2, 0]]}}>";
    check(two, 16, 4, |r, l, w| {
        [32 * (w / 2) + r / 8 * 16 + l / 16 * 8 + r % 8, 16 * (w % 2) + l % 16]
    });
}

#[test]
fn operands_of_blocked_threads_have_all_of_k() {
    let blocked = "#ttg.blocked<{sizePerThread = [2, 1], threadsPerWarp = [4, 8], warpsPerCTA = [2, 1], order = [1, 0]}>";
    let dot = |index: u32, shape: &str| {
        format!("#ttg.dot_op<{{opIdx = {index}, parent = {blocked}}}> : {shape}")
    };
    check(&dot(0, "16x4"), 8, 2, |r, l, w| [8 * w + 2 * (l / 8) + r / 4, r % 4]);
    check(&dot(1, "4x8"), 4, 2, |r, l, _| [r, l % 8]);
}

#[test]
fn a_slice_has_the_threads_of_its_parent() {
    let parent = "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [2, 1], order = [1, 0]}>";
    let rows = read(&format!("#ttg.slice<{{dim = 1, parent = {parent}}}> : tensor<8xf32>"));
    let columns = read(&format!("#ttg.slice<{{dim = 0, parent = {parent}}}> : 32"));
    assert_eq!(rows.layout().input("register").map(|input| input.bases.len()), Some(0));
    for lane in 0..32 {
        for warp in 0..2 {
            assert_eq!(held(&rows, [0, lane, warp, 0]), [4 * warp + lane / 8]);
            assert_eq!(held(&columns, [3, lane, warp, 0]), [4 * (lane % 8) + 3]);
        }
    }
}

#[test]
fn bases_are_taken_as_they_are() {
    let text = "#ttg.linear<{register = [[0, 1], [8, 0], [0, 8], [64, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}>";
    let encoding = read(text);
    assert_eq!(encoding.layout().shape(), [128, 16]);
    assert_eq!(held(&encoding, [9, 7, 3, 0]), [64 + 1 + 16 + 32, 1 + 2 + 4]);
    assert_eq!(encoding.layout().to_string(), text);
    assert_eq!(read(&format!("{text} : tensor<256x16xf16>")).layout().shape(), [256, 16]);
}

#[test]
fn blocks_of_a_cluster_have_their_parts() {
    let text = "#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 1], order = [1, 0], CTAsPerCGA = [2, 2], CTASplitNum = [2, 1], CTAOrder = [1, 0]}> : 2x32";
    let encoding = read(text);
    for block in 0..4 {
        assert_eq!(held(&encoding, [0, 5, 0, block]), [block / 2, 5]);
    }
    let text = "#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 1], order = [1, 0], CGALayout = [[0, 0], [1, 0]]}> : 2x32";
    assert_eq!(read(text), encoding);
    // Blocks that differ only along K hold the same elements of an operand.
    let mma = "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], CGALayout = [[0, 1], [1, 0]], instrShape = [16, 8]}>";
    let encoding = read(&format!("#ttg.dot_op<{{opIdx = 0, parent = {mma}, kWidth = 2}}> : 32x16"));
    for block in 0..4 {
        assert_eq!(held(&encoding, [4, 5, 0, block]), [block / 2 * 16 + 1, 8 + 2]);
    }
}

#[test]
fn shared_memory_is_swizzled_by_rows() {
    let text = "#ttg.swizzled_shared<{vec = 4, perPhase = 2, maxPhase = 4, order = [1, 0]}>";
    let Encoding::Memory(layout, paddings) =
        read(&format!("#s = {text} !ttg.memdesc<32x64xf16, #s, #smem, mutable>"))
    else {
        panic!("a layout of memory");
    };
    assert!(paddings.is_empty());
    for (row, column) in [(0, 0), (1, 5), (2, 5), (7, 63), (13, 40), (31, 17)] {
        let offset = row * 64 + (column ^ (row / 2 % 4 * 4));
        assert_eq!(layout.coordinates(layout.apply(offset)), [row, column]);
    }
    assert_eq!(
        read(&format!("{} : 32x64", text.replace("ttg.swizzled_", "triton_gpu."))),
        Encoding::Memory(layout, paddings)
    );
}

#[test]
fn rows_of_tensor_maps_are_swizzled_in_tiles() {
    // Tiles of 8 rows of 64 bytes, here 32 elements: first all rows, then the next columns.
    let text = "#ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}> : 16x64";
    let layout = read(text).layout().clone();
    for (row, column) in [(0, 0), (1, 9), (2, 9), (7, 31), (9, 40), (15, 63)] {
        let inside = (column % 32) ^ (row % 8 / 2 * 8);
        let offset = column / 32 * 512 + row / 8 * 256 + row % 8 * 32 + inside;
        assert_eq!(layout.coordinates(layout.apply(offset)), [row, column]);
    }
}

#[test]
fn tensor_memory_has_rows_side_by_side() {
    let text = |parameters: &str, shape: &str| {
        format!(
            "#t = #ttng.tensor_memory_encoding<{parameters}> !ttg.memdesc<{shape}xf32, #t, #ttng.tensor_memory, mutable>"
        )
    };
    type Rule = fn(i64, i64) -> [i64; 2];
    let table: [(&str, &str, Rule); 6] = [
        ("blockM = 128, blockN = 64, colStride = 1", "128x64", |i, j| [i, j]),
        // Further rows of the tensor come before further columns.
        ("blockM = 128, blockN = 32, colStride = 1", "256x64", |i, j| {
            [i % 128, i / 128 * 32 + j / 32 * 64 + j % 32]
        }),
        ("blockM = 128, blockN = 64, colStride = 2", "128x64", |i, j| [i, 2 * j]),
        // Each quarter has 16 of the 64 rows; its upper half is free or holds the next part.
        ("blockM = 64, blockN = 64, colStride = 1", "64x64", |i, j| [i / 16 * 32 + i % 16, j]),
        ("blockM = 64, blockN = 64, colStride = 1", "128x64", |i, j| {
            [i % 64 / 16 * 32 + i / 64 * 16 + i % 16, j]
        }),
        ("blockM = 64, blockN = 32, colStride = 1", "64x64", |i, j| {
            [i / 16 * 32 + j / 32 * 16 + i % 16, j % 32]
        }),
    ];
    for (parameters, shape, rule) in table {
        let encoding = read(&text(parameters, shape));
        let map = encoding.map().expect("small");
        let sizes = encoding.layout().shape();
        for i in 0..sizes[0] as i64 {
            for j in 0..sizes[1] as i64 {
                let found = map.eval(&[i, j]).expect("in the domain");
                assert_eq!(found[..2], rule(i, j), "{parameters} {shape}: {i}, {j}");
            }
        }
    }
    // Two blocks with 64 rows each: the second half of the columns lies below the first.
    let parameters =
        "blockM = 64, blockN = 64, colStride = 1, CGALayout = [[1, 0]], twoCTAs = true";
    let map = read(&text(parameters, "128x64")).map().expect("small");
    for (i, j) in [(0, 0), (63, 31), (5, 32), (64, 1), (127, 63)] {
        let expected = [i % 64 + j / 32 * 64, j % 32, i / 64];
        assert_eq!(map.eval(&[i, j]).expect("in the domain"), expected);
    }
}

#[test]
fn padding_comes_after_each_interval() {
    let expected = [Padding { interval: 4, elements: 2 }, Padding { interval: 32, elements: 8 }];
    for text in [
        "#ttg.padded_shared<[4:+2, 32:+8] {order = [1, 0], shape = [4, 8]}>",
        "#ttg.padded_shared<[4:+2, 32:+8] {offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]], block = []}>",
        "#ttg.padded_shared<[4:+2, 32:+8] {order = [1, 0]}> : 4x8",
    ] {
        let Encoding::Memory(layout, paddings) = read(text) else { panic!("{text}") };
        assert_eq!(paddings, expected, "{text}");
        assert_eq!(layout.coordinates(layout.apply(13)), [1, 5], "{text}");
    }
}
