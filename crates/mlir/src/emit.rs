//! The HLO text generated for a module, with the spans of the MLIR text that its parts come from.
//!
//! Law: names are unique within a computation, and those of computations within the module; an instruction has the name of its
//! MLIR value, unless that name is taken or is not valid in HLO.

use affinor_maps::text::Span;
use rustc_hash::FxHashSet;

/// An instruction.
pub(crate) struct Line {
    pub(crate) name: String,
    /// The text after `=`: `f32[8] add(%a, %b), attributes`.
    pub(crate) code: String,
    pub(crate) name_span: Span,
    pub(crate) span: Span,
}

/// A computation.
pub(crate) struct Computation {
    pub(crate) name: String,
    pub(crate) lines: Vec<Line>,
    pub(crate) root: usize,
    pub(crate) span: Span,
}

/// HLO text with the spans it comes from.
pub(crate) struct Emitted {
    pub(crate) text: String,
    /// For each line, where it starts, the end of the name after its indentation, and the MLIR spans of the name and of the
    /// whole.
    places: Vec<Place>,
}

struct Place {
    start: usize,
    name_end: usize,
    name_span: Span,
    span: Span,
}

impl Emitted {
    /// Prints the module with these computations, the last of which is its entry.
    pub(crate) fn of(header: &str, computations: &[Computation]) -> Emitted {
        let mut emitted = Emitted { text: format!("{header}\n"), places: Vec::new() };
        for (number, computation) in computations.iter().enumerate() {
            let entry = if number + 1 == computations.len() { "ENTRY " } else { "" };
            let head = format!("\n{entry}%{} {{\n", computation.name);
            emitted.push(&head, head.len(), computation.span.clone(), computation.span.clone());
            for (at, line) in computation.lines.iter().enumerate() {
                let root = if at == computation.root { "ROOT " } else { "" };
                let text = format!("  {root}%{} = {}\n", line.name, line.code);
                let name_end = 2 + root.len() + 1 + line.name.len();
                emitted.push(&text, name_end, line.name_span.clone(), line.span.clone());
            }
            emitted.text.push_str("}\n");
        }
        emitted
    }

    fn push(&mut self, text: &str, name_end: usize, name_span: Span, span: Span) {
        let start = self.text.len();
        self.places.push(Place { start, name_end: start + name_end, name_span, span });
        self.text.push_str(text);
    }

    /// Returns the span of the MLIR text that `span` of the HLO text comes from.
    pub(crate) fn place(&self, span: &Span) -> Span {
        let behind = self.places.partition_point(|place| place.start <= span.start);
        match behind.checked_sub(1).and_then(|at| self.places.get(at)) {
            Some(place) if span.end <= place.name_end => place.name_span.clone(),
            Some(place) => place.span.clone(),
            None => 0..0,
        }
    }
}

/// The names in use.
#[derive(Default)]
pub(crate) struct Names {
    taken: FxHashSet<String>,
    /// The next number to try; smaller ones were tried.
    next: usize,
}

impl Names {
    /// Returns `wanted` as a valid HLO name, with a number appended if it is in use.
    pub(crate) fn take(&mut self, wanted: &str) -> String {
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
        let mut name: String = wanted.chars().map(|c| if is_part(c) { c } else { '_' }).collect();
        if !name.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_') {
            name.insert(0, '_');
        }
        let mut free = name.clone();
        while !self.taken.insert(free.clone()) {
            self.next += 1;
            free = format!("{name}.{}", self.next);
        }
        free
    }
}
