//! Whether values fit in machine integers, compared with a gcc program that computes them with overflow checks at every point of
//! a small box; each reported overflow point is tried on its own.

use crate::running::{folder, output};
use affinor::prove::{Budget, Fit, fits};
use affinor_maps::expr::IndexingMap;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use std::fmt::Write as _;
use std::process::Command;

/// An integer expression that can be printed as a map and as C.
#[derive(Clone, Debug)]
enum Term {
    Variable(usize),
    Number(i64),
    Pair(char, Box<Term>, Box<Term>),
    Times(i64, Box<Term>),
    Div(Box<Term>, i64),
    Mod(Box<Term>, i64),
    Choice(bool, Box<Term>, Box<Term>),
}

impl Term {
    fn text(&self) -> String {
        match self {
            Term::Variable(place) => ["x", "y"][*place].to_owned(),
            Term::Number(number) => format!("({number})"),
            Term::Pair(sign, a, b) => format!("({} {sign} {})", a.text(), b.text()),
            Term::Times(c, x) => format!("({} * {c})", x.text()),
            Term::Div(x, c) => format!("({} floordiv {c})", x.text()),
            Term::Mod(x, c) => format!("({} mod {c})", x.text()),
            Term::Choice(least, a, b) => {
                format!("{}({}, {})", if *least { "min" } else { "max" }, a.text(), b.text())
            }
        }
    }

    /// Prints C with 128-bit integers, in which `floordiv` and `modulo` round as maps do.
    fn c(&self) -> String {
        match self {
            Term::Variable(place) => ["x", "y"][*place].to_owned(),
            Term::Number(number) => format!("((W){number}LL)"),
            Term::Pair(sign, a, b) => format!("({} {sign} {})", a.c(), b.c()),
            Term::Times(c, x) => format!("({} * (W){c}LL)", x.c()),
            Term::Div(x, c) => format!("floordiv({}, {c})", x.c()),
            Term::Mod(x, c) => format!("modulo({}, {c})", x.c()),
            Term::Choice(least, a, b) => {
                format!("{}({}, {})", if *least { "least" } else { "most" }, a.c(), b.c())
            }
        }
    }
}

fn term() -> impl Strategy<Value = Term> {
    let large =
        prop_oneof![1i64..10, 1i64..1 << 20, 1i64..1 << 36, (1u32..36).prop_map(|bit| 1 << bit)];
    let leaf = prop_oneof![
        4 => (0usize..2).prop_map(Term::Variable),
        1 => large.clone().prop_map(Term::Number),
    ];
    leaf.prop_recursive(3, 8, 2, move |below| {
        let boxed = || below.clone().prop_map(Box::new);
        prop_oneof![
            3 => (prop::sample::select(vec!['+', '-']), boxed(), boxed()).prop_map(|(s, a, b)| Term::Pair(s, a, b)),
            3 => (large.clone(), boxed()).prop_map(|(c, x)| Term::Times(c, x)),
            1 => (boxed(), 2i64..20).prop_map(|(x, c)| Term::Div(x, c)),
            1 => (boxed(), 2i64..20).prop_map(|(x, c)| Term::Mod(x, c)),
            1 => (any::<bool>(), boxed(), boxed()).prop_map(|(least, a, b)| Term::Choice(least, a, b)),
        ]
    })
}

/// A width of integers.
#[derive(Clone, Copy, Debug)]
struct Width {
    bits: u32,
    is_signed: bool,
}

impl Width {
    fn ends(self) -> [Option<i128>; 2] {
        let number = 1i128 << (self.bits - u32::from(self.is_signed));
        [Some(if self.is_signed { -number } else { 0 }), Some(number - 1)]
    }

    fn c(self) -> String {
        format!("{}int{}_t", if self.is_signed { "" } else { "u" }, self.bits)
    }
}

const HEAD: &str = "#include <stdint.h>
#include <stdio.h>
typedef __int128 W;
static W floordiv(W a, W b) { W q = a / b; return a % b < 0 ? q - 1 : q; }
static W modulo(W a, W b) { W r = a % b; return r < 0 ? r + b : r; }
static W least(W a, W b) { return a < b ? a : b; }
static W most(W a, W b) { return a > b ? a : b; }
";

#[test]
fn verdicts_are_those_of_gcc() {
    let width = (prop::sample::select(vec![32u32, 64]), any::<bool>())
        .prop_map(|(bits, is_signed)| Width { bits, is_signed });
    let ends = || (-20i64..33, 0i64..20).prop_map(|(lo, more)| (lo, lo + more));
    let strategy = (term(), width, ends(), ends());
    let mut runner = TestRunner::deterministic();
    let (mut code, mut calls, mut verdicts) = (HEAD.to_owned(), String::new(), Vec::new());
    for number in 0..500 {
        let (term, width, x, y) = strategy.new_tree(&mut runner).expect("a case").current();
        let text = format!(
            "(x, y) -> ({}), domain: x in [{}, {}], y in [{}, {}]",
            term.text(),
            x.0,
            x.1,
            y.0,
            y.1
        );
        // A coefficient beyond 64 bits is refused.
        let Ok(map) = text.parse::<IndexingMap>() else { continue };
        let found = fits(map.domain(), map.results(), width.ends(), &Budget::default());
        let _ = writeln!(
            code,
            "static int leaves{number}(W x, W y) {{ {} to; return __builtin_add_overflow({}, (W)0, &to); }}",
            width.c(),
            term.c()
        );
        let _ = writeln!(
            calls,
            "{{ int any = 0; for (W x = {}; x <= {}; x++) for (W y = {}; y <= {}; y++) any |= leaves{number}(x, y); printf(\"%d \", any); }}",
            x.0, x.1, y.0, y.1
        );
        if let Fit::Leaves { point, .. } = &found[0] {
            let _ = writeln!(calls, "printf(\"%d\", leaves{number}({}, {}));", point[0], point[1]);
        }
        calls.push_str("puts(\"\");\n");
        verdicts.push((text, width, found));
    }
    let folder = folder("fits");
    let (file, program) = (folder.join("fits.c"), folder.join("fits"));
    std::fs::write(&file, format!("{code}int main(void) {{\n{calls}return 0;\n}}\n"))
        .expect("a file");
    output(
        Command::new("gcc").args(["-std=gnu11", "-O1", "-w", "-o"]).arg(&program).arg(&file),
        String::new(),
    );
    let answers = output(&mut Command::new(&program), String::new());
    assert_eq!(answers.lines().count(), verdicts.len());
    let (mut fit, mut leave) = (0, 0);
    for ((text, width, found), answer) in verdicts.iter().zip(answers.lines()) {
        match found[0] {
            Fit::Always => assert_eq!(answer.trim(), "0", "{text} in {width:?}"),
            Fit::Leaves { .. } => assert_eq!(answer.trim(), "1 1", "{text} in {width:?}"),
            Fit::Unknown => continue,
        }
        fit += usize::from(found[0] == Fit::Always);
        leave += usize::from(found[0] != Fit::Always);
    }
    assert!(fit > 150 && leave > 100, "{fit} fit and {leave} leave of {}", verdicts.len());
    assert!((fit + leave) * 100 >= verdicts.len() * 98, "{} of {}", fit + leave, verdicts.len());
}
