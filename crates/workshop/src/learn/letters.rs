//! Chooses the parts of two equal trees that become the letters of a rule.
//!
//! Parts that occur in the same ratio everywhere are one letter: for `(8*i + 4*j) floordiv 4` and `2*i + j` the rule needs only
//! `x = 2*i + j`. Alternatively, such parts are merged separately for factors below some threshold and above it: in
//! `(60*h + 20*i + 4*j + k) floordiv 20`, the parts below 20 are one letter. An operation that occurs in both trees may be a
//! letter, whatever it contains, and so may the added numbers, which then count as one more part. The domain's bounds on sums
//! may keep parts separate, too.

use super::tree::{Atom, Sum};
use affinor::num::{Interval, gcd};

/// A way to choose letters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lettering {
    /// The value of each letter as a sum over the variables.
    pub values: Vec<Sum>,
    /// Both trees over the letters.
    pub sides: [Sum; 2],
    /// Sums over the letters, with their bounds.
    pub bounds: Vec<(Sum, Interval)>,
}

/// Variables inside separated operations are numbered from here.
const APART: usize = 1 << 16;

/// Maximum number of thresholds between small and large factors.
const MAX_THRESHOLDS: usize = 3;

/// Returns the ways to choose letters, the coarsest first; those that respect the bounds of sums come last.
pub fn letterings(sides: &[Sum; 2], bounds: &[(Sum, Interval)]) -> Vec<Lettering> {
    let mut found = Vec::new();
    // The variables inside an operation that only the left side has may be independent of those beside it.
    if let Some(apart) = apart(sides) {
        let shared = |lettering: Lettering| {
            let values = lettering.values.iter().map(|value| moved(value, &|id| id % APART));
            let values = values.collect::<Option<_>>()?;
            Some(Lettering { values, ..lettering })
        };
        found.extend(each_lettering(&apart, &[]).into_iter().take(2).filter_map(shared));
    }
    found.extend(each_lettering(sides, &[]));
    let has = |atom: &Atom| matches!(atom, Atom::Letter(letter) if !sides[0].has(*letter));
    let is_foreign = |sum: &Sum| sum.any(&has);
    let bounds: Vec<_> = (bounds.iter()).filter(|(sum, _)| !is_foreign(sum)).cloned().collect();
    if !bounds.is_empty() {
        found.extend(each_lettering(sides, &bounds));
    }
    found
}

/// Renames the variables inside operations that only the left side has, if such an operation occurs next to other terms;
/// otherwise `None`.
fn apart(sides: &[Sum; 2]) -> Option<[Sum; 2]> {
    let [left, right] = sides;
    let common = common_operations(sides);
    let is_alone = |atom: &Atom| matches!(atom, Atom::Operation(..)) && !common.contains(atom);
    let (alone, others): (Vec<_>, Vec<_>) =
        (left.terms.iter().cloned()).partition(|(_, atom)| is_alone(atom));
    if alone.is_empty() || others.is_empty() {
        return None;
    }
    let [constant, none] = [left.constant, 0];
    let alone = Sum { constant: none, terms: alone };
    let others = Sum { constant, terms: others };
    let alone = moved(&alone, &|id| id + APART)?;
    Some([others.plus(1, &alone)?, right.clone()])
}

/// Renumbers the variables of a tree.
fn moved(sum: &Sum, to: &impl Fn(usize) -> usize) -> Option<Sum> {
    let mut all = Sum { constant: sum.constant, terms: Vec::new() };
    for (factor, atom) in &sum.terms {
        let atom = match atom {
            Atom::Letter(id) => Atom::Letter(to(*id)),
            Atom::Operation(operator, operands, divisor) => {
                let operands = operands.iter().map(|operand| moved(operand, to));
                Atom::Operation(*operator, operands.collect::<Option<_>>()?, *divisor)
            }
        };
        all = all.plus(*factor, &Sum::atom(atom))?;
    }
    Some(all)
}

