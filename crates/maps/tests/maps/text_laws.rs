//! Laws of the text of maps: printing then parsing is the identity, and parsing preserves the meaning.

use crate::support::random;
use affinor_maps::expr::{Domain, IndexingMap, Variable, VariableKind};
use affinor_maps::num::Interval;
use affinor_maps::text::render::{Look, Source, render_text};
use affinor_maps::text::{
    Style, parse_constraint, parse_expr, parse_map, print_expr, print_map, print_map_strictly,
};
use proptest::prelude::*;

const NAMES: [&str; 3] = ["d0", "d1", "größe"];

/// Replaces runtime variables, names unknown to MLIR, and constraints without bounds; also returns whether the map's text has
/// words or numbers that MLIR cannot express.
fn said_in_mlir(map: &IndexingMap) -> (IndexingMap, bool) {
    let variables = map.domain().variables().iter().enumerate();
    let variables = variables.map(|(number, variable)| {
        let kind = match variable.kind {
            VariableKind::Runtime => VariableKind::Range,
            kind => kind,
        };
        Variable::new(format!("v{number}"), kind, variable.bounds)
    });
    let mut domain = Domain::new(variables.collect());
    for constraint in map.domain().constraints() {
        if constraint.bounds != Interval::ALL {
            domain.constrain(&constraint.expr, constraint.bounds);
        }
    }
    if map.domain().is_known_empty() {
        domain.make_empty();
    }
    let map = IndexingMap::new(domain, map.results().to_vec());
    let text = print_map(&map, Style::Plain);
    let refused = ["min(", "max(", "9223372036854775808"];
    let refused = refused.iter().any(|word| text.contains(word));
    (map, refused)
}

proptest! {
    #[test]
    fn an_expression_comes_back(expr in random::extreme_expr(NAMES.len())) {
        for style in [Style::Plain, Style::Xla, Style::Mlir] {
            let text = print_expr(&expr, &NAMES, style);
            let again = parse_expr(&text, &NAMES);
            prop_assert_eq!(again.as_ref(), Ok(&expr), "{}", text);
        }
    }

    #[test]
    fn a_map_comes_back(map in random::extreme_map()) {
        for style in [Style::Plain, Style::Xla] {
            let text = print_map(&map, style);
            let again = parse_map(&text);
            prop_assert_eq!(again.as_ref(), Ok(&map), "{}", text);
            let lines = text.replace(", ", ",\n# note\n ");
            let again = parse_map(&lines);
            prop_assert_eq!(again.as_ref(), Ok(&map), "{}", lines);
        }
    }

    #[test]
    fn a_map_of_mlir_comes_back(map in random::extreme_map()) {
        let (map, refused) = said_in_mlir(&map);
        let text = print_map_strictly(&map, Style::Mlir);
        prop_assert_eq!(text.is_err(), refused, "{:?}", text);
        if let Ok(text) = text {
            prop_assert!(text.starts_with("affine_map<") && !text.contains("domain"), "{}", text);
            let again = parse_map(&text);
            prop_assert_eq!(again.as_ref(), Ok(&map), "{}", text);
        }
    }

    /// A text with one word changed is refused at a position in it, or parses to a valid map.
    #[test]
    fn a_changed_text_is_read_or_refused(
        map in random::small_map(),
        place in any::<prop::sample::Index>(),
        removed in 0usize..3,
        inserted in prop::option::of(word()),
    ) {
        let text = print_map(&map, Style::Plain);
        let mut words: Vec<&str> = text.split_inclusive([' ', '(', ')', ',', ']']).collect();
        let start = place.index(words.len());
        let end = (start + removed).min(words.len());
        words.splice(start..end, inserted.as_deref());
        read_or_refuse(&words.concat())?;
    }

    #[test]
    fn any_text_is_read_or_refused(words in prop::collection::vec(word(), 0..30)) {
        read_or_refuse(&words.concat())?;
    }

    /// The properties of small maps that other tests rely on.
    #[test]
    fn small_maps_are_small(map in random::small_map()) {
        let points = random::box_points(map.domain());
        prop_assert!(points.len() <= 4096);
        let mut inside = false;
        for point in points {
            prop_assert!(map.eval(&point).is_ok());
            inside |= map.domain().contains(&point).unwrap();
        }
        prop_assert_eq!(inside, !map.domain().is_known_empty());
    }

    /// The value of `x op c` read from text is the value of the operator, including for negative divisors.
    #[test]
    fn division_means_what_it_says(x in -40i64..40, c in 1i64..9) {
        let value = |text: &str| parse_expr(text, &NAMES).unwrap().eval(&[x, 0, 0]).unwrap();
        let quotient = x as f64 / c as f64;
        prop_assert_eq!(value(&format!("d0 floordiv {c}")), quotient.floor() as i64);
        prop_assert_eq!(value(&format!("d0 ceildiv {c}")), quotient.ceil() as i64);
        prop_assert_eq!(value(&format!("d0 // -{c}")), (-quotient).floor() as i64);
        prop_assert_eq!(value(&format!("d0 ceilDiv (-{c})")), (-quotient).ceil() as i64);
        prop_assert_eq!(value(&format!("d0 % {c}")), x - c * quotient.floor() as i64);
    }
}

fn read_or_refuse(text: &str) -> Result<(), TestCaseError> {
    let map = parse_map(text);
    if let Ok(map) = &map {
        let printed = print_map(map, Style::Plain);
        let again = parse_map(&printed);
        prop_assert_eq!(again.as_ref(), Ok(map), "{} from {}", printed, text);
    }
    let errors = [map.err(), parse_expr(text, &NAMES).err(), parse_constraint(text, &NAMES).err()];
    for error in errors.into_iter().flatten() {
        let marked = error.span.clone().and_then(|span| text.get(span));
        prop_assert!(marked.is_some(), "{}: {:?}", text, error);
        let source = Source { name: "-", text, first_line: 1 };
        prop_assert!(render_text(&error, &source, Look::default()).contains(&error.message));
    }
    Ok(())
}

fn word() -> impl Strategy<Value = String> {
    let words = "d0 d1 größe x 0 7 -3 9223372036854775808 + - * / // % floordiv ceildiv mod min( max( \
                 ( ) [ ] { } , : ; = -> => <=> < <= > >= . in domain domain: empty affine_map< # \n @ € \
                 (d0) -> ,\u{a0}in[0,3] inf f(";
    let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
    (prop::sample::select(words), any::<bool>())
        .prop_map(|(word, spaced)| if spaced { word + " " } else { word })
}
