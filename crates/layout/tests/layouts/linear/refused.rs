//! Attributes that are refused, each with the position and the reason.

use affinor_layout::linear::attribute::Encoding;

#[test]
fn an_error_is_at_its_place() {
    let blocked = "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [2, 1], order = [1, 0]}>";
    let with = |old: &str, new: &str| format!("{} : 16x32", blocked.replace(old, new));
    let table = [
        (with("order", "odrer"), "odrer", "`blocked` has no parameter `odrer`"),
        (with(", order = [1, 0]", ""), "#ttg", "`blocked` needs the parameter `order`"),
        (with("[4, 8]", "[4, 6]"), "6", "expected a power of two up to 2^40, found 6"),
        (with("[4, 8]", "[4, 8, 1]"), "[4, 8, 1]", "`threadsPerWarp` has 3 numbers, the tensor 2 dimensions"),
        (with("[1, 0]", "[1, 1]"), "1]}", "`order` has each dimension from 0 to 1 once"),
        (with("[2, 1]", "2"), "2, order", "expected a list of integers in `warpsPerCTA`"),
        (with("order =", "order = [1, 0], order ="), "order = [1, 0]}", "`order` is given twice"),
        (format!("{blocked} : 16x30"), "30", "expected a power of two up to 2^40, found 30"),
        (format!("{blocked} : 16"), "[1, 4]", "`sizePerThread` has 2 numbers, the tensor 1 dimensions"),
        (format!("{blocked} 16x32 7"), "7", "expected the end of the layout, found `7`"),
        ("#ttg.blokced<{}> : 16x32".to_owned(), "#ttg", "unknown layout `blokced`"),
        ("#blocked : 16x32".to_owned(), "#blocked", "unknown alias `#blocked`"),
        ("#ttg.blocked<{order = [1, 0]".to_owned(), "", "expected `,` or `}`, found the end of the layout"),
        (format!("#ttg.slice<{{dim = 2, parent = {blocked}}}> : 16"), "2, parent", "`dim` is from 0 to 1 for this tensor"),
        (format!("#ttg.slice<{{dim = 0, parent = {blocked}}}>"), "#ttg.slice", "`slice` needs the shape of the tensor"),
        (format!("#ttg.dot_op<{{opIdx = 2, parent = {blocked}}}> : 16x16"), "2, parent", "`opIdx` is 0 or 1, not 2"),
        (
            "#ttg.nvidia_mma<{versionMajor = 5, warpsPerCTA = [4, 1], instrShape = [16, 8]}>".to_owned(),
            "5",
            "version 5 of `nvidia_mma` is not supported",
        ),
        (
            "#ttg.nvidia_mma<{versionMajor = 2, warpsPerCTA = [4, 1], instrShape = [16, 16]}>".to_owned(),
            "16]}",
            "N of `instrShape` is 8, of version 3 a power of two from 8 on",
        ),
        (
            "#ttg.dot_op<{opIdx = 1, parent = #ttg.nvidia_mma<{versionMajor = 3, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>, kWidth = 2}> : 64x64".to_owned(),
            "#ttg.nvidia",
            "the second operand of `wgmma` is in shared memory, not in registers",
        ),
        (
            "#ttg.nvidia_mma<{versionMajor = 1, warpsPerCTA = [4, 1], instrShape = [16, 16]}>".to_owned(),
            "1, warps",
            "version 1 of `nvidia_mma` is not supported",
        ),
        (
            "#ttg.amd_mfma<{version = 5, warpsPerCTA = [4, 1], instrShape = [32, 32, 8], isTransposed = true}>".to_owned(),
            "5",
            "version 5 of `amd_mfma` is not supported",
        ),
        (
            "#ttg.amd_mfma<{version = 3, warpsPerCTA = [4, 1], instrShape = [4, 4, 4], isTransposed = true}>".to_owned(),
            "[4, 4",
            "M and N of `instrShape` are 32 and 32, 16 and 16, 64 and 4, or 4 and 64",
        ),
        (
            "#ttg.amd_mfma<{version = 3, warpsPerCTA = [4, 1], instrShape = [64, 4, 4], isTransposed = false}>".to_owned(),
            "[64",
            "a result of 64 by 4 is transposed: `isTransposed = true`",
        ),
        (
            "#ttg.amd_mfma<{version = 3, warpsPerCTA = [4], instrShape = [16, 16, 16], isTransposed = true}>".to_owned(),
            "#ttg",
            "`amd_mfma` has no tensors of 1 dimensions",
        ),
        (
            "#ttg.amd_wmma<{version = 1, warpsPerCTA = [2, 2], instrShape = [16, 16, 32]}>".to_owned(),
            "[16",
            "version 1 of `amd_wmma` has no `instrShape` [16, 16, 32]",
        ),
        (
            "#ttg.amd_wmma<{version = 2, ctaLayout = {warp = [[0, 2], [1, 0]]}}>".to_owned(),
            "{warp",
            "`ctaLayout` has each power of two below 2 along dim 1 once, 1 is not",
        ),
        (
            "#ttg.amd_wmma<{version = 2, ctaLayout = {warp = [[0, 1], [1, 1]]}}>".to_owned(),
            "1, 1",
            "a basis of `ctaLayout` goes along one dimension",
        ),
        (
            "#ttg.amd_wmma<{version = 2, ctaLayout = [[0, 1]]}>".to_owned(),
            "[[0",
            "`ctaLayout` is a group, `{warp = [[0, 1]]}`",
        ),
        (
            "#ttg.amd_wmma<{version = 2, ctaLayout = {lane = [[0, 1]]}}>".to_owned(),
            "lane",
            "`ctaLayout` has no parameter `lane`",
        ),
        (
            "#ttg.dot_op<{opIdx = 0, parent = #ttg.amd_wmma<{version = 1, warpsPerCTA = [2, 2]}>, kWidth = 4}> : 32x32".to_owned(),
            "4}>",
            "`kWidth` is 8 or 16 in version 1",
        ),
        (
            "#ttg.dot_op<{opIdx = 0, parent = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [16, 16, 16], isTransposed = true}>}> : 32x32".to_owned(),
            "#ttg.dot",
            "`dot_op` needs the parameter `kWidth`",
        ),
        (
            "#ttg.shared_linear<{offset = [[0, 1]], block = [[1, 0]]}, alignment = 16>".to_owned(),
            "#ttg",
            "shared memory of several blocks is not supported",
        ),
        (
            "#ttg.shared_linear<{offset = [[0, 1]], block = []}, align = 16>".to_owned(),
            "align",
            "`shared_linear` has no parameter `align`",
        ),
        (
            "#ttng.tensor_memory_encoding<blockM = 32, blockN = 64, colStride = 1> : 128x64".to_owned(),
            "#ttng",
            "`blockM` is 64 or 128",
        ),
        (
            "#ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1> : 64x64".to_owned(),
            "#ttng",
            "the tensor has 64 rows for a block, fewer than `blockM`",
        ),
        (
            "#ttng.tensor_memory_encoding<blockM = 128, blockN = 64, unpacked = true> : 128x64".to_owned(),
            "unpacked",
            "`tensor_memory_encoding` has no parameter `unpacked`",
        ),
        (
            "#ttng.tensor_memory_encoding<blockM = 128 blockN = 64> : 128x64".to_owned(),
            "blockN",
            "expected `,` or `>`, found `blockN`",
        ),
        (
            "#ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>".to_owned(),
            "#ttng",
            "`tensor_memory_encoding` needs the shape of the tensor",
        ),
        (
            "#ttg.linear<{register = [[0, 1], [1]], lane = [], warp = [], block = []}>".to_owned(),
            "1]]",
            "a basis has 1 coordinates, the tensor 2 dimensions",
        ),
        (
            "#ttg.linear<{register = [[0, 4]], lane = [], warp = [], block = []}> : 2x4".to_owned(),
            "4]]",
            "the coordinate 4 is outside the size 4",
        ),
        (
            "#ttg.padded_shared<[3:+2] {order = [0]}> : 16".to_owned(),
            "3:",
            "expected a power of two up to 2^40, found 3",
        ),
        (
            "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], hasLeadingOffset = true}> : 16".to_owned(),
            "#ttg",
            "shared layouts with a leading offset are not supported",
        ),
    ];
    let mut wrong = Vec::new();
    for (text, place, message) in table {
        let at = if place.is_empty() { text.len() } else { text.find(place).unwrap_or(usize::MAX) };
        match Encoding::read(&text) {
            Ok(_) => wrong.push(format!("{text}: read")),
            Err(error) => {
                let start = error.span.clone().map(|span| span.start);
                if error.message != message || start != Some(at) {
                    wrong.push(format!("{text}\n  {start:?} {}\n  {at} {message}", error.message));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
