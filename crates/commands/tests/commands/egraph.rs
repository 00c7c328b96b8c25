//! The displayed e-graph of a map: its equations hold at every point, and exported files are well-formed.

use crate::support::memory::Memory;
use affinor::expr::{Expr, ExprKind, IndexingMap};
use affinor::rule::RuleSet;
use affinor::simplify::{EGraph, Effort, Options, Reason, Simplifier};
use affinor::text::{ErrorKind, Style, parse_map};
use affinor_commands::Session;
use affinor_draw::{Diagram, boxes, dot};

/// Maps with few points, with each kind of node in them.
const MAPS: &[&str] = &[
    "(d0, d1) -> ((d0 * 8 + d1) floordiv 8), domain: d0 in [0, 3], d1 in [0, 7]",
    "(d0, d1) -> (d0 + d1 floordiv 16, d1 mod 16), domain: d0 in [0, 9], d1 in [0, 14]",
    "(d0) -> ((d0 mod 12) floordiv 4 + d0 floordiv 12 * 3), domain: d0 in [0, 50]",
    "(d0) -> (min(d0 * 2 + 1, d0 + 10) mod 4, (d0 * 4 + 1) mod 4), domain: d0 in [0, 30]",
    "(d0, d1) -> (max(d0, d1) - d1, d0 mod 8 mod 6), domain: d0 in [-4, 20], d1 in [0, 3], d0 + d1 in [0, 19]",
    "(d0, d1)[s0] -> (-((-11*d0 - d1 + 109) floordiv 11) + 9, s0), domain: d0 in [0, 9], d1 in [0, 10], s0 in [2, 2]",
    "(d0) -> (d0, 7), domain: d0 in [0, 3]",
    "() -> ()",
];

const EFFORTS: [Effort; 3] = [Effort::Strategy, Effort::Bounded, Effort::Long];

fn simplifier() -> Simplifier {
    let rules = RuleSet::shipped().expect("the rules load");
    Simplifier::new(rules).expect("the rules compile")
}

fn egraph(map: &IndexingMap, effort: Effort, most: usize) -> EGraph {
    let options = Options { effort, ..Options::default() };
    let graph = simplifier().egraph(map, &options, most);
    graph.expect("a small map")
}

/// Returns the points of a map with bounded variables.
fn points(map: &IndexingMap) -> Vec<Vec<i64>> {
    let mut points = vec![Vec::new()];
    for variable in map.domain().variables() {
        let longer = points.iter().flat_map(|point: &Vec<i64>| {
            let values = variable.bounds.lo()..=variable.bounds.hi();
            values.map(|value| [point.as_slice(), &[value]].concat())
        });
        points = longer.collect();
    }
    points.retain(|point| map.domain().contains(point) == Ok(true));
    points
}

/// Returns the numbers of the classes in a term, once for each occurrence.
fn classes_in(term: &Expr, first: u32) -> Vec<usize> {
    match term.kind() {
        ExprKind::Variable(id) => id.0.checked_sub(first).map(|n| n as usize).into_iter().collect(),
        _ => term.operands().flat_map(|x| classes_in(x, first)).collect(),
    }
}

#[test]
fn all_that_is_shown_is_true_at_every_point() {
    for (text, effort) in MAPS.iter().flat_map(|text| EFFORTS.map(|effort| (text, effort))) {
        let map = parse_map(text).expect("a map");
        let picture = egraph(&map, effort, 40).picture;
        let points = points(&map);
        assert!(!points.is_empty(), "{text}");
        for point in &points {
            let value = |expr: &Expr, point: &[i64]| expr.eval(point).expect("it has a value");
            // A class is represented by a variable after those of the map.
            let mut with_classes = point.clone();
            with_classes.extend(picture.classes.iter().map(|class| value(&class.smallest, point)));
            let expected = map.eval(point).expect("it has values");
            let roots: Vec<i64> =
                picture.roots.iter().map(|root| value(root, &with_classes)).collect();
            assert_eq!(roots, expected, "{text} at {point:?}");
            for class in &picture.classes {
                let smallest = value(&class.smallest, point);
                assert!(class.range.contains(smallest), "{text} at {point:?}: {class:?}");
                if let Some((modulus, residue)) = class.residue {
                    assert_eq!(smallest.rem_euclid(modulus), residue, "{text}: {class:?}");
                }
                for node in &class.nodes {
                    let found = value(&node.term, &with_classes);
                    assert_eq!(found, smallest, "{text} at {point:?}: {node:?}");
                }
            }
            for union in &picture.unions {
                let smallest = with_classes[point.len() + union.class];
                let sides = [value(&union.left, point), value(&union.right, point)];
                assert_eq!(sides, [smallest; 2], "{text} at {point:?}: {union:?}");
            }
        }
        for class in &picture.classes {
            for node in &class.nodes {
                let mut named = classes_in(&node.term, picture.first_class);
                named.sort_unstable();
                named.dedup();
                assert_eq!(node.operands, named, "{text}: {node:?}");
            }
        }
    }
}

