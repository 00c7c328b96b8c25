//! Prints terms and formulas as patterns of Halide's matcher.

use affinor::rule::{Condition, Relation, Term};
use std::cmp::Reverse;

/// Names for expressions; constants are called `c0`, `c1` ...
pub(super) const EXPRESSIONS: [&str; 6] = ["x", "y", "z", "w", "u", "v"];

/// Operator precedence, as in C++.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Strength {
    And,
    Equality,
    Order,
    Sum,
    Product,
    Whole,
}

/// A pattern, with the weakest and the strongest kind of node that its root can be, as positions in Halide's list of nodes.
pub(super) struct Pattern {
    pub(super) text: String,
    strength: Strength,
    weakest: u8,
    strongest: u8,
}

const CONSTANT: (u8, u8) = (0, 2);
const ANYTHING: (u8, u8) = (0, u8::MAX);
const ADD: u8 = 8;
const SUB: u8 = 9;
const MOD: u8 = 10;
const MUL: u8 = 11;
const DIV: u8 = 12;
const MIN: u8 = 13;
const MAX: u8 = 14;
const EQUAL: u8 = 15;
const LESS: u8 = 17;
const LESS_EQUAL: u8 = 18;
const AND: u8 = 21;
const NOT: u8 = 23;

impl Pattern {
    fn new(text: String, strength: Strength, (weakest, strongest): (u8, u8)) -> Pattern {
        Pattern { text, strength, weakest, strongest }
    }

    fn node(text: String, strength: Strength, node: u8) -> Pattern {
        Pattern::new(text, strength, (node, node))
    }

    /// Adds parentheses if the context binds more tightly.
    pub(super) fn within(&self, strength: Strength) -> String {
        if self.strength < strength { format!("({})", self.text) } else { self.text.clone() }
    }

    fn is_constant(&self) -> bool {
        self.strongest <= CONSTANT.1
    }

    /// Orders operands of a commutative operation: the stronger one first, constants last.
    fn ordered(self, other: Pattern) -> [Pattern; 2] {
        let exchanged =
            self.strongest < other.weakest || self.is_constant() && !other.is_constant();
        if exchanged { [other, self] } else { [self, other] }
    }
}

/// Prints the equivalence of two formulas.
pub(super) fn same_truth(lhs: &[Condition], rhs: &[Condition]) -> Pattern {
    let (lhs, rhs) = (conjunction(lhs, false), conjunction(rhs, false));
    if rhs.text == "false" {
        return Pattern::node(format!("!({})", lhs.text), Strength::Whole, NOT);
    }
    let [lhs, rhs] = lhs.ordered(rhs);
    let text = format!("({}) == ({})", lhs.text, rhs.text);
    Pattern::node(text, Strength::Equality, EQUAL)
}

/// Prints a conjunction of comparisons. In a replacement, arithmetic on constants is wrapped in `fold`.
pub(super) fn conjunction(conditions: &[Condition], replacement: bool) -> Pattern {
    let parts = conditions.iter();
    let mut parts: Vec<Pattern> = parts.map(|c| comparison(c, replacement)).collect();
    parts.sort_by_key(|part| Reverse(part.weakest));
    if parts.len() == 1 {
        return parts.remove(0);
    }
    let parts: Vec<String> = parts.iter().map(|part| part.within(Strength::Equality)).collect();
    Pattern::node(parts.join(" && "), Strength::And, AND)
}

pub(super) fn comparison(condition: &Condition, replacement: bool) -> Pattern {
    let Condition { lhs, relation, rhs } = condition;
    if let (Term::Integer(x), Term::Integer(y)) = (lhs, rhs) {
        let holds = relation.holds(x, y);
        return Pattern::new(holds.to_string(), Strength::Whole, CONSTANT);
    }
    let (lhs, rhs) = (term(lhs, replacement), term(rhs, replacement));
    let (symbol, strength, node) = match relation {
        Relation::Equal => ("==", Strength::Equality, EQUAL),
        Relation::LessEqual => ("<=", Strength::Order, LESS_EQUAL),
        Relation::Less => ("<", Strength::Order, LESS),
    };
    let [lhs, rhs] = match relation {
        Relation::Equal => lhs.ordered(rhs),
        _ => [lhs, rhs],
    };
    let (lhs, rhs) = (lhs.within(Strength::Sum), rhs.within(Strength::Sum));
    Pattern::node(format!("{lhs} {symbol} {rhs}"), strength, node)
}

