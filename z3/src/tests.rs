//! Answers, errors, and the message if the library is missing.

use crate::find::first;
use crate::{Check, Context, Solver, version};
use std::fs;

#[test]
fn the_version_is_the_pinned_one_or_newer() {
    let version = version().expect("libz3");
    let parts: Vec<u32> = version.split('.').map(|part| part.parse().expect("a number")).collect();
    assert!(parts >= vec![5, 3], "{version}");
}

#[test]
fn terms_mean_what_they_say() {
    let context = Context::new().expect("libz3");
    let [x, y] = [0, 1].map(|number| context.unknown(number));
    let number = |value| context.integer(value);
    let large = x.times(number(i64::MAX)).equal(context.sum(&[number(i64::MAX), y]));
    for (fact, expected) in [
        (context.all(&[]), Check::Satisfiable),
        (context.any(&[]), Check::Unsatisfiable),
        (context.all(&[x.at_least(y), x.at_most(y)]), Check::Satisfiable),
        (context.all(&[x.at_least(y), x.equal(y).negated(), x.at_most(y)]), Check::Unsatisfiable),
        (context.any(&[x.equal(y), x.equal(y).negated()]), Check::Satisfiable),
        (context.all(&[large, y.equal(number(1))]), Check::Unsatisfiable),
        (context.all(&[large, y.equal(number(0)), x.equal(number(1))]), Check::Satisfiable),
        (context.for_all(&[y], x.at_most(y)), Check::Unsatisfiable),
        (context.for_all(&[], x.at_most(y)), Check::Satisfiable),
    ] {
        let solver = Solver::new(&context, None);
        solver.assert(fact);
        assert_eq!(solver.check(), expected, "{fact:?}");
    }
}

#[test]
fn a_stack_of_assertions_and_a_model() {
    let context = Context::new().expect("libz3");
    let solver = Solver::new(&context, None);
    let x = context.named("x");
    solver.assert(x.times(context.integer(7)).equal(context.integer(-21)));
    solver.push();
    solver.assert(x.at_least(context.integer(0)));
    assert_eq!(solver.check(), Check::Unsatisfiable);
    assert!(solver.model().is_none());
    solver.pop();
    assert_eq!(solver.check(), Check::Satisfiable);
    assert_eq!(solver.model().expect("a model").value(x), Some(-3));
    let square = x.times(x).times(x.times(x));
    let beyond = (0..8).fold(square, |power, _| power.times(square));
    assert_eq!(solver.model().expect("a model").value(beyond), Some(9_i64.pow(18)));
    assert_eq!(solver.model().expect("a model").value(beyond.times(square)), None);
    assert!(solver.steps().expect("a count") > 0);
}

#[test]
fn a_script_is_asserted_and_limited() {
    let context = Context::new().expect("libz3");
    let script = "(set-logic QF_LIA)\n(declare-const a Int)\n(assert (= (* 2 a) 7))";
    for logic in [None, Some("QF_LIA")] {
        let solver = Solver::new(&context, logic);
        solver.read(script);
        assert_eq!(solver.check(), Check::Unsatisfiable);
        let solver = Solver::new(&context, logic);
        solver.limit(1);
        solver.read(script);
        assert_eq!(solver.check(), Check::Unknown);
        assert!(!solver.reason().is_empty());
    }
}

#[test]
fn invalid_scripts_are_not_answered() {
    let panics = |work: fn(&Context)| {
        let context = Context::new().expect("libz3");
        let work = std::panic::AssertUnwindSafe(|| work(&context));
        let message = std::panic::catch_unwind(work).unwrap_err();
        message.downcast_ref::<String>().cloned().unwrap_or_else(|| {
            let text = message.downcast_ref::<&str>();
            text.copied().unwrap_or_default().to_owned()
        })
    };
    for (work, expected) in [
        (
            (|context| Solver::new(context, None).read("(assert (= x")) as fn(&Context),
            "Z3 reports: ",
        ),
        (|context| Solver::new(context, None).assert(context.integer(1)), "Z3 reports: "),
        (|context| Solver::new(context, None).pop(), "Z3 reports: "),
        (
            |context| Solver::new(context, None).read("(assert \0)"),
            "a text for Z3 has no zero byte",
        ),
        (
            |context| {
                let other = Context::new().expect("libz3");
                Solver::new(context, None).assert(other.all(&[]));
            },
            "a term of another context",
        ),
    ] {
        let said = panics(work);
        assert!(said.starts_with(expected), "{said}");
    }
}

#[test]
fn without_a_library_it_is_said_how_to_get_one() {
    let folder = std::env::temp_dir().join(format!("affinor-z3-{}", std::process::id()));
    let nowhere = folder.join("nowhere");
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("libz3.so.9"), "not a library").expect("written");
    let own = "names the only directory that is looked in";
    for (directories, system, expected) in [
        (vec![], &["libz3-of-nobody.so"][..], ["none was found", "`pip install z3-solver`"]),
        (vec![nowhere.clone()], &[], ["none was found", own]),
        (vec![nowhere, folder.clone()], &[], ["libz3.so.9 cannot be loaded (", own]),
    ] {
        let said = first(&directories, system).unwrap_err().to_string();
        assert!(expected.iter().all(|part| said.contains(part)), "{said}");
    }
    fs::remove_dir_all(&folder).expect("removed");
}
