//! Facts about the constants and letters of an example that its rule might need as conditions.

use super::blocks::blocks;
use super::example::{Example, compare};
use super::pool::{Known, pool};
use super::tree::{Number, Sum, product};
use affinor::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use affinor::rule::{Condition, Point, Relation, Slot, Term};

/// How much is assumed: later stages include all facts of earlier ones.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stage {
    /// Signs of constants and letters.
    Signs,
    /// Sums and products of constants that are multiples of divisors, if a remainder may need this.
    Multiples,
    /// The blocks of the divisors in which numerators lie, and residues.
    Blocks,
    /// Comparisons of letters and constants with each other and with 0; divisibility between constants.
    Ranges,
    /// Exact ends of letters as sums and products of constants, and divisibility of these.
    Ends,
}

/// The stages in order.
pub const STAGES: [Stage; 5] =
    [Stage::Signs, Stage::Multiples, Stage::Blocks, Stage::Ranges, Stage::Ends];

/// Returns the facts that may be conditions, ordered so that those to drop first come first.
pub fn facts(example: &Example<'_>, stage: Stage) -> Vec<Condition> {
    let mut found = signs(example);
    found.extend(divisors(example));
    if stage == Stage::Multiples {
        found.extend(divisibility(example, &pool(example.constants), stage));
    }
    if stage >= Stage::Blocks {
        found.extend(residues(example));
        found.extend(whole(example));
    }
    if stage < Stage::Ranges {
        for (letter, range) in (0..).zip(example.ranges) {
            found.extend(least(letter, *range));
        }
    } else {
        found.extend(order(example));
        let known = pool(example.constants);
        found.extend(divisibility(example, &known, stage));
        found.extend(quotients(example, &known, stage));
        for (letter, range) in example.ranges.iter().enumerate() {
            // A letter that is a literal in the example gets no bounds that repeat this value.
            let mut told = known.clone();
            told.retain(|known| range.as_point() != Some(known.value));
            found.extend(ends(&Term::Expression(letter as Slot), *range, &told, stage));
            if example.literal {
                found.extend(literal_ends(letter as Slot, *range));
            }
        }
        for (sum, range) in example.bounds {
            found.extend(bounded(example, sum, *range, &known, stage));
        }
        for &(x, y, relation) in example.ordered {
            let [lhs, rhs] = [x, y].map(|letter| Term::Expression(letter as Slot));
            found.push(compare(lhs.clone(), Relation::LessEqual, rhs.clone()));
            if relation == Relation::Less {
                found.push(compare(lhs, relation, rhs));
            }
        }
    }
    if stage >= Stage::Blocks {
        let more = blocks(example).into_iter();
        let more: Vec<Condition> = more.filter(|one| !found.contains(one)).collect();
        found.extend(more);
    }
    let size = |condition: &Condition| {
        let mut parts = 0;
        for side in condition.sides() {
            side.visit(&mut |_| parts += 1);
        }
        // Of conditions of the same size, the stronger one is dropped first.
        let is_number = |term: &Term| matches!(term, Term::Integer(value) if *value != 0);
        let is_strict = condition.relation == Relation::Less;
        let has_number = condition.sides().into_iter().any(is_number);
        let compares = !condition.sides().into_iter().any(|side| matches!(side, Term::Integer(_)));
        (parts, is_strict, has_number, compares)
    };
    found.sort_by_key(|condition| std::cmp::Reverse(size(condition)));
    found
}

fn signs(example: &Example<'_>) -> Vec<Condition> {
    let mut found = Vec::new();
    for ((slot, value), divides) in (0u8..).zip(example.constants).zip(example.divides) {
        let constant = Term::Constant(slot);
        let (one, zero) = (Term::Integer(1), Term::Integer(0));
        match value {
            0 => found.push(compare(zero, Relation::LessEqual, constant)),
            _ if *divides => found.push(compare(one, Relation::LessEqual, constant)),
            0.. => {
                found.push(compare(one, Relation::LessEqual, constant.clone()));
                found.push(compare(zero, Relation::LessEqual, constant));
            }
            _ => {
                let below = Term::Integer(-1);
                found.push(compare(constant.clone(), Relation::LessEqual, below));
                found.push(compare(constant, Relation::LessEqual, zero));
            }
        }
    }
    found
}