fn each_lettering(sides: &[Sum; 2], bounds: &[(Sum, Interval)]) -> Vec<Lettering> {
    let common = common_operations(sides);
    let mut found: Vec<Lettering> = Vec::new();
    let parted = thresholds(&sides[0]).into_iter().map(Merging::Parted);
    let ways = std::iter::once(Merging::All).chain(parted);
    for merges in ways.chain([Merging::None]) {
        for with_factors in [true, false] {
            for opaque in [&common[..], &[]] {
                for with_constants in [true, false] {
                    let forgets = Forgets { opaque, merges, with_factors, with_constants };
                    let lettering = lettering(sides, bounds, forgets);
                    found.extend(lettering.filter(|lettering| !found.contains(lettering)));
                }
            }
        }
    }
    found
}

/// Candidate thresholds between small and large factors.
fn thresholds(sum: &Sum) -> Vec<i64> {
    let mut factors: Vec<i64> = Vec::new();
    sum.visit(&|_| false, &mut |sum| {
        let letters = (sum.terms.iter()).filter(|(_, atom)| matches!(atom, Atom::Letter(_)));
        factors.extend(letters.filter_map(|(factor, _)| factor.checked_abs()));
    });
    factors.sort_unstable();
    factors.dedup();
    factors.into_iter().skip(1).take(MAX_THRESHOLDS).collect()
}

/// Which parts in the same ratio are merged into one letter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Merging {
    All,
    /// Parts with shares below the number are merged, and so are the others, separately.
    Parted(i64),
    None,
}

/// The distinctions between parts that a choice of letters ignores.
#[derive(Clone, Copy)]
struct Forgets<'o> {
    /// Operations that are letters, whatever they contain.
    opaque: &'o [Atom],
    /// Which parts in the same ratio are merged into one letter.
    merges: Merging,
    /// Whether a common factor of all occurrences of a part belongs to the letter.
    with_factors: bool,
    /// Whether the added numbers count as a part.
    with_constants: bool,
}

/// Returns the operations that occur in both trees.
fn common_operations(sides: &[Sum; 2]) -> Vec<Atom> {
    let operations = |side: &Sum| {
        let mut found = Vec::new();
        side.visit(&|_| false, &mut |sum| {
            let operations = sum.terms.iter().map(|(_, atom)| atom);
            found.extend(operations.filter(|x| matches!(x, Atom::Operation(..))).cloned());
        });
        found
    };
    let others = operations(&sides[1]);
    let mut common = operations(&sides[0]);
    common.retain(|operation| others.contains(operation));
    common
}

/// A part of sums: an atom, or `None` for the added number.
type Part = Option<Atom>;

/// Parts that occur in the same ratio, each with its share.
type Group = Vec<(Part, i64)>;

