//! Questions about random pieces of code, in four languages. An answer is compared with the values of the piece when it was
//! run. "Unknown", and an error that gives the reason, are not wrong; they are counted.

use crate::draw::Draw;
use crate::grow::{altered, respelled};
use crate::judge::Judge;
use crate::pieces::{Dialect, Form, Piece};
use crate::tree::{Tree, number, two};
use crate::truth::{Table, collide};
use crate::typed::{Prompt, Reply};
use affinor::text::ErrorKind;
use affinor_commands::Status;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// The number of pieces in each language.
const PIECES: usize = 300;

/// The minimum number of right answers in each language; about seven questions are asked about each piece.
const LEAST: usize = 1200;

/// The outcome of a question.
enum Outcome {
    Right,
    Unknown,
    Refused(String),
    Wrong(String),
}

/// The number of outcomes of each kind, by question.
#[derive(Default)]
pub struct Tally {
    /// The numbers of right, unknown, refused and wrong answers.
    counts: BTreeMap<&'static str, [usize; 4]>,
    /// The number of refusals by reason, with the first line that was refused for it.
    reasons: BTreeMap<String, (usize, String)>,
    wrong: Vec<String>,
}

impl Tally {
    fn note(&mut self, question: &'static str, line: &str, outcome: Outcome) {
        let place = match outcome {
            Outcome::Right => 0,
            Outcome::Unknown => 1,
            Outcome::Refused(reason) => {
                let first = || (0, line.to_owned());
                self.reasons.entry(reason).or_insert_with(first).0 += 1;
                2
            }
            Outcome::Wrong(why) => {
                self.wrong.push(format!("> {line}\n  expected {why}"));
                3
            }
        };
        self.counts.entry(question).or_default()[place] += 1;
    }

    /// Writes all counts, then the reasons of refusals, and the wrong answers.
    fn report(&self) -> String {
        let mut text = String::from("question: right, unknown, refused, wrong\n");
        for (question, counts) in &self.counts {
            let _ = writeln!(text, "{question}: {counts:?}");
        }
        let mut reasons: Vec<_> = self.reasons.iter().collect();
        reasons.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
        for (reason, (count, line)) in reasons {
            let line = line.replace('\n', " ");
            let _ = writeln!(text, "{count} refused: {reason}, as of {line}");
        }
        for wrong in &self.wrong {
            let _ = writeln!(text, "{wrong}");
        }
        text
    }

    /// Writes the report into a file, and fails if an answer is wrong, or too few are right.
    pub fn judge(&self, name: &str, least: usize) {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("code/{name}.txt"));
        let report = self.report();
        std::fs::write(&path, &report).expect("the report is written");
        let right: usize = self.counts.values().map(|counts| counts[0]).sum();
        let shown: String = report.chars().take(12_000).collect();
        assert!(
            self.wrong.is_empty(),
            "{} wrong answers, all in {}:\n{shown}",
            self.wrong.len(),
            path.display()
        );
        assert!(right >= least, "only {right} right answers:\n{shown}");
    }
}

/// Returns the outcome of a reply whose answers are judged by `truth`, which returns `Ok(false)` if part of it is unknown.
fn outcome(reply: &Reply, truth: impl FnOnce(&[&Value]) -> Result<bool, String>) -> Outcome {
    if let Some(failure) = &reply.failure {
        let error = &failure.error;
        return match error.kind {
            ErrorKind::Internal => Outcome::Wrong(format!("no defect: {}", error.message)),
            _ => Outcome::Refused(reason(&error.message)),
        };
    }
    let values: Vec<Value> =
        reply.outputs.iter().filter_map(|output| output.json.clone().map(Value::Object)).collect();
    let values: Vec<&Value> = values.iter().collect();
    let expected = match values.first().and_then(|answer| answer["verdict"].as_str()) {
        Some("proved") => Some(Status::Done),
        Some("refuted") => Some(Status::Wrong),
        Some("unknown") => Some(Status::Undecided),
        _ => reply.status,
    };
    let truth = truth(&values).and_then(|is_known| match reply.status == expected {
        true => Ok(is_known),
        false => Err(format!("the status {expected:?}, not {:?}", reply.status)),
    });
    match truth {
        Ok(true) => Outcome::Right,
        Ok(false) => Outcome::Unknown,
        Err(why) => {
            let texts = reply.outputs.iter().map(|output| output.text.to_string());
            let answer = texts.collect::<Vec<_>>().join("\n  ");
            Outcome::Wrong(format!("{why}\n  answered {answer}"))
        }
    }
}

