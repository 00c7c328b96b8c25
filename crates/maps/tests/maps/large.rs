//! Huge and deeply nested input: each gets one answer, in bounded memory and stack.

use affinor_maps::expr::{Expr, MAX_DEPTH, VariableId};
use affinor_maps::text::parse::{MAX_NESTING, MAX_NODES};
use affinor_maps::text::render::{Look, Source, render_json, render_text};
use affinor_maps::text::{ErrorKind, Style, parse_expr, parse_map, print_expr, print_map};

const NAMES: [&str; 2] = ["d0", "d1"];

fn d(id: u32) -> Expr {
    Expr::variable(VariableId(id))
}

#[track_caller]
fn reject(text: &str, kind: ErrorKind, start: usize, length: usize) {
    let error = parse_map(text).expect_err("a huge text");
    assert_eq!((error.kind, error.span.clone()), (kind, Some(start..start + length)), "{error}");
    assert!(error.message.len() < 200 && error.hint.as_ref().is_none_or(|hint| hint.len() < 200));
    let source = Source { name: "-", text, first_line: 1 };
    let drawn = render_text(&error, &source, Look::default());
    assert!(drawn.len() < 1500, "{} bytes were drawn", drawn.len());
    assert_eq!(render_json(&error, &source)["error"]["length"], length);
}

#[test]
fn a_long_line_of_rubbish_is_one_error() {
    let length = 10 << 20;
    reject(&"@".repeat(length), ErrorKind::Syntax, 0, length);
    reject(&"§".repeat(length / 2), ErrorKind::Syntax, 0, length);
    reject(&"\u{1b}\u{0}".repeat(length / 2), ErrorKind::Syntax, 0, length);
    reject(&"a".repeat(length), ErrorKind::Syntax, 0, length);
    reject(&"7".repeat(length), ErrorKind::Syntax, 0, length);
    reject(&format!("(d0) -> ({}", "9".repeat(length)), ErrorKind::Overflow, 9, length);
    reject(&format!("(d0) -> ({}", " @".repeat(length / 2)), ErrorKind::Syntax, 10, 1);
    reject(&format!("(d0) -> (d0 {}", "\n".repeat(length)), ErrorKind::Syntax, 11, 0);
}

#[test]
fn deep_nesting_is_one_error() {
    let results = "(d0) -> (".len();
    for opening in ["(", "-", "min(", "- (", "2*(", "d0 - (", "1 floordiv (", "f("] {
        for closing in ["", "d0", &format!("d0{}", ")".repeat(100_000))] {
            let text = format!("(d0) -> ({}{closing}", opening.repeat(100_000));
            let error = parse_map(&text).expect_err(opening);
            assert_eq!(error.kind, ErrorKind::TooLarge, "{opening}");
            let span = error.span.expect(opening);
            assert!(span.start >= results + MAX_NESTING / 2, "{opening}");
            assert!(opening.contains(&text[span]), "{opening}");
        }
    }
    let text = format!("{}d0{}", "(".repeat(MAX_NESTING), ")".repeat(MAX_NESTING));
    assert_eq!(parse_expr(&text, &NAMES), Ok(d(0)));
}

#[test]
fn many_operations_are_read_or_refused() {
    let sum = parse_expr(&format!("{}7", "d0 + ".repeat(300_000)), &NAMES).unwrap();
    assert_eq!(print_expr(&sum, &NAMES, Style::Plain), "d0 * 300000 + 7");
    let error = parse_expr(&"d0 + ".repeat(MAX_NODES + 1), &NAMES).unwrap_err();
    assert_eq!(error.kind, ErrorKind::TooLarge);
    let error = parse_expr(&"d0 mod 3 floordiv 2 + ".repeat(MAX_NODES + 1), &NAMES).unwrap_err();
    assert_eq!(error.kind, ErrorKind::TooLarge);
    // Nested operations without any brackets.
    let error =
        parse_expr(&format!("d0{}", " floordiv 2 mod 9".repeat(100_000)), &NAMES).unwrap_err();
    assert_eq!(error.kind, ErrorKind::TooLarge);
    assert_eq!(
        parse_expr(&format!("d0{}", " mod 1".repeat(100_000)), &NAMES),
        Ok(Expr::constant(0))
    );
}

