//! Random kernels: the reported accesses are those of a run. An exact answer has exactly these; one that says "at most" has
//! at least these.

use crate::draw::Draw;
use crate::pieces::Dialect;
use crate::running::accesses;
use crate::support::random::box_points;
use crate::tree::{Tree, call, number, two};
use crate::typed::Prompt;
use affinor::expr::{Domain, IndexingMap};
use affinor::prove::{Budget, list_points};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// The arrays, with their ranks.
pub const ARRAYS: [(&str, usize); 5] = [("a", 1), ("b", 2), ("c", 1), ("d", 1), ("e", 2)];
const KERNELS: usize = 40;

/// A generator that writes statements as lines of code.
struct Writer<'d> {
    draw: &'d mut Draw,
    dialect: Dialect,
    text: String,
    /// The number of statements that may still be drawn.
    left: usize,
    loops: usize,
    names: usize,
}

/// The names in scope, and the nesting depth of the statement.
#[derive(Clone, Default)]
struct Place {
    loops: Vec<String>,
    names: Vec<String>,
    depth: usize,
    /// Whether `continue` would skip the step that ends the loop.
    goes_on: bool,
}

impl Writer<'_> {
    fn index(&mut self, place: &Place, deep: usize) -> Tree {
        let names = [place.loops.as_slice(), &place.names].concat();
        if names.is_empty() || self.draw.one_in(8) {
            return number(self.draw.within(0, 9));
        }
        if deep == 0 || self.draw.one_in(4) {
            return Tree::Name(self.draw.one_of(&names));
        }
        let x = self.index(place, deep - 1);
        match self.draw.below(8) {
            0..3 => two("+", x, self.index(place, deep - 1)),
            3 => two("-", x, self.index(place, deep - 1)),
            4 => two("*", x, number(self.draw.within(2, 6))),
            5 => two("/", x, number(self.draw.one_of(&[2, 3, 4, 8]))),
            6 => two("%", x, number(self.draw.one_of(&[2, 3, 4, 8]))),
            _ => call("min", [x, self.index(place, deep - 1)]),
        }
    }

    fn condition(&mut self, place: &Place, deep: usize) -> Tree {
        match self.draw.below(8) {
            0 if deep > 0 => Tree::Not(Box::new(self.condition(place, 0))),
            1 | 2 if deep > 0 => {
                let operator = self.draw.one_of(&["&&", "||"]);
                two(operator, self.condition(place, 0), self.condition(place, 0))
            }
            _ => {
                let operator = self.draw.one_of(&["<", "<=", ">", ">=", "==", "!="]);
                two(operator, self.index(place, 1), self.index(place, 1))
            }
        }
    }

    fn access(&mut self, place: &Place) -> String {
        let (array, rank) = self.draw.one_of(&ARRAYS);
        let indices: Vec<String> = (0..rank)
            .map(|_| match self.draw.one_in(12) {
                true => {
                    let [x, y] = [0, 0].map(|_| Box::new(self.index(place, 1)));
                    Tree::Choose(Box::new(self.condition(place, 0)), x, y).text(self.dialect)
                }
                false => self.index(place, 2).text(self.dialect),
            })
            .collect();
        let between = if self.dialect.is_c() { "][" } else { ", " };
        format!("{array}[{}]", indices.join(between))
    }

    fn value(&mut self, place: &Place) -> String {
        match self.draw.below(6) {
            0 => self.index(place, 2).text(self.dialect),
            1 => format!("{} + {}", self.access(place), self.access(place)),
            2 => {
                let [x, y] = [0, 0].map(|_| Box::new(Tree::Name(self.access(place))));
                Tree::Choose(Box::new(self.condition(place, 1)), x, y).text(self.dialect)
            }
            _ => self.access(place),
        }
    }

    fn line(&mut self, place: &Place, text: &str) {
        let end = if self.dialect.is_c() && !text.ends_with(['{', '}']) { ";" } else { "" };
        let _ = writeln!(self.text, "{}{text}{end}", "    ".repeat(place.depth));
    }

    /// Writes a block of several statements; names declared in it are not in scope after it.
    fn block(&mut self, place: &Place, head: &str) {
        let is_c = self.dialect.is_c();
        self.line(place, &format!("{head}{}", if is_c { " {" } else { ":" }));
        let mut inner = place.clone();
        inner.depth += 1;
        for _ in 0..self.draw.within(1, 3) {
            self.statement(&mut inner);
        }
        if is_c {
            self.line(place, "}");
        }
    }

    /// Writes the head of a loop or condition, and a block or a single statement that declares nothing.
    fn body(&mut self, place: &Place, head: &str) {
        match self.dialect.is_c() && self.draw.one_in(3) {
            true => {
                let _ = writeln!(self.text, "{}{head}", "    ".repeat(place.depth));
                let mut inner = place.clone();
                inner.depth += 1;
                self.undeclared(&mut inner, true);
            }
            false => self.block(place, head),
        }
    }

    fn repeated(&mut self, place: &Place) {
        let name = ["i", "j", "k", "l"][self.loops].to_owned();
        self.loops += 1;
        let mut ends = [self.draw.within(0, 4).to_string(), self.draw.within(2, 9).to_string()];
        if let Some(outer) = place.loops.last().filter(|_| self.draw.one_in(2)) {
            let at = self.draw.below(2);
            ends[at] = if at == 0 { outer.clone() } else { format!("{outer} + 2") };
        }
        let (lo, hi) = (&ends[0], &ends[1]);
        let step = self.draw.one_of(&[1, 1, 1, 2, 3]);
        let head = match (self.dialect.is_c(), self.draw.one_in(4)) {
            (true, false) if step == 1 => {
                format!("for (int {name} = {lo}; {name} < {hi}; {name}++)")
            }
            (true, false) => format!("for (int {name} = {lo}; {name} <= {hi}; {name} += {step})"),
            (true, true) => format!("for (int {name} = {hi}; {name} >= {lo}; {name} -= {step})"),
            (false, false) => format!("for {name} in range({lo}, {hi}, {step})"),
            (false, true) => format!("for {name} in range({hi}, {lo}, -{step})"),
        };
        let mut inner = place.clone();
        inner.loops.push(name);
        inner.goes_on = place.goes_on;
        self.body(&inner, &head);
    }

    /// Writes a loop with a name that one statement steps: the name's own `while` loop, or a `for` loop over another
    /// variable.
    fn stepped(&mut self, place: &Place) {
        let name = format!("w{}", self.names);
        self.names += 1;
        let v = name.replace('w', "v");
        let is_c = self.dialect.is_c();
        let start = self.draw.within(0, 3);
        let own = if is_c { "int " } else { "" };
        self.line(place, &format!("{own}{name} = {start}"));
        let by = self.draw.one_of(&[1, 1, 2, 3, 4]);
        let mut inner = place.clone();
        inner.depth += 1;
        inner.loops.push(name.clone());
        let mut end = "}".to_owned();
        let head = match (is_c, self.draw.one_in(2)) {
            // The first iteration runs at any value.
            (true, true) if self.draw.one_in(2) => {
                inner.goes_on = true;
                let relation = self.draw.one_of(&["<", "<="]);
                end = format!("}} while ({name} {relation} {})", self.draw.within(0, 12));
                "do".to_owned()
            }
            (_, true) => {
                let head = format!("{name} < {}", self.draw.within(2, 12));
                inner.goes_on = true;
                if is_c { format!("while ({head})") } else { format!("while {head}") }
            }
            (true, false) => {
                let step = self.draw.one_of(&["++", " += 2", "--", " >>= 1", " *= 2"]);
                let (first, test) = match step {
                    "--" | " >>= 1" => (self.draw.within(3, 20), "> 0"),
                    _ => (self.draw.within(1, 3), "< 12"),
                };
                format!("for (int {v} = {first}; {v} {test}; {v}{step})")
            }
            (false, false) => {
                let [lo, hi] = [self.draw.within(0, 4), self.draw.within(2, 12)];
                format!("for {v} in range({lo}, {hi}, {})", self.draw.one_of(&[1, 2, 3]))
            }
        };
        self.line(place, &format!("{head}{}", if is_c { " {" } else { ":" }));
        let count = self.draw.within(1, 2);
        let before = self.draw.within(0, count);
        for at in 0..=count {
            if at == before {
                let step = match (is_c && by == 1, self.draw.one_in(2)) {
                    (true, true) => format!("{name}++"),
                    (true, false) => format!("++{name}"),
                    (false, true) => format!("{name} = {name} + {by}"),
                    (false, false) => format!("{name} += {by}"),
                };
                self.line(&inner, &step);
                // From here on, `continue` skips no step.
                inner.goes_on = place.goes_on;
            } else {
                self.statement(&mut inner);
            }
        }
        if is_c {
            self.line(place, &end);
        }
    }

    fn choice(&mut self, place: &Place) {
        let is_c = self.dialect.is_c();
        let test = |test: Tree, word: &str| match is_c {
            true => format!("{word} ({})", test.text(Dialect::C)),
            false => format!("{word} {}", test.text(Dialect::Python)),
        };
        let condition = self.condition(place, 1);
        self.body(place, &test(condition, "if"));
        if self.draw.one_in(3) {
            let condition = self.condition(place, 1);
            self.body(place, &test(condition, if is_c { "else if" } else { "elif" }));
        }
        if self.draw.one_in(2) {
            self.body(place, "else");
        }
    }

    fn statement(&mut self, place: &mut Place) {
        if self.draw.one_in(6) {
            let name = format!("x{}", self.names);
            self.names += 1;
            let kind = if self.dialect.is_c() { "int " } else { "" };
            let value = self.index(place, 2).text(self.dialect);
            self.line(place, &format!("{kind}{name} = {value}"));
            place.names.push(name);
            return;
        }
        self.undeclared(place, false);
    }

    fn undeclared(&mut self, place: &mut Place, is_bare: bool) {
        let goes_on = self.left > 0;
        self.left = self.left.saturating_sub(1);
        let in_loop = !place.loops.is_empty();
        match self.draw.below(10) {
            0..4 if goes_on && self.loops < 4 => self.repeated(place),
            4..6 if goes_on => self.choice(place),
            6 if in_loop => {
                let condition = self.condition(place, 1).text(self.dialect);
                let words = ["continue", "continue", "break"];
                let word = if place.goes_on { "break" } else { self.draw.one_of(&words) };
                match self.dialect.is_c() {
                    true => self.line(place, &format!("if ({condition}) {word}")),
                    false => self.line(place, &format!("if {condition}: {word}")),
                }
            }
            8 if goes_on && !is_bare => self.stepped(place),
            7 if !place.names.is_empty() && !is_bare => {
                let name = self.draw.one_of(&place.names);
                let operator = self.draw.one_of(&["=", "+="]);
                let value = self.index(place, 1).text(self.dialect);
                self.line(place, &format!("{name} {operator} {value}"));
            }
            _ => {
                let operator = self.draw.one_of(&["=", "=", "+="]);
                let (array, value) = (self.access(place), self.value(place));
                self.line(place, &format!("{array} {operator} {value}"));
            }
        }
    }
}

