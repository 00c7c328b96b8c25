//! Maps in isl's notation.

use affinor_maps::text::{ErrorKind, parse_map};

/// Checks the map that isl's text means.
#[track_caller]
fn check(text: &str, map: &str) {
    let read = parse_map(text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
    assert_eq!(read.to_string(), map, "{text}");
    assert_eq!(parse_map(map).as_ref(), Ok(&read), "{text}");
}

#[test]
fn functions_are_read() {
    check(
        "[n, m] -> { [i, j] -> [i*m + j] : 0 <= i < n and 0 <= j < m }",
        "<n, m>(i, j) -> (i * m + j), domain: n in [-inf, inf], m in [-inf, inf], i in [0, n - 1], j in [0, m - 1]",
    );
    check(
        "{ S[i] -> A[floor(i/4), i mod 4] : 0 <= i <= 31 }",
        "(i) -> (i floordiv 4, i mod 4), domain: i in [0, 31]",
    );
    check(
        "{ S[i] -> A[floord(i, 4), i % 4, ceild(i, 4), ceil((i + 1)/4)] }",
        "affine_map<(i) -> (i floordiv 4, i mod 4, i ceildiv 4, (i + 1) ceildiv 4)>",
    );
    check("{ [] -> [5] }", "() -> (5)");
    check("[n] -> { [] -> [n] : n > 3 }", "<n>() -> (n), domain: n in [4, inf]");
    check("{ [i] -> [] : i = 4 }", "(i) -> (), domain: i in [4, 4]");
    check(
        "{ [i, j] -> [2i + 3j] : 0 <= i and i <= 4 and j >= 1 and 7 > j and i + j < 8 and i = 2j }",
        "(i, j) -> (i * 2 + j * 3), domain: i in [0, 4], j in [1, 6], i - j * 2 in [0, 0], i + j in [-inf, 7]",
    );
    check(
        "{ [i] -> [i] : i mod 4 = 0 and 0 <= i < 4 * floor((i + 3)/4) + 1 }",
        "(i) -> (i), domain: i in [0, inf], i - (i + 3) floordiv 4 * 4 in [-inf, 0], i mod 4 in [0, 0]",
    );
    check(
        "[n, b] -> { [i] -> [floor(i/b)] : 0 <= i < n and b >= 1 }",
        "<n, b>(i) -> (i floordiv b), domain: n in [-inf, inf], b in [1, inf], i in [0, n - 1]",
    );
    check(
        "[n] -> { [i] -> [i] : n >= i >= 0 }",
        "<n>(i) -> (i), domain: n in [-inf, inf], i in [0, n]",
    );
    check(
        "{ [i] -> [min(i, 4), max(i, -2)] : }",
        "(i) -> (min(i, 4), max(i, -2)), domain: i in [-inf, inf]",
    );
}

#[test]
fn other_connectives_than_and_are_one_constraint() {
    check(
        "{ [i] -> [i] : 0 <= i < 30 and i != 3 }",
        "(i) -> (i), domain: i in [0, 29], max(-i + 2, i - 4) in [0, inf]",
    );
    check(
        "{ [i] -> [i] : 0 <= i < 30 and (i < 4 or 10 <= i) }",
        "(i) -> (i), domain: i in [0, 29], max(-i + 3, i - 10) in [0, inf]",
    );
    check(
        "{ [i] -> [i] : 0 <= i < 30 and not (4 <= i < 10) }",
        "(i) -> (i), domain: i in [0, 29], max(-i + 3, i - 10) in [0, inf]",
    );
}

/// Values at points are those of the condition, for any nesting of connectives.
#[test]
fn connectives_hold_where_they_do_in_isl() {
    type Holds = fn(i64, i64) -> bool;
    let cases: [(&str, Holds); 6] = [
        ("i = j or i + j >= 6", |i, j| i == j || i + j >= 6),
        ("not (i = j or i + j >= 6)", |i, j| !(i == j || i + j >= 6)),
        ("i != j and not i mod 3 = 1", |i, j| i != j && i % 3 != 1),
        ("i < j <= 5 or j != 2 and i > 3", |i, j| (i < j && j <= 5) || (j != 2 && i > 3)),
        ("not (1 <= i < j or not j >= 4)", |i, j| !((1 <= i && i < j) || j < 4)),
        ("not not i = 2", |i, _| i == 2),
    ];
    for (condition, holds) in cases {
        let text = format!("{{ [i, j] -> [i] : 0 <= i < 8 and 0 <= j < 8 and ({condition}) }}");
        let map = parse_map(&text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
        for (i, j) in (0..8).flat_map(|i| (0..8).map(move |j| (i, j))) {
            assert_eq!(map.domain().contains(&[i, j]), Ok(holds(i, j)), "{text} at {i}, {j}");
        }
    }
}

#[test]
fn outputs_with_equations_are_solved_for() {
    check(
        "{ [i, j] -> [a, b] : a = i + 2b and j - b = 0 and 0 <= i < 8 and 0 <= b < 4 }",
        "(i, j) -> (i + j * 2, j), domain: i in [0, 7], j in [0, 3]",
    );
    check(
        "[n] -> { S[i] -> [t, i - t] : n - t = floor(i/4) and 0 <= t }",
        "<n>(i) -> (n - i floordiv 4, i - n + i floordiv 4), domain: n in [-inf, inf], i in [-inf, inf], \
         n - i floordiv 4 in [0, inf]",
    );
    check("{ [i] -> [j, j] : j = i and j = 3 }", "(i) -> (i, i), domain: i in [3, 3]");
}

/// A set becomes the identity on its points, and an existentially quantified integer becomes a range variable.
#[test]
fn sets_and_integers_that_exist() {
    check(
        "[n] -> { S[i, j] : 0 <= i < n and j = 2i }",
        "<n>(i, j) -> (i, j), domain: n in [-inf, inf], i in [0, n - 1], j in [-inf, inf], i * -2 + j in [0, 0]",
    );
    check("{ [i] }", "affine_map<(i) -> (i)>");
    check(
        "{ [i] -> [j] : exists (e : i = 2e and j = e) and 0 <= i < 9 }",
        "(i) -> (i floordiv 2), domain: i in [0, 8], i mod 2 in [0, 0]",
    );
    check(
        "{ [i] -> [o] : exists a, b : o = 4i + 2a + b and 0 <= a <= 1 and 0 <= b < 2 and 0 <= i <= 3 }",
        "(i)[a, b] -> (i * 4 + a * 2 + b), domain: i in [0, 3], a in [0, 1], b in [0, 1]",
    );
}

/// isl prints a quotient and a remainder as bounds of the output.
#[test]
fn outputs_may_be_given_by_bounds() {
    check(
        "{ [i] -> [o] : 0 <= i < 9 and i - 3 <= 4o <= i }",
        "(i) -> (i floordiv 4), domain: i in [0, 8], i - i floordiv 4 * 4 in [0, 3]",
    );
    check(
        "{ [i] -> [o] : 0 <= i < 9 and (i + o) mod 3 = 0 and 0 <= o <= 2 }",
        "(i) -> (-((i + 2) mod 3) + 2), domain: i in [0, 8], (i + 2) mod 3 in [0, 2], (i - (i + 2) mod 3 + 2) mod 3 in [0, 0]",
    );
    check(
        "{ [i] -> [o] : 2o = i }",
        "(i) -> (i floordiv 2), domain: i in [-inf, inf], i mod 2 in [0, 0]",
    );
    check(
        "{ [i] -> [j] : 0 <= i < 9 and i <= j < i + 3 }",
        "(i)[j] -> (j), domain: i in [0, 8], j in [0, 10], i - j in [-2, 0]",
    );
    check(
        "{ [i] -> [i] : 0 <= i < 4; [i] -> [-i] : -4 <= i < 0 }",
        "(i)[o] -> (o), domain: i in [-4, 3], o in [0, 4], \
         max(min(min(i, -i + 3), min(-i + o, i - o)), min(min(-i - 1, i + 4), min(-i - o, i + o))) in [0, inf]",
    );
    check(
        "{ [i] -> [i] : 0 <= i < 9; [i = 9] -> [9] }",
        "(i) -> (i), domain: i in [0, 9], max(min(i, -i + 8), min(-i + 9, i - 9)) in [0, inf]",
    );
}

/// Entries of tuples that are not new names are equations, as isl prints them.
#[test]
fn entries_of_tuples_may_be_terms() {
    check(
        "{ [i = 3, j, k = i + j] : 0 <= j < 4 }",
        "(i, j, k) -> (i, j, k), domain: i in [3, 3], j in [0, 3], k in [-inf, inf], -i - j + k in [0, 0]",
    );
    check(
        "{ [i, i, 2] -> [i] : 0 <= i < 4 }",
        "(i, d1, d2) -> (i), domain: i in [0, 3], d1 in [-inf, inf], d2 in [2, 2], -i + d1 in [0, 0]",
    );
    check("{ [i] -> [j = 2i] : 0 <= i < 4 }", "(i) -> (i * 2), domain: i in [0, 3]");
}

/// Eliminating a quantified integer leaves the condition that an integer exists between its bounds.
#[test]
fn integers_that_exist_are_eliminated() {
    check(
        "{ [i] : exists e : 4e <= i < 4e + 2 and 0 <= e < 3 }",
        "(i) -> (i), domain: i in [0, 9], i floordiv 4 + (-i + 1) floordiv 4 in [0, inf]",
    );
    check("{ [i] : exists e : i <= e and 0 <= i }", "(i) -> (i), domain: i in [0, inf]");
    check(
        "{ [i] : exists (e0 = floor(i/3), e1 : 3e0 = i and 2e1 = e0) and 0 <= i < 30 }",
        "(i) -> (i), domain: i in [0, 29], i - i floordiv 3 * 3 in [0, 0], i floordiv 3 mod 2 in [0, 0]",
    );
    check(
        "{ [i] : 0 <= i < 9 and not exists e : i = 4e }",
        "(i) -> (i), domain: i in [0, 8], i mod 4 in [1, inf]",
    );
}

#[test]
fn pieces_of_one_space_are_one_map() {
    check(
        "{ [i, j] : 0 <= i < 4 and j = 2; [a = 7, b] : b <= a and a <= b + 1 }",
        "(i, j) -> (i, j), domain: i in [0, 7], j in [2, 7], \
         max(min(min(i, -i + 3), min(-j + 2, j - 2)), min(min(-i + 7, i - 7), min(-i + j + 1, i - j))) in [0, inf]",
    );
    check(
        "{ A[i] -> [i, 2i] : 0 <= i < 4; A[k] -> [k, 2k] : false }",
        "(i) -> (i, i * 2), domain: i in [0, 3]",
    );
    check("{ [i, j] : 0 <= i, j < 5 }", "(i, j) -> (i, j), domain: i in [0, 4], j in [0, 4]");
    check("{ [i] : true }", "affine_map<(i) -> (i)>");
    check("{ [i] : 0 <= i < 4 and (false or 2i = 5) }", "(i) -> (i), domain: empty");
}

/// Checks the part of a text that an error marks, and its message.
#[track_caller]
fn fails(text: &str, marked: &str, kind: ErrorKind, message: &str) {
    let error = parse_map(text).expect_err(text);
    let span = error.span.clone().expect("a span");
    assert_eq!(
        (&text[span], error.kind, error.message.as_str()),
        (marked, kind, message),
        "{text}"
    );
    assert!(error.hint.is_some() || kind == ErrorKind::Syntax, "{text}: no hint");
}

#[test]
fn unsupported_relations_are_rejected() {
    use ErrorKind::{Arity, Division, Name, Syntax, Unsupported};
    for other in ["B[i]", "A[i, j]", "A[i] -> C[i]", "[i]"] {
        let text = format!("{{ A[i] : i >= 0; {other} }}");
        fails(&text, other, Unsupported, "a union of several spaces is not an index map");
    }
    fails("{ [i] -> [i] : i < 0 or i }", "i", Syntax, "expected a comparison such as `0 <= i < n`");
    fails("{ [i] -> [i] : 0 < i != 4 }", "!=", Syntax, "expected `and` or `or`, found `!=`");
    fails("{ [i] -> [i] : i != 4 < 5 }", "<", Syntax, "expected `and` or `or`, found `<`");
    fails(
        "{ [i] : i < 4 or not exists e : floor(e/2) = i and e < 9 }",
        "exists e : floor(e/2) = i and e < 9",
        Unsupported,
        "`exists` after `not` is not supported for this condition",
    );
    fails(
        "{ [i] : exists (e = : i = e) }",
        ":",
        Syntax,
        "expected a name, a number, `-` or `(`, found `:`",
    );
    fails(
        "{ [i] : exists (e : i = e }",
        "}",
        Syntax,
        "expected an operator, `and` or `)`, found `}`",
    );
    fails("{ [i] : exists : i = 2 }", ":", Syntax, "expected a name, found `:`");
    fails("{ [i] : exists (e, e : i = 2e) }", "e", Name, "the variable `e` is declared twice");
    fails("{ [i] -> [j] : 0 <= i < 4 }", "j", Name, "no condition gives the output `j` a value");
    fails("{ [i] -> [i/4] }", "i/4", Unsupported, "a quotient in isl is rational");
    fails("{ [i] -> [floor(i/4 + i/2)] }", "i/4", Unsupported, "a quotient in isl is rational");
    fails("{ [i] -> [floord(i)] }", "floord(i)", Arity, "`floord` needs 2 operands");
    fails("{ [i] -> [f(i)] }", "f(i)", Name, "unknown function `f`");
    fails("{ [i] -> [i] : k < 4 }", "k", Name, "unknown variable `k`");
    fails("[n, n] -> { [n] -> [n] }", "n", Name, "the variable `n` is declared twice");
    fails(
        "{ [i, j] -> [i * j] }",
        "i * j",
        Unsupported,
        "expected an integer as a factor of the product",
    );
    fails(
        "[n] -> { [i] -> [floor(i/n)] : 0 <= i < n }",
        "n",
        Division,
        "the divisor `n` is not known to be positive",
    );
    fails("{ [i] 0 <= i < 4 }", "0", Syntax, "expected `->` after the inputs, found `0`");
    fails("{ [i + 1] -> [i] }", "i", Name, "unknown variable `i`");
    fails("{ [0] -> [i] }", "i", Name, "no condition gives the output `i` a value");
    fails("{ [[i] -> [j]] -> [i] }", "[", Unsupported, "an index cannot be a tuple in a tuple");
    fails("{ [i] -> [i] : i }", "i", Syntax, "expected a comparison such as `0 <= i < n`");
    fails(
        "{ [i] -> [i] : i < 4 and i }",
        "i",
        Syntax,
        "expected a comparison such as `0 <= i < n`",
    );
    fails(
        "{ [i] -> [i] : i < 4",
        "",
        Syntax,
        "expected an operator, `and` or `}`, found the end of the text",
    );
    fails("{ [i] -> [i] } 4", "4", Syntax, "expected the end of the map, found `4`");
    fails("[n] { [i] -> [i] }", "{", Syntax, "expected `->` after the parameters, found `{`");
    fails("[n] -> [i]", "[", Syntax, "expected `{` before the map, found `[`");
    fails("{ [i] -> [i : i < 4 }", ":", Syntax, "expected an operator, `,` or `]`, found `:`");
}
