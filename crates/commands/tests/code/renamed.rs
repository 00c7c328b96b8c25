//! Pairs of texts that differ in the order of operands, in names, in the roles of names, and in shadowing: the verdict of
//! `equal` agrees with running both, with indices and sizes matched by name, and the parameters of two lambdas by position.

use crate::draw::Draw;
use crate::grow::{Soil, altered, respelled, tree};
use crate::judge::{Judge, Source, Values};
use crate::pieces::{Dialect, map_name};
use crate::tree::Tree;
use crate::typed::Prompt;
use affinor::text::ErrorKind;
use serde_json::Value;
use std::collections::BTreeMap;

const PAIRS: usize = 500;

/// The minimum number of pairs with a right verdict.
const LEAST: usize = 400;

/// The bounds of names: an index ranges from 0 to below a number, or below a size if there is no number.
type Bounds = BTreeMap<String, Option<i64>>;

/// A text: an expression over indices with bounds, and sizes.
struct Text {
    tree: Tree,
    /// The indices, in the order in which the text names them; those without a number end at `size`.
    indices: Vec<(String, Option<i64>)>,
    size: Option<String>,
    is_lambda: bool,
}

impl Text {
    fn text(&self) -> String {
        let size = self.size.as_deref().unwrap_or_default();
        let value = self.tree.text(Dialect::Python);
        if self.is_lambda {
            let names: Vec<&str> = self.indices.iter().map(|(name, _)| &**name).collect();
            let bounds = self.indices.iter().map(|(name, end)| match end {
                Some(end) => format!("{name} in [0, {}]", end - 1),
                None => format!("{name} in [0, {size} - 1]"),
            });
            let bounds = bounds.collect::<Vec<_>>().join(", ");
            return format!("lambda {}: {value}, domain: {bounds}", names.join(", "));
        }
        let loops = self.indices.iter().map(|(name, end)| match end {
            Some(end) => format!(" for {name} in range({end})"),
            None => format!(" for {name} in range({size})"),
        });
        format!("{value}{}", loops.collect::<String>())
    }

    /// Renames the parameters to those of another lambda by position, unless one of these is the size here.
    fn with_parameters_of(self, other: &Text) -> Text {
        let own: Vec<String> = self.indices.iter().map(|(name, _)| name.clone()).collect();
        let wanted: Vec<String> = other.indices.iter().map(|(name, _)| name.clone()).collect();
        let is_other = |name: &String| !own.contains(name) && self.size.as_ref() == Some(name);
        if own.len() != wanted.len() || wanted.iter().any(is_other) {
            return self;
        }
        self.renamed(&|name| match own.iter().position(|other| other == name) {
            Some(place) => wanted[place].clone(),
            None => name.to_owned(),
        })
    }

    fn renamed(&self, new: &dyn Fn(&str) -> String) -> Text {
        let indices = self.indices.iter();
        Text {
            tree: self.tree.renamed(new),
            indices: indices.map(|(name, end)| (new(name), *end)).collect(),
            size: self.size.as_deref().map(new),
            is_lambda: self.is_lambda,
        }
    }

    fn bounds(&self) -> Bounds {
        self.indices.iter().cloned().collect()
    }
}

struct Pair {
    /// The lines before it that name values.
    before: Vec<&'static str>,
    /// The question.
    line: String,
    texts: [Text; 2],
    /// The sizes of both texts, then their indices.
    names: Vec<String>,
    sizes: usize,
    sources: [usize; 2],
}