fn kernel(draw: &mut Draw, dialect: Dialect) -> String {
    let left = draw.below(6) + 3;
    let mut writer = Writer { draw, dialect, text: String::new(), left, loops: 0, names: 0 };
    let mut place = Place::default();
    writer.repeated(&place);
    for _ in 0..writer.draw.below(3) {
        writer.statement(&mut place);
    }
    if !writer.text.contains('[') {
        let access = writer.access(&place);
        writer.line(&place, &format!("{access} = 1"));
    }
    writer.text
}

/// Returns the points of a domain. Constraints with products of variables cannot be listed; their box is searched.
fn points(domain: &Domain) -> Option<Vec<Vec<i64>>> {
    list_points(domain, 100_000, &Budget::default()).or_else(|| {
        let is_bounded = domain.variables().iter().all(|variable| variable.bounds.is_bounded());
        let mut points = is_bounded.then(|| box_points(domain))?;
        points.retain(|point| domain.contains(point) == Ok(true));
        Some(points)
    })
}

/// Returns the accesses in the answers, and the arrays whose accesses are a bound (`true`) or left out (`false`); `None` if
/// the text is refused for a known reason.
fn answered(text: &str) -> Option<(BTreeSet<String>, BTreeMap<String, bool>)> {
    let reply = Prompt::default().ask(text);
    if let Some(failure) = reply.failure {
        let message = failure.error.message;
        // This message is an answer: there is no access.
        if message == "the bounds exclude every point" {
            return Some((BTreeSet::new(), BTreeMap::new()));
        }
        let is_known = message.contains("depends on memory or on earlier iterations")
            || message.contains("the number of iterations of this `while` is not known")
            || message.contains("the ends of this loop depend on memory or on earlier iterations");
        assert!(is_known, "{text}\n{message}");
        return None;
    }
    let (mut elements, mut bounds) = (BTreeSet::new(), BTreeMap::new());
    for output in reply.outputs {
        for line in output.text.to_string().lines() {
            if let Some((array, _)) = line.split_once("[..]` is left out: its index") {
                bounds.insert(array.trim_start_matches('`').to_owned(), false);
            }
        }
        let json = output.json.unwrap_or_default();
        let Some(array) = json.get("array").and_then(|array| array.as_str()) else {
            continue;
        };
        if json["exact"] == false {
            bounds.entry(array.to_owned()).or_insert(true);
        }
        let map: IndexingMap = json["result"].as_str().expect("a map").parse().expect("a map");
        for point in points(map.domain()).unwrap_or_else(|| panic!("{text}\n{map}")) {
            let indices: Vec<String> = map
                .results()
                .iter()
                .map(|result| result.eval(&point).expect("a value").to_string())
                .collect();
            for (kind, word) in [("r", "reads"), ("w", "writes")] {
                if json[word] == true {
                    elements.insert(format!("{kind} {array} {}", indices.join(" ")));
                }
            }
        }
    }
    Some((elements, bounds))
}