fn lettering(
    sides: &[Sum; 2],
    bounds: &[(Sum, Interval)],
    forgets: Forgets<'_>,
) -> Option<Lettering> {
    let Forgets { opaque, merges, with_factors, with_constants } = forgets;
    let is_opaque = |atom: &Atom| opaque.contains(atom);
    let mut sums: Vec<&Sum> = Vec::new();
    for side in sides.iter().chain(bounds.iter().map(|(sum, _)| sum)) {
        side.visit(&is_opaque, &mut |sum| sums.push(sum));
    }
    let mut parts: Vec<Part> = Vec::new();
    let has_constant = sums.iter().any(|sum| sum.constant != 0);
    for sum in &sums {
        let letters = sum.terms.iter().map(|(_, atom)| atom);
        for atom in letters.filter(|atom| matches!(atom, Atom::Letter(_)) || is_opaque(atom)) {
            if !parts.iter().any(|known| known.as_ref() == Some(atom)) {
                parts.push(Some(atom.clone()));
            }
        }
    }
    if with_constants && has_constant {
        parts.push(None);
    }
    let mut groups: Vec<(Vec<i64>, bool, Group)> = Vec::new();
    for part in parts {
        let factors: Vec<i64> = sums.iter().map(|sum| factor(sum, part.as_ref())).collect();
        let share = factors.iter().try_fold(0, |share, factor| gcd(share, *factor))?;
        let first = factors.iter().find(|factor| **factor != 0)?;
        let share = share * first.signum();
        let direction: Vec<i64> = factors.iter().map(|factor| factor / share).collect();
        let is_large = matches!(merges, Merging::Parted(from) if share.abs() >= from);
        let same =
            (groups.iter_mut()).find(|(known, other, _)| *known == direction && *other == is_large);
        match same.filter(|_| merges != Merging::None) {
            Some((.., group)) => group.push((part, share)),
            None => groups.push((direction, is_large, vec![(part, share)])),
        }
    }
    // Equal numbers become one letter; any other ratio between numbers is taken as a coincidence.
    let by_chance = |(direction, _, group): &(Vec<i64>, bool, Group)| {
        group.iter().all(|(part, _)| part.is_none()) && direction.iter().any(|x| x.abs() > 1)
    };
    if groups.iter().any(by_chance) {
        return None;
    }
    let groups: Vec<Group> = groups.into_iter().map(|(.., group)| group).collect();
    let mut values = Vec::new();
    let mut shares = Vec::new();
    for group in &groups {
        let whole = group.iter().try_fold(0, |whole, (_, share)| gcd(whole, *share))?;
        let all_negative = group.iter().all(|(_, share)| *share < 0);
        let whole = if all_negative { -whole } else { whole };
        let whole = if with_factors { whole.signum() } else { whole };
        let mut value = Sum::default();
        for (part, share) in group {
            let part = part.clone().map_or(Sum { constant: 1, terms: Vec::new() }, Sum::atom);
            value = value.plus(share / whole, &part)?;
        }
        values.push(value);
        shares.push(whole);
    }
    let over = |side: &Sum| rebuilt(side, &groups, &shares, &is_opaque);
    let sides = [over(&sides[0])?, over(&sides[1])?];
    // Matching could not bind a letter that only the right side has.
    let all_bound = (0..values.len()).all(|letter| sides[0].has(letter));
    let bounds = bounds.iter().map(|(sum, range)| Some((over(sum)?, *range)));
    all_bound.then_some(Lettering { sides, values, bounds: bounds.collect::<Option<_>>()? })
}

fn factor(sum: &Sum, part: Option<&Atom>) -> i64 {
    match part {
        None => sum.constant,
        Some(atom) => {
            let found = sum.terms.iter().find(|(_, known)| known == atom);
            found.map_or(0, |(factor, _)| *factor)
        }
    }
}

/// Rebuilds a tree over letters, one for each group.
fn rebuilt(
    sum: &Sum,
    groups: &[Group],
    shares: &[i64],
    is_opaque: &impl Fn(&Atom) -> bool,
) -> Option<Sum> {
    let is_letter = groups.iter().flatten().any(|(part, _)| part.is_none());
    let mut all = Sum { constant: if is_letter { 0 } else { sum.constant }, terms: Vec::new() };
    for (letter, (group, share)) in groups.iter().zip(shares).enumerate() {
        let (part, of_part) = group.first()?;
        // All parts of the group have the same ratio.
        let times = factor(sum, part.as_ref()) / of_part;
        all = all.plus(times.checked_mul(*share)?, &Sum::atom(Atom::Letter(letter)))?;
    }
    for (factor, atom) in &sum.terms {
        if let Atom::Operation(operator, operands, divisor) = atom
            && !is_opaque(atom)
        {
            let operands =
                operands.iter().map(|operand| rebuilt(operand, groups, shares, is_opaque));
            let operands = operands.collect::<Option<Vec<_>>>()?;
            let operation = Atom::Operation(*operator, operands, *divisor);
            all = all.plus(*factor, &Sum::atom(operation))?;
        }
    }
    Some(all)
}