/// Returns a message without quotations and numbers, so that equal reasons are counted together.
fn reason(message: &str) -> String {
    let mut parts = message.split('`');
    let mut text = parts.next().unwrap_or_default().to_owned();
    while let (Some(_), Some(after)) = (parts.next(), parts.next()) {
        text += "`..`";
        text += after;
    }
    let digits = |c: char| if c.is_ascii_digit() { '0' } else { c };
    text.chars().map(digits).collect()
}

/// A piece with the code that is compared with it; all of it is run.
struct Case {
    piece: Piece,
    results: Vec<Tree>,
    source: usize,
    others: Vec<(Vec<Tree>, usize)>,
    comparisons: Vec<(Tree, usize)>,
}

fn case(draw: &mut Draw, dialect: Dialect, judge: &mut Judge) -> Case {
    let piece = Piece::random(draw, dialect);
    let results = piece.results.clone();
    let mut add = |results: &[Tree]| judge.add(piece.source(results));
    let source = add(&results);
    let same: Vec<Tree> = results.iter().map(|x| respelled(x, dialect)).collect();
    let mut changed = same.clone();
    let last = changed.pop().expect("a result");
    changed.push(altered(draw, &last));
    let first = results[0].clone();
    let other = draw.one_of(&["==", "!=", "<", "<=", ">="]);
    let bound = match draw.below(3) {
        0 => changed.last().expect("a result").clone(),
        1 => two("+", same[0].clone(), number(draw.within(-1, 1))),
        _ => number(draw.within(-2, 64)),
    };
    let comparisons = [two("==", first.clone(), same[0].clone()), two(other, first, bound)];
    let comparisons = comparisons.map(|tree| {
        let source = add(std::slice::from_ref(&tree));
        (tree, source)
    });
    let comparisons = comparisons.to_vec();
    let others = [same, changed].map(|results| {
        let source = add(&results);
        (results, source)
    });
    Case { others: others.to_vec(), piece, results, source, comparisons }
}

fn check(dialect: Dialect, name: &str, seed: u64) {
    let mut draw = Draw(seed);
    let mut judge = Judge::new(dialect.runner(), name);
    // Some pieces overflow, and are left out.
    let cases: Vec<Case> =
        (0..PIECES * 3 / 2).map(|_| case(&mut draw, dialect, &mut judge)).collect();
    let mut tally = Tally::default();
    let mut asked = 0;
    for case in &cases {
        if asked == PIECES {
            break;
        }
        asked += usize::from(ask_all(case, asked, &mut judge, &mut tally));
    }
    assert_eq!(asked, PIECES, "too few pieces have values everywhere");
    tally.judge(name, LEAST);
}

/// Asks all questions about a piece; returns `false` if it has no value at some point.
fn ask_all(case: &Case, number: usize, judge: &mut Judge, tally: &mut Tally) -> bool {
    let piece = &case.piece;
    let Some(table) = Table::of(piece, judge, case.source) else {
        return false;
    };
    let sources = case.others.iter().map(|(_, source)| *source);
    let sources = sources.chain(case.comparisons.iter().map(|(_, source)| *source));
    let others: Option<Vec<Table<'_>>> =
        sources.map(|source| Table::of(piece, judge, source)).collect();
    let Some(others) = others.filter(|_| !table.is_empty()) else {
        return false;
    };
    let mut prompt = Prompt::default();
    for line in piece.before() {
        let reply = prompt.ask(&line);
        if reply.failure.is_some() {
            tally.note("names", &line, outcome(&reply, |_| Ok(true)));
            return true;
        }
    }
    let inline = piece.inline(&case.results);
    let shown = |line: &str| {
        let before = piece.before().into_iter().chain([line.to_owned()]);
        before.collect::<Vec<_>>().join("\n> ")
    };
    let line = match (&inline, piece.block()) {
        (Some(inline), _) if number.is_multiple_of(2) => format!("simplify {inline}"),
        (Some(inline), _) => inline.clone(),
        (None, block) => block.expect("a text"),
    };
    let reply = prompt.ask(&line);
    let simplified = outcome(&reply, |answers| {
        let maps: Option<Vec<&str>> = answers.iter().map(|x| x["result"].as_str()).collect();
        table.maps(&maps.ok_or("maps")?).map(|()| true)
    });
    let is_one = reply.failure.is_none() && reply.outputs.len() == 1;
    tally.note("simplify", &shown(&line), simplified);
    let about = match &inline {
        Some(inline) => inline.as_str(),
        None if is_one => "_",
        None => return true,
    };
    let (asked, answers) = ((about, number), (&mut prompt, &mut *judge, &mut *tally));
    about_the_map(asked, case, &table, answers, &shown);
    for ((results, source), other) in case.others.iter().zip(&others) {
        let (Some(left), Some(right)) = (&inline, piece.inline(results)) else {
            continue;
        };
        // The option applies to the whole command.
        let mut line = format!("equal {left} ; {right}").replace(" --c", "");
        if left.contains(" --c") || right.contains(" --c") {
            line += " --c";
        }
        let reply = prompt.ask(&line);
        let is_true = table.agrees(other);
        let outcome = outcome(&reply, |answers| {
            verdict(answers, is_true, |example| {
                let point = table.point(&example["point"])?;
                let left = judge.values(case.source, std::slice::from_ref(&point));
                let right = judge.values(*source, std::slice::from_ref(&point));
                let at = table.at(&point);
                let said = [&example["left"], &example["right"]]
                    .map(|side| serde_json::from_value(side.clone()).ok());
                match left[0].is_none()
                    || left == right
                    || said != [left[0].clone(), right[0].clone()]
                {
                    true => Err(format!("{left:?} and {right:?} at {at}")),
                    false => Ok(()),
                }
            })
        });
        tally.note("equal", &shown(&line), outcome);
    }
    let comparisons = case.comparisons.iter().zip(&others[case.others.len()..]);
    for (command, ((tree, source), other)) in comparisons
        .flat_map(|comparison| [("", comparison), ("prove ", comparison)])
        .enumerate()
        .filter(|(place, _)| (place + number).is_multiple_of(2) || *place < 2)
        .map(|(_, asked)| asked)
    {
        let Some(text) = piece.stated(tree) else {
            continue;
        };
        let line = format!("{command}{text}");
        let reply = prompt.ask(&line);
        let outcome = outcome(&reply, |answers| {
            verdict(answers, other.holds(), |example| {
                let point = table.point(&example["point"])?;
                match judge.values(*source, std::slice::from_ref(&point))[0].as_deref() {
                    Some([0]) => Ok(()),
                    values => Err(format!("{values:?} at {}", table.at(&point))),
                }
            })
        });
        let question = if command.is_empty() { "==" } else { "prove" };
        tally.note(question, &shown(&line), outcome);
    }
    true
}