/// States that divisors that are sums are positive.
fn divisors(example: &Example<'_>) -> Vec<Condition> {
    let divisors = example.left.divisors().into_iter();
    divisors
        .filter(|divisor| matches!(divisor, Term::Sum(_)))
        .map(|divisor| compare(Term::Integer(1), Relation::LessEqual, divisor))
        .collect()
}

/// States that the left side, if it is a sum, lies in `[0, c)` for a constant c, as a remainder does.
fn whole(example: &Example<'_>) -> Vec<Condition> {
    let left = example.left;
    if !matches!(left, Term::Sum(_)) || !left.has_operation() {
        return Vec::new();
    }
    let values = example.samples.iter().map(|letters| {
        left.eval(&Point { constants: example.constants.to_vec(), expressions: letters.clone() })
    });
    let Some(values) = values.collect::<Option<Vec<i128>>>() else {
        return Vec::new();
    };
    let moduli = (0u8..).zip(example.constants).filter(|(_, modulus)| {
        let inside = 0..i128::from(**modulus);
        !values.is_empty() && values.iter().all(|value| inside.contains(value))
    });
    let facts = moduli.flat_map(|(slot, _)| {
        let least = compare(Term::Integer(0), Relation::LessEqual, left.clone());
        let most = compare(left.clone(), Relation::Less, Term::Constant(slot));
        [least, most]
    });
    let mut found: Vec<Condition> = Vec::new();
    for fact in facts {
        if !found.contains(&fact) {
            found.push(fact);
        }
    }
    found
}

/// Comparisons between constants.
fn order(example: &Example<'_>) -> Vec<Condition> {
    let mut found = Vec::new();
    for (x, first) in (0u8..).zip(example.constants) {
        for (y, second) in (0u8..).zip(example.constants) {
            let [lhs, rhs] = [x, y].map(Term::Constant);
            // Equal constants are one constant in another reading.
            if first < second {
                found.push(compare(lhs.clone(), Relation::LessEqual, rhs.clone()));
                found.push(compare(lhs, Relation::Less, rhs));
            }
        }
    }
    found
}

/// Returns the residues of letters, and of constants that do not divide, modulo constants that do.
fn residues(example: &Example<'_>) -> Vec<Condition> {
    let mut found = Vec::new();
    let divisors = (0u8..).zip(example.constants).zip(example.divides);
    for ((c, modulus), _) in divisors.filter(|((_, c), divides)| **divides && **c >= 2) {
        let mut add = |of: Term, residue: i64| {
            // An equality between a residue of one constant and another constant is a coincidence, unless the other was
            // introduced for it.
            let is_chance = |known: &Term| {
                let is_made = |slot: Slot| usize::from(slot) >= example.opened;
                let is_of_letter = matches!(of, Term::Expression(_));
                matches!(known, Term::Constant(slot) if *slot == c || !is_of_letter && !is_made(*slot))
            };
            let modulo = Term::Mod(Box::new(of.clone()), Box::new(Term::Constant(c)));
            for known in example.named(residue) {
                if !is_chance(&known) {
                    found.push(compare(modulo.clone(), Relation::Equal, known));
                }
            }
        };
        for (letter, range) in (0u8..).zip(example.ranges) {
            let mut residues = example.samples.iter();
            let mut residues =
                residues.by_ref().map(|values| values[usize::from(letter)].rem_euclid(*modulus));
            let Some(first) = residues.next() else {
                continue;
            };
            if range.as_point().is_none() && residues.all(|residue| residue == first) {
                add(Term::Expression(letter), first);
            }
        }
        for (k, value) in (0u8..).zip(example.constants).take(example.opened) {
            let residue = value.rem_euclid(*modulus);
            if k != c && residue != *value && residue != 0 {
                add(Term::Constant(k), residue);
            }
        }
    }
    found
}

