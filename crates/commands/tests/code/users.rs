//! Sixty tasks about code, as typed by new users of the prompt: users of Triton, CUDA, Inductor, TVM, NumPy and C. They were
//! written before anybody looked at the answers. Each has the lines typed and a regular expression of a right answer.

use crate::judge::matches;
use crate::typed::typed;

type Task = (&'static [&'static str], &'static str);

/// The minimum number of right answers.
const LEAST: usize = 57;

const TASKS: [Task; 60] = [
    // Triton.
    (
        &["pid = tl.program_id(0)", "offs = pid * 128 + tl.arange(0, 128)", "range offs"],
        r"^\[0, inf\]",
    ),
    (&["injective pid * 128 + tl.arange(0, 128) for pid in range(16)"], "^proved"),
    (&["injective pid * 64 + tl.arange(0, 128) for pid in range(16)"], "^refuted"),
    (
        &["count pid * 64 + tl.arange(0, 128) for pid in range(16)"],
        r"points +2048[\s\S]*elements +1088",
    ),
    (
        &["offs_m = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)", "offs_m // BLOCK_M == pid_m"],
        "^proved",
    ),
    (
        &[
            "pid = tl.program_id(0), domain: program_id_0 in [0, 63]",
            "num_pid_in_group = 4 * 8",
            "group_id = pid // num_pid_in_group",
            "first_pid_m = group_id * 4",
            "group_size_m = min(8 - first_pid_m, 4)",
            "pid_m = first_pid_m + (pid % num_pid_in_group) % group_size_m",
            "pid_n = (pid % num_pid_in_group) // group_size_m",
            "injective (pid_m, pid_n)",
        ],
        "^proved",
    ),
    (&["tl.cdiv(n, 128) * 128 >= n"], "^proved"),
    (&["tl.where(i < 8, i, i - 8) == i % 8 for i in range(16)"], "^proved"),
    (&["pid * 128 + tl.arange(0, 128) < 1000 for pid in range(8)"], "^refuted"),
    (
        &["block = pos // 16; slot = pos % 16", "injective (block, slot) for pos in range(4096)"],
        "^proved",
    ),
    (
        &["offs_k = tl.arange(0, 64)", "range offs_k * stride + 3 for stride in range(1, 5)"],
        r"^\[3, 255\]",
    ),
    // CUDA.
    (
        &[
            "int idx = blockIdx.x * blockDim.x + threadIdx.x;",
            "injective idx, domain: blockIdx.x in [0, 31], threadIdx.x in [0, blockDim.x - 1]",
        ],
        "^proved",
    ),
    (
        &[
            "injective blockIdx.x * 256 + threadIdx.x, domain: blockIdx.x in [0, 9], threadIdx.x in [0, 255]",
        ],
        "^proved",
    ),
    (
        &[
            "injective blockIdx.x * 128 + threadIdx.x, domain: blockIdx.x in [0, 9], threadIdx.x in [0, 255]",
        ],
        "^refuted",
    ),
    (
        &[
            "int lane = threadIdx.x & 31; int warp = threadIdx.x >> 5;",
            "warp * 32 + lane == threadIdx.x, domain: threadIdx.x in [0, 1023]",
        ],
        "^proved",
    ),
    (&["range (threadIdx.x - 1) / 32, domain: threadIdx.x in [0, 31]"], r"^\[0, 134217727\]"),
    (&["injective row * 8 + (col ^ row) for row in range(8) for col in range(8)"], "^proved"),
    (&["banks threadIdx.x * 32, domain: threadIdx.x in [0, 31]"], r"\b32\b"),
    (
        &["for (int i = 0; i < 4; i++) for (int j = 0; j < 8; j++) i * 8 + j"],
        r"\(i, j\) -> \(i \* 8 \+ j\), domain: i in \[0, 3\], j in \[0, 7\]",
    ),
    (&["injective threadIdx.x + k * 256, domain: threadIdx.x in [0, 255], k in [0, 3]"], "^proved"),
    (
        &[
            "injective row * 64 + ((col / 8) ^ (row % 8)) * 8 + col % 8 for row in range(16) for col in range(64)",
        ],
        "^proved",
    ),
    // C.
    (&["count i for i in range(0, 64, 4)"], r"points +16\b"),
    (&["equal i / 4 * 4 + i % 4 ; i --c"], "^proved"),
    (&["i % 8 == (i & 7) --c"], "^refuted"),
    (&["i % 8 == (i & 7)"], "^proved"),
    (&["(unsigned)i % 8 == (i & 7)"], "^proved"),
    (&["(uint8_t)i == i, domain: i in [0, 255]"], "^proved"),
    (&["(uint8_t)i == i for i in range(300)"], "^refuted.*256"),
    (&["range (int8_t)i for i in range(256)"], r"^\[-128, 127\]"),
    (&["head = (tail + 1) % 64", "range head"], r"^\[0, 63\]"),
    (&["equal (head + cap - 1) % cap ; (head - 1) % cap"], "^proved"),
    (
        &[
            "injective (x & 1) | (y & 1) << 1 | (x & 2) << 1 | (y & 2) << 2 for x in range(4) for y in range(4)",
        ],
        "^proved",
    ),
    (
        &[
            "z = (x & 1) | ((y & 1) << 1) | ((x & 2) << 1) | ((y & 2) << 2)",
            "range z for x in range(4) for y in range(4)",
        ],
        r"^\[0, 15\]",
    ),
    (&["injective ((i & 1) << 2) | (i & 2) | ((i >> 2) & 1) for i in range(8)"], "^proved"),
    (&["injective i ^ (i >> 1) for i in range(16)"], "^proved"),
    (&["range i ^ (i >> 1) for i in range(16)"], r"^\[0, 15\]"),
    (&["injective (key * 7) % 16 for key in range(16)"], "^proved"),
    (&["injective (key * 6) % 16 for key in range(16)"], "^refuted"),
    // Python and NumPy.
    (&["row, col = divmod(i, 8)", "row * 8 + col == i"], "^proved"),
    (&["r = i // 8; c = i % 8", "equal r * 8 + c ; i"], "^proved"),
    (&["injective (i % 8) * 16 + i // 8 for i in range(128)"], "^proved"),
    (&["range np.minimum(np.maximum(i, 0), 7)"], r"^\[0, 7\]"),
    (&["np.clip(i, 0, 7) == max(min(i, 7), 0)"], "^proved"),
    (&["lambda i, j: (i + j) % 4"], r"\(i \+ j\) mod 4"),
    (
        &["count i * (i + 1) // 2 + j for i in range(8) for j in range(i + 1)"],
        r"points +36\b[\s\S]*elements +36\b",
    ),
    (&["injective i * (i + 1) // 2 + j for i in range(8) for j in range(i + 1)"], "^proved"),
    (&["(i * 3) // 4 == i - i // 4 for i in range(16)"], "^refuted: at i = 1\\b"),
    (&["points i * i for i in range(3)"], r"\(2\) -> \(4\)"),
    (&["range 7 - abs(7 - i) for i in range(12)"], r"^\[0, 7\]"),
    (&["A[i * 4 + j]"], "element of an array"),
    (&["i ** 2"], r"-> \(i \* i\)"),
    // Convolutions, strides and sizes.
    (&["injective oh * 2 + kh for oh in range(4) for kh in range(3)"], "^refuted"),
    (&["range oh * 2 + kh - 1 for oh in range(4) for kh in range(3)"], r"^\[-1, 7\]"),
    (
        &[
            "injective ((n * C + c) * H + h) * W + w for n in range(N) for c in range(C) for h in range(H) for w in range(W)",
        ],
        "^proved",
    ),
    (&["equal h * W * C + w * C + c ; (h * W + w) * C + c"], "^proved"),
    (
        &["injective row * ld + col for row in range(8) for col in range(16) where ld >= 16"],
        "^proved",
    ),
    // Inductor and TVM.
    (&["ModularIndexing(x0, 8, 16) == x0 // 8 % 16"], "^proved"),
    (&["FloorDiv(x0, 4)*4 + ModularIndexing(x0, 1, 4)"], r"-> \(x0\)"),
    (&["T.floordiv(vi, 16) * 16 + T.floormod(vi, 16)"], r"-> \(vi\)"),
    (&["range T.if_then_else(i < 4, i, 7 - i) for i in range(8)"], r"^\[0, 3\]"),
];

#[test]
fn tasks_of_new_users() {
    let answers: Vec<String> = TASKS.iter().map(|(lines, _)| typed(lines)).collect();
    let cases = TASKS.iter().zip(&answers);
    let cases: Vec<(&str, &str)> =
        cases.map(|((_, pattern), answer)| (*pattern, answer.as_str())).collect();
    let are_right = matches(&cases);
    let mut wrong = String::new();
    for ((is_right, (lines, pattern)), answer) in are_right.iter().zip(TASKS).zip(&answers) {
        if !is_right {
            wrong += &format!("> {}\nexpected {pattern}, found\n{answer}\n", lines.join("\n> "));
        }
    }
    let right = are_right.iter().filter(|is_right| **is_right).count();
    assert!(right >= LEAST, "{right} of {} are right:\n{wrong}", TASKS.len());
}