#[test]
fn rules_make_terms_one_that_were_two() {
    /// Checks the smallest forms of the results' classes, and the rule of the first union.
    #[track_caller]
    fn check(text: &str, effort: Effort, expected: &[&str], rule: Option<&str>) {
        let graph = egraph(&parse_map(text).expect("a map"), effort, 24);
        let simplifier = simplifier();
        let diagram = Diagram::of(&graph, simplifier.rules(), Style::Plain);
        let smallest = diagram.results.iter().map(|result| {
            let class = diagram.classes.iter().find(|class| class.name == *result);
            class.map_or(result.as_str(), |class| class.smallest.as_str())
        });
        assert_eq!(smallest.collect::<Vec<_>>(), expected);
        let first = graph.picture.unions.first().map(|union| union.reason);
        let first = first.map(|reason| match reason {
            Reason::Rule(rule) => simplifier.rules().rule(rule).name.as_str(),
            Reason::Arithmetic => "arithmetic",
        });
        assert_eq!(first, rule);
    }
    let small = MAPS[0];
    check(small, Effort::Strategy, &["(d0 * 8 + d1) floordiv 8"], None);
    check(small, Effort::Bounded, &["d0"], Some("div-strip"));
    // Even a small division is examined if the range of its operand makes it redundant.
    check(MAPS[1], Effort::Bounded, &["d0", "d1"], Some("div-block"));
    check(MAPS[6], Effort::Long, &["d0", "7"], None);
}

#[test]
fn no_more_is_shown_than_is_wanted_and_the_rest_is_counted() {
    let map = parse_map(MAPS[2]).expect("a map");
    let rules = RuleSet::shipped().expect("the rules load");
    for most in [1, 2, 5] {
        let graph = egraph(&map, Effort::Bounded, most);
        let shown: usize = graph.picture.classes.iter().map(|class| class.nodes.len()).sum();
        assert!(shown <= most && graph.picture.unions.len() <= most, "{most}");
        assert!(graph.picture.classes.iter().all(|class| !class.nodes.is_empty()));
        let left_out = Diagram::of(&graph, &rules, Style::Plain).left_out;
        assert!(left_out.is_some_and(|text| text.starts_with("not shown: ")), "{most}");
    }
    let small = egraph(&parse_map(MAPS[0]).expect("a map"), Effort::Bounded, 24);
    assert_eq!(Diagram::of(&small, &rules, Style::Plain).left_out, None);
}

#[test]
fn what_cannot_be_shown_is_refused() {
    let long = (0..300).map(|n| format!("d0 floordiv {}", n + 2)).collect::<Vec<_>>();
    let long = format!("(d0) -> ({}), domain: d0 in [0, 9]", long.join(" + "));
    for (text, kind) in [
        (long.as_str(), ErrorKind::TooLarge),
        ("(d0) -> (d0 mod 8), domain: d0 in [3, 2]", ErrorKind::Domain),
        (
            "(d0) -> ((d0 * 4611686018427387904 + (d0 + 1) * 4611686018427387904) floordiv 3 * 4), domain: d0 in [0, 1]",
            ErrorKind::Overflow,
        ),
    ] {
        let map = parse_map(text);
        let found = map.and_then(|map| simplifier().egraph(&map, &Options::default(), 24));
        assert_eq!(found.map_err(|error| error.kind), Err(kind), "{text}");
    }
}

