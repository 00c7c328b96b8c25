//! Notations of bounds, premises and quantifiers, and the upper bounds of CUDA's and Triton's indices: each with a regular
//! expression of the answer. Also notations that are refused, with the hint.

use crate::judge::matches;
use crate::typed::typed;

const ANSWERS: [(&str, &str); 86] = [
    // Words for conditions.
    ("x + 1 with 0 <= x < 4", r"\(x\) -> \(x \+ 1\), domain: x in \[0, 3\]"),
    ("x + 1 when 0 <= x < 4", r"domain: x in \[0, 3\]"),
    ("x + 1 given 0 <= x < 4", r"domain: x in \[0, 3\]"),
    ("(i, j) -> i*64 + j for 0 <= i < 4, 0 <= j < 64", r"i in \[0, 3\], j in \[0, 63\]"),
    ("fits i*j for 0 <= i < 100000 and 0 <= j < 100000", "^not every"),
    ("simplify given * 2 + when", r"\(given, when\) -> \(given \* 2 \+ when\)"),
    // Functions.
    ("x -> x + 1", r"^affine_map<\(x\) -> \(x \+ 1\)>"),
    ("i, j -> i * 8 + j, 0 <= i < 4, 0 <= j < 8", r"^\(i, j\) -> \(i \* 8 \+ j\)"),
    ("(x) => x + 1", r"^affine_map<\(x\) -> \(x \+ 1\)>"),
    ("(x, y) => x * 8 + y % 8", r"\(x \* 8 \+ y mod 8\)"),
    ("(x + 0) => x", "^proved"),
    // Premises.
    ("0 <= i < n => i // n == 0", "^proved|\nproved"),
    ("prove n > 0 and 0 <= i and i < n implies i // n == 0", "^proved"),
    ("prove 0 <= i < n ==> i // n == 0", "^proved"),
    ("prove n > 0 and i < n implies i // n == 0", "^refuted: at n = 1, i = -1"),
    ("x < 3 => x < 2", "refuted: at x = 2"),
    ("prove n >= 1 or n = 5 where i < n", "^refuted: at n = "),
    ("prove x mod 2 = 0 or x mod 2 = 1", "^proved for all integers"),
    ("prove x > y -> not (x = y)", "^proved for all integers"),
    ("prove x > 1 or x < 1 where x != 1, x = 1", "^proved, but no values meet the conditions"),
    // Notations of other systems.
    (
        "einsum('ij,kj->ik', a, b) with a of shape (2, 3) and b of shape (4, 3)",
        r"reads a: \(i, k\)\[j\] -> \(i, j\), domain: i in \[0, 1\], k in \[0, 3\]",
    ),
    ("x[::-1][::2] for x of length 10", r"\(d0 \* -2 \+ 9\), domain: d0 in \[0, 4\]"),
    (
        "np.arange(12).reshape(3, 4).T.ravel() == np.arange(12)",
        "^asked as `equal (.|\n)*refuted: at d0 = 1",
    ),
    ("np.array_equal(np.arange(6).reshape(2, 3).T.T, np.arange(6).reshape(2, 3))", "proved"),
    ("np.broadcast_to(np.arange(4)[:, None], (4, 3))", r"^\(d0, d1\) -> \(d0\)"),
    (
        "a, b = tl.swizzle2d(i, j, 8, 4, 2) for i in range(8) for j in range(4)",
        r"^a = \(i, j\) -> \(i floordiv 2 \* 2 \+ j mod 2\)(.|\n)*b = \(i, j\) -> \(j floordiv 2 \+ i mod 2 \* 2\)",
    ),
    ("count x + 64*y for x in range(64) for y in range(8) if y % 2 == 0", "points   256"),
    ("for i in range(8): for k in range(3): y[i] += x[i+k]", r"reads x: \(i, k\) -> \(i \+ k\)"),
    ("coalesce offs = threadIdx.x * 2 for threadIdx.x in range(32)", "transactions 8"),
    ("49*a + b, var_ranges = {a: 8, b: 49}", r"domain: a in \[0, 7\], b in \[0, 48\]"),
    ("import numpy as np", "^$"),
    (
        "tl.arange(0, 8) * 4 + tl.program_id(1) for tl.program_id(1) in range(4)",
        r"program_id_1 in \[0, 3\]",
    ),
    ("Or(x < 3, x > 2)", "proved"),
    ("is x / 4 the same as x / 8", "^asked as `equal x / 4 ; x / 8`(.|\n)*refuted"),
    (
        "for (int i = 0; i < 4; i++) out[3 - i] = in[i];",
        r"writes out: \(i\) -> \(-i \+ 3\)(.|\n)*reads in: \(i\) -> \(i\)",
    ),
    ("tl.load(in_ptr + 4*x, xmask)", r"^reads in_ptr at most: affine_map<\(x\) -> \(x \* 4\)>"),
    ("Eq((x * 2) // 2, x)", "^proved"),
    ("count for (i = 0; i < 10; i++) for (j = 0; j < i; j++)", "points   45"),
    ("inverse affine_map<(d0) -> (d0 * 2)>, d0 in [0, 3]", "d0 floordiv 2"),
    (
        "equal for (int i = 0; i < 9; i++) A[i] ; for (int j = 0; j < 9; j++) A[8 - j]",
        r"sets of elements(.|\n)*\nproved",
    ),
    (
        "equal for (int i = 0; i < 9; i++) A[i] ; for (int j = 0; j < 8; j++) A[8 - j]",
        r"sets of elements(.|\n)*\nrefuted",
    ),
    ("x < 3 => x < 5 => x < 4", "^proved"),
    // Quantifiers.
    ("forall x in [0, 10]: x % 3 <= 2", "^proved"),
    ("forall x in [0, 10], x % 3 <= 1", "^refuted"),
    ("forall x, y in [0, 10]: x * y <= 99", "refuted: at x = 10, y = 10"),
    ("forall x in [0, 10], y in range(4): x + y <= 13", "^proved"),
    ("for all x in range(4): x <= 3", "^proved"),
    ("forall x, y: x + y == y + x", "^proved"),
    ("for all x, y: x + y == y + x", "^proved"),
    ("forall x: x == x + 1", "^refuted"),
    // Points of a condition.
    ("count i, j where i*i + j*j <= 25", r"points +81\b"),
    ("count x where 3*x*x <= 40", r"points +7\b"),
    ("count (i, j) with 0 <= i < j < 100", r"points +4950\b"),
    ("count i for 0 <= i < n <= 64", r"points +n\b"),
    // Conditions after `for`.
    ("equal (x + 3) // 4 ; x // 4 + 1 for x % 4 == 1", "proved$"),
    ("prove x % 2 == 1 for x % 4 == 3, x < 90", "proved"),
    ("equal (x + 3) // 4 ; x // 4 + 1 for x % 4 == 0", "^refuted"),
    ("range n for i in range(n)", r"\[n, n\]$"),
    ("count i, j where i*i + j*j <= -1", "exclude every point|points +0"),
    // Bounds in only one of the two texts.
    ("equal (i*n + j) // n ; i for j in range(n)", "proved$"),
    ("equal (i*n + j) // n, 0 <= j < n ; i + 0*j", "proved$"),
    ("equal i % 8 + j ; i + j, i in [0, 8]", "refuted: at i = 8"),
    ("equal i % 8, i in [0, 7] ; i + 0, i in [0, 8]", "refuted"),
    // Indices of CUDA and Triton.
    ("threadIdx.x < blockDim.x", "proved$"),
    ("threadIdx.x <= 1023", "^refuted"),
    ("threadIdx.y < blockDim.x", "refuted"),
    ("equal (blockIdx.x * blockDim.x + threadIdx.x) / blockDim.x ; blockIdx.x", "proved$"),
    ("equal (blockIdx.x * blockDim.x + threadIdx.x) % blockDim.x ; threadIdx.x", "proved$"),
    ("equal (blockIdx.x * blockDim.y + threadIdx.x) % blockDim.y ; threadIdx.x", "refuted"),
    ("blockIdx.x * blockDim.x + threadIdx.x < gridDim.x * blockDim.x", "proved$"),
    ("tl.program_id(0) < tl.num_programs(0)", "proved$"),
    ("tl.program_id(1) < tl.num_programs(0)", "refuted"),
    ("f(x) = x + 1", r"f = affine_map<\(x\) -> \(x \+ 1\)>"),
    // Remainders.
    ("(x*x) % 4 <= 1", "^proved"),
    ("(x*x*x - x) % 6 == 0", "^proved"),
    ("x**2 % 2 == x % 2", "^proved"),
    ("(x*x + y*y) % 4 < 2", "^refuted"),
    ("range x*x % 8, x in [0, 100]", r"^\[0, 4\]"),
    ("range x*x % 8", r"\[0, 4\]$"),
    // Others.
    (
        "inverse (i*7 + 3) % 10 where 0 <= i < 10",
        r"^\(d0\) -> \(\(d0 \* 3 \+ 1\) mod 10\), domain: d0 in \[0, 9\]\na function",
    ),
    ("inverse (i*6 + 3) % 10 where 0 <= i < 10", "a relation"),
    ("int(x / 3) == x // 3", "^refuted: at x = -1"),
    ("math.floor(x / 3) == x // 3", "^proved"),
    ("fits x % 4294967296, x in [0, 9999999999]", "x mod 4294967296 is 4294967295"),
    (
        "fits blockIdx.x * 256, blockIdx.x in [0, 19999999]",
        r"^not every.*\n  blockIdx_x \* 256 is 5119999744 .*$\Z",
    ),
    ("eval x*10 + y at (3, 4)", r"^\(34\)"),
];

