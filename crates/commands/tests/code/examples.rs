//! Examples that were once answered wrongly: lines as typed, and a Python regular expression that the answers must match.

use crate::judge::matches;
use crate::typed::typed;

type Example = (&'static [&'static str], &'static str);

/// Any answer without an error.
const ANSWERED: &str = r"\A(?![\s\S]*^error)[\s\S]*\S";

const DIGITS: &str = "let a = (i // 4, i % 4), domain: i in [0, 15]";

const GROUPED: [&str; 9] = [
    "pid = tl.program_id(axis=0), domain: program_id_0 in [0, 23]",
    "num_pid_m = tl.cdiv(700, 128)",
    "num_pid_n = tl.cdiv(256, 64)",
    "num_pid_in_group = 4 * num_pid_n",
    "group_id = pid // num_pid_in_group",
    "first_pid_m = group_id * 4",
    "group_size_m = min(num_pid_m - first_pid_m, 4)",
    "pid_m = first_pid_m + ((pid % num_pid_in_group) % group_size_m)",
    "pid_n = (pid % num_pid_in_group) // group_size_m",
];

/// Judges each example; fails with those whose answers do not match.
#[track_caller]
fn check(examples: &[Example]) {
    let answers: Vec<String> = examples.iter().map(|(lines, _)| typed(lines)).collect();
    let cases = examples.iter().zip(&answers);
    let cases: Vec<(&str, &str)> =
        cases.map(|((_, pattern), answer)| (*pattern, answer.as_str())).collect();
    let mut wrong = String::new();
    for ((is_right, (lines, pattern)), answer) in
        matches(&cases).into_iter().zip(examples).zip(&answers)
    {
        if !is_right {
            let lines = lines.join("\n> ");
            wrong += &format!("> {lines}\nexpected {pattern}, found\n{answer}\n");
        }
    }
    let count = wrong.matches("\nexpected ").count();
    let all = examples.len();
    assert!(wrong.is_empty(), "{count} of {all} are wrong:\n{wrong}");
}

#[test]
fn products_and_quotients_of_indices() {
    check(&[
        // The second result turns the quotients of the first into factors.
        (
            &["(i // 9 % 16, i // 9 % (i + 2)) for i in range(16)"],
            r"^\(i\) -> \(i floordiv 9, i floordiv 9\)",
        ),
        (
            &["injective i * i - 6 * i for i in range(8)"],
            "^refuted: i = (0 and i = 6|6 and i = 0|1 and i = 5|5 and i = 1|2 and i = 4|4 and i = 2) ",
        ),
        (&["count i * j for i in range(4) for j in range(4)"], r"points +16\b[\s\S]*elements +7\b"),
        (&["range i * j for i in range(4) for j in range(4)"], r"^\[0, 9\]$"),
        (&["i * j for i in range(4) for j in range(4)"], r"^<>\(i, j\) -> \(i \* j\), domain"),
        (&["injective 5 % j for j in range(1, 9)"], "^refuted"),
        (&["range 5 % j for j in range(1, 9)"], r"^\[0, 5\]"),
        (&["range i // (j + 1) for i in range(9) for j in range(3)"], r"^\[0, 8\]"),
        // A divisor must not be 0.
        (&["i % j for i in range(8) for j in range(4)"], r"^error.*\bj\b"),
        (&["points i * j for i in range(2) for j in range(3)"], r"\(1, 2\) -> \(2\)"),
        (&["tile i * j for i in range(4) for j in range(4) ; 2,2"], ANSWERED),
        (&["draw i * j for i in range(3) for j in range(3)"], ANSWERED),
        (&["banks threadIdx.x * k, domain: threadIdx.x in [0, 31], k in [1, 4]"], ANSWERED),
        (&["coalesce threadIdx.x * k, domain: threadIdx.x in [0, 31], k in [1, 4]"], ANSWERED),
        // If bounds are missing, the answer names the product.
        (&["count lambda i, j: i * j"], r"^error.*i \* j|^points +unknown"),
    ]);
}

