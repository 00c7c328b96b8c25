//! Lowers pieces to one map: solves for outputs that are names, and turns conditions into bounds and constraints; a condition
//! with connectives other than `and` becomes a constraint on a min or max.
//!
//! The value of an output that is a name is given by an equation or by its bounds. An output with several values is a range
//! variable: all of its values are read. The same applies to the outputs of pieces that are different functions.

use super::super::lower::{Sizes, expr_error};
use super::super::lower_maps::check_divisors;
use super::super::scope::Scope;
use super::super::token::excerpt;
use super::bounds::hull;
use super::eliminate::{Solution, only_value, solution, solving, values, without};
use super::formula::Formula;
use super::parse::{Entry, IslText, Named, PieceText};
use super::reader::Reader;
use crate::expr::{Domain, End, Expr, IndexingMap, Variable, VariableId, VariableKind, bounded};
use crate::num::Interval;
use crate::text::{Error, ErrorKind, Span};

/// Maximum number of outputs without an equation that are searched for one with a value.
const MAX_OPEN: usize = 64;

/// A piece: its condition as parts of an `and`, and its outputs.
struct Piece {
    parts: Vec<Formula>,
    results: Vec<Expr>,
    span: Span,
}

/// Lowers a map of isl. `text` is its source.
///
/// # Errors
/// The errors of a map in parentheses; [`ErrorKind::Unsupported`] for pieces of several spaces.
pub fn map<'t>(map: &IslText<'t>, text: &'t str) -> Result<IndexingMap, Error> {
    check_pieces(&map.pieces)?;
    let dimensions = map.pieces.first().map_or(0, |piece| piece.inputs.len());
    let mut parameters = Scope::new([]);
    for (index, (name, span)) in map.parameters.iter().enumerate() {
        if parameters.knows(name) {
            let message = format!("the variable `{}` is declared twice", excerpt(name));
            let error = Error::new(ErrorKind::Name, span.clone(), message);
            return Err(error.hint("choose another name"));
        }
        parameters.bind(name, VariableId((dimensions + index) as u32));
    }
    let known = dimensions + map.parameters.len();
    let mut reader = Reader {
        text,
        scope: parameters.clone(),
        sizes: Sizes::of_any(map.is_symbolic),
        dimensions,
        next: known as u32,
        hidden: Vec::new(),
    };
    let mut names = Vec::new();
    let mut pieces = Vec::new();
    for piece in &map.pieces {
        reader.scope = parameters.clone();
        let (own, read) = reader.piece(piece)?;
        if names.is_empty() {
            names = own;
        }
        pieces.push(read);
    }
    let Piece { parts, results, .. } = reader.joined(pieces)?;
    let domain = reader.domain(&names, map, &parts, &results)?;
    Ok(domain)
}

/// Checks that all pieces belong to one space.
fn check_pieces(pieces: &[PieceText]) -> Result<(), Error> {
    let Some((first, others)) = pieces.split_first() else {
        return Ok(());
    };
    let shape = |piece: &PieceText| (piece.inputs.len(), piece.outputs.as_ref().map(Vec::len));
    let other =
        others.iter().find(|piece| piece.spaces != first.spaces || shape(piece) != shape(first));
    other.map_or(Ok(()), |piece| {
        let message = "a union of several spaces is not an index map";
        let error = Error::new(ErrorKind::Unsupported, piece.span.clone(), message);
        Err(error.hint("give each space as a map of its own"))
    })
}

impl Piece {
    /// Returns whether the condition of the piece is known never to hold.
    fn is_empty(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Formula::Any(cases) if cases.is_empty()))
    }

    /// Returns whether the results of the piece equal the given ones if its equations hold.
    fn gives(&self, results: &[Expr], dimensions: usize) -> bool {
        if self.is_empty() || self.results == results {
            return true;
        }
        let mut sides: Vec<(Expr, Expr)> =
            self.results.iter().cloned().zip(results.iter().cloned()).collect();
        for id in (0..dimensions as u32).map(VariableId) {
            let Some((_, Solution { value, factor: 1, .. })) = solving(id, &self.parts) else {
                continue;
            };
            let values = values(id, value);
            for side in sides.iter_mut().flat_map(|(x, y)| [x, y]) {
                match side.substitute(&values) {
                    Ok(placed) => *side = placed,
                    Err(_) => return false,
                }
            }
        }
        sides.iter().all(|(x, y)| x == y)
    }
}