/// Checks that XML elements are properly nested, and that texts have no bare `<` or `&`.
fn is_balanced_xml(text: &str) -> bool {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        let words = &rest[..start];
        let entities = ["&amp;", "&lt;", "&gt;"];
        let is_escaped = words
            .match_indices('&')
            .all(|(at, _)| entities.iter().any(|entity| words[at..].starts_with(entity)));
        let Some(end) = rest[start..].find('>').map(|end| start + end) else {
            return false;
        };
        let tag = &rest[start + 1..end];
        let is_whole = !tag.contains('<') && tag.matches('"').count().is_multiple_of(2);
        if !is_escaped || !is_whole {
            return false;
        }
        if let Some(name) = tag.strip_prefix('/') {
            if open.pop() != Some(name) {
                return false;
            }
        } else if !tag.ends_with('/') {
            open.push(tag.split(' ').next().unwrap_or_default());
        }
        rest = &rest[end + 1..];
    }
    open.is_empty() && !rest.contains('&')
}

/// Checks that strings and brackets are closed, and that each line refers to declared nodes.
fn is_balanced_dot(text: &str) -> bool {
    let (mut declared, mut used) = (Vec::new(), Vec::new());
    let mut depth = 0i32;
    for line in text.lines() {
        let (mut in_string, mut escaped, mut brackets) = (false, false, 0i32);
        for letter in line.chars() {
            match letter {
                _ if escaped => escaped = false,
                '\\' if in_string => escaped = true,
                '"' => in_string = !in_string,
                '[' if !in_string => brackets += 1,
                ']' if !in_string => brackets -= 1,
                '{' if !in_string => depth += 1,
                '}' if !in_string => depth -= 1,
                _ => (),
            }
        }
        if in_string || brackets != 0 || depth < 0 {
            return false;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            [from, "->", to, ..] => used.extend([*from, *to]),
            [name, ..] if name.contains('_') => declared.push(*name),
            _ => (),
        }
    }
    depth == 0 && used.iter().all(|name| declared.contains(name))
}

#[test]
fn files_are_well_formed_and_always_the_same() {
    assert!(
        is_balanced_xml("<a b=\"c\"><d/>&lt;</a>") && is_balanced_dot("a {\n x_1 [b=\"\\\"{\"]\n}")
    );
    for wrong in ["<a><b></a></b>", "<a>&</a>", "<a b=\"></a>", "<a>"] {
        assert!(!is_balanced_xml(wrong), "{wrong}");
    }
    for wrong in ["a {", "a {\n b [c=\"d]\n}", "a {\n x_1 -> x_2\n}", "}\n{"] {
        assert!(!is_balanced_dot(wrong), "{wrong}");
    }
    let odd = "(\"a<b\")"; // not a name that a map can have: texts are escaped regardless
    for text in MAPS {
        let map = parse_map(text).expect("a map");
        let drawn = || {
            let graph = egraph(&map, Effort::Bounded, 24);
            let mut diagram = Diagram::of(&graph, simplifier().rules(), Style::Plain);
            diagram.results.push(odd.to_owned());
            [dot(&diagram), boxes(&diagram)]
        };
        let [as_dot, as_svg] = drawn();
        assert!(is_balanced_dot(&as_dot), "{as_dot}");
        assert!(is_balanced_xml(&as_svg), "{as_svg}");
        assert!(as_dot.contains("\\\"a<b\\\"") && as_svg.contains("a&lt;b"));
        for _ in 1..5 {
            assert_eq!(drawn(), [as_dot.as_str(), as_svg.as_str()], "{text}");
        }
    }
}

#[test]
fn the_command_writes_the_files_that_it_is_told_to() {
    let mut host = Memory::default();
    let mut session = Session::new();
    let small = MAPS[0];
    for line in [
        format!("egraph {small} --dot graph.dot"),
        format!("egraph {small} --svg graph.svg"),
        format!("egraph {small} --dot -"),
    ] {
        session.run(&line, &mut host).expect("it is written");
    }
    assert!(is_balanced_dot(&host.written["graph.dot"]));
    assert!(is_balanced_xml(&host.written["graph.svg"]));
    assert_eq!(host.written.len(), 2);
    let shown = host.outputs.last().map(|output| output.text.to_string());
    assert_eq!(shown.as_deref(), Some(host.written["graph.dot"].trim_end()));
}