fn pair(draw: &mut Draw, judge: &mut Judge) -> Pair {
    let count = 1 + draw.below(3).div_ceil(2) + draw.below(2);
    let size = (!draw.one_in(3)).then(|| "n".to_owned());
    let mut indices: Vec<(String, Option<i64>)> = Vec::new();
    for name in &["i", "j", "k"][..count] {
        let end = (size.is_none() || draw.one_in(2)).then(|| draw.within(2, 6));
        indices.push(((*name).to_owned(), end));
    }
    if let (Some(_), true) = (&size, indices.iter().all(|(_, end)| end.is_some())) {
        indices[0].1 = None;
    }
    let names: Vec<Tree> = indices.iter().map(|(name, _)| Tree::Name(name.clone())).collect();
    let soil = Soil {
        dialect: Dialect::Python,
        positive: names.clone(),
        names,
        sizes: size.iter().cloned().collect(),
    };
    let depth = 1 + draw.below(2) as u32;
    let first = Text { tree: tree(draw, &soil, depth), indices, size, is_lambda: draw.one_in(3) };
    let mut second = first.renamed(&str::to_owned);
    second.is_lambda = draw.one_in(3);
    if !draw.one_in(3) {
        second.tree = respelled(&second.tree, Dialect::Python);
    }
    if draw.one_in(6) {
        second.tree = altered(draw, &second.tree);
    }
    let mut before = Vec::new();
    let second = match draw.below(6) {
        // Rename one of the indices, or all of them.
        0 => second.renamed(&|name| if name == "i" { "x" } else { name }.to_owned()),
        1 => second.renamed(&|name| format!("{name}_1")),
        // Exchange the roles of names, or the order of indices.
        2 => second.renamed(&|name| {
            match name {
                "i" if count > 1 => "j",
                "j" => "i",
                other => other,
            }
            .to_owned()
        }),
        3 => {
            second.indices.reverse();
            second
        }
        // A bound name shadows its value in the session.
        4 => {
            before.extend(draw.one_of(&[
                &["i = x % 4"][..],
                &["i = 3"],
                &["i = n // 2", "j = 5"],
                &["j = i + 1 for i in range(8)"],
            ]));
            second
        }
        _ => second,
    };
    let line = format!("equal {} ; {}", first.text(), second.text());
    let second = match first.is_lambda && second.is_lambda {
        true => second.with_parameters_of(&first),
        false => second,
    };
    let texts = [first, second];
    let mut names: Vec<String> = Vec::new();
    for text in &texts {
        let own = text.size.iter();
        for name in own {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
    }
    let sizes = names.len();
    for (name, _) in texts.iter().flat_map(|text| &text.indices) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    let sources = texts.each_ref().map(|text| {
        judge.add(Source {
            names: names.clone(),
            statements: Vec::new(),
            results: vec![text.tree.text(Dialect::Python)],
        })
    });
    Pair { before, line, texts, names, sizes, sources }
}

impl Pair {
    /// Returns the values of both texts at these points; `None` outside of the text's bounds. A name that only one text has
    /// does not matter to the other.
    fn values(&self, judge: &mut Judge, points: &[Vec<i64>]) -> Vec<[Values; 2]> {
        let values = self.sources.map(|source| judge.values(source, points));
        let [first, second] = values;
        let inside = |text: &Text, point: &[i64]| {
            let value = |name: &str| {
                let place = self.names.iter().position(|other| other == name);
                place.map_or(0, |place| point[place])
            };
            let size = text.size.as_deref().map_or(0, value);
            let mut indices = text.indices.iter();
            indices.all(|(name, end)| (0..end.unwrap_or(size)).contains(&value(name)))
        };
        let both = first.into_iter().zip(second).zip(points);
        both.map(|((first, second), point)| {
            [
                first.filter(|_| inside(&self.texts[0], point)),
                second.filter(|_| inside(&self.texts[1], point)),
            ]
        })
        .collect()
    }

    /// Returns all points below the larger bounds of the two texts, for sizes 1, 2, 3 and 5. A name that only one text has
    /// stays within its bounds.
    fn points(&self) -> Vec<Vec<i64>> {
        let bounds = self.texts.each_ref().map(Text::bounds);
        let mut points: Vec<Vec<i64>> = vec![Vec::new()];
        for (place, name) in self.names.iter().enumerate() {
            let mut longer = Vec::new();
            for point in points {
                let own = bounds.each_ref().map(|bounds| bounds.get(name));
                let values = match place < self.sizes {
                    true => vec![1, 2, 3, 5],
                    false => {
                        // The end is the size of the text that has the name.
                        let ends = own.iter().zip(&self.texts).filter_map(|(end, text)| {
                            let size = text.size.as_ref();
                            let size = size.and_then(|size| {
                                let place = self.names.iter().position(|name| name == size)?;
                                point.get(place).copied()
                            });
                            (*end)?.or(size)
                        });
                        (0..ends.max().unwrap_or(1)).collect::<Vec<i64>>()
                    }
                };
                for value in values {
                    let mut point = point.clone();
                    point.push(value);
                    longer.push(point);
                }
            }
            points = longer;
        }
        points
    }

    /// Judges a verdict: `Ok(false)` if it is unknown, an error if it is wrong.
    fn check(&self, judge: &mut Judge, answer: &Value) -> Result<bool, String> {
        let points = self.points();
        let values = self.values(judge, &points);
        let differ = values.iter().zip(&points).find(|(both, _)| both[0] != both[1]);
        match (answer["verdict"].as_str(), differ) {
            (Some("proved"), None) => Ok(true),
            (Some("proved"), Some((both, point))) => {
                Err(format!("{both:?} at {:?} {point:?}", self.names))
            }
            (Some("refuted"), Some(_)) if answer["counterexample"].is_null() => {
                Err("a counterexample".to_owned())
            }
            (Some("refuted"), differ) => {
                let example = &answer["counterexample"]["point"];
                let named = example.as_object().ok_or("a point")?;
                let known: Vec<String> = self.names.iter().map(|name| map_name(name)).collect();
                if let Some(name) = named.keys().find(|name| !known.contains(name)) {
                    return Err(format!("a point without `{name}`"));
                }
                let point: Option<Vec<i64>> =
                    known.iter().map(|name| named.get(name).and_then(Value::as_i64)).collect();
                // A counterexample may omit names that only the second text has; it is then not checked by itself.
                let Some(point) = point else {
                    return differ.map(|_| true).ok_or("no difference".to_owned());
                };
                let both = self.values(judge, std::slice::from_ref(&point));
                match both[0][0] != both[0][1] {
                    true => Ok(true),
                    false => Err(format!("{both:?} at {:?} {point:?}", self.names)),
                }
            }
            (Some("unknown"), _) => Ok(false),
            _ => Err("a verdict".to_owned()),
        }
    }
}

#[test]
fn pairs_are_matched_by_name() {
    let mut judge = Judge::new(Dialect::Python.runner(), "renamed");
    let mut draw = Draw(0xbf58_476d);
    let pairs: Vec<Pair> = (0..PAIRS).map(|_| pair(&mut draw, &mut judge)).collect();
    let (mut right, mut unknown) = (0, 0);
    let mut refused: BTreeMap<String, usize> = BTreeMap::new();
    let mut wrong = String::new();
    let mut count = 0;
    for pair in &pairs {
        let mut prompt = Prompt::default();
        for line in &pair.before {
            prompt.ask(line);
        }
        let line = pair.line.clone();
        let reply = prompt.ask(&line);
        if let Some(failure) = reply.failure {
            let error = failure.error;
            assert_ne!(error.kind, ErrorKind::Internal, "{line}: {error}");
            *refused.entry(error.message).or_default() += 1;
            continue;
        }
        let answer = reply.outputs.iter().find_map(|output| output.json.clone());
        let answer = answer.map(Value::Object).unwrap_or_default();
        match pair.check(&mut judge, &answer) {
            Ok(true) => right += 1,
            Ok(false) => unknown += 1,
            Err(why) => {
                count += 1;
                let before = pair.before.join("\n> ");
                wrong += &format!("> {before}\n> {line}\n  expected {why}\n  answered {answer}\n");
            }
        }
    }
    let shown: String = wrong.chars().take(12_000).collect();
    assert!(
        count == 0 && right >= LEAST,
        "{right} right, {unknown} unknown, {refused:?} refused, {count} wrong:\n{shown}"
    );
}
