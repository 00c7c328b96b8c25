//! The properties of a piece of code, computed from its values when it was run, and compared with answers.
//!
//! The checks return a description of the error in an answer.

use crate::judge::{Judge, Values};
use crate::pieces::{Piece, map_name};
use affinor::expr::IndexingMap;
use affinor::text::parse_map;
use serde_json::Value;
use std::collections::BTreeSet;

/// The values of a piece: for each choice of sizes, all points with the results there.
pub struct Table<'p> {
    pub piece: &'p Piece,
    pub parts: Vec<Part>,
}

/// The points and results for one choice of sizes.
pub struct Part {
    pub sizes: Vec<i64>,
    pub rows: Vec<(Vec<i64>, Vec<i64>)>,
}

impl<'p> Table<'p> {
    /// Runs code at all points of a piece; `None` if it has no value at one of them.
    pub fn of(piece: &'p Piece, judge: &mut Judge, source: usize) -> Option<Table<'p>> {
        let mut parts = Vec::new();
        for sizes in piece.choices() {
            let points = piece.points(&sizes);
            let values: Option<Vec<Vec<i64>>> = judge.values(source, &points).into_iter().collect();
            let rows = points.into_iter().zip(values?).collect();
            parts.push(Part { sizes, rows });
        }
        Some(Table { piece, parts })
    }

    fn rows(&self) -> impl Iterator<Item = &(Vec<i64>, Vec<i64>)> {
        self.parts.iter().flat_map(|part| &part.rows)
    }

    /// Checks whether both have the same values everywhere.
    pub fn agrees(&self, other: &Table<'_>) -> bool {
        self.rows().eq(other.rows())
    }

    /// Checks whether a comparison holds everywhere.
    pub fn holds(&self) -> bool {
        self.rows().all(|(_, values)| values == &[1])
    }

    /// Checks answered maps: exactly one of them is defined at each point, and has the right value.
    pub fn maps(&self, texts: &[&str]) -> Result<(), String> {
        let mut maps = Vec::new();
        for text in texts {
            let map = parse_map(text).map_err(|error| format!("{error} in {text}"))?;
            maps.push((places(self.piece, &map)?, map));
        }
        for (point, values) in self.rows() {
            let found = found(&maps, point)?;
            if found != [values.as_slice()] {
                return Err(format!("{values:?} at {}, found {found:?}", self.at(point)));
            }
        }
        for point in self.outside() {
            if !found(&maps, &point)?.is_empty() {
                return Err(format!("a value outside, at {}", self.at(&point)));
            }
        }
        Ok(())
    }

    /// Returns points just outside of the bounds.
    fn outside(&self) -> Vec<Vec<i64>> {
        let mut points = Vec::new();
        let ends = self.parts.iter().filter_map(|part| {
            let (first, last) = (part.rows.first()?, part.rows.last()?);
            Some([&first.0, &last.0])
        });
        for point in ends.flatten() {
            for place in self.piece.sizes.len()..point.len() {
                for step in [-1, 1] {
                    let mut moved = point.clone();
                    moved[place] += step;
                    points.push(moved);
                }
            }
        }
        points.retain(|point| !self.piece.contains(point));
        points
    }

    /// Writes a point, such as `i = 3, n = 5`.
    pub fn at(&self, point: &[i64]) -> String {
        let names = self.piece.names().into_iter().zip(point);
        let names = names.map(|(name, value)| format!("{name} = {value}"));
        names.collect::<Vec<_>>().join(", ")
    }

    /// Checks the ranges of the cases: each value is in one of them, and tight ranges have attained ends.
    pub fn ranges(&self, answers: &[&Value]) -> Result<(), String> {
        for part in self.parts.iter().filter(|part| !part.rows.is_empty()) {
            let results = part.rows[0].1.len();
            for result in 0..results {
                let values = part.rows.iter().map(|(_, values)| values[result]);
                let values: Vec<i64> = values.collect();
                let mut ranges = Vec::new();
                let mut are_tight = self.piece.is_bounded();
                for answer in answers {
                    let range = &answer["ranges"][result];
                    let end = |place: usize, none: i64| match &range[place] {
                        Value::Null => Ok(none),
                        end => self.number(end, &part.sizes),
                    };
                    ranges.push((end(0, i64::MIN)?, end(1, i64::MAX)?));
                    are_tight &= answer["tight"][result] == true;
                }
                let outside = values
                    .iter()
                    .find(|value| !ranges.iter().any(|(lo, hi)| (lo..=hi).contains(value)));
                if let Some(value) = outside {
                    return Err(format!("{value} for sizes {:?}", part.sizes));
                }
                let ends = (values.iter().min(), values.iter().max());
                let lowest = ranges.iter().map(|(lo, _)| lo).min();
                let found = (lowest, ranges.iter().map(|(_, hi)| hi).max());
                if are_tight && ends != found {
                    let sizes = &part.sizes;
                    return Err(format!("{ends:?} for sizes {sizes:?}, as it is tight"));
                }
            }
        }
        Ok(())
    }

    /// Checks the numbers of points and of elements; returns whether all of them are known.
    pub fn counts(&self, answers: &[&Value]) -> Result<bool, String> {
        let mut is_known = true;
        for part in &self.parts {
            let elements: BTreeSet<&Vec<i64>> =
                part.rows.iter().map(|(_, values)| values).collect();
            for (what, expected) in [("points", part.rows.len()), ("elements", elements.len())] {
                let numbers: Vec<&Value> = answers.iter().map(|x| &x[what]["number"]).collect();
                // The images of cases may overlap.
                if numbers.iter().any(|number| number.is_null())
                    || what == "elements" && numbers.len() > 1
                {
                    is_known = false;
                    continue;
                }
                let mut sum = 0;
                for number in numbers {
                    sum += self.number(number, &part.sizes)?;
                }
                if sum != expected as i64 {
                    let sizes = &part.sizes;
                    return Err(format!("{expected} {what} for sizes {sizes:?}, not {sum}"));
                }
            }
        }
        Ok(is_known)
    }

    /// Returns two points with the same element, for some sizes.
    pub fn collision(&self) -> Option<(&[i64], &[i64])> {
        self.parts.iter().find_map(|part| {
            let mut seen = std::collections::BTreeMap::new();
            part.rows.iter().find_map(|(point, values)| {
                let other = seen.insert(values, point)?;
                Some((other.as_slice(), point.as_slice()))
            })
        })
    }

    /// Checks a box with steps: it covers the elements, and has no others if it is exact.
    pub fn image(&self, answer: &Value) -> Result<(), String> {
        for part in self.parts.iter().filter(|part| !part.rows.is_empty()) {
            let mut sides = Vec::new();
            for result in 0..part.rows[0].1.len() {
                sides.push(self.side(answer, result, &part.sizes)?);
            }
            for (point, values) in &part.rows {
                let is_inside = |(value, (lo, hi, step)): (&i64, &(i64, i64, i64))| {
                    (lo..=hi).contains(&value) && (value - lo) % step.max(&1) == 0
                };
                if !values.iter().zip(&sides).all(is_inside) {
                    return Err(format!("{values:?} at {}", self.at(point)));
                }
            }
            let elements: BTreeSet<&Vec<i64>> =
                part.rows.iter().map(|(_, values)| values).collect();
            let size: i128 = sides
                .iter()
                .map(|(lo, hi, step)| {
                    (i128::from(*hi) - i128::from(*lo)) / i128::from(*step.max(&1)) + 1
                })
                .product();
            if answer["exact"] == true && size != elements.len() as i128 {
                let (sizes, count) = (&part.sizes, elements.len());
                return Err(format!("{count} elements for sizes {sizes:?}, not {size}"));
            }
        }
        Ok(())
    }

    /// Returns the first and last value of a result, and the step.
    fn side(
        &self,
        answer: &Value,
        result: usize,
        sizes: &[i64],
    ) -> Result<(i64, i64, i64), String> {
        if let Some(range) = answer["box"].get(result) {
            let end = |place: usize, none: i64| range[place].as_i64().unwrap_or(none);
            let step = answer["steps"][result].as_i64().unwrap_or(1);
            return Ok((end(0, i64::MIN / 2), end(1, i64::MAX / 2), step));
        }
        let side = &answer["sides"][result];
        let number = |key: &str| self.number(&side[key], sizes);
        let (offset, size, stride) = (number("offset")?, number("size")?, number("stride")?);
        let last = offset + (size - 1) * stride;
        Ok((offset.min(last), offset.max(last), stride.abs()))
    }

    /// Evaluates a number, or an expression over sizes.
    fn number(&self, value: &Value, sizes: &[i64]) -> Result<i64, String> {
        if let Some(number) = value.as_i64() {
            return Ok(number);
        }
        let text = value.as_str().ok_or(format!("no number: {value}"))?;
        let names: Vec<String> = self.piece.sizes.iter().map(|name| map_name(name)).collect();
        let domain = names.iter().map(|name| format!("{name} in [1, inf]"));
        let domain = domain.collect::<Vec<_>>().join(", ");
        let map = format!("<{}>() -> ({text}), domain: {domain}", names.join(", "));
        let map = parse_map(&map).map_err(|error| format!("{error} in {map}"))?;
        let values = map.eval(sizes).map_err(|error| error.to_string())?;
        Ok(values[0])
    }

    /// Returns the point of an answer in the order of the piece; a name without a value is at its lowest.
    pub fn point(&self, named: &Value) -> Result<Vec<i64>, String> {
        let names: Vec<String> = self.piece.names().iter().map(|name| map_name(name)).collect();
        let fields = named.as_object().ok_or("no point")?;
        if let Some(name) = fields.keys().find(|name| !names.contains(name)) {
            return Err(format!("`{name}` is not a name of the code"));
        }
        let first = &self.parts[0].rows[0].0;
        let values = names.iter().zip(first);
        let point: Vec<i64> = values
            .map(|(name, lowest)| fields.get(name).and_then(Value::as_i64).unwrap_or(*lowest))
            .collect();
        match self.piece.contains(&point) {
            true => Ok(point),
            false => Err(format!("{} is not in the bounds", self.at(&point))),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.parts.first().is_none_or(|part| part.rows.is_empty())
    }
}

/// Returns the positions of a map's variables in a point of the piece.
fn places(piece: &Piece, map: &IndexingMap) -> Result<Vec<usize>, String> {
    let names: Vec<String> = piece.names().iter().map(|name| map_name(name)).collect();
    let variables = map.domain().variables().iter();
    let places = variables.map(|variable| {
        let place = names.iter().position(|name| **name == *variable.name);
        place.ok_or_else(|| format!("`{}` is not a name of the code", variable.name))
    });
    places.collect()
}

/// Returns the values of the maps that are defined at a point.
fn found(maps: &[(Vec<usize>, IndexingMap)], point: &[i64]) -> Result<Vec<Vec<i64>>, String> {
    let mut found = Vec::new();
    for (places, map) in maps {
        let own: Vec<i64> = places.iter().map(|place| point[*place]).collect();
        let is_inside = map.domain().contains(&own);
        if is_inside.map_err(|error| format!("{error} at {own:?} of {map}"))? {
            let values = map.eval(&own);
            found.push(values.map_err(|error| format!("{error} at {own:?} of {map}"))?);
        }
    }
    Ok(found)
}

/// Checks two points of an answer that are claimed to have the same element.
pub fn collide(
    table: &Table<'_>,
    judge: &mut Judge,
    source: usize,
    example: &Value,
) -> Result<(), String> {
    let first = table.point(&example["first"])?;
    let second = table.point(&example["second"])?;
    let sizes = table.piece.sizes.len();
    if first[..sizes] != second[..sizes] || first == second {
        return Err("the points are not two of one choice of sizes".to_owned());
    }
    let values: Vec<Values> = judge.values(source, &[first.clone(), second]);
    let element: Values = serde_json::from_value(example["element"].clone()).ok();
    match values[0].is_some() && values[0] == values[1] && values[0] == element {
        true => Ok(()),
        false => Err(format!("{values:?} at {} and the other", table.at(&first))),
    }
}
