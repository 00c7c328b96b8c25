//! The commands' answers in JSON, as other programs receive them.

use crate::support::memory::Memory;
use affinor::text::parse_map;
use affinor_commands::Session;
use serde_json::Value as Json;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// The objects of an answer, or the error that was reported.
type Answer = Result<Vec<Json>, String>;

/// The modules that were asked about last, and the answer to each line.
type Asked = (Vec<(&'static str, String)>, BTreeMap<String, Answer>);

thread_local! {
    static ASKED: RefCell<Asked> = RefCell::default();
}

/// Returns the objects of the answer to `line` about modules, or the error that was reported.
///
/// A program is run with several values; its maps depend on none, so each line is asked once.
pub fn ask(files: &[(&'static str, &str)], line: &str) -> Answer {
    ASKED.with_borrow_mut(|(modules, answers)| {
        if !modules.iter().map(|(name, text)| (*name, text.as_str())).eq(files.iter().copied()) {
            *modules = files.iter().map(|(name, text)| (*name, (*text).to_owned())).collect();
            answers.clear();
        }
        answers.entry(line.to_owned()).or_insert_with(|| answer(files, line)).clone()
    })
}

fn answer(files: &[(&'static str, &str)], line: &str) -> Answer {
    let mut host = Memory::default();
    for (name, text) in files {
        host.files.insert(name, text.as_bytes().to_vec());
    }
    let mut session = Session::new();
    let status = session.run(line, &mut host);
    status.map_err(|failure| format!("`{line}` fails: {}", failure.error))?;
    if let Some(report) = host.reports.first() {
        return Err(format!("`{line}` reports: {}", report.error));
    }
    let objects = host.outputs.into_iter().filter_map(|output| output.json);
    Ok(objects.map(Json::Object).collect())
}

/// Returns a list of numbers.
pub fn numbers(json: &Json) -> Vec<i64> {
    let items = json.as_array().into_iter().flatten();
    items.filter_map(Json::as_i64).collect()
}

/// Returns a tuple path.
pub fn path(json: &Json) -> Vec<usize> {
    numbers(json).into_iter().map(|k| k as usize).collect()
}

/// Returns a text; empty if the value is not a string.
pub fn text(json: &Json) -> &str {
    json.as_str().unwrap_or_default()
}

/// Returns the element at an index of the source of a runtime variable; `None` if the source was not run.
pub type Lookup<'a> = dyn Fn(&Json, &[i64]) -> Result<Option<i64>, String> + 'a;

/// A map of an answer, ready to be evaluated.
pub struct Map {
    map: affinor::expr::IndexingMap,
    names: Vec<String>,
    runtime: Vec<Runtime>,
    pub is_exact: bool,
}

struct Runtime {
    name: String,
    map: affinor::expr::IndexingMap,
    names: Vec<String>,
    clamp: (i64, i64),
    json: Json,
}

fn parsed(text: &str) -> Result<(affinor::expr::IndexingMap, Vec<String>), String> {
    let map = parse_map(text).map_err(|error| format!("`{text}`: {error}"))?;
    let variables = map.domain().variables().iter();
    let names = variables.map(|variable| variable.name.to_string()).collect();
    Ok((map, names))
}

/// Maximum number of points at which a map is evaluated.
const MOST_POINTS: u64 = 150_000;

impl Map {
    /// Parses the map under `key` of an object of `maps`.
    pub fn new(object: &Json, key: &str) -> Result<Map, String> {
        let (map, names) = parsed(text(&object[key]))?;
        let mut runtime = Vec::new();
        for json in object["runtime"].as_array().into_iter().flatten() {
            let (map, names) = parsed(text(&json["map"]))?;
            let clamp = numbers(&json["clamp"]);
            runtime.push(Runtime {
                name: text(&json["var"]).to_owned(),
                map,
                names,
                clamp: (clamp[0], clamp[1]),
                json: json.clone(),
            });
        }
        Ok(Map { map, names, runtime, is_exact: object["exact"] == true })
    }

    /// Returns the bounds of the range variables.
    fn ranges(&self, dimensions: usize) -> Vec<(i64, i64)> {
        let variables = &self.map.domain().variables()[dimensions..];
        let ranges = variables.len() - self.runtime.len();
        let bounds = variables[..ranges].iter().map(|variable| variable.bounds);
        bounds.map(|bounds| (bounds.lo(), bounds.hi())).collect()
    }

    /// Checks whether trying all points of the ranges for this number of elements is too much work.
    pub fn is_too_large(&self, dimensions: usize, elements: usize) -> bool {
        let ranges = self.ranges(dimensions);
        let points = ranges.iter().map(|(lo, hi)| (hi - lo + 1).max(0) as u64);
        points.fold(elements as u64, u64::saturating_mul) > MOST_POINTS
    }

    /// Calls `found` with each result at the point where the map's dimensions are `at`. `index` has the values of the names
    /// `d0, d1, ..` in the indices of runtime variables.
    pub fn results(
        &self,
        at: &[i64],
        index: &[i64],
        lookup: &Lookup<'_>,
        found: &mut dyn FnMut(Vec<i64>),
    ) -> Result<(), String> {
        if self.map.domain().is_known_empty() {
            return Ok(());
        }
        let ranges = self.ranges(at.len());
        let sizes: Vec<i64> = ranges.iter().map(|(lo, hi)| (hi - lo + 1).max(0)).collect();
        let mut named: BTreeMap<String, i64> = BTreeMap::new();
        for (k, value) in index.iter().enumerate() {
            named.insert(format!("d{k}"), *value);
        }
        for offsets in super::cells::indices_of(&sizes) {
            let mut point = at.to_vec();
            for (offset, (lo, _)) in offsets.iter().zip(&ranges) {
                named.insert(self.names[point.len()].clone(), lo + offset);
                point.push(lo + offset);
            }
            match self.runtime_values(&mut named, lookup)? {
                None => continue,
                Some(values) => point.extend(values),
            }
            let is_defined = self.map.domain().contains(&point);
            if is_defined.map_err(|error| format!("{error:?}"))? {
                let result = self.map.eval(&point);
                found(result.map_err(|error| format!("{error:?}"))?);
            }
        }
        Ok(())
    }

    /// Returns the values of the runtime variables, in the order of the map; `None` where the map is not defined.
    fn runtime_values(
        &self,
        named: &mut BTreeMap<String, i64>,
        lookup: &Lookup<'_>,
    ) -> Result<Option<Vec<i64>>, String> {
        let mut missing = None;
        for runtime in &self.runtime {
            let value = |name: &String| named.get(name).copied();
            let point: Option<Vec<i64>> = runtime.names.iter().map(value).collect();
            let Some(point) = point else {
                missing = Some(runtime);
                continue;
            };
            let is_defined = runtime.map.domain().contains(&point);
            if !is_defined.map_err(|error| format!("{error:?}"))? {
                return Ok(None);
            }
            let index = runtime.map.eval(&point);
            let index = index.map_err(|error| format!("{error:?}"))?;
            let Some(element) = lookup(&runtime.json, &index)? else {
                missing = Some(runtime);
                continue;
            };
            let value = element.min(runtime.clamp.1).max(runtime.clamp.0);
            let place = self.names.iter().position(|name| *name == runtime.name);
            let variables = self.map.domain().variables();
            let bounds = place.map(|place| variables[place].bounds);
            if !bounds.is_some_and(|bounds| bounds.contains(value)) {
                return Ok(None);
            }
            named.insert(runtime.name.clone(), value);
        }
        if let Some(runtime) = missing {
            return Err(format!("no value for {} of {}", runtime.name, runtime.json));
        }
        let first = self.names.len() - self.runtime.len();
        let names = self.names[first..].iter();
        let values = names.map(|name| named.get(name).copied());
        match values.collect::<Option<Vec<i64>>>() {
            Some(values) => Ok(Some(values)),
            None => Err("a runtime variable without a source".to_owned()),
        }
    }
}
