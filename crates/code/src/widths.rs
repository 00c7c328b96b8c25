//! Values in the types of C.
//!
//! Law: a value of an unsigned type of n bits is the remainder modulo 2^n; a value of a signed type lies between -2^(n-1) and
//! 2^(n-1) - 1 and has the same remainder. Signed arithmetic never wraps, since C leaves overflow undefined. A value whose bounds
//! fit stays as it is; so does one that may be too large only because names in it have no bounds, with a note.

use super::cases::{Case, truth_of};
use super::lower::Lowering;
use super::types::Type;
use super::value::Taken;
use affinor_maps::expr::{Expr, ExprError, ExprKind};
use affinor_maps::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use affinor_maps::text::ast::{Node, NodeId};
use affinor_maps::text::{Error, ErrorKind};

impl Lowering<'_> {
    /// Returns the operand `id`, converted to the type in which the operation is carried out.
    pub fn operand(&self, id: NodeId, of: Type) -> Result<Vec<Case>, Error> {
        let cases = self.number(id)?;
        match of {
            Type::Unsigned(_) if self.types[id.index()] != of => {
                self.converted(self.term.node(id), cases, of)
            }
            _ => Ok(cases),
        }
    }

    /// Returns the type of an operation on these operands.
    pub fn common_type(&self, operands: &[NodeId]) -> Type {
        if !self.is_typed {
            return Type::Plain;
        }
        let types = operands.iter().map(|id| self.types[id.index()]);
        types.fold(Type::Plain, Type::common)
    }

    /// Returns the values converted to a type.
    pub fn converted(&self, node: &Node, cases: Vec<Case>, of: Type) -> Result<Vec<Case>, Error> {
        let convert = |case: Case| {
            let range = self.range(&case.value, &case.limits);
            let value = self.in_type(node, &case, range, of)?;
            Ok(Case { value, ..case })
        };
        cases.into_iter().map(convert).collect()
    }

    fn in_type(&self, node: &Node, case: &Case, range: Interval, of: Type) -> Result<Expr, Error> {
        let value = &case.value;
        let (bits, is_signed) = match of {
            Type::Signed(bits) => (bits, true),
            Type::Unsigned(bits) => (bits, false),
            Type::Plain | Type::Bool => return Ok(value.clone()),
        };
        let too_wide = || {
            let message = format!(
                "this value may not fit in {}, and no map has a remainder by 2^{bits}",
                of.name()
            );
            let error = self.wrong(node, ErrorKind::Unsupported, message);
            Err(error.hint("bound the names in it: `, domain: i in [0, 1023]`"))
        };
        if bits > 32 {
            let fits = is_signed || range.lo() >= 0;
            return if fits { Ok(value.clone()) } else { too_wide() };
        }
        let half = if is_signed { 1i64 << (bits - 1) } else { 0 };
        let fitting = Interval::new(-half, (1i64 << bits) - 1 - half);
        if fitting.contains_all(range) {
            return Ok(value.clone());
        }
        // A value that may be too large only because names have no bounds is assumed to fit, as its author intends. A value that
        // has wrapped before is too large for another reason.
        let is_free = match is_signed {
            true => range.lo() == MINUS_INFINITY || range.hi() == PLUS_INFINITY,
            false => range.lo() >= 0 && range.hi() == PLUS_INFINITY,
        } && !has_wrapped(value);
        if bits == 32 && is_free {
            let part = truth_of(case.limits.iter()).and_then(|truth| truth.times(value));
            let part = part.map_err(|error| self.not_built(error, node))?;
            let taken = Taken { value: part, within: fitting };
            self.taken.borrow_mut().push((node.span.clone(), of, taken));
            return Ok(value.clone());
        }
        let wrapped = || -> Result<Expr, ExprError> {
            let shifted = value.add(&Expr::constant(half))?;
            shifted.modulo(1i64 << bits)?.add(&Expr::constant(-half))
        };
        wrapped().map_err(|error| self.not_built(error, node))
    }
}

/// Returns whether an expression contains a remainder by 2^32.
fn has_wrapped(expr: &Expr) -> bool {
    let mut waiting = vec![expr];
    while let Some(expr) = waiting.pop() {
        if let ExprKind::Mod(_, divisor) = expr.kind()
            && divisor.as_integer() == Some(1 << 32)
        {
            return true;
        }
        waiting.extend(expr.operands());
    }
    false
}
