//! Expressions in infix notation, as C, Python and languages like them read it.
//!
//! A [`Notation`] defines a language's divisions, minimum and maximum, and conversions of widths; everything else is shared.

use super::values::Facts;
use affinor_maps::expr::{Divisor, Expr, ExprKind};
use rustc_hash::FxHashMap;

/// The precedence of a text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    /// `a + b`
    Sum,
    /// `a * b`, `a / b`
    Product,
    /// `-a`
    Sign,
    /// A name, a call, a bracketed expression.
    Atom,
}

/// A text and its precedence.
#[derive(Clone, Debug)]
pub struct Written {
    /// The text.
    pub text: String,
    /// Its level.
    pub level: Level,
}

/// A quotient rounded down, a quotient rounded up, or a remainder.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Division {
    /// `floordiv`
    Floor,
    /// `ceildiv`
    Ceil,
    /// `mod`
    Mod,
}

/// The facts that a division or a choice depends on.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// The numerator is never negative.
    pub natural: bool,
    /// The divisor is not an integer literal.
    pub named: bool,
    /// More than 64 bits are needed.
    pub wide: bool,
}

/// A language's notation for the operations that differ between languages.
pub trait Notation {
    /// Writes an integer.
    fn number(&self, value: i64) -> Written {
        let level = if value < 0 { Level::Sign } else { Level::Atom };
        Written::new(value.to_string(), level)
    }

    /// Writes a quotient or remainder.
    fn divide(&self, division: Division, x: Written, divisor: Written, about: About) -> Written;

    /// Writes the minimum or maximum of two or more operands.
    fn choose(&self, word: &'static str, operands: Vec<Written>, about: About) -> Written;

    /// Converts a value to more than 64 bits.
    fn widen(&self, x: Written) -> Written {
        x
    }

    /// Converts a value that fits to 64 bits.
    fn narrow(&self, x: Written) -> Written {
        x
    }
}

/// Writes the expressions of a map.
pub struct Writer<'w> {
    /// The language.
    pub notation: &'w dyn Notation,
    /// The identifiers of the variables.
    pub names: &'w [String],
    /// The ranges of the parts.
    pub facts: &'w Facts,
    /// The names of the parts that are local variables.
    pub locals: FxHashMap<Expr, String>,
}

impl Written {
    /// Creates a text with this precedence.
    pub fn new(text: impl Into<String>, level: Level) -> Written {
        let text = text.into();
        Written { text, level }
    }

    /// Creates a name, a call, or a bracketed text.
    pub fn atom(text: impl Into<String>) -> Written {
        Written::new(text, Level::Atom)
    }

    /// Returns the text, in brackets if its precedence is below `level`.
    #[must_use]
    pub fn at(self, level: Level) -> String {
        match self.level < level {
            true => format!("({})", self.text),
            false => self.text,
        }
    }
}

/// Writes `call(a, call(b, c))` for a function of two arguments, splitting the operands in halves to limit nesting.
pub fn pairwise(call: &str, mut operands: Vec<Written>) -> Written {
    match operands.len() {
        0 | 1 => operands.pop().unwrap_or_else(|| Written::atom("0")),
        count => {
            let second = operands.split_off(count / 2);
            let [first, second] = [operands, second].map(|half| pairwise(call, half).text);
            Written::atom(format!("{call}({first}, {second})"))
        }
    }
}

impl Writer<'_> {
    /// Returns whether the value has more than 64 bits.
    pub fn is_wide(&self, expr: &Expr) -> bool {
        !self.facts.known(expr).values.fit(64)
    }

    /// Assigns a name to a part, which replaces it from now on.
    pub fn name(&mut self, expr: &Expr, name: String) {
        self.locals.insert(expr.clone(), name);
    }

    /// Writes an expression.
    pub fn write(&self, expr: &Expr) -> Written {
        if let Some(name) = self.locals.get(expr) {
            return Written::atom(name);
        }
        let wide = !self.facts.known(expr).steps.fit(64);
        let written = match expr.kind() {
            ExprKind::Constant(value) => self.notation.number(*value),
            ExprKind::Variable(id) => Written::atom(&self.names[id.index()]),
            ExprKind::Sum(sum) => {
                let mut text = String::new();
                let mut level = Level::Sum;
                for (index, (coefficient, x)) in sum.terms().iter().enumerate() {
                    // The magnitude of the least coefficient is not a 64-bit integer: it keeps its sign.
                    let subtract = *coefficient < 0
                        && *coefficient != i64::MIN
                        && (index > 0 || *coefficient == -1);
                    let factor = if subtract { -coefficient } else { *coefficient };
                    let term = self.operand(x, wide);
                    let term = match (factor, index, subtract) {
                        (1, 0, true) => term.at(Level::Sign), // `-a`
                        (1, ..) => term.at(Level::Product),
                        _ => {
                            let factor = self.notation.number(factor).at(Level::Atom);
                            format!("{} * {factor}", term.at(Level::Product))
                        }
                    };
                    text.push_str(match (index, subtract) {
                        (0, true) => "-",
                        (0, false) => "",
                        (_, true) => " - ",
                        (_, false) => " + ",
                    });
                    text.push_str(&term);
                }
                match sum.constant() {
                    0 if sum.terms().len() == 1 => {
                        let is_negation = sum.terms()[0].0 == -1;
                        level = if is_negation { Level::Sign } else { Level::Product };
                    }
                    0 => {}
                    constant if constant < 0 && constant != i64::MIN => {
                        text.push_str(&format!(" - {}", self.notation.number(-constant).text));
                    }
                    constant => {
                        let constant = self.notation.number(constant).at(Level::Atom);
                        text.push_str(&format!(" + {constant}"));
                    }
                }
                Written::new(text, level)
            }
            ExprKind::Product(factors) => {
                let factors = factors.iter().enumerate().map(|(index, factor)| {
                    let level = if index == 0 { Level::Product } else { Level::Atom };
                    self.operand(factor, wide && index == 0).at(level)
                });
                let text: Vec<String> = factors.collect();
                Written::new(text.join(" * "), Level::Product)
            }
            ExprKind::FloorDiv(x, divisor) => self.divide(Division::Floor, x, divisor, wide),
            ExprKind::CeilDiv(x, divisor) => self.divide(Division::Ceil, x, divisor, wide),
            ExprKind::Mod(x, divisor) => self.divide(Division::Mod, x, divisor, wide),
            ExprKind::Min(list) => self.choose("min", list, wide),
            ExprKind::Max(list) => self.choose("max", list, wide),
        };
        match wide && !self.is_wide(expr) {
            true => self.notation.narrow(written),
            false => written,
        }
    }

    /// Writes an operand of a sum or product.
    fn operand(&self, expr: &Expr, wide: bool) -> Written {
        let written = self.write(expr);
        match wide && !self.is_wide(expr) {
            true => self.notation.widen(written),
            false => written,
        }
    }

    fn divide(&self, division: Division, x: &Expr, divisor: &Divisor, wide: bool) -> Written {
        let about = About {
            natural: self.facts.known(x).values.lo >= 0,
            named: divisor.as_named().is_some(),
            wide,
        };
        let divisor = match divisor {
            Divisor::Integer(value) => self.notation.number(*value),
            Divisor::Named(expr) => self.write(expr),
        };
        self.notation.divide(division, self.write(x), divisor, about)
    }

    fn choose(&self, word: &'static str, list: &[Expr], wide: bool) -> Written {
        let about = About { natural: false, named: false, wide };
        let operands = list.iter().map(|expr| self.write(expr)).collect();
        self.notation.choose(word, operands, about)
    }
}