#[test]
fn nested_sums_and_minima_cost_no_more_than_flat_ones() {
    let count = MAX_NESTING - 1;
    let nested = |opening: &str| {
        let text: String =
            (0..count).map(|index| opening.replace('#', &index.to_string())).collect();
        format!("{text}d0{}", ")".repeat(count))
    };
    let sum = parse_expr(&nested("d1 mod 1#7 - ("), &NAMES).unwrap();
    assert!(print_expr(&sum, &NAMES, Style::Plain).len() > 10 * count);
    let least = parse_expr(&nested("min(d1 mod 1#7, "), &NAMES).unwrap();
    assert_eq!(parse_expr(&print_expr(&least, &NAMES, Style::Plain), &NAMES), Ok(least));
}

#[test]
fn rewriting_one_sum_again_and_again_is_refused() {
    let names: Vec<String> = (0..4000).map(|index| format!("v{index}")).collect();
    let sum = names.join(" + ");
    let flipped = |times: usize| parse_expr(&format!("({sum}){}", " * -1".repeat(times)), &names);
    assert!(flipped(100) == parse_expr(&sum, &names));
    assert_eq!(flipped(2000).unwrap_err().kind, ErrorKind::TooLarge);
}

/// The deepest expressions are parsed back as printed, for every nesting that needs brackets or signs.
#[test]
fn the_deepest_expressions_come_back() {
    type Step = fn(&Expr) -> Result<Expr, affinor_maps::expr::ExprError>;
    let steps: [&[Step]; 6] = [
        &[|x| x.floordiv(2), |x| Expr::sum(1, [(-1, x.clone())])],
        &[|x| x.floordiv(7), |x| x.ceildiv(5), |x| x.modulo(3)],
        &[|x| Expr::sum(1, [(3, x.clone()), (1, d(1))])],
        &[|x| Expr::min([d(0), x.clone()]), |x| Expr::max([d(1), x.clone()])],
        &[
            |x| Expr::min((0..9).map(|c| d(0).modulo(c + 2)).chain([Ok(x.clone())]).flatten()),
            |x| Expr::max([x.clone(), Expr::constant(4)]),
        ],
        &[|x| Expr::sum(-4, [(i64::MIN, x.clone())]), |x| x.modulo(i64::MAX)],
    ];
    for steps in steps {
        let mut expr = d(0);
        let mut pass = steps.iter().cycle();
        while let Some(Ok(next)) = pass.next().map(|step| step(&expr)) {
            expr = next;
        }
        assert_eq!(expr.depth(), MAX_DEPTH);
        for style in [Style::Plain, Style::Xla, Style::Mlir] {
            let text = print_expr(&expr, &NAMES, style);
            assert!(parse_expr(&text, &NAMES).as_ref() == Ok(&expr), "{:.200}", text);
        }
    }
}

/// Composition with itself doubles the tree of a map that uses its dimension twice.
#[test]
fn composition_ends_at_a_size_that_can_be_printed() {
    let map = parse_map("affine_map<(d0) -> (d0 floordiv 3 + d0 mod 5)>").unwrap();
    let mut composed = map.clone();
    let mut rounds = 0;
    while let Ok(next) = composed.then(&map) {
        composed = next;
        rounds += 1;
    }
    assert!(10 < rounds && rounds < 30, "{rounds}");
    assert!(parse_map(&print_map(&composed, Style::Plain)) == Ok(composed));
}

#[test]
fn a_minimum_of_many_comes_back() {
    let operands = (2..5000).map(|c| d(0).modulo(c).unwrap());
    let least = Expr::min(operands).unwrap();
    let text = print_expr(&least, &NAMES, Style::Plain);
    assert_eq!(parse_expr(&text, &NAMES), Ok(least));
}
