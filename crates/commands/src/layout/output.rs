//! The answers of `layout` about one array, as text and as JSON.

use crate::arguments::Argument;
use crate::failure::Failure;
use crate::output::{Object, Output, Role, Status, Text};
use crate::picture::{picture_text, write_svg};
use crate::table::Call;
use crate::verdict::{reason, verdict_status};
use crate::words::{count, tuple};
use affinor::expr::{EvalError, IndexingMap};
use affinor::prove::Verdict;
use affinor::text::{Error, ErrorKind, Style, print_map};
use affinor_draw::{self as draw, Extent};
use affinor_hlo::layout::Layout;
use affinor_hlo::shape::Shape;
use affinor_layout::cute;
use affinor_layout::memory::{
    Placement, dimension_letters, memory_space_name, order_in_words, strides,
};
use affinor_ops::relayout::{Stages, prove_tiling};
use serde_json::Value;

/// The maximal number of positions whose elements are listed.
const MOST_LISTED: i64 = 64;

/// A partial answer.
pub struct Answer<'p> {
    placement: &'p Placement,
    position: IndexingMap,
    text: Text,
    json: Object,
    status: Status,
}

impl<'p> Answer<'p> {
    /// Starts with the part that every answer has.
    ///
    /// # Errors
    /// If the shipped rules do not load.
    pub fn new(
        call: &Call<'_>,
        placement: &'p Placement,
        path: Option<&[usize]>,
    ) -> Result<Answer<'p>, Failure> {
        let simplifier = call.simplifier()?;
        let options = call.search_options()?;
        let position = simplifier.simplify(placement.position(), &options).map;
        let element = simplifier.simplify(placement.element(), &options).map;
        let strides = strides(&position);
        let style = call.session.style;
        let text = facts(placement, &position, &element, &strides, style, path);
        let mut json = Object::new().with("shape", placement.shape().to_string());
        if let Some(path) = path {
            json = json.with("path", path);
        }
        let json = json
            .with("elements", placement.elements())
            .with("dense_bytes", placement.dense_bytes())
            .with("physical_bytes", placement.physical_bytes())
            .with("physical_shape", placement.physical_sizes())
            .with("positions", placement.positions())
            .with("map", print_map(&position, Style::Plain))
            .with("inverse", print_map(&element, Style::Plain))
            .with("strides", strides.clone())
            .with("minor_to_major", placement.shape().layout().minor_to_major())
            .with("cute", cute::of_placement(placement).map(|layout| layout.to_string()))
            .with("memory_space", placement.shape().layout().memory_space());
        Ok(Answer { placement, position, text, json, status: Status::Done })
    }

    /// Adds the index in each dimension of the tiled array, in the notation of XLA's page on tiled layouts.
    ///
    /// # Errors
    /// Kind `overflow`.
    pub fn digits(&mut self) -> Result<(), Error> {
        let digits = self.placement.physical_index().map_err(|error| too_large(&error))?;
        line(&mut self.text, "digits", print_map(&digits, Style::Xla));
        self.json = self.json.clone().with("digits", print_map(&digits, Style::Plain));
        Ok(())
    }

    /// Adds the position of the element at `index`.
    ///
    /// # Errors
    /// Kind `overflow`.
    pub fn index(&mut self, index: &[i64]) -> Result<(), Error> {
        let placement = self.placement;
        let linear = placement.position().eval(index).map_err(|error| too_large(&error))?;
        let linear = linear.first().copied().unwrap_or(0);
        let combined = placement.physical_index().map_err(|error| too_large(&error))?;
        let combined = combined.eval(index).map_err(|error| too_large(&error))?;
        let mut json = self.json.clone().with("index", index);
        let bits = placement.bits_per_position();
        let byte = linear.checked_mul(bits).filter(|bit| bit % 8 == 0).map(|bit| bit / 8);
        let byte = byte.map_or(String::new(), |byte| format!(", byte {byte}"));
        let mut words = format!("element {} lies at position {linear}{byte}", tuple(index));
        if let Some(level) = placement.levels().first() {
            let first = placement.index_after(1).map_err(|error| too_large(&error))?;
            let first = first.eval(index).map_err(|error| too_large(&error))?;
            let (tile, within) = first.split_at(first.len() - level.groups().len());
            words += &format!(": tile {}, within the tile {}", tuple(tile), tuple(within));
            json = json.with("tile_index", tile).with("within_tile", within);
        }
        if placement.levels().len() > 1 {
            words += &format!(", combined {}", tuple(&combined));
        }
        words += &format!(" over {}", tuple(placement.physical_sizes()));
        self.json = json.with("physical_index", combined).with("linear", linear);
        line(&mut self.text, "index", words);
        Ok(())
    }

    /// Adds the element at `position`.
    ///
    /// # Errors
    /// Kind `overflow`.
    pub fn linear(&mut self, position: i64) -> Result<(), Error> {
        let element = self.placement.element();
        let at = [position];
        let inside = element.domain().contains(&at).map_err(|error| too_large(&error))?;
        let json = self.json.clone().with("linear", position);
        if inside {
            let index = element.eval(&at).map_err(|error| too_large(&error))?;
            line(
                &mut self.text,
                "linear",
                format!("at position {position} lies element {}", tuple(&index)),
            );
            self.json = json.with("index", index).with("padding", false);
        } else {
            line(&mut self.text, "linear", format!("position {position} is padding"));
            self.json = json.with("index", Value::Null).with("padding", true);
        }
        Ok(())
    }

    /// Adds the layout as a chain of ops.
    pub fn stages(&mut self) {
        let stages = Stages::new(self.placement);
        let width = stages.stages().iter().map(|s| s.text.len()).max().unwrap_or(0);
        let mut list = Vec::new();
        for (number, stage) in stages.stages().iter().enumerate() {
            self.text.new_line();
            let name = if number == 0 { "stages" } else { "" };
            self.text.push(Role::Name, format!("  {name:<9}"));
            self.text.push(Role::Formula, format!("{:width$}", stage.text));
            self.text.push(Role::Faint, format!("  {}", stage.purpose));
            list.push(Value::from(
                Object::nested()
                    .with("hlo", stage.text.as_str())
                    .with("shape", stage.sizes.as_slice())
                    .with("purpose", stage.purpose),
            ));
        }
        self.json = self.json.clone().with("stages", list);
    }

    /// Proves the claims that the layout depends on.
    ///
    /// # Errors
    /// Kind `overflow`.
    pub fn check(&mut self, call: &Call<'_>) -> Result<(), Error> {
        let proof = prove_tiling(self.placement, &call.proof_budget())?;
        let mut json = Object::nested();
        for (key, claim, verdict) in [
            ("stages", "pad, reshape and transpose put the same elements there", &proof.stages),
            (
                "position_then_element",
                "the element at the position of an element is that element",
                &proof.position_then_element,
            ),
            (
                "element_then_position",
                "the position of the element at a position is that position",
                &proof.element_then_position,
            ),
        ] {
            self.text.new_line();
            self.text.push(Role::Name, format!("  {:<9}", verdict.word()));
            self.text.push(Role::Plain, claim);
            if let Some(why) = reason(verdict) {
                self.text.push(Role::Faint, format!(" ({why})"));
            }
            json = json.with(key, verdict.word());
            self.status = self.status.and(verdict_status(verdict));
            debug_assert!(!matches!(verdict, Verdict::Refuted(_)), "{claim}");
        }
        self.json = self.json.clone().with("check", json);
        Ok(())
    }

    /// Adds the picture, and the elements in memory order.
    ///
    /// # Errors
    /// Kind `overflow`.
    pub fn draw(&mut self, ascii: bool, padding: Option<&str>) -> Result<(), Error> {
        let grid = draw::of_placement(self.placement, Extent::TERMINAL);
        let grid = grid.map_err(|error| too_large(&error))?;
        let drawn = picture_text(&grid, ascii);
        self.json = self.json.clone().with("picture", drawn.to_string());
        self.text.new_line();
        self.text.push(Role::Plain, "\n");
        self.text.append(drawn);
        if let Some(listed) = self.in_memory(padding).map_err(|error| too_large(&error))? {
            self.text.new_line();
            self.text.push(Role::Plain, format!("in memory: {listed}"));
            self.json = self.json.clone().with("in_memory", listed);
        }
        Ok(())
    }

    /// Returns the elements in memory order: letters for up to 26 of them, in row-major order, as on the page on shapes.
    fn in_memory(&self, padding: Option<&str>) -> Result<Option<String>, EvalError> {
        let placement = self.placement;
        if !(1..=MOST_LISTED).contains(&placement.positions()) || placement.elements() > 26 {
            return Ok(None);
        }
        let mut words = Vec::new();
        for position in 0..placement.positions() {
            let element = placement.element();
            if !element.domain().contains(&[position])? {
                words.push(padding.unwrap_or("·").to_owned());
                continue;
            }
            let index = element.eval(&[position])?;
            let step = |number: i64, (size, index): (&i64, &i64)| number * size + index;
            let number = placement.sizes().iter().zip(&index).fold(0, step);
            let letter = u8::try_from(number).map_or('?', |number| char::from(b'a' + number));
            words.push(letter.to_string());
        }
        Ok(Some(words.join(" ")))
    }

    /// Writes the picture to a file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn svg(
        &mut self,
        call: &mut Call<'_>,
        argument: &Argument,
        path: &Argument,
    ) -> Result<(), Failure> {
        let grid = draw::of_placement(self.placement, Extent::FILE);
        let grid = grid.map_err(|error| argument.blame(too_large(&error)))?;
        write_svg(call, &[grid], path)?;
        line(&mut self.text, "svg", format!("written to {}", path.text));
        self.json = self.json.clone().with("svg", path.text.as_str());
        Ok(())
    }

    /// Returns the answer, and the map from indices to positions.
    #[must_use]
    pub fn finish(self) -> (Output, IndexingMap) {
        let output = Output::new(self.text, self.json).status(self.status);
        (output, self.position)
    }
}

