//! Questions in English about random loops and random transposes. Each answer is compared with the elements that the loops access,
//! or the positions in memory, computed here.

use crate::draw::Draw;
use crate::typed::{Prompt, Reply};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// The number of random texts of each kind.
const TEXTS: usize = 60;

/// The index of an access in two loops: `(first * i + second * j + offset)`, its quotient or its remainder.
struct Index {
    factors: [i64; 2],
    offset: i64,
    operation: Option<(char, i64)>,
}

impl Index {
    fn random(draw: &mut Draw) -> Index {
        let operation = match draw.below(3) {
            0 => None,
            1 => Some(('/', draw.within(2, 5))),
            _ => Some(('%', draw.within(2, 40))),
        };
        let factors = [draw.within(0, 9), draw.within(0, 4)];
        Index { factors, offset: draw.within(0, 9), operation }
    }

    fn text(&self) -> String {
        let [first, second] = self.factors;
        let sum = format!("i * {first} + j * {second} + {}", self.offset);
        self.operation.map_or(sum.clone(), |(sign, by)| format!("({sum}) {sign} {by}"))
    }

    fn value(&self, [i, j]: [i64; 2]) -> i64 {
        let sum = self.factors[0] * i + self.factors[1] * j + self.offset;
        match self.operation {
            Some(('/', by)) => sum / by,
            Some((_, by)) => sum % by,
            None => sum,
        }
    }
}

/// Two loops around a store and a load.
struct Loops {
    counts: [i64; 2],
    write: Index,
    read: Index,
    size: i64,
}

impl Loops {
    fn random(draw: &mut Draw) -> Loops {
        Loops {
            counts: [draw.within(2, 9), draw.within(1, 6)],
            write: Index::random(draw),
            read: Index::random(draw),
            size: draw.within(20, 90),
        }
    }

    fn text(&self) -> String {
        let [first, second] = self.counts;
        let (size, write, read) = (self.size, self.write.text(), self.read.text());
        format!(
            "int p[{size}]; for (int i = 0; i < {first}; i++) for (int j = 0; j < {second}; j++) p[{write}] = p[{read}];"
        )
    }

    fn points(&self) -> Vec<[i64; 2]> {
        (0..self.counts[0]).flat_map(|i| (0..self.counts[1]).map(move |j| [i, j])).collect()
    }

    fn elements(&self, index: &Index) -> BTreeSet<i64> {
        self.points().into_iter().map(|point| index.value(point)).collect()
    }
}

/// Returns the JSON of the answer with this key.
fn with<'a>(reply: &'a Reply, key: &str) -> Option<&'a serde_json::Map<String, Value>> {
    let mut all = reply.outputs.iter().filter_map(|output| output.json.as_ref());
    all.find(|json| json.contains_key(key))
}

/// The wrong answers, and the number of right ones.
#[derive(Default)]
struct Judged {
    wrong: String,
    right: usize,
}

impl Judged {
    fn note(&mut self, text: &str, question: &str, reply: &Reply, found: Value, expected: Value) {
        if found == expected {
            self.right += 1;
            return;
        }
        let said: Vec<String> =
            reply.outputs.iter().map(|output| output.text.to_string()).collect();
        let error = reply.failure.as_ref().map(|failure| failure.error.message.clone());
        let _ = writeln!(
            self.wrong,
            "{text}\n{question}\n  {expected}, not {found}\n  {}\n  {error:?}",
            said.join("\n  ")
        );
    }

    fn check(&self, least: usize) {
        assert!(self.wrong.is_empty(), "{}", self.wrong);
        assert!(self.right >= least, "only {} right answers", self.right);
    }
}

fn verdict(reply: &Reply) -> Value {
    with(reply, "verdict").map_or(Value::Null, |json| json["verdict"].clone())
}

fn verdict_of(is_true: bool) -> Value {
    json!(if is_true { "proved" } else { "refuted" })
}

fn number(reply: &Reply, key: &str) -> Value {
    with(reply, key).map_or(Value::Null, |json| json[key]["number"].clone())
}