/// Asks for the range, the count, and either injectivity or the image, which take the most time.
fn about_the_map(
    (about, number): (&str, usize),
    case: &Case,
    table: &Table<'_>,
    (prompt, judge, tally): (&mut Prompt, &mut Judge, &mut Tally),
    shown: &dyn Fn(&str) -> String,
) {
    let line = format!("range {about}");
    let reply = prompt.ask(&line);
    let found = outcome(&reply, |answers| table.ranges(answers).map(|()| true));
    tally.note("range", &shown(&line), found);
    if case.piece.form == Form::Function {
        return;
    }
    if !number.is_multiple_of(3) {
        let line = format!("injective {about}");
        let reply = prompt.ask(&line);
        let collision = table.collision();
        let found = outcome(&reply, |answers| {
            verdict(answers, collision.is_none(), |example| {
                collide(table, judge, case.source, example)
            })
        });
        tally.note("injective", &shown(&line), found);
    }
    if !case.piece.is_bounded() {
        return;
    }
    let line = format!("count {about}");
    let reply = prompt.ask(&line);
    let found = outcome(&reply, |answers| table.counts(answers));
    tally.note("count", &shown(&line), found);
    if !number.is_multiple_of(3) {
        return;
    }
    let line = format!("image {about}");
    let reply = prompt.ask(&line);
    let found = outcome(&reply, |answers| match answers {
        [answer] if answer["box"].is_null() && answer["sides"].is_null() => Ok(false),
        [answer] => table.image(answer).map(|()| true),
        _ => Ok(false),
    });
    tally.note("image", &shown(&line), found);
}

/// Checks a verdict: a false statement is never proved, and a refutation has a counterexample that a run confirms.
fn verdict(
    answers: &[&Value],
    is_true: bool,
    example: impl FnOnce(&Value) -> Result<(), String>,
) -> Result<bool, String> {
    let [answer] = answers else {
        return Err(format!("one verdict, not {}", answers.len()));
    };
    match (answer["verdict"].as_str(), is_true) {
        (Some("proved"), true) => Ok(true),
        (Some("proved"), false) => Err("a refutation".to_owned()),
        (Some("refuted"), _) => example(&answer["counterexample"]).map(|()| true),
        (Some("unknown"), _) => Ok(false),
        _ => Err("a verdict".to_owned()),
    }
}

#[test]
fn python_is_what_it_computes() {
    check(Dialect::Python, "python", 0x9e37_79b9);
}

#[test]
fn c_is_what_it_computes() {
    check(Dialect::C, "c", 0x7f4a_7c15);
}

#[test]
fn cuda_is_what_it_computes() {
    check(Dialect::Cuda, "cuda", 0x1331_11eb);
}

#[test]
fn triton_is_what_it_computes() {
    check(Dialect::Triton, "triton", 0x94d0_49bb);
}