/// Answers about a part of a tuple that holds no elements.
pub fn leaf_without_elements(shape: &Shape, path: &[usize]) -> Output {
    let text = Text::of(Role::Formula, format!("{path:?} {shape}")).plain("\n  holds no elements");
    let json = Object::new()
        .with("shape", shape.to_string())
        .with("path", path)
        .with("elements", Value::Null);
    Output::new(text, json)
}

fn facts(
    placement: &Placement,
    position: &IndexingMap,
    element: &IndexingMap,
    strides: &[Option<i64>],
    style: Style,
    path: Option<&[usize]>,
) -> Text {
    let shape = placement.shape();
    let layout = shape.layout();
    let mut text = Text::new();
    if let Some(path) = path {
        text.push(Role::Faint, format!("{path:?} "));
    }
    text.push(Role::Formula, shape.to_string());
    line(&mut text, "array", array_in_words(placement));
    line(&mut text, "order", order_in_words(layout.minor_to_major()));
    if placement.widths() != placement.sizes() {
        line(&mut text, "padded", format!("each dimension to {}", tuple(placement.widths())));
    }
    for level in placement.levels() {
        let groups = level.groups();
        let list = |of: fn(&affinor_layout::memory::Group) -> i64| -> String {
            tuple(&groups.iter().map(of).collect::<Vec<i64>>())
        };
        line(
            &mut text,
            "tiles",
            format!(
                "{} over {}: {} tiles",
                list(|group| group.tile()),
                list(|group| group.size()),
                list(|group| group.tiles())
            ),
        );
    }
    line(&mut text, "memory", memory_in_words(placement));
    if layout.memory_space() != 0 {
        let space = layout.memory_space();
        line(&mut text, "space", format!("S({space}): {}", memory_space_name(space)));
    }
    if let Some(splits) = splits_in_words(layout) {
        line(&mut text, "split", splits);
    }
    if !placement.levels().is_empty() {
        line(&mut text, "physical", tuple(placement.physical_sizes()));
    }
    if let Some(strides) = strides_in_words(placement, strides) {
        line(&mut text, "strides", strides);
    }
    if let Some(cute) = cute::of_placement(placement) {
        line(&mut text, "CuTe", cute.to_string());
    }
    line(&mut text, "position", print_map(position, style));
    line(&mut text, "element", print_map(element, style));
    text
}