#[test]
fn loops_access_what_is_answered() {
    let (mut draw, mut judged) = (Draw(0x51f1_5eed), Judged::default());
    for _ in 0..TEXTS {
        let loops = Loops::random(&mut draw);
        let text = loops.text();
        let (written, read) = (loops.elements(&loops.write), loops.elements(&loops.read));
        let at = *draw.one_of(&written.iter().collect::<Vec<_>>());
        let mut ask = |question: &str, truth: &dyn Fn(&Reply) -> (Value, Value)| {
            let mut prompt = Prompt::default();
            let before = prompt.ask(&text);
            assert!(before.failure.is_none(), "{text}");
            let reply = prompt.ask(question);
            let (found, expected) = truth(&reply);
            judged.note(&text, question, &reply, found, expected);
        };
        for (question, elements) in [
            ("which elements of p are never written?", &written),
            ("is any element of p not read?", &read),
        ] {
            let unused = (0..loops.size).filter(|element| !elements.contains(element)).count();
            ask(question, &|reply| (number(reply, "only_first"), json!(unused)));
        }
        ask("do the elements read and written overlap?", &|reply| {
            (number(reply, "intersection"), json!(written.intersection(&read).count()))
        });
        let bytes = draw.one_of(&[8, 16]);
        ask(&format!("is each store {bytes}-byte aligned?"), &|reply| {
            (verdict(reply), verdict_of(written.iter().all(|element| element * 4 % bytes == 0)))
        });
        ask("is the store in bounds?", &|reply| {
            (verdict(reply), verdict_of(written.iter().all(|element| *element < loops.size)))
        });
        ask(&format!("which iterations write p[{at}]?"), &|reply| {
            let points = loops.points().into_iter();
            let points: Vec<Value> = points
                .filter(|point| loops.write.value(*point) == at)
                .take(20)
                .map(|point| json!({ "point": point, "result": [at] }))
                .collect();
            (
                with(reply, "points").map_or(Value::Null, |json| json["points"].clone()),
                json!(points),
            )
        });
        ask("is the store contiguous?", &|reply| {
            let found = with(reply, "strides_by_variable");
            let strides = found.map_or(Value::Null, |json| json["strides_by_variable"].clone());
            let steps = |axis: usize| {
                let next = |point: &[i64; 2]| {
                    let mut next = *point;
                    next[axis] += 1;
                    (next[axis] < loops.counts[axis])
                        .then(|| loops.write.value(next) - loops.write.value(*point))
                };
                loops.points().iter().filter_map(next).collect::<BTreeSet<i64>>()
            };
            let is_right = |axis: usize, stride: &Value| match (stride, steps(axis)) {
                (Value::Null, steps) => steps.is_empty(),
                (Value::Array(ends), steps) => {
                    let end = |at: usize| ends[at].as_i64().expect("a number");
                    steps.iter().all(|step| (end(0)..=end(1)).contains(step)) && steps.len() > 1
                }
                (stride, steps) => steps.iter().all(|step| stride == step) && steps.len() == 1,
            };
            // A variable that the map does not need has no step, or a stride of 0.
            let all = ["i", "j"].iter().enumerate().all(|(axis, name)| match &strides[*name] {
                Value::Array(own) => is_right(axis, &own[0]),
                _ => steps(axis).iter().all(|step| *step == 0),
            });
            (json!(all && strides.is_object()), json!(true))
        });
    }
    judged.check(TEXTS * 7);
}

/// Returns the positions in memory of the elements of an array whose minor-to-major order is `order`.
fn position(index: &[i64], sizes: &[i64], order: &[usize]) -> i64 {
    let (mut position, mut stride) = (0, 1);
    for dimension in order {
        position += index[*dimension] * stride;
        stride *= sizes[*dimension];
    }
    position
}

fn order(draw: &mut Draw) -> Vec<usize> {
    let mut left = vec![0, 1, 2];
    (0..3).map(|_| left.remove(draw.below(left.len()))).collect()
}

fn list<T: ToString>(items: &[T]) -> String {
    items.iter().map(T::to_string).collect::<Vec<_>>().join(",")
}

#[test]
fn transposes_move_what_is_answered() {
    let (mut draw, mut judged) = (Draw(0xa11e_1e55), Judged::default());
    for _ in 0..TEXTS {
        let from: Vec<i64> = (0..3).map(|_| draw.within(1, 5)).collect();
        let (dimensions, of_from, of_to) = (order(&mut draw), order(&mut draw), order(&mut draw));
        let to: Vec<i64> = dimensions.iter().map(|at| from[*at]).collect();
        let text = format!(
            "t = f32[{}]{{{}}} transpose(f32[{}]{{{}}} a), dimensions={{{}}}",
            list(&to),
            list(&of_to),
            list(&from),
            list(&of_from),
            list(&dimensions)
        );
        let mut elements = vec![vec![]];
        for size in &from {
            elements = elements
                .into_iter()
                .flat_map(|index| (0..*size).map(move |at| [index.clone(), vec![at]].concat()))
                .collect();
        }
        let moved = |index: &[i64]| dimensions.iter().map(|at| index[*at]).collect::<Vec<i64>>();
        let stays = elements
            .iter()
            .all(|index| position(index, &from, &of_from) == position(&moved(index), &to, &of_to));
        let one = draw.one_of(&elements);
        let mut ask = |question: String, truth: &dyn Fn(&Reply) -> (Value, Value)| {
            let mut prompt = Prompt::default();
            let before = prompt.ask(&text);
            assert!(before.failure.is_none(), "{text}");
            let reply = prompt.ask(&question);
            let (found, expected) = truth(&reply);
            judged.note(&text, &question, &reply, found, expected);
        };
        for question in ["is it a bitcast?", "does this move any data?"] {
            ask(question.to_owned(), &|reply| (verdict(reply), verdict_of(stays)));
        }
        for question in [
            format!("where does a[{}] end up?", list(&one)),
            format!("where does element ({}) of a go?", list(&one)),
        ] {
            ask(question, &|reply| {
                let points = json!([{ "point": moved(&one), "result": one }]);
                (with(reply, "points").map_or(Value::Null, |json| json["points"].clone()), points)
            });
        }
        ask(format!("which elements of t read a[{}]?", list(&one)), &|reply| {
            let ends: Vec<[i64; 2]> = moved(&one).into_iter().map(|at| [at, at]).collect();
            (with(reply, "box").map_or(Value::Null, |json| json["box"].clone()), json!(ends))
        });
    }
    judged.check(TEXTS * 5);
}