#[track_caller]
fn check(dialect: Dialect, name: &str) {
    let seed = std::env::var("PROPTEST_RNG_SEED").ok().and_then(|seed| seed.parse().ok());
    let mut draw = Draw(seed.unwrap_or(40_127));
    let kernels: Vec<String> = (0..KERNELS).map(|_| kernel(&mut draw, dialect)).collect();
    let (mut answers, mut exact) = (0, 0);
    for (text, truth) in kernels.iter().zip(accesses(dialect, name, &kernels)) {
        let Some((elements, bounds)) = answered(text) else {
            continue;
        };
        answers += 1;
        exact += usize::from(bounds.is_empty());
        let array = |element: &str| element[2..3].to_owned();
        let missed = truth.iter().find(|element| {
            !elements.contains(*element) && bounds.get(&array(element)) != Some(&false)
        });
        assert_eq!(missed, None, "not answered:\n{text}");
        let added = elements
            .iter()
            .find(|element| !truth.contains(*element) && !bounds.contains_key(&array(element)));
        assert_eq!(added, None, "not accessed:\n{text}");
    }
    assert!(answers * 10 > KERNELS * 8, "{answers} of {KERNELS} are answered");
    assert!(exact * 10 > KERNELS, "{exact} of {KERNELS} are exact");
}

#[test]
fn accesses_of_c_are_those_of_running_it() {
    check(Dialect::C, "accesses_of_c");
}

#[test]
fn accesses_of_python_are_those_of_running_it() {
    check(Dialect::Python, "accesses_of_python");
}
