//! Parses the values of a variable after `in`: an interval, a range, or those of a grid. Each becomes conditions.

use super::memory::Head;
use super::program::Reader;
use affinor_maps::text::ast::{NodeId, NodeKind, Relation};
use affinor_maps::text::{Error, ErrorKind};

impl Reader<'_> {
    /// Parses `T.grid(8, 4)`: each variable ranges from 0 to its end, exclusive.
    pub fn grid(&mut self, variables: &[NodeId]) -> Result<(), Error> {
        let open = self.tokens().current().span.start;
        self.tokens().advance();
        self.tokens().take("(")?;
        let start = self.tokens().previous_end();
        let mut ends = Vec::new();
        while !self.tokens().eat(")") {
            ends.push(self.parser.choice()?);
            if !self.tokens().eat(",") && !self.tokens().is(")") {
                return Err(self.tokens().unexpected("`,` or `)`"));
            }
        }
        if ends.len() != variables.len() {
            let message = format!("{} sizes for {} variables", ends.len(), variables.len());
            let span = open..self.tokens().previous_end();
            return Err(Error::new(ErrorKind::Arity, span, message));
        }
        for (variable, end) in variables.iter().zip(ends) {
            let first = self.parser.push(NodeKind::Integer(0), start..start)?;
            self.compared(first, Relation::LessEqual, *variable)?;
            self.compared(*variable, Relation::Less, end)?;
        }
        Ok(())
    }

    /// Parses `[lo, hi]`, `[lo, end)` or `range(..)` after `item in`.
    pub fn within(&mut self, item: NodeId) -> Result<(), Error> {
        if is_range(self.tokens().current().text) {
            self.tokens().advance();
            self.tokens().take("(")?;
            let start = self.tokens().previous_end();
            let mut ends = vec![self.parser.choice()?];
            while ends.len() < 3 && self.tokens().eat(",") {
                ends.push(self.parser.choice()?);
            }
            self.tokens().take(")")?;
            let (first, end) = match ends[..] {
                [end] => (self.parser.push(NodeKind::Integer(0), start..start)?, end),
                _ => (ends[0], ends[1]),
            };
            // `range(9, -1, -1)` counts down.
            if let Some(NodeKind::Negate(step)) = ends.get(2).map(|x| self.parser.terms.kind(*x)) {
                let step = *step;
                self.head = Some(Head { variable: item, first, step: Some(step), is_up: false });
                self.compared(item, Relation::LessEqual, first)?;
                self.compared(end, Relation::Less, item)?;
                return self.stepped(first, item, step);
            }
            let step = ends.get(2).copied();
            self.head = Some(Head { variable: item, first, step, is_up: true });
            self.compared(first, Relation::LessEqual, item)?;
            self.compared(item, Relation::Less, end)?;
            return match ends.get(2) {
                Some(step) => self.stepped(item, first, *step),
                None => Ok(()),
            };
        }
        if !self.tokens().is("[") {
            let error = self.tokens().unexpected("an interval `[lo, hi]` or `range(..)`");
            return Err(
                error.hint("both ends of an interval are included; `range(n)` ends before n")
            );
        }
        self.tokens().advance();
        if let Some(end) = self.end()? {
            self.compared(end, Relation::LessEqual, item)?;
        }
        self.tokens().take(",")?;
        if let Some(end) = self.end()? {
            // `[0, 8)` ends before 8.
            let relation = match self.tokens().is(")") {
                true => Relation::Less,
                false => Relation::LessEqual,
            };
            self.compared(item, relation, end)?;
        }
        match self.tokens().eat(")") {
            true => Ok(()),
            false => self.tokens().take("]"),
        }
    }

    /// Parses an interval that several variables share, after `i, j in`.
    pub fn within_each(&mut self, items: &[NodeId]) -> Result<(), Error> {
        let interval = self.parser.tokens.clone();
        for item in items {
            self.parser.tokens = interval.clone();
            self.within(*item)?;
        }
        Ok(())
    }

    /// Parses an end of an interval; returns `None` if it is infinite.
    fn end(&mut self) -> Result<Option<NodeId>, Error> {
        let is_infinite = |word: &str| matches!(word, "inf" | "oo" | "int_oo");
        let is_negative = self.tokens().is("-") && is_infinite(self.tokens().ahead(1).text);
        if is_negative || is_infinite(self.tokens().current().text) {
            (0..=usize::from(is_negative)).for_each(|_| self.tokens().advance());
            return Ok(None);
        }
        self.parser.choice().map(Some)
    }
}

/// Returns whether this is the `range` of Python or of a library.
fn is_range(word: &str) -> bool {
    const WORDS: [&str; 10] = [
        "range",
        "tl.range",
        "tl.static_range",
        "prange",
        "nb.prange",
        "T.serial",
        "T.parallel",
        "T.vectorized",
        "T.unroll",
        "te.serial",
    ];
    WORDS.contains(&word)
}

/// Returns whether the values of this function are all points of a grid of the given sizes.
pub fn is_grid(word: &str) -> bool {
    matches!(word, "T.grid" | "tir.grid" | "grid" | "np.ndindex" | "numpy.ndindex")
}