#[test]
fn sizes_have_one_value() {
    check(&[
        (&["injective i*n + j for i in range(m) for j in range(n)"], "^proved"),
        (&["injective i0 + s0*i1 for i0 in range(s0) for i1 in range(s1)"], "^proved"),
        (
            &["i0 + s0*i1 for i0 in range(s0) for i1 in range(s1)"],
            r"^<s0, s1>\(i0, i1\) -> |^<s1, s0>\(i0, i1\) -> ",
        ),
        (&["range i*n + j for i in range(m) for j in range(n)"], r"^\[0, .*n.*m|^\[0, .*m.*n"),
        (&["count i*n + j for i in range(m) for j in range(n)"], r"points +(m \* n|n \* m)\b"),
        (&["injective i*n + j for i in range(4) for j in range(4)"], "^refuted"),
        // A name that is a divisor through a named value is a size, as it is in a single text.
        (&["step = n - 1", "injective i // step for i in range(4)"], r"^size: n\b[\s\S]*^refuted"),
        (&["injective i // (n - 1) for i in range(4)"], r"^size: n\b[\s\S]*^refuted"),
        (
            &[
                "group = tl.program_id(0) // (G * N)",
                "rows = min(M - group * G, G)",
                "row = group * G + (tl.program_id(0) % (G * N)) % rows",
                "col = (tl.program_id(0) % (G * N)) // rows",
                "injective (row, col), domain: program_id_0 in [0, M * N - 1]",
            ],
            r"^proved",
        ),
        (&["equal i*4+j ; j+i*4"], "^proved"),
        (&["equal n * x ; x * n"], "^proved"),
        (&["i*j == j*i"], "^proved"),
        (&["equal i - j ; j - i"], "^refuted"),
        (
            &[
                "equal i * n + j for i in range(n) for j in range(n) ; j * n + i for i in range(n) for j in range(n)",
            ],
            "^refuted",
        ),
    ]);
}

#[test]
fn names_stand_for_their_values() {
    check(&[
        // A list of values is a map.
        (&[DIGITS, "equal a ; a"], r"(?m)^proved"),
        (&[DIGITS, "equal a ; (i // 4, i - 4 * (i // 4)), domain: i in [0, 15]"], r"(?m)^proved"),
        (&[DIGITS, "equal a ; (i // 4, i % 8), domain: i in [0, 15]"], r"(?m)^refuted"),
        (
            &["a = i % 4", "a < 4", "a == i % 4", "prove a < 4"],
            r"^proved[\s\S]*^proved[\s\S]*^proved",
        ),
        (&["a = i % 4", "a + 0"], r"-> \(i mod 4\)"),
        (&["a = i % 4", "prove a < 3"], "^refuted"),
        (
            &["b = i if i < 4 else 4", "b <= 4 for i in range(9)", "range b for i in range(9)"],
            r"^proved[\s\S]*^\[0, 4\]",
        ),
        (&["r = i // 8; c = i % 8"], r"^r = .*i floordiv 8[\s\S]*^c = .*i mod 8"),
        (&["r = i // 8; c = i % 8", "r * 8 + c == i"], "^proved"),
        (&["r = i // 8; c = i % 8", "injective (r, c) for i in range(64)"], "^proved"),
        (&["int r = i / 8; int c = i % 8;"], r"^r = [\s\S]*^c = "),
        (&["int r = i / 8; int c = i % 8;", "r * 8 + c == i"], "^proved"),
        // Names are bound in order, and the last value counts.
        (&["r = i + 100", "r = i // 8; c = r + 1", "equal c ; i // 8 + 1"], "^proved"),
        (&["r = i + 100", "r = i // 8; c = i % 8", "r * 8 + c == i"], "^proved"),
        // A loop variable or a parameter shadows a value.
        (&["i = x % 4", "range i + 1 for i in range(9)"], r"^\[1, 9\]"),
        (&["i = x % 4", "lambda i: i * 2, domain: i in [0, 9]"], r"\(i\) -> \(i \* 2\)"),
    ]);
}

#[test]
fn grouped_programs_of_triton() {
    let with = |question: &'static str| -> Vec<&'static str> {
        GROUPED.into_iter().chain([question]).collect()
    };
    let lines = [
        with("injective (pid_m, pid_n)"),
        with("count (pid_m, pid_n)"),
        with("range (pid_m, pid_n)"),
        with("pid_m < num_pid_m"),
        with("pid_n < num_pid_n"),
    ];
    let patterns = [
        "^proved",
        r"points +24\b[\s\S]*elements +24\b",
        r"^\[0, 5\][^\n]*\n\[0, 3\]",
        "^proved",
        "^proved",
    ];
    let answers = lines.each_ref().map(|lines| typed(lines));
    let cases = patterns.iter().zip(&answers);
    let cases: Vec<(&str, &str)> =
        cases.map(|(pattern, answer)| (*pattern, answer.as_str())).collect();
    for ((is_right, answer), line) in matches(&cases).into_iter().zip(&answers).zip(&lines) {
        assert!(is_right, "{line:?}\n{answer}");
    }
}

#[test]
fn arguments_go_by_signatures() {
    check(&[
        (&["range tl.clamp(i, max=7, min=3)"], r"^\[3, 7\]"),
        (&["equal tl.clamp(i, max=7, min=3) ; max(min(i, 7), 3)"], "^proved"),
        (&["tl.where(c, y=1, x=2) == (2 if c != 0 else 1) for c in range(3)"], "^proved"),
        (&["range tl.where(c, y=1, x=2) for c in range(1, 3)"], r"^\[2, 2\]"),
        // Without a module prefix, the function's arguments may have other names; the error then lists the expected ones.
        (&["cdiv(b=4, a=i) == (i + 3) // 4"], r"^proved|^error[\s\S]*cdiv\("),
        (&["tl.cdiv(div=4, x=i) == (i + 3) // 4"], "^proved"),
        (&["min(i, foo=3)"], r"^error[\s\S]*min\("),
        (&["max(i, 3, key=abs)"], r"^error[\s\S]*max\("),
        (&["tl.where(i < 4, i)"], r"^error[\s\S]*where\("),
        (&["divmod(i, 8, 3)"], r"^error[\s\S]*divmod\("),
        (&["tl.foo(i)"], "^error"),
        (&["int(i) == i"], "^proved"),
        (&["abs(i) == max(i, -i)"], "^proved"),
    ]);
}

