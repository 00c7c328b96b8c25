//! `tile --pid`: the tile that each program of a grid of programs computes, `t0 = pid floordiv 3, t1 = pid mod 3`.
//!
//! Law: programs are numbered like the tiles of the array in row-major order, one program per tile. Tiles along range variables
//! are processed in turn by one program.

use crate::option::Flag;
use crate::output::{Object, Role, Text};
use affinor::expr::{Expr, ExprError, VariableId};
use affinor::text::{Style, print_expr};
use std::sync::Arc;

pub const PID: Flag = Flag::new(
    "pid",
    "express the tile of each program in terms of its number `pid`; tiles along range variables are processed in turn",
);

/// The error for an array that `--pid` does not support.
pub const FROM_ZERO: &str = "`--pid` takes arrays of bounded sizes of which the indices begin at 0";

/// The tiles of a grid: their number in each dimension, followed by further tile variables for tiles processed in turn.
pub struct Programs<'a> {
    /// The number of tiles in each dimension of the array, over the variables of the tile.
    pub counts: &'a [Expr],
    /// The number of tile variables.
    pub tiles: usize,
    /// The names of the variables.
    pub names: &'a [Arc<str>],
    pub style: Style,
}

impl Programs<'_> {
    /// Writes a line with the tile of each program, and `{"pid": {"programs", "tiles", "in_turn"}}`.
    ///
    /// # Errors
    /// If an expression is not representable.
    pub fn write(&self, text: &mut Text, json: Object) -> Result<Object, ExprError> {
        let mut names = self.names.to_vec();
        let pid = Expr::variable(VariableId(names.len() as u32));
        names.push("pid".into());
        let print = |expr: &Expr| print_expr(expr, &names, self.style);
        let (mut tiles, mut behind) = (Vec::new(), Expr::constant(1));
        for (number, count) in self.counts.iter().enumerate().rev() {
            let whole = pid.floordiv_by(&behind)?;
            let tile = if number == 0 { whole } else { whole.modulo_by(count)? };
            tiles.insert(0, (format!("t{number}"), print(&tile)));
            behind = behind.times(count)?;
        }
        let in_turn: Vec<String> =
            (self.counts.len()..self.tiles).map(|number| format!("t{number}")).collect();
        let last = print(&behind.sub(&Expr::constant(1))?);
        let equal = tiles.iter().map(|(name, tile)| format!("{name} = {tile}"));
        let equal = equal.collect::<Vec<String>>().join(", ");
        text.push(Role::Faint, format!("\npid in [0, {last}]: {equal}"));
        if !in_turn.is_empty() {
            text.push(Role::Faint, format!("; {} in turn", in_turn.join(", ")));
        }
        let tiles = tiles.into_iter();
        let tiles = tiles.fold(Object::nested(), |object, (name, tile)| object.with(&name, tile));
        let object = Object::nested().with("programs", print(&behind)).with("tiles", tiles);
        Ok(json.with("pid", object.with("in_turn", in_turn)))
    }
}
