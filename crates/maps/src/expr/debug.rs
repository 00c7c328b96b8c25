//! Debug text with plain variable numbers; the text that users see is `syntax::print`.

use super::{Expr, ExprKind};
use std::fmt;

impl fmt::Debug for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind() {
            ExprKind::Constant(value) => write!(f, "{value}"),
            ExprKind::Variable(id) => write!(f, "v{}", id.0),
            ExprKind::Sum(sum) => {
                f.write_str("(")?;
                for (c, x) in sum.terms() {
                    write!(f, "{c:+}*{x:?} ")?;
                }
                write!(f, "{:+})", sum.constant())
            }
            ExprKind::Product(list) => write!(f, "product{list:?}"),
            ExprKind::FloorDiv(x, c) => write!(f, "({x:?} floordiv {:?})", c.to_expr()),
            ExprKind::CeilDiv(x, c) => write!(f, "({x:?} ceildiv {:?})", c.to_expr()),
            ExprKind::Mod(x, c) => write!(f, "({x:?} mod {:?})", c.to_expr()),
            ExprKind::Min(list) => write!(f, "min{list:?}"),
            ExprKind::Max(list) => write!(f, "max{list:?}"),
        }
    }
}