const REFUSED: [(&str, &str); 17] = [
    ("p->n * 4", "error"),
    ("let f(x) = x + 1", r"named by `f = lambda x: x \+ 1`"),
    ("3(x + 1)", r"a product by a bracket is written with `\*`"),
    ("x ≡ 4", "write `x mod c = y` for `≡`"),
    ("forall x in 3: x < 4", r"interval `\[lo, hi\]`"),
    ("forall x in [0, 9]", "`:` and the statement"),
    ("np.transpose(x, (0, 2, 1))", r"sizes of `x` are not known\n  hint: .*`x = np.zeros"),
    ("torch.permute(x, 1, 0)", "sizes of `x` are not known"),
    ("is x any good", "a question begins with a command"),
    (
        "for (int i = 0; i < 4; i++) { int j = i; int &r = j; r++; a[j] = 0; }",
        "another name of a variable",
    ),
    ("(declare-const d Int)(assert (= (div 7 d) 3))", "divisor `d` is not known"),
    ("(assert (bvult 1 2))", "not supported"),
    ("example (a b : Nat) : a * 2 - b + b = a", "difference of `Nat`"),
    ("emit x / 4 --cuda", "write `--as cuda`"),
    ("emit x / 4 --lang c", "write `--as LANGUAGE`"),
    ("layout zipped_divide (16):(1) ; (4):(1)", "write `layout divide A ; B --zipped`"),
    ("inside i*3 + 2, i in [0, 32]", "`;` ends the map"),
];

#[test]
fn notations_are_read() {
    judge(&ANSWERS);
}

#[test]
fn others_are_refused_with_a_hint() {
    judge(&REFUSED);
}

fn judge(cases: &[(&str, &str)]) {
    let answers: Vec<String> = cases.iter().map(|(line, _)| typed(&[line])).collect();
    let pairs = cases.iter().zip(&answers);
    let pairs: Vec<(&str, &str)> =
        pairs.map(|((_, pattern), answer)| (*pattern, answer.trim_end())).collect();
    let mut wrong = String::new();
    for ((is_right, (line, pattern)), answer) in matches(&pairs).iter().zip(cases).zip(&answers) {
        if !is_right {
            wrong += &format!("> {line}\nexpected {pattern}, found\n{answer}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