pub(super) fn term(term: &Term, replacement: bool) -> Pattern {
    if replacement && is_computed(term) {
        let text = format!("fold({})", self::term(term, false).text);
        return Pattern::new(text, Strength::Whole, CONSTANT);
    }
    let both = |x: &Term, y: &Term| [self::term(x, replacement), self::term(y, replacement)];
    let pair = |x: &Term, symbol: char, y: &Term, node: u8| {
        let [x, y] = both(x, y).map(|operand| operand.within(Strength::Whole));
        Pattern::node(format!("{x}{symbol}{y}"), Strength::Product, node)
    };
    let call = |name: &str, x: &Term, y: &Term, node: u8| {
        let [x, y] = both(x, y);
        let [x, y] = x.ordered(y);
        Pattern::node(format!("{name}({}, {})", x.text, y.text), Strength::Whole, node)
    };
    match term {
        Term::Integer(value) => {
            let strength = if *value < 0 { Strength::Product } else { Strength::Whole };
            Pattern::new(value.to_string(), strength, CONSTANT)
        }
        Term::Constant(slot) => Pattern::new(format!("c{slot}"), Strength::Whole, CONSTANT),
        Term::Expression(slot) => {
            let name = EXPRESSIONS.get(usize::from(*slot)).copied();
            Pattern::new(name.unwrap_or("_").to_owned(), Strength::Whole, ANYTHING)
        }
        Term::Sum(terms) => sum(terms, replacement),
        Term::Product(x, _) if **x == Term::Integer(-1) => {
            sum(std::slice::from_ref(term), replacement)
        }
        Term::Product(x, y) => {
            let [x, y] = both(x, y);
            let [x, y] = x.ordered(y).map(|operand| operand.within(Strength::Whole));
            Pattern::node(format!("{x}*{y}"), Strength::Product, MUL)
        }
        Term::FloorDiv(x, y) => pair(x, '/', y, DIV),
        Term::Mod(x, y) => pair(x, '%', y, MOD),
        Term::Min(x, y) => call("min", x, y, MIN),
        Term::Max(x, y) => call("max", x, y, MAX),
        // Bounds occur only in hints, which are not exported.
        Term::Lo(_) | Term::Hi(_) => Pattern::new("_".to_owned(), Strength::Whole, ANYTHING),
    }
}

/// Returns whether Halide folds the term before matching: a constant term that is not just a name or a number.
pub(super) fn is_computed(term: &Term) -> bool {
    let atom = matches!(term, Term::Integer(_) | Term::Constant(_) | Term::Expression(_));
    !atom && !term.has_expression()
}

/// Orders summands: stronger ones first, then constants, then subtrahends.
fn sum(terms: &[Term], replacement: bool) -> Pattern {
    let (mut added, mut taken, mut constants) = (Vec::new(), Vec::new(), Vec::new());
    for term in terms {
        match term {
            _ if !term.has_expression() => constants.push(term.clone()),
            Term::Product(sign, y) if **sign == Term::Integer(-1) => taken.push((**y).clone()),
            _ => added.push(self::term(term, replacement)),
        }
    }
    if added.is_empty() && taken.is_empty() {
        return signed(None, &constants);
    }
    added.sort_by_key(|part| Reverse(part.weakest));
    let only_taken =
        |term: &Term| matches!(term, Term::Product(sign, _) if **sign == Term::Integer(-1));
    let mut total = match constants.as_slice() {
        [] => None,
        all if all.iter().all(only_taken) => {
            for constant in all {
                if let Term::Product(_, y) = constant {
                    taken.push((**y).clone());
                }
            }
            None
        }
        [one] => Some(self::term(one, replacement)),
        _ => Some(self::term(&Term::Sum(constants), replacement)),
    };
    while let Some(part) = added.pop() {
        total = Some(match total {
            None => part,
            Some(rest) => {
                let [part, rest] = part.ordered(rest).map(|side| side.within(Strength::Product));
                Pattern::node(format!("{part} + {rest}"), Strength::Sum, ADD)
            }
        });
    }
    let mut total = total.unwrap_or_else(|| self::term(&Term::Integer(0), false));
    for term in &taken {
        let term = self::term(term, replacement).within(Strength::Product);
        let text = format!("{} - {term}", total.within(Strength::Sum));
        total = Pattern::node(text, Strength::Sum, SUB);
    }
    total
}

/// Adds or subtracts constants from left to right.
fn signed(start: Option<Pattern>, constants: &[Term]) -> Pattern {
    let mut total = start;
    for constant in constants {
        let (symbol, node, operand) = match constant {
            Term::Product(sign, y) if **sign == Term::Integer(-1) => ('-', SUB, term(y, false)),
            Term::Integer(value) if *value < 0 && *value != i64::MIN => {
                ('-', SUB, term(&Term::Integer(-value), false))
            }
            _ => ('+', ADD, term(constant, false)),
        };
        total = Some(match (total, symbol) {
            (None, '+') => operand,
            (None, _) => {
                let text = format!("0 - {}", operand.within(Strength::Product));
                Pattern::node(text, Strength::Sum, SUB)
            }
            (Some(total), _) => {
                let [total, operand] = match symbol {
                    '+' => total.ordered(operand),
                    _ => [total, operand],
                };
                let text = format!(
                    "{} {symbol} {}",
                    total.within(Strength::Sum),
                    operand.within(Strength::Product)
                );
                Pattern::node(text, Strength::Sum, node)
            }
        });
    }
    total.unwrap_or_else(|| term(&Term::Integer(0), false))
}