/// Facts `term mod c = 0`, for terms that are not multiples of c syntactically.
fn divisibility(example: &Example<'_>, known: &[Known], stage: Stage) -> Vec<Condition> {
    let longest = if stage == Stage::Ranges { 1 } else { 5 };
    let mut found = Vec::new();
    for ((slot, value), divides) in (0u8..).zip(example.constants).zip(example.divides) {
        let constant = Term::Constant(slot);
        let is_modulus = || {
            example
                .left
                .any(|part| matches!(part, Term::Mod(_, c) if c.any(|factor| *factor == constant)))
        };
        if !divides || *value < 2 || stage == Stage::Multiples && !is_modulus() {
            continue;
        }
        let mut seen: Vec<(Vec<&Term>, bool)> = Vec::new();
        for term in known {
            let is_signed = matches!(&term.term, Term::Product(x, _) if **x == Term::Integer(-1));
            let is_plain = !matches!(term.term, Term::Integer(_)) && !is_signed;
            if term.size <= longest
                && is_plain
                && (stage != Stage::Multiples || is_free(&term.term))
                && term.value.rem_euclid(*value) == 0
                && (term.value != *value || example.may_divide(slot, &term.term))
                && !term.term.any(|part| *part == constant)
            {
                // Keeps only one of `x - y` and `y - x`.
                let (parts, same) = without_signs(&term.term);
                let is_seen = seen.iter().any(|(known, is_same)| {
                    *is_same == same
                        && known.len() == parts.len()
                        && known.iter().all(|part| parts.contains(part))
                });
                if !is_seen {
                    found.push(is_multiple(&term.term, &constant));
                    seen.push((parts, same));
                }
            }
        }
    }
    if stage == Stage::Ends {
        found.extend(of_products(example, known));
    }
    found
}

/// Returns whether summands have no number and no constant in common: such sums are more often multiples by coincidence.
fn is_free(term: &Term) -> bool {
    let Term::Sum(terms) = term else { return true };
    let has = |term: &Term, part: &Term| term.any(|inner| inner == part);
    let shares =
        |x: &Term, y: &Term| x.any(|part| matches!(part, Term::Constant(_)) && has(y, part));
    let mut pairs = terms.iter().enumerate().flat_map(|(index, x)| {
        let others = terms[index + 1..].iter();
        others.map(move |y| (x, y))
    });
    !has(term, &Term::Integer(1)) && !pairs.any(|(x, y)| shares(x, y))
}

/// Returns the summands without their signs, and whether all signs agree.
fn without_signs(term: &Term) -> (Vec<&Term>, bool) {
    let terms = match term {
        Term::Sum(terms) => &terms[..],
        term => std::slice::from_ref(term),
    };
    let mut signs = Vec::new();
    let parts = terms.iter().map(|term| match term {
        Term::Product(sign, x) if **sign == Term::Integer(-1) => (true, &**x),
        term => (false, term),
    });
    let parts: Vec<&Term> = parts
        .map(|(is_negative, part)| {
            signs.push(is_negative);
            part
        })
        .collect();
    (parts, signs.windows(2).all(|pair| pair[0] == pair[1]))
}

/// Facts `term mod (c*d) = 0`, for two constants that divide.
fn of_products(example: &Example<'_>, known: &[Known]) -> Vec<Condition> {
    let divisors = (0u8..).zip(example.constants).zip(example.divides);
    let divisors = divisors.filter(|((_, value), divides)| **divides && **value > 1);
    let divisors: Vec<(u8, i64)> = divisors.map(|((slot, value), _)| (slot, *value)).collect();
    let mut found = Vec::new();
    for (index, (x, first)) in divisors.iter().enumerate() {
        for (y, second) in &divisors[index + 1..] {
            let [x, y] = [*x, *y].map(Term::Constant);
            let modulus = product(x.clone(), y.clone());
            let Some(value) = first.checked_mul(*second) else {
                continue;
            };
            let is_multiple_of = |known: &&Known| {
                known.value != 0
                    && known.value % value == 0
                    && matches!(&known.term, Term::Constant(_) | Term::Product(..))
                    && !known.term.any(|part| *part == x || *part == y)
                    && !matches!(&known.term, Term::Product(sign, _) if **sign == Term::Integer(-1))
            };
            let multiples = known.iter().filter(is_multiple_of);
            found.extend(multiples.map(|known| is_multiple(&known.term, &modulus)));
        }
    }
    found
}

fn is_multiple(term: &Term, of: &Term) -> Condition {
    let modulo = Term::Mod(Box::new(term.clone()), Box::new(of.clone()));
    compare(modulo, Relation::Equal, Term::Integer(0))
}