impl<'t> Reader<'t> {
    /// Joins the pieces into one: at least one of their conditions holds. The results are those of a piece that equal the results
    /// of every other piece if its equations hold. If there is no such piece, the results are range variables, whose values are
    /// given by the conditions of the pieces.
    fn joined(&mut self, pieces: Vec<Piece>) -> Result<Piece, Error> {
        let dimensions = self.dimensions;
        let is_common =
            |results: &[Expr]| pieces.iter().all(|piece| piece.gives(results, dimensions));
        let common = pieces.iter().map(|piece| &piece.results).find(|results| is_common(results));
        let common = common.cloned();
        let results = match &common {
            Some(results) => results.clone(),
            None => {
                let count = pieces.first().map_or(0, |piece| piece.results.len());
                let ids: Vec<VariableId> = (0..count).map(|_| self.fresh()).collect();
                self.hidden.extend(ids.iter().map(|id| (*id, "o")));
                ids.into_iter().map(Expr::variable).collect()
            }
        };
        let mut cases = Vec::with_capacity(pieces.len());
        for mut piece in pieces {
            if common.is_none() {
                for (result, own) in results.iter().zip(&piece.results) {
                    piece.parts.push(self.equation(result, own, &piece.span)?);
                }
            }
            cases.push(piece.parts);
        }
        let parts = match cases.len() {
            1 => cases.remove(0),
            _ => vec![Formula::Any(cases.into_iter().map(Formula::All).collect())],
        };
        Ok(Piece { parts, results, span: 0..0 })
    }

    /// Returns the names of the inputs of a piece, `None` for an entry that is not a name, and the piece.
    fn piece(&mut self, piece: &PieceText<'t>) -> Result<(Vec<Option<&'t str>>, Piece), Error> {
        let first = self.hidden.len();
        let mut names = Vec::new();
        for (index, entry) in piece.inputs.iter().enumerate() {
            let name = entry.name().map(|(name, _)| name).filter(|name| !self.scope.knows(name));
            if let Some(name) = name {
                self.scope.bind(name, VariableId(index as u32));
            }
            names.push(name);
        }
        let mut parts = Vec::new();
        for (index, (entry, name)) in piece.inputs.iter().zip(&names).enumerate() {
            let of = Expr::variable(VariableId(index as u32));
            let own = name.is_none().then_some(&entry.term);
            for term in own.into_iter().chain(&entry.value) {
                let value = self.expr(term)?;
                parts.push(self.equation(&of, &value, &term.span())?);
            }
        }
        let inputs = || (0..names.len()).map(|index| Expr::variable(VariableId(index as u32)));
        let (open, results) = match &piece.outputs {
            None => (Vec::new(), inputs().collect()),
            Some(entries) => self.outputs(entries, &mut parts)?,
        };
        if let Some(condition) = &piece.condition {
            parts.push(self.condition(condition)?);
        }
        let mut flat = Vec::new();
        Formula::All(parts).flattened(&mut flat);
        let mut read = Piece { parts: flat, results, span: piece.span.clone() };
        self.solve(open, &mut read)?;
        self.eliminate(first, &mut read)?;
        Ok((names, read))
    }

