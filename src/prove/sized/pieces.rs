//! Joins several expressions, each of which is the bound at some samples, to one: a max of mins, or a min of maxes.
//!
//! A continuous function that equals one of the pieces in each of several regions is the max over the regions of the min of the
//! pieces that are not below it there. The samples only suggest this; it must be proved.

use super::samples::Samples;
use crate::expr::Expr;

/// A piece with its values at the samples.
struct Piece<'e> {
    expr: &'e Expr,
    values: Vec<i64>,
}

/// Returns the expression that equals the bound at all samples.
pub fn joined(pieces: &[Expr], samples: &Samples) -> Option<Expr> {
    let wanted: Vec<i64> = samples.list.iter().map(|sample| sample.value).collect();
    let mut all: Vec<Piece> = Vec::new();
    for expr in pieces {
        let values = samples.list.iter().map(|sample| expr.eval(&sample.point).ok());
        let values = values.collect::<Option<Vec<i64>>>()?;
        // Of pieces that are equal at all samples, keeps the smallest.
        match all.iter_mut().find(|other| other.values == values) {
            Some(other) if expr.cost() < other.expr.cost() => other.expr = expr,
            Some(_) => {}
            None => all.push(Piece { expr, values }),
        }
    }
    let forms = [false, true].map(|is_low| in_form(&all, &wanted, is_low));
    forms.into_iter().flatten().min_by_key(|expr| expr.cost())
}

/// Builds a max of mins or, if `is_low`, a min of maxes.
fn in_form(pieces: &[Piece], wanted: &[i64], is_low: bool) -> Option<Expr> {
    let sign = if is_low { -1 } else { 1 };
    let beyond = |values: &[i64], place: usize| {
        values[place].saturating_mul(sign) > wanted[place].saturating_mul(sign)
    };
    let inner = |list: Vec<Expr>| if is_low { Expr::max(list) } else { Expr::min(list) };
    let mut terms: Vec<(Vec<usize>, Expr)> = Vec::new();
    for piece in pieces {
        let own: Vec<usize> =
            (0..wanted.len()).filter(|place| piece.values[*place] == wanted[*place]).collect();
        let mut list = vec![piece.expr.clone()];
        let mut too_far: Vec<usize> =
            (0..wanted.len()).filter(|place| beyond(&piece.values, *place)).collect();
        while !too_far.is_empty() {
            // Another piece helps if it does not fall short where this piece attains the bound, and stays within it at the most
            // samples where this piece exceeds it.
            let helps = |other: &&Piece| {
                own.iter().all(|place| {
                    other.values[*place].saturating_mul(sign) >= wanted[*place].saturating_mul(sign)
                })
            };
            let mends = |other: &&Piece| {
                too_far.iter().filter(|place| !beyond(&other.values, **place)).count()
            };
            let best = pieces.iter().filter(helps).rev().max_by_key(mends);
            match best.filter(|best| mends(best) > 0) {
                Some(best) => {
                    too_far.retain(|place| beyond(&best.values, *place));
                    list.push(best.expr.clone());
                }
                None => break,
            }
        }
        if too_far.is_empty() {
            let term = inner(list).ok()?;
            terms.push((own, term));
        }
    }
    let mut left: Vec<usize> = (0..wanted.len()).collect();
    let mut chosen = Vec::new();
    while !left.is_empty() {
        let hits = |own: &Vec<usize>| left.iter().filter(|place| own.contains(place)).count();
        let best = (0..terms.len()).rev().max_by_key(|place| hits(&terms[*place].0))?;
        let (own, term) = terms.remove(best);
        if hits(&own) == 0 {
            return None;
        }
        left.retain(|place| !own.contains(place));
        chosen.push(term);
    }
    if is_low { Expr::min(chosen).ok() } else { Expr::max(chosen).ok() }
}
