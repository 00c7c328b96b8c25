//! Compares sums of products, however they are written: `a - c` and `a + -c`, `x * (y + z)` and `x * y + x * z`.
//!
//! Law: sums of integers, which wrap, are the same if they are the same polynomial over the same elements. Floats are treated as
//! real numbers, so they are only compared here if different rounding is permitted ([`Computed::but_for_rounding`]): then
//! quotients, roots and powers are products, too, and constants are the same if they differ by no more than rounding errors.

use super::alike::{combiner, is_fold};
use super::counters::Multiple;
use super::frames::At;
use super::parts::View;
use super::polynomials::{
    Ring, TRUTH, Term, are_equal, are_like, collected, is_normal, power, product,
};
use super::values::{Computed, without_results};
use super::verdict::Verdict;
use crate::agreement::{Change, change};
use affinor::expr::{Expr, ExprKind, IndexingMap};
use affinor_hlo::element_type::ElementType;
use affinor_hlo::opcode::Opcode;
use affinor_hlo::shape::Shape;
use affinor_ops::indexing::OperandMap;

/// How far a sum is followed.
#[derive(Clone, Copy)]
struct Reach {
    /// Maximum number of terms of a sum.
    terms: usize,
    /// Maximum depth of operations.
    depth: usize,
    /// Maximum number of elements of a fold that are its terms.
    folded: usize,
}

/// First few operations; more only if the sums then have equally many products of each degree, since all terms are compared.
/// All operations before folds, which are followed last: a sum that is cut off at some depth is written in other elements where
/// one side has an operation more.
const REACHES: [Reach; 3] = [
    Reach { terms: 24, depth: 6, folded: 1 },
    Reach { terms: 64, depth: 64, folded: 1 },
    Reach { terms: 64, depth: 64, folded: 36 },
];

/// Maximum number of operations that are followed for one side.
const STEPS: usize = 400;

/// The sum of one side.
struct Sum<'s> {
    side: usize,
    sizes: &'s [i64],
    ring: Ring,
    reach: Reach,
    steps: usize,
    /// The elements that the terms are products of.
    atoms: Vec<View>,
}