    /// Returns the outputs that are new names, and the expressions of all outputs.
    #[expect(clippy::type_complexity, reason = "two lists")]
    fn outputs(
        &mut self,
        entries: &[Entry<'t>],
        parts: &mut Vec<Formula>,
    ) -> Result<(Vec<(VariableId, Named<'t>)>, Vec<Expr>), Error> {
        let mut open = Vec::new();
        for entry in entries {
            if let Some((name, span)) = entry.name()
                && !self.scope.knows(name)
            {
                let id = self.fresh();
                self.scope.bind(name, id);
                open.push((id, (name, span)));
            }
        }
        let mut results = Vec::with_capacity(entries.len());
        for entry in entries {
            let result = self.expr(&entry.term)?;
            if let Some(term) = &entry.value {
                let value = self.expr(term)?;
                parts.push(self.equation(&result, &value, &term.span())?);
            }
            results.push(result);
        }
        Ok((open, results))
    }

    /// Replaces outputs by the values that conditions give them. An output with several values, or none, stays a variable.
    fn solve(
        &mut self,
        mut open: Vec<(VariableId, Named<'t>)>,
        piece: &mut Piece,
    ) -> Result<(), Error> {
        while !open.is_empty() {
            let is_known = |expr: &Expr| {
                let variables = expr.variables();
                !open.iter().any(|(id, _)| variables.contains(id))
            };
            let by_equation = |most: i64| {
                piece.parts.iter().enumerate().find_map(|(place, part)| {
                    let Formula::Is(equation) = part else { return None };
                    equation.is_equation.then_some(())?;
                    let own = equation.difference.variables().into_iter().find_map(|id| {
                        let index = open.iter().position(|(open, _)| *open == id)?;
                        let found = solution(id, equation).filter(|solution| {
                            solution.factor <= most && is_known(&solution.value)
                        });
                        Some((index, found?))
                    });
                    own.map(|(index, solution)| (index, (place, solution)))
                })
            };
            if let Some((index, found)) = by_equation(1).or_else(|| by_equation(i64::MAX)) {
                let (id, _) = open.remove(index);
                self.solved(id, found, piece)?;
                continue;
            }
            let pinned = open.iter().take(MAX_OPEN).enumerate().find_map(|(index, (id, _))| {
                let value = only_value(*id, &piece.parts).filter(&is_known)?;
                Some((index, value))
            });
            if let Some((index, value)) = pinned {
                let (id, (_, span)) = open.remove(index);
                self.place(id, value, &span, piece)?;
                continue;
            }
            // Each round may determine the value of another output; the number of rounds is limited for long lists.
            let hidden = if open.len() > MAX_OPEN { open.len() } else { 1 };
            for (id, (name, span)) in open.drain(..hidden) {
                if piece.is_empty() {
                    self.place(id, Expr::constant(0), &span, piece)?;
                } else if piece.parts.iter().any(|part| part.mentions(id)) {
                    self.hidden.push((id, name));
                } else {
                    let message =
                        format!("no condition gives the output `{}` a value", excerpt(name));
                    let error = Error::new(ErrorKind::Name, span, message);
                    return Err(error.hint("write the output as an expression of the inputs"));
                }
            }
        }
        Ok(())
    }

    /// Substitutes the solution of an equation for a variable.
    fn solved(
        &mut self,
        id: VariableId,
        (place, solution): (usize, Solution),
        piece: &mut Piece,
    ) -> Result<(), Error> {
        let Formula::Is(equation) = piece.parts.remove(place) else {
            return Ok(());
        };
        self.place(id, solution.value, &equation.span, piece)?;
        piece.parts.extend(solution.whole);
        Ok(())
    }

    /// Substitutes a value for a variable.
    fn place(
        &mut self,
        id: VariableId,
        value: Expr,
        span: &Span,
        piece: &mut Piece,
    ) -> Result<(), Error> {
        let text = self.text;
        let failed = |error| expr_error(error, span, text);
        let values = values(id, value);
        for part in &mut piece.parts {
            *part = part.placed(&values).map_err(failed)?;
        }
        for result in &mut piece.results {
            *result = result.substitute(&values).map_err(failed)?;
        }
        for (divisor, _) in self.sizes.iter_mut().flat_map(|sizes| &mut sizes.divisors) {
            *divisor = divisor.substitute(&values).map_err(failed)?;
        }
        Ok(())
    }

    /// Eliminates the existential integers from the `first` on from a piece: by an equation that determines one, or, if the
    /// outputs do not depend on it, by its bounds.
    fn eliminate(&mut self, first: usize, piece: &mut Piece) -> Result<(), Error> {
        for most in [1, i64::MAX] {
            let mut index = first;
            while let Some((id, _)) = self.hidden.get(index).copied() {
                let found = solving(id, &piece.parts);
                match found.filter(|(_, solution)| solution.factor <= most) {
                    Some(found) => {
                        self.solved(id, found, piece)?;
                        self.hidden.remove(index);
                    }
                    None => index += 1,
                }
            }
        }
        for index in (first..self.hidden.len()).rev() {
            let (id, _) = self.hidden[index];
            let is_read = piece.results.iter().any(|x| x.variables().contains(&id));
            if is_read || self.divides(id) {
                if let Some(value) = only_value(id, &piece.parts) {
                    self.hidden.remove(index);
                    let span = piece.span.clone();
                    self.place(id, value, &span, piece)?;
                }
                continue;
            }
            let all = Formula::All(piece.parts.clone());
            if let Some(free) = without(id, &all) {
                piece.parts.clear();
                free.flattened(&mut piece.parts);
                self.hidden.remove(index);
            }
        }
        Ok(())
    }

    /// Builds the map with this condition and these results.
    fn domain(
        mut self,
        names: &[Option<&'t str>],
        map: &IslText<'t>,
        parts: &[Formula],
        results: &[Expr],
    ) -> Result<IndexingMap, Error> {
        let known = self.dimensions + map.parameters.len();
        let mut variables = Vec::new();
        let mut taken: Vec<String> =
            names.iter().flatten().map(|name| (*name).to_owned()).collect();
        taken.extend(map.parameters.iter().map(|(name, _)| (*name).to_owned()));
        let mut unique = |name: &str| {
            let numbered = (1..).map(|number: u32| format!("{name}{number}"));
            let mut all = std::iter::once(name.to_owned()).chain(numbered);
            let free = all.find(|name| !taken.contains(name)).unwrap_or_default();
            taken.push(free.clone());
            free
        };
        for (index, name) in names.iter().enumerate() {
            let name = name.map_or_else(|| unique(&format!("d{index}")), str::to_owned);
            variables.push(Variable::new(name, VariableKind::Dimension, Interval::ALL));
        }
        // The variables of the map: dimensions, range variables, parameters.
        let mut places: Vec<Expr> =
            (0..self.next).map(|id| Expr::variable(VariableId(id))).collect();
        for (id, name) in &self.hidden {
            places[id.index()] = Expr::variable(VariableId(variables.len() as u32));
            variables.push(Variable::new(unique(name), VariableKind::Range, Interval::ALL));
        }
        for (index, (name, _)) in (self.dimensions..known).zip(&map.parameters) {
            places[index] = Expr::variable(VariableId(variables.len() as u32));
            variables.push(Variable::new(*name, VariableKind::Parameter, Interval::ALL));
        }
        let whole = map.pieces.first().map_or(0..0, |piece| piece.span.clone());
        let text = self.text;
        let placed = |expr: &Expr, span: &Span| {
            expr.substitute(&places).map_err(|error| expr_error(error, span, text))
        };
        let mut domain = Domain::new(variables);
        let parts = parts.iter().map(|part| part.placed(&places));
        let parts: Result<Vec<Formula>, _> = parts.collect();
        let parts = parts.map_err(|error| expr_error(error, &whole, text))?;
        for part in &parts {
            constrain(&mut domain, part, &whole, text)?;
        }
        // The bounds of a range variable that was an output are not in the text, so they are derived.
        let mut bounds = vec![Interval::ALL; domain.variables().len()];
        if !self.hidden.is_empty() && hull(&Formula::All(parts), &mut bounds) {
            for (id, _) in &self.hidden {
                if let Some(id) = places[id.index()].as_variable() {
                    domain.constrain(&Expr::variable(id), bounds[id.index()]);
                }
            }
        }
        let results = results.iter().map(|x| placed(x, &whole)).collect::<Result<Vec<_>, _>>()?;
        for (divisor, span) in self.sizes.iter_mut().flat_map(|sizes| &mut sizes.divisors) {
            *divisor = placed(divisor, span)?;
        }
        check_divisors(&domain, self.sizes.as_ref())?;
        Ok(IndexingMap::new(domain, results))
    }
}

/// Adds a part of a condition to a domain.
fn constrain(domain: &mut Domain, part: &Formula, whole: &Span, text: &str) -> Result<(), Error> {
    let span = match part {
        Formula::Is(comparison) => &comparison.span,
        _ => whole,
    };
    let failed = |error| expr_error(error, span, text);
    match part {
        Formula::All(parts) => {
            return parts.iter().try_for_each(|part| constrain(domain, part, whole, text));
        }
        Formula::Is(comparison) => {
            let Some(comparison) = comparison.reduced().map_err(failed)? else {
                domain.make_empty();
                return Ok(());
            };
            let ends: &[End] = match comparison.is_equation {
                true => &[End::Lower, End::Upper],
                false => &[comparison.end],
            };
            for end in ends {
                let constraint = bounded(&comparison.difference, *end, &Expr::constant(0));
                let (expr, bounds) = constraint.map_err(failed)?;
                domain.constrain(&expr, bounds);
            }
        }
        Formula::Any(cases) => {
            let bounds: Vec<Interval> =
                domain.variables().iter().map(|variable| variable.bounds).collect();
            let can_hold = |case: &&Formula| hull(case, &mut bounds.clone());
            let cases: Vec<Formula> = cases.iter().filter(can_hold).cloned().collect();
            if let [only] = cases.as_slice() {
                return constrain(domain, only, whole, text);
            }
            let part = Formula::Any(cases);
            let mut common = bounds.clone();
            if !hull(&part, &mut common) {
                domain.make_empty();
                return Ok(());
            }
            for (index, bounds) in common.into_iter().enumerate() {
                domain.constrain(&Expr::variable(VariableId(index as u32)), bounds);
            }
            let truth = part.truth().map_err(failed)?;
            let (expr, bounds) = bounded(&truth, End::Lower, &Expr::constant(0)).map_err(failed)?;
            domain.constrain(&expr, bounds);
        }
    }
    Ok(())
}