fn array_in_words(placement: &Placement) -> String {
    let sizes = placement.sizes();
    let letters = dimension_letters(sizes.len());
    let dimensions = sizes.iter().enumerate().map(|(dimension, size)| {
        let back = dimension as i64 - sizes.len() as i64;
        match letters.get(dimension) {
            Some(letter) => format!("dim {dimension} ({back}, {letter}) of {size}"),
            None => format!("dim {dimension} ({back}) of {size}"),
        }
    });
    let dimensions: Vec<String> = dimensions.collect();
    let element_type = placement.shape().element_type();
    let mut words = match sizes.len() {
        0 => format!("a scalar of {element_type}"),
        rank => format!(
            "rank {rank}, true rank {}: {}; {} of {element_type}",
            sizes.iter().filter(|size| **size > 1).count(),
            dimensions.join(", "),
            count(placement.elements(), "element")
        ),
    };
    words += &format!(", {} each", count(element_type.bits(), "bit"));
    if placement.shape().is_dynamic() {
        words += "; sizes known at run time are at their bounds here";
    }
    words
}

fn memory_in_words(placement: &Placement) -> String {
    let bytes = |bytes: Option<i64>| bytes.map_or("over 2^63".to_owned(), |b| b.to_string());
    let padding = placement.positions() - placement.elements();
    let mut words = format!(
        "{} of {}, {} bytes",
        count(placement.positions(), "position"),
        count(placement.bits_per_position(), "bit"),
        bytes(placement.physical_bytes())
    );
    if padding > 0 {
        // The array has at least one position, so the division is defined; to the nearest tenth of a percent.
        let positions = i128::from(placement.positions());
        let share = (i128::from(padding) * 2000 + positions) / (2 * positions);
        words += &format!(
            "; {padding} of padding ({}.{} %), {} bytes without",
            share / 10,
            share % 10,
            bytes(placement.dense_bytes())
        );
    }
    let prefix = placement.shape().layout().metadata_prefix_bytes();
    if prefix > 0 {
        words += &format!("; the first {prefix} bytes describe sizes known at run time");
    }
    words
}

