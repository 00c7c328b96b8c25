//! Loops whose variable is halved or doubled, `for (int s = 128; s > 0; s >>= 1)`, parsed once for each of its values.
//!
//! Law: there is one round for each value that the header gives the variable, and all these values are constants.

use super::extent::closed;
use super::kernel::Kernel;
use super::program::Reader;
use super::token::Class;
use super::types::{Type, is_type};
use affinor_maps::text::ast::{NodeId, NodeKind, Sign};
use affinor_maps::text::{Error, ErrorKind, Span};

/// The maximal number of rounds of all such loops in one text.
pub const MAX_ROUNDS: usize = 256;

/// A loop whose variable is halved or doubled, with the values of the variable.
pub struct Rounds<'t> {
    pub name: &'t str,
    pub values: Vec<u64>,
    /// The number of tokens of the header.
    pub head: usize,
    pub span: Span,
}

impl<'t> Reader<'t> {
    /// Returns the rounds of the loop whose header begins here, if its variable is halved or doubled.
    pub fn rounds(&mut self) -> Result<Option<Rounds<'t>>, Error> {
        let tokens = self.tokens().clone();
        let head = closed(&tokens, 0);
        let semicolons: Vec<usize> = (0..head).filter(|at| tokens.ahead(*at).text == ";").collect();
        let types = (1..).take_while(|at| is_type(tokens.ahead(*at).text)).count();
        let name = tokens.ahead(types + 1).text;
        let [first, second] = semicolons[..] else {
            return Ok(None);
        };
        let word = |at: usize| tokens.ahead(second + 1 + at).text;
        let (operator, amount) = match (word(1), word(2) == name) {
            ("=", true) => (word(3), 4),
            (operator, _) => (operator.strip_suffix('=').unwrap_or(""), 2),
        };
        let is_step = word(0) == name && matches!(operator, ">>" | "<<" | "/" | "*");
        if !is_step || second + 2 + amount + 1 != head || tokens.ahead(types + 2).text != "=" {
            return Ok(None);
        }
        self.parser.is_c();
        let span = tokens.ahead(types + 1).span.start..tokens.ahead(head - 1).span.start;
        let fails = |message: String| {
            let error = Error::new(ErrorKind::Unsupported, span.clone(), message);
            error.hint(
                "write its first value and its end as numbers: `for (int s = 128; s > 0; s >>= 1)`",
            )
        };
        let unknown = || fails(format!("the values of `{name}` are not numbers"));
        let of = Type::of_words((1..=types).map(|at| tokens.ahead(at).text));
        let start = self.constant_at(types + 3, first).ok_or_else(unknown)?;
        let by = self.constant_at(second + 1 + amount, head - 1).ok_or_else(unknown)?;
        let relation = match second - first {
            2 if tokens.ahead(first + 1).text == name => "!=",
            _ if tokens.ahead(first + 1).text == name => tokens.ahead(first + 2).text,
            _ => return Err(unknown()),
        };
        let end = match second - first {
            2 => 0,
            _ => self.constant_at(first + 3, second).ok_or_else(unknown)?,
        };
        let mut values = Vec::new();
        let mut value = start;
        while holds(value, relation, end).ok_or_else(unknown)? {
            let next = stepped(value, operator, by).filter(|next| *next != value);
            let round = u64::try_from(value).ok().filter(|_| values.len() < MAX_ROUNDS);
            let (Some(next), Some(round)) = (next, round) else {
                return Err(fails(format!("the loop over `{name}` is not seen to end")));
            };
            if of != Type::Plain && !of.values().contains(next) {
                return Err(unknown());
            }
            values.push(round);
            value = next;
        }
        if values.is_empty() {
            return Err(fails(format!("the loop over `{name}` has no iteration")));
        }
        Ok(Some(Rounds { name, values, head, span }))
    }

    /// Returns the value of the constant that spans these tokens.
    fn constant_at(&mut self, from: usize, to: usize) -> Option<i64> {
        let outside = self.tokens().clone();
        (0..from).for_each(|_| self.tokens().advance());
        let value = self.parser.choice().ok();
        let is_whole = outside.len() - self.tokens().len() == to;
        *self.tokens() = outside;
        let is_used = std::mem::take(&mut self.parser.memory().is_used);
        self.constant(value.filter(|_| is_whole && !is_used)?)
    }

    fn constant(&self, id: NodeId) -> Option<i64> {
        match self.parser.terms.kind(id) {
            NodeKind::Integer(value) => i64::try_from(*value).ok(),
            NodeKind::Sum(summands) => {
                summands.iter().try_fold(0i64, |sum, (sign, x)| match sign {
                    Sign::Plus => sum.checked_add(self.constant(*x)?),
                    Sign::Minus => sum.checked_sub(self.constant(*x)?),
                })
            }
            NodeKind::Multiply(x, y) => self.constant(*x)?.checked_mul(self.constant(*y)?),
            NodeKind::Call("/", sides) => match sides[..] {
                [x, y] => self.constant(x)?.checked_div(self.constant(y)?),
                _ => None,
            },
            _ => None,
        }
    }

    /// Parses the body once for each value.
    pub fn unroll(
        &mut self,
        kernel: &mut Kernel<'t>,
        column: Option<usize>,
        rounds: Rounds<'t>,
    ) -> Result<(), Error> {
        self.check_loops(&[rounds.name])?;
        self.change_in_loop(column);
        (0..rounds.head).for_each(|_| self.tokens().advance());
        let body = self.tokens().clone();
        // Each round ends at this scope, and ends no statement around the loop.
        let outer = self.open(kernel);
        for value in rounds.values {
            kernel.rounds += 1;
            if kernel.rounds > MAX_ROUNDS {
                let message =
                    format!("loops that are halved or doubled have more than {MAX_ROUNDS} rounds");
                return Err(Error::new(ErrorKind::TooLarge, rounds.span, message));
            }
            *self.tokens() = body.clone();
            let value = self.parser.push(NodeKind::Integer(value), rounds.span.clone())?;
            self.parser.locals.insert(rounds.name, value);
            self.parser.memory().unknown.remove(rounds.name);
            self.round(kernel, column, outer)?;
            let is_token = self.tokens().current().class != Class::End;
            if !is_token && self.tokens().len() == body.len() {
                return Err(self.tokens().unexpected("a statement"));
            }
        }
        self.close(kernel, rounds.name);
        Ok(())
    }
}

fn holds(value: i64, relation: &str, end: i64) -> Option<bool> {
    Some(match relation {
        "<" => value < end,
        "<=" => value <= end,
        ">" => value > end,
        ">=" => value >= end,
        "!=" => value != end,
        _ => return None,
    })
}

fn stepped(value: i64, operator: &str, by: i64) -> Option<i64> {
    let bits = u32::try_from(by).ok().filter(|bits| *bits < 63);
    match operator {
        ">>" => bits.map(|bits| value >> bits),
        "<<" => value.checked_mul(1 << bits?),
        "/" => value.checked_div(by),
        "*" => value.checked_mul(by),
        _ => None,
    }
}
