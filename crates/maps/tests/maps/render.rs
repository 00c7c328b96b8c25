//! The rendering of errors, and the accuracy of their positions.

use affinor_maps::text::render::{Look, Source, render_json, render_text};
use affinor_maps::text::{Error, ErrorKind, parse_map};
use serde_json::json;

const ASCII: Look = Look { ascii: true, color: false, width: None };

fn draw(error: &Error, text: &str, look: Look) -> String {
    render_text(error, &Source { name: "-", text, first_line: 1 }, look)
}

/// Checks that the map in `text` is refused with these lines.
#[track_caller]
fn check(text: &str, expected: &str) {
    let error = parse_map(text).expect_err(text);
    let found = draw(&error, text, ASCII);
    assert_eq!(found, expected.trim_start(), "\n{found}");
}

#[test]
fn an_error_shows_its_line_and_a_hint() {
    check(
        "(d0, d1) -> (d0 floordiv 0, d1), domain: d0 in [0, 3], d1 in [0, 3]",
        "
error[division]: division by zero
  --> -:1:26
  |
1 | (d0, d1) -> (d0 floordiv 0, d1), domain: d0 in [0, 3], d1 in [0, 3]
  |                          ^
  |
  = hint: divisors are integers of at least 1
",
    );
    check(
        "(größe) -> (größe,\n\tgröse)\n# end\n",
        "
error[name]: unknown variable `gröse`
  --> -:2:2
  |
2 |     gröse)
  |     ^^^^^
  |
  = hint: did you mean `größe`?
",
    );
    check(
        "(d0) -> (d0\r\n",
        "
error[syntax]: expected an operator, `,` or `)`, found the end of the text
  --> -:1:12
  |
1 | (d0) -> (d0
  |            ^
",
    );
}

#[test]
fn a_long_line_is_shown_around_the_error() {
    let text = format!("(d0) -> (d0{}, x{})", " + d0".repeat(40), " + d0".repeat(40));
    check(
        &text,
        "
error[name]: unknown variable `x`
  --> -:1:214
  |
1 | ... d0 + d0 + d0 + d0 + d0 + d0 + d0 + d0, x + d0 + d0 + d0 + d0 + d0 + d0 + d0 + d0 + d0 + d0 + d0 + d0 + d0 + d...
  |                                            ^
  |
  = hint: known variables: d0
",
    );
}

#[test]
fn a_span_over_lines_is_shown_on_its_first() {
    check(
        "(d0) -> (d0 *\n d0)",
        "
error[unsupported]: expected an integer as a factor of the product
  --> -:1:10
  |
1 | (d0) -> (d0 *
  |          ^^^^
  |
  = hint: index maps are quasi-affine: variables cannot be multiplied with each other
",
    );
}

#[test]
fn an_error_without_a_place_is_its_message() {
    let error = Error::without_span(ErrorKind::File, "there is no file `x`");
    let expected = "error[file]: there is no file `x`\n";
    assert_eq!(draw(&error, "", ASCII), expected);
    let error = error.hint("name one that exists");
    let drawn = draw(&error, "", ASCII);
    assert!(drawn.ends_with("= hint: name one that exists\n"), "{drawn}");
}

#[test]
fn looks_differ_in_drawing_only() {
    let error = Error::new(ErrorKind::Syntax, 3..4, "wrong");
    let (unicode, color) = (Look::default(), Look { color: true, ascii: false, width: None });
    assert!(draw(&error, "abcdef", unicode).contains("┌─ -:1:4"));
    assert!(draw(&error, "abcdef", ASCII).is_ascii());
    assert!(!draw(&error, "abcdef", unicode).contains('\u{1b}'));
    assert!(draw(&error, "abcdef", color).contains("\u{1b}["));
}

#[test]
fn nothing_in_a_source_reaches_the_terminal() {
    let text = "\u{1b}[2J \u{202e}x\u{8}";
    let error = Error::new(ErrorKind::Name, 5..6, format!("no {text}")).hint(text);
    let source = Source { name: text, text, first_line: 1 };
    let drawn = render_text(&error, &source, ASCII);
    let harmful = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
    assert!(!drawn.contains(harmful), "{drawn:?}");
}

/// Invalid spans must not break the report of an error.
#[test]
fn any_span_is_drawn() {
    let text = "ab\nüü\n\n";
    for start in 0..12 {
        for end in 0..12 {
            let error = Error::new(ErrorKind::Syntax, start..end, "wrong");
            assert!(draw(&error, text, ASCII).contains("wrong"));
            let json = render_json(&error, &Source { name: "-", text, first_line: 1 });
            assert!(json["error"]["line"].as_u64() >= Some(1));
        }
    }
}

#[test]
fn json_has_the_documented_shape() {
    let text = "(d0) -> (d0,\n ü * 2)";
    let error = parse_map(text).unwrap_err();
    let source = Source { name: "maps.aff", text, first_line: 1 };
    assert_eq!(
        render_json(&error, &source),
        json!({"schema": 1, "error": {
            "kind": "name", "message": "unknown variable `ü`", "source": "maps.aff",
            "line": 2, "column": 2, "length": 2, "hint": "known variables: d0",
        }})
    );
    let part = Source { first_line: 10, ..source };
    assert_eq!(render_json(&error, &part)["error"]["line"], 11);
    let error = Error::without_span(ErrorKind::Interrupted, "stopped");
    assert_eq!(
        render_json(&error, &source),
        json!({"schema": 1, "error": {
            "kind": "interrupted", "message": "stopped", "source": "maps.aff",
            "line": null, "column": null, "length": null, "hint": null,
        }})
    );
}