fn splits_in_words(layout: &Layout) -> Option<String> {
    let splits = layout.splits().iter().map(|split| {
        let order = layout.minor_to_major();
        let physical = usize::try_from(split.dimension()).ok();
        let logical = physical.and_then(|physical| order.iter().rev().nth(physical));
        let name = logical.map_or("no dimension".to_owned(), |d| format!("dim {d}"));
        format!("{name} between memories at {}", tuple(split.indices()))
    });
    let splits: Vec<String> = splits.collect();
    (!splits.is_empty()).then(|| splits.join("; "))
}

fn strides_in_words(placement: &Placement, strides: &[Option<i64>]) -> Option<String> {
    if placement.elements() == 0 || strides.iter().all(Option::is_none) {
        return None;
    }
    let bits = placement.bits_per_position();
    let words = strides.iter().zip(placement.sizes()).map(|(stride, size)| match stride {
        _ if *size <= 1 => "-".to_owned(),
        Some(stride) => match stride.checked_mul(bits) {
            Some(bits) if bits % 8 == 0 => {
                format!("{stride} ({})", count(bits / 8, "byte"))
            }
            _ => stride.to_string(),
        },
        None => "none".to_owned(),
    });
    let words: Vec<String> = words.collect();
    (!words.is_empty()).then(|| words.join(", "))
}

fn too_large(error: &impl ToString) -> Error {
    Error::without_span(ErrorKind::Overflow, error.to_string())
}

/// Adds a line to an answer: its name and its value.
pub fn line(text: &mut Text, name: &str, value: impl Into<String>) {
    text.new_line();
    text.push(Role::Name, format!("  {name:<9}"));
    text.push(Role::Plain, value);
}
