//! The HLO text that is made of a module, and which place of the MLIR text each part of it is from.
//!
//! Law: names are unique within a computation, and those of computations within the module; an instruction is called as its value is in MLIR,
//! unless that name is taken or cannot be written in HLO.

use affinor::text::Span;
use rustc_hash::FxHashSet;

/// An instruction.
pub(crate) struct Line {
    pub(crate) name: String,
    /// `f32[8] add(%a, %b), attributes`
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

/// HLO text with the places it is from.
pub(crate) struct Emitted {
    pub(crate) text: String,
    /// Of each line: where it starts, and the name behind its indentation; the places of the name and of all of it.
    places: Vec<Place>,
}

struct Place {
    start: usize,
    name_end: usize,
    name_span: Span,
    span: Span,
}

impl Emitted {
    /// The module of these computations, the last of which is its entry.
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

    /// The place of the MLIR text that `span` of the HLO text is from.
    pub(crate) fn place(&self, span: &Span) -> Span {
        let behind = self.places.partition_point(|place| place.start <= span.start);
        match behind.checked_sub(1).and_then(|at| self.places.get(at)) {
            Some(place) if span.end <= place.name_end => place.name_span.clone(),
            Some(place) => place.span.clone(),
            None => 0..0,
        }
    }
}

/// Names that are taken.
#[derive(Default)]
pub(crate) struct Names {
    taken: FxHashSet<String>,
    /// Numbers below this were tried.
    next: usize,
}

impl Names {
    /// `wanted` as HLO can write it, or with a number behind it.
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