impl Computed<'_> {
    /// Compares two views as sums of products.
    pub(super) fn sums(&mut self, sizes: &[i64], views: [&View; 2]) -> Option<Verdict> {
        if let Some(found) = self.extremes(sizes, views) {
            return Some(found);
        }
        let is_arithmetic = (0..2).any(|side| {
            let opcode = self.frames[side].instruction(&views[side].at).opcode();
            is_arithmetic(opcode)
        });
        is_arithmetic.then_some(())?;
        let types = [0, 1].map(|side| {
            let at = &views[side].at;
            let shape = self.frames[side].instruction(at).shape().at(&at.place.1)?;
            Some(shape.as_array()?.element_type())
        });
        let (Some(of), true) = (types[0], types[0] == types[1]) else {
            return None;
        };
        let ring = match of {
            _ if of.is_signed_integer() || of.is_unsigned_integer() => Ring::Whole(of.bits()),
            _ if of.is_float() && self.is_rounded => Ring::Real,
            _ => return None,
        };
        let mut all = REACHES.into_iter();
        all.find_map(|reach| self.sums_within(sizes, views, (ring, of), reach))
    }

    fn sums_within(
        &mut self,
        sizes: &[i64],
        views: [&View; 2],
        (ring, of): (Ring, ElementType),
        reach: Reach,
    ) -> Option<Verdict> {
        let mut found = Vec::new();
        for (side, view) in views.into_iter().enumerate() {
            let mut sum = Sum { side, sizes, ring, reach, steps: 0, atoms: Vec::new() };
            let terms = self.terms(&mut sum, view, reach.depth)?;
            found.push((sum.atoms, terms));
        }
        let (new_atoms, new) = found.pop()?;
        let (old_atoms, old) = found.pop()?;
        // No operation was expanded.
        let is_whole = |atoms: &[View], view: &View| atoms.iter().any(|atom| atom.at == view.at);
        let are_whole = is_whole(&old_atoms, views[0]) && is_whole(&new_atoms, views[1]);
        (!are_whole).then_some(())?;
        (reach.depth == REACHES[0].depth || are_like(&old, &new, ring)).then_some(())?;
        if reach.folded > 1 {
            self.matches = self.matches.checked_sub(1)?;
        }
        let numbers = self.matched(sizes, [&old_atoms, &new_atoms]);
        let (old, new) = (collected(&old, &numbers[0], ring)?, collected(&new, &numbers[1], ring)?);
        // Constants have no elements that show at which points they are summed.
        let is_same = are_equal(&old, &new, ring, of) && self.have_same_points(views);
        is_same.then_some(Verdict::Same)
    }

    /// Returns whether both views are defined at the same points.
    fn have_same_points(&mut self, views: [&View; 2]) -> bool {
        let [old, new] = views.map(|view| points(&view.maps));
        old == new || self.reads_same([&old, &new])
    }

    /// Numbers the elements of both sides: a new element that is equal to an old one has the old one's number.
    fn matched(&mut self, sizes: &[i64], atoms: [&[View]; 2]) -> [Vec<usize>; 2] {
        let [old, new] = atoms;
        let mut numbers: Vec<usize> = (0..old.len()).collect();
        let mut others = Vec::with_capacity(new.len());
        for (k, other) in new.iter().enumerate() {
            // Old elements without a partner come first, and among these the results of the same operation.
            let opcode = |side: usize, of: &View| self.frames[side].instruction(&of.at).opcode();
            let mut order: Vec<usize> = (0..old.len()).collect();
            order.sort_by_key(|number| {
                let is_like = opcode(0, &old[*number]) == opcode(1, other);
                (others.contains(number), !is_like)
            });
            let is_same = |this: &mut Self, one: &View| {
                this.same(sizes, [one.clone(), other.clone()], None).is_same()
            };
            let found = order.into_iter().find(|number| is_same(self, &old[*number]));
            others.push(found.unwrap_or(old.len() + k));
        }
        // Old elements that are equal to a new element.
        for number in 0..old.len() {
            let is_free = !others.contains(&number);
            let partner = (0..new.len()).filter(|_| is_free).find(|k| {
                let pair = [old[number].clone(), new[*k].clone()];
                self.same(sizes, pair, None).is_same()
            });
            if let Some(k) = partner {
                numbers[number] = others[k];
            }
        }
        [numbers, others]
    }

    fn terms(&mut self, sum: &mut Sum<'_>, view: &View, depth: usize) -> Option<Vec<Term>> {
        let leaf = match self.leaves(sum.side, sum.sizes, view) {
            Ok(mut leaves) if leaves.len() == 1 => leaves.remove(0),
            _ => return Some(vec![sum.atom(view.clone())]),
        };
        let side = sum.side;
        if let Some(constant) = self.scalar(side, &leaf.at) {
            let text = constant.text();
            // Infinities follow no algebra: the difference of two is not a number.
            if sum.ring == Ring::Real && matches!(text, "inf" | "-inf" | "nan") {
                return None;
            }
            let number = match sum.ring {
                Ring::Whole(_) => text.parse::<i128>().ok().map(Term::whole),
                Ring::Real => text
                    .parse::<f64>()
                    .ok()
                    .filter(|x| is_normal(*x, constant.element_type()))
                    .map(Term::real),
            };
            if let Some(term) = number {
                return Some(vec![term]);
            }
        }
        if sum.ring != Ring::Real
            && let Some(Multiple { constant, factor, of }) = self.multiple(side, &leaf.at)
        {
            let one = sum.atom(View { at: of, maps: leaf.maps });
            return Some(vec![Term::whole(constant), Term { whole: factor, ..one }]);
        }
        let op = self.frames[side].instruction(&leaf.at);
        let opcode = op.opcode();
        sum.steps += 1;
        if depth == 0 || sum.steps > STEPS {
            return Some(vec![sum.atom(leaf)]);
        }
        let of = |this: &mut Self, sum: &mut Sum<'_>, number: usize| -> Option<Vec<Term>> {
            let operand = this.operand(side, &leaf, number)?;
            this.terms(sum, &operand, depth - 1)
        };
        let is_real = sum.ring == Ring::Real;
        let most = sum.reach.terms;
        let found = match opcode {
            Opcode::Add => Some([of(self, sum, 0)?, of(self, sum, 1)?].concat()),
            Opcode::Subtract => {
                let taken = of(self, sum, 1)?.into_iter().map(|term| term.times(-1));
                Some(of(self, sum, 0)?.into_iter().chain(taken).collect())
            }
            Opcode::Negate => {
                Some(of(self, sum, 0)?.into_iter().map(|term| term.times(-1)).collect())
            }
            Opcode::Multiply => {
                let (one, other) = (of(self, sum, 0)?, of(self, sum, 1)?);
                product(&one, &other, most)
            }
            Opcode::ShiftLeft if !is_real => match self.power_of_two(sum, &leaf) {
                Some(power) => product(&of(self, sum, 0)?, &[power], most),
                None => None,
            },
            Opcode::Iota if !is_real => self.index(sum, &leaf),
            Opcode::Convert if is_real && self.is_of_floats(side, &leaf) => of(self, sum, 0),
            Opcode::Convert => {
                let operand = self.operand(side, &leaf, 0)?;
                let is_truth = self.type_of(side, &operand) == Some(ElementType::Pred);
                is_truth.then(|| self.truth(sum, &operand))
            }
            Opcode::Select => {
                let is_finite = (1..=2).all(|number| {
                    let operand = self.operand(side, &leaf, number);
                    let scalar = operand.and_then(|operand| self.scalar(side, &operand.at));
                    !scalar.is_some_and(|x| matches!(x.text(), "inf" | "-inf" | "nan"))
                });
                if !is_finite {
                    return Some(vec![sum.atom(leaf)]);
                }
                let (one, other) = (of(self, sum, 1)?, of(self, sum, 2)?);
                let is_number = |terms: &[Term]| matches!(terms, [term] if term.factors.is_empty());
                match is_number(&one) || is_number(&other) {
                    true => {
                        let choice = self.operand(side, &leaf, 0)?;
                        chosen(&self.truth(sum, &choice), &one, other, most)
                    }
                    false => None,
                }
            }
            Opcode::Divide if is_real => {
                let (one, other) = (of(self, sum, 0)?, of(self, sum, 1)?);
                let inverse = self.power(sum, (&leaf, 1), &other, -2)?;
                product(&one, &[inverse], most)
            }
            Opcode::Sqrt | Opcode::Rsqrt if is_real => {
                let halves = if *opcode == Opcode::Sqrt { 1 } else { -1 };
                let inner = of(self, sum, 0)?;
                Some(vec![self.power(sum, (&leaf, 0), &inner, halves)?])
            }
            opcode if is_fold(opcode) => self.folded_terms(sum, &leaf, depth - 1)?,
            _ => None,
        };
        Some(match found.filter(|terms| terms.len() <= most) {
            Some(terms) => terms,
            None => vec![sum.atom(leaf)],
        })
    }

    /// Returns the terms of a truth value, which is 0 or 1.
    fn truth(&mut self, sum: &mut Sum<'_>, view: &View) -> Vec<Term> {
        let leaf = match self.leaves(sum.side, sum.sizes, view) {
            Ok(mut leaves) if leaves.len() == 1 => leaves.remove(0),
            _ => view.clone(),
        };
        if *self.frames[sum.side].instruction(&leaf.at).opcode() == Opcode::Not
            && let Some(inner) = self.operand(sum.side, &leaf, 0)
        {
            let inner = self.truth(sum, &inner).into_iter().map(|term| term.times(-1));
            return [Term::one()].into_iter().chain(inner).collect();
        }
        let mut term = sum.atom(leaf);
        term.factors.iter_mut().for_each(|(_, exponent)| *exponent = TRUTH);
        vec![term]
    }

    /// Raises an operand of an operation, which has these terms, to a power, in halves: a sum of several terms as a whole.
    fn power(
        &mut self,
        sum: &mut Sum<'_>,
        (leaf, number): (&View, usize),
        terms: &[Term],
        halves: i32,
    ) -> Option<Term> {
        if let Some(term) = power(terms, halves) {
            return Some(term);
        }
        let operand = self.operand(sum.side, leaf, number)?;
        let whole = match self.leaves(sum.side, sum.sizes, &operand) {
            Ok(mut leaves) if leaves.len() == 1 => leaves.remove(0),
            _ => operand,
        };
        power(&[sum.atom(whole)], halves)
    }

    /// Returns the index that an iota is equal to, as a sum of expressions.
    fn index(&mut self, sum: &mut Sum<'_>, leaf: &View) -> Option<Vec<Term>> {
        let op = self.frames[sum.side].instruction(&leaf.at);
        let dimension = op.iota_dimension(op.shape().as_array()?.rank()).ok()?;
        let [map] = leaf.maps.as_slice() else {
            return None;
        };
        let ExprKind::Sum(index) = map.map.results().get(dimension)?.kind() else {
            return None;
        };
        let atom = |(coefficient, expr): &(i64, Expr)| {
            let (domain, mut results) = map.map.clone().into_parts();
            results[dimension] = expr.clone();
            let map = OperandMap { map: IndexingMap::new(domain, results), ..map.clone() };
            let term = sum.atom(View { at: leaf.at.clone(), maps: vec![map] });
            Term { whole: i128::from(*coefficient), ..term }
        };
        let terms: Vec<Term> = index.terms().iter().map(atom).collect();
        Some(terms.into_iter().chain([Term::whole(index.constant().into())]).collect())
    }

    /// Returns the factor by which a shift multiplies.
    fn power_of_two(&mut self, sum: &Sum<'_>, leaf: &View) -> Option<Term> {
        let by = self.operand(sum.side, leaf, 1)?;
        let by = self.scalar(sum.side, &by.at)?.text().parse::<u32>().ok()?;
        let Ring::Whole(bits) = sum.ring else {
            return None;
        };
        (by < bits.min(64)).then(|| Term::whole(1 << by))
    }

    fn is_of_floats(&self, side: usize, leaf: &View) -> bool {
        let body = self.frames[side].body(leaf.at.frame);
        let operand = body.operands(self.frames[side].instruction(&leaf.at)).next();
        operand
            .and_then(|x| Some(x.shape().as_array()?.element_type().is_float()))
            .unwrap_or_default()
    }

    /// Returns the terms of a sum or a dot over few elements; `None` if it is over more.
    fn folded_terms(
        &mut self,
        sum: &mut Sum<'_>,
        leaf: &View,
        depth: usize,
    ) -> Option<Option<Vec<Term>>> {
        let is_sum = match self.frames[sum.side].instruction(&leaf.at).opcode() {
            // Integers are multiplied in the type of the result.
            Opcode::Convolution | Opcode::Dot => {
                sum.ring == Ring::Real || self.keeps_type(sum.side, leaf)
            }
            _ => self.adds_to_zero(sum.side, leaf),
        };
        let Some(summands) =
            is_sum.then(|| self.summands(sum.side, leaf, sum.reach.folded)).flatten()
        else {
            return Some(None);
        };
        let mut found = Vec::new();
        for summand in summands {
            let mut terms = vec![Term::one()];
            for factor in summand {
                let factor = self.terms(sum, &factor, depth)?;
                let Some(longer) = product(&terms, &factor, sum.reach.terms) else {
                    return Some(None);
                };
                terms = longer;
            }
            found.extend(terms);
        }
        Some(Some(found))
    }

    fn keeps_type(&self, side: usize, leaf: &View) -> bool {
        let body = self.frames[side].body(leaf.at.frame);
        let op = self.frames[side].instruction(&leaf.at);
        let of = |shape: &Shape| shape.as_array().map(|array| array.element_type());
        body.operands(op).all(|operand| of(operand.shape()) == of(op.shape()))
    }

    /// Returns the factors of each summand of a sum, at the points of its view; `None` if it has more than `most` summands.
    pub(super) fn summands(
        &mut self,
        side: usize,
        leaf: &View,
        most: usize,
    ) -> Option<Vec<Vec<View>>> {
        let op = self.frames[side].instruction(&leaf.at);
        let is_of_products = matches!(op.opcode(), Opcode::Convolution | Opcode::Dot);
        let count = if is_of_products { 2 } else { 1 };
        let mut folded = self.folded(side, &leaf.at)?;
        folded.truncate(count);
        let over = folded.first()?.over.clone();
        let mut places: Vec<Vec<i64>> = vec![Vec::new()];
        for size in over {
            let size = usize::try_from(size).ok()?;
            (places.len().checked_mul(size)? <= most).then_some(())?;
            let longer = places.iter().flat_map(|place| {
                (0_i64..).take(size).map(|index| [&place[..], &[index]].concat())
            });
            places = longer.collect();
        }
        let mut all = Vec::new();
        for place in places {
            let mut factors = Vec::new();
            for of in &folded {
                let maps = leaf.maps.iter().map(|map| {
                    let index = place.iter().map(|index| Expr::constant(*index));
                    let results = map.map.results().iter().cloned().chain(index).collect();
                    let inner = IndexingMap::new(map.map.domain().clone(), results);
                    OperandMap { map: inner, ..map.clone() }
                });
                let maps: Vec<OperandMap> = maps.collect();
                let maps = self.analyses[side].followed(&maps, &of.map)?;
                factors.push(View { at: of.at.clone(), maps });
            }
            // Outside of an array, nothing is folded.
            let is_outside =
                |factor: &View| factor.maps.iter().all(|map| map.map.domain().is_known_empty());
            if !factors.iter().any(is_outside) {
                let are_defined = factors.iter().all(|factor| self.is_as_defined(leaf, factor));
                are_defined.then_some(())?;
                all.push(factors);
            }
        }
        Some(all)
    }

    /// Returns whether a factor is defined at all points at which the result is.
    fn is_as_defined(&self, leaf: &View, factor: &View) -> bool {
        let (whole, own) = (points(&leaf.maps), points(&factor.maps));
        let is_plain = |maps: &[OperandMap]| maps.iter().all(|map| map.runtime.is_empty());
        whole == own
            || is_plain(&whole)
                && is_plain(&own)
                && change((&whole, &[]), (&own, &[]), &self.budget) == Change::None
    }

    /// Returns whether a fold is a sum that starts at 0.
    fn adds_to_zero(&mut self, side: usize, leaf: &View) -> bool {
        let op = self.frames[side].instruction(&leaf.at);
        let [_, start] = op.operands() else {
            return false;
        };
        let is_sum =
            combiner(self.frames[side].module, op).is_some_and(|(opcode, _)| opcode == Opcode::Add);
        let start = At { frame: leaf.at.frame, place: (*start, Vec::new()) };
        let start = self.scalar(side, &start).and_then(|x| x.text().parse::<f64>().ok());
        is_sum && start == Some(0.0)
    }
}

