//! Calls with two results: `divmod(a, b)` of Python and `tl.swizzle2d(i, j, size_i, size_j, size_g)` of Triton.

use super::program::Reader;
use affinor_maps::text::ast::{NodeId, NodeKind, Sign};
use affinor_maps::text::{Error, Span};

impl<'t> Reader<'t> {
    pub fn divmod(&mut self) -> Result<[NodeId; 2], Error> {
        let ([dividend, divisor], span) = self.operands("divmod(a, b)")?;
        let quotient = NodeKind::FloorDiv(dividend, divisor);
        let quotient = self.parser.push(quotient, span.clone())?;
        Ok([quotient, self.parser.push(NodeKind::Mod(dividend, divisor), span)?])
    }

    /// Parses Triton's order of programs in groups of `size_g` rows, the last of which may be shorter.
    pub fn swizzle2d(&mut self) -> Result<[NodeId; 2], Error> {
        let ([i, j, size_i, size_j, size_g], span) =
            self.operands("tl.swizzle2d(i, j, size_i, size_j, size_g)")?;
        let mut push = |kind: NodeKind<'t>| self.parser.push(kind, span.clone());
        let row = push(NodeKind::Multiply(i, size_j))?;
        let place = push(NodeKind::Sum(vec![(Sign::Plus, row), (Sign::Plus, j)]))?;
        let group_size = push(NodeKind::Multiply(size_g, size_j))?;
        let group = push(NodeKind::FloorDiv(place, group_size))?;
        let first = push(NodeKind::Multiply(group, size_g))?;
        let left = push(NodeKind::Sum(vec![(Sign::Plus, size_i), (Sign::Minus, first)]))?;
        let rows = push(NodeKind::Call("min", vec![left, size_g]))?;
        let inside = push(NodeKind::Mod(place, group_size))?;
        let along = push(NodeKind::Mod(inside, rows))?;
        let new_i = push(NodeKind::Sum(vec![(Sign::Plus, first), (Sign::Plus, along)]))?;
        Ok([new_i, push(NodeKind::FloorDiv(inside, rows))?])
    }

    /// Parses the operands of the call that begins here.
    fn operands<const N: usize>(&mut self, signature: &str) -> Result<([NodeId; N], Span), Error> {
        self.parser.is_python = true;
        let start = self.tokens().current().span.start;
        let with_signature = |error: Error| error.hint(format!("the function is `{signature}`"));
        self.tokens().advance();
        self.tokens().take("(")?;
        self.parser.tokens.depth += 1;
        let mut operands = [self.parser.choice()?; N];
        for operand in &mut operands[1..] {
            self.tokens().take(",").map_err(with_signature)?;
            *operand = self.parser.choice()?;
        }
        self.parser.tokens.depth -= 1;
        self.tokens().take(")").map_err(with_signature)?;
        let span = start..self.tokens().previous_end();
        Ok((operands, span))
    }
}