#[test]
fn types_of_c_have_their_values() {
    check(&[
        (&["range (char)i, domain: i in [0, 300]"], r"^\[-128, 127\]"),
        (&["range static_cast<char>(i), domain: i in [0, 300]"], r"^\[-128, 127\]"),
        (&["points (char)i, domain: i in [126, 130]"], r"\(128\) -> \(-128\)"),
        (&["points static_cast<char>(i), domain: i in [126, 130]"], r"\(128\) -> \(-128\)"),
        (&["range (bool)i, domain: i in [0, 300]"], r"^\[0, 1\]"),
        (&["(bool)i == min(i, 1), domain: i in [0, 300]"], "^proved"),
        (&["range (uint8_t)i, domain: i in [0, 300]"], r"^\[0, 255\]"),
        (&["(uint8_t)i == i % 256, domain: i in [0, 300]"], "^proved"),
        (&["range i / 4u, domain: i in [-4, 7]"], r"^\[0, 1073741823\]"),
        (&["range ~0u & i, domain: i in [-1, 2]"], r"^\[0, 4294967295\]"),
        (&["~0u & i == i, domain: i in [0, 9]"], "^error"),
        (&["range (threadIdx.x - 1) / 32, domain: threadIdx.x in [0, 31]"], r"^\[0, 134217727\]"),
        // They are bounded only by their type.
        (&["blockIdx.x <= -1"], "^proved"),
        (&["blockIdx.x < 4294967295"], "^refuted: at blockIdx_x = 4294967295 "),
        (&["equal min(threadIdx.x, 4294967295) ; threadIdx.x"], "^proved"),
        (
            &["equal min(threadIdx.x, 4294967294) ; threadIdx.x"],
            "^refuted: at threadIdx_x = 4294967295 ",
        ),
        (&["injective min(threadIdx.x, 4294967295)"], "^proved"),
        (&["injective min(threadIdx.x, 4294967293)"], "^refuted"),
        (&["range (int)(threadIdx.x - 1) / 32, domain: threadIdx.x in [0, 31]"], r"^\[0, 0\]"),
    ]);
}

#[test]
fn rounding_is_that_of_the_language() {
    check(&[
        (&["ModularIndexing(x, 1, 4) == x - 4 * FloorDiv(x, 4) --c"], "^proved"),
        (&["ModularIndexing(x, 4, 8) == FloorDiv(x, 4) - 8 * FloorDiv(x, 32) --c"], "^proved"),
        (&["i / 4 == FloorDiv(i, 4) --c"], "^refuted"),
        (&["i / 4 == FloorDiv(i, 4)"], "^proved"),
        (&["range (int)i % 4, domain: i in [-9, 9]"], r"^\[-3, 3\]"),
        (&["range i % 4, domain: i in [-9, 9]"], r"^\[0, 3\]"),
        // `!i == 3` in C, `!(i == 3)` in Python.
        (&["not i == 3, domain: i in [0, 2] --c"], "^refuted|^error"),
        (&["not i == 3, domain: i in [0, 2]"], "^proved"),
    ]);
}

#[test]
fn what_is_no_map_is_refused_by_name() {
    check(&[
        (&["++i"], r"^error.*(`\+\+|`\+\+i`|increment)"),
        (&["i++"], r"^error.*(`\+\+|`i\+\+`|increment)"),
        (&["None"], "^error.*None"),
        (&["i + None"], "^error.*None"),
        (&["i + oo"], r"^error.*`oo`"),
        (&["i + int_oo"], r"^error.*`int_oo`"),
        (&["A[i] + 1"], "^error.*element of an array"),
        (&["i * 0.5"], r"^error.*0\.5"),
        (&["i ** j"], "^error.*power"),
        (&["1 << i"], "^error.*shift"),
        // The name of a file is not read as a quotient of names; `x.y/z` is a quotient.
        (&["equal maps/a.mlir ; maps/a.mlir"], "^error.*`maps/a.mlir` names a file"),
        (&["contains a/b.hlo ; (d0) -> (d0), domain: d0 in [0, 3]"], "^error.*names a file"),
        (&["strides docs/notes.md"], "^error.*names a file"),
        (&["simplify x.y/z"], "x_y floordiv z"),
    ]);
}