impl Sum<'_> {
    fn atom(&mut self, view: View) -> Term {
        let known = self.atoms.iter().position(|atom| *atom == view);
        let number = known.unwrap_or_else(|| {
            self.atoms.push(view);
            self.atoms.len() - 1
        });
        Term { factors: vec![(number, 2)], ..Term::one() }
    }
}

/// Returns maps to a scalar, which are defined at the same points.
fn points(maps: &[OperandMap]) -> Vec<OperandMap> {
    maps.iter().map(without_results).collect()
}

/// Returns the terms of a choice between two numbers by a truth value: that many times the difference, and the second one.
fn chosen(truth: &[Term], one: &[Term], other: Vec<Term>, most: usize) -> Option<Vec<Term>> {
    let taken = other.iter().cloned().map(|term| term.times(-1));
    let difference: Vec<Term> = one.iter().cloned().chain(taken).collect();
    let found = product(truth, &difference, most)?;
    Some(found.into_iter().chain(other).collect())
}

/// Returns whether the operation may be a sum of products.
fn is_arithmetic(opcode: &Opcode) -> bool {
    use Opcode as O;
    let is_elementwise = matches!(
        opcode,
        O::Add
            | O::Convert
            | O::Divide
            | O::Multiply
            | O::Negate
            | O::Rsqrt
            | O::ShiftLeft
            | O::Sqrt
            | O::Subtract
    );
    is_elementwise || is_fold(opcode)
}