/// Facts `c*t <= k` and `k < c*t + c`, where k is not just t: a constant is the quotient of another by a third.
fn quotients(example: &Example<'_>, known: &[Known], stage: Stage) -> Vec<Condition> {
    let mut found = Vec::new();
    for ((c, divisor), divides) in (0u8..).zip(example.constants).zip(example.divides) {
        if !divides || *divisor < 2 || stage != Stage::Ends {
            continue;
        }
        for (t, quotient) in (0u8..).zip(example.constants) {
            let [c, t] = [c, t].map(Term::Constant);
            for of in known.iter().filter(|known| known.size <= 1) {
                if of.value.div_euclid(*divisor) != *quotient
                    || matches!(of.term, Term::Integer(_))
                    || of.term == c
                    || of.term == t
                    || c == t
                {
                    continue;
                }
                let least = product(c.clone(), t.clone());
                let above = Term::Sum(vec![least.clone(), c.clone()]);
                found.push(compare(least, Relation::LessEqual, of.term.clone()));
                found.push(compare(of.term.clone(), Relation::Less, above));
            }
        }
    }
    found
}

/// Returns the ends of a letter as literals.
fn literal_ends(letter: Slot, range: Interval) -> Vec<Condition> {
    let x = || Term::Expression(letter);
    let is_number = |end: i64| end != MINUS_INFINITY && end != PLUS_INFINITY && end.abs() > 1;
    let lo =
        is_number(range.lo()).then(|| compare(Term::Integer(range.lo()), Relation::LessEqual, x()));
    let hi =
        is_number(range.hi()).then(|| compare(x(), Relation::LessEqual, Term::Integer(range.hi())));
    lo.into_iter().chain(hi).collect()
}

/// States that a letter is at least 0, or at least 1.
fn least(letter: Slot, range: Interval) -> impl Iterator<Item = Condition> {
    let known = [0, 1].into_iter().filter(move |least| *least <= range.lo());
    known.map(move |least| {
        let x = Term::Expression(letter);
        compare(Term::Integer(least), Relation::LessEqual, x)
    })
}

/// Returns the domain's bounds of a sum of letters.
fn bounded(
    example: &Example<'_>,
    sum: &Sum,
    range: Interval,
    known: &[Known],
    stage: Stage,
) -> Vec<Condition> {
    let mut is_said = true;
    let mut say = |number: Number| {
        let value = number.value;
        let is_short = |known: &&Known| known.value == value && known.size <= 2;
        let named = known.iter().find(is_short).map(|known| known.term.clone());
        is_said &= named.is_some() || example.literal || value.unsigned_abs() <= 2;
        named.unwrap_or(Term::Integer(value))
    };
    let bare = Sum { constant: 0, ..sum.clone() };
    let term = bare.term(&mut say);
    if !is_said {
        return Vec::new();
    }
    let range = range.add(Interval::point(sum.constant).scale(-1));
    match range.as_point() {
        None => ends(&term, range, known, stage),
        Some(point) => {
            let named = known.iter().filter(|known| known.value == point);
            let named = named.filter(|known| stage == Stage::Ends || known.size <= 1);
            named.map(|known| compare(term.clone(), Relation::Equal, known.term.clone())).collect()
        }
    }
}

/// States the bounds of a term by small terms over constants.
fn ends(of: &Term, range: Interval, known: &[Known], stage: Stage) -> Vec<Condition> {
    let x = || of.clone();
    let mut found = Vec::new();
    for bound in known {
        let (term, value) = (&bound.term, bound.value);
        let is_short = bound.size <= 1
            || bound.size == 2
                && matches!(term, Term::Product(sign, _) if **sign == Term::Integer(-1));
        let is_open = |exact: bool| is_short || stage == Stage::Ends && exact;
        if value <= range.lo() && is_open(value == range.lo()) {
            found.push(compare(term.clone(), Relation::LessEqual, x()));
        }
        if value < range.lo() && is_open(value + 1 == range.lo()) {
            found.push(compare(term.clone(), Relation::Less, x()));
        }
        if value >= range.hi() && is_open(value == range.hi()) {
            found.push(compare(x(), Relation::LessEqual, term.clone()));
        }
        if value > range.hi() && is_open(value - 1 == range.hi()) {
            found.push(compare(x(), Relation::Less, term.clone()));
        }
    }
    found
}
