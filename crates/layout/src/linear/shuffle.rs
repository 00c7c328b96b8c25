//! A conversion within warps as rounds of shuffles: in each round a lane provides one register, and reads the register that
//! another lane provides.
//!
//! Law, where v are the bits of registers and threads after the conversion: the place before, `s(v)`, is linear and holds the
//! element. A round is a coset of a space W in which no two v have the same thread after, and any two with the same thread before
//! have the same place before. If each thread keeps elements, W is among the spaces whose elements stay in their thread; their
//! cosets take no shuffle.

use super::elimination::Elimination;
use super::layout::{Input, LinearLayout, NotLinear, Output, THREADS};
use super::span::{chosen, common_complement, outside, units};

/// Maximum number of columns of an elimination.
const MOST: usize = 64;

/// The move of one bit of a round or of a thread; sums of such moves are moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Move {
    /// The place that receives an element: an input of the layout after.
    pub to: u64,
    /// The place that provides it: an input of the layout before.
    pub from: u64,
}

/// The moves of all rounds: for each choice of `rounds` and of `threads`, the sum of the chosen moves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shuffles {
    /// The moves that select the round.
    pub rounds: Vec<Move>,
    /// The moves that select the receiving thread; if there are as many as thread bits, each is one of these bits, in order.
    pub threads: Vec<Move>,
    /// The rounds whose choice is below 2 to this power stay within threads; `None` if no rounds do.
    pub kept: Option<u32>,
    /// For each bit of a register after, the filled registers whose sum has its element.
    pub copies: Vec<u64>,
}

impl Shuffles {
    /// Returns the number of shuffles.
    #[must_use]
    pub fn count(&self) -> u64 {
        (1 << self.rounds.len()) - self.kept.map_or(0, |bits| 1 << bits)
    }

    /// Returns the move of a thread in a round.
    #[must_use]
    pub fn at(&self, round: u64, thread: u64) -> Move {
        let of = |moves: &[Move], mask: u64, part: fn(&Move) -> u64| {
            chosen(&moves.iter().map(part).collect::<Vec<u64>>(), mask)
        };
        let sum = |part| of(&self.rounds, round, part) ^ of(&self.threads, thread, part);
        Move { to: sum(|one| one.to), from: sum(|one| one.from) }
    }

    /// Returns `(round, lane, warp, block) -> (register after, register before, lane before)`; `None` if some thread receives no
    /// element in some round.
    ///
    /// # Errors
    /// If it is too large.
    pub fn moves(
        &self,
        before: &LinearLayout,
        after: &LinearLayout,
    ) -> Result<Option<LinearLayout>, NotLinear> {
        let count = |layout: &LinearLayout, name: &str| {
            layout.input(name).map_or(0, |input| input.bases.len())
        };
        let threads: usize = THREADS[1..].iter().map(|name| count(after, name)).sum();
        if threads != self.threads.len() {
            return Ok(None);
        }
        let outputs = vec![
            Output { name: "after".to_owned(), bits: count(after, THREADS[0]) as u32 },
            Output { name: "before".to_owned(), bits: count(before, THREADS[0]) as u32 },
            Output { name: "lane".to_owned(), bits: count(before, THREADS[1]) as u32 },
        ];
        let index = |layout: &LinearLayout, input: u64, name: &str| {
            let mut pairs = layout.inputs().iter().zip(layout.indices(input));
            pairs.find(|(input, _)| input.name == name).map_or(0, |(_, index)| index)
        };
        let basis = |one: &Move| {
            let parts = [
                index(after, one.to, THREADS[0]),
                index(before, one.from, THREADS[0]),
                index(before, one.from, THREADS[1]),
            ];
            let pairs = parts.iter().zip(&outputs);
            pairs.fold(0, |sum, (part, output)| sum << output.bits | part)
        };
        let bases = |moves: &[Move]| moves.iter().map(basis).collect::<Vec<u64>>();
        let mut inputs = vec![Input { name: "round".to_owned(), bases: bases(&self.rounds) }];
        let mut rest = &self.threads[..];
        for name in &THREADS[1..] {
            let (own, others) = rest.split_at(count(after, name));
            inputs.push(Input { name: (*name).to_owned(), bases: bases(own) });
            rest = others;
        }
        LinearLayout::new(inputs, outputs).map(Some)
    }
}

/// One bit of an input.
struct Place {
    /// Its dimension, as an index of [`THREADS`].
    level: usize,
    /// Its index in the dimension.
    bit: usize,
    /// The input with only this bit set.
    at: u64,
    basis: u64,
}

/// Returns the bits of all inputs, registers first.
fn places(layout: &LinearLayout) -> Vec<Place> {
    let mut at = 1_u64;
    let mut all = Vec::new();
    for input in layout.inputs() {
        let level = THREADS.iter().position(|name| *name == input.name).unwrap_or(THREADS.len());
        for (bit, basis) in input.bases.iter().enumerate() {
            all.push(Place { level, bit, at, basis: *basis });
            at <<= 1;
        }
    }
    all.sort_by_key(|place| (place.level, place.bit));
    all
}

/// Returns the rounds of a conversion in which elements stay within warps; `None` if there are too many bits.
pub(super) fn shuffles(before: &LinearLayout, after: &LinearLayout) -> Option<Shuffles> {
    let (sources, targets) = (places(before), places(after));
    let registers: Vec<u64> =
        targets.iter().filter(|place| place.level == 0).map(|place| place.basis).collect();
    let filled = outside(&[], registers.iter().copied());
    // A register whose element is a sum of the elements of others is filled from them.
    let mut at = filled.iter().peekable();
    let wanted: Vec<&Place> = targets
        .iter()
        .filter(|place| place.level > 0 || at.next_if(|basis| **basis == place.basis).is_some())
        .collect();
    let own = |place: &Place| {
        let same = sources.iter().find(|own| (own.level, own.bit) == (place.level, place.bit));
        same.filter(|_| place.level > 0).map_or((0, 0), |own| (own.at, own.basis))
    };
    let held: Vec<&Place> = sources.iter().filter(|place| place.level == 0).collect();
    let lanes: Vec<&Place> = sources.iter().filter(|place| place.level < 2).collect();
    if held.len() + wanted.len() > MOST || lanes.len() > MOST {
        return None;
    }
    let sum_of = |places: &[&Place], mask: u64| {
        chosen(&places.iter().map(|place| place.at).collect::<Vec<u64>>(), mask)
    };
    let is_thread = |input: u64| {
        let threads = sources.iter().filter(|place| place.level > 0);
        input & threads.fold(0, |all, place| all | place.at)
    };
    // Moves that stay within their thread, as pairs of v and the place before.
    let mut columns: Vec<u64> = held.iter().map(|place| place.basis).collect();
    columns.extend(wanted.iter().map(|place| place.basis ^ own(place).1));
    let owns: Vec<u64> = wanted.iter().map(|place| own(place).0).collect();
    let mut stays: Vec<(u64, u64)> = Vec::new();
    for mask in Elimination::of(&columns).kernel() {
        let v = mask >> held.len();
        if v != 0 {
            stays.push((v, sum_of(&held, mask & ((1 << held.len()) - 1)) ^ chosen(&owns, v)));
        }
    }
    let near: Vec<u64> = stays.iter().map(|(v, _)| *v).collect();
    let pairs = completed(stays, &wanted, &lanes, own, is_thread)?;
    // The place before the conversion for each unit vector.
    let bases: Vec<u64> = pairs.iter().map(|(v, _)| *v).collect();
    let elimination = Elimination::of(&bases);
    let from: Vec<u64> = units(wanted.len())
        .map(|unit| {
            let mask = elimination.solve(unit).unwrap_or(0);
            chosen(&pairs.iter().map(|(_, from)| *from).collect::<Vec<u64>>(), mask)
        })
        .collect();
    let (rounds, threads, kept) = cosets(&near, &wanted, &from, is_thread)?;
    let to: Vec<u64> = wanted.iter().map(|place| place.at).collect();
    let moved = |v: &u64| Move { to: chosen(&to, *v), from: chosen(&from, *v) };
    let elimination = Elimination::of(&filled);
    let filled_at: Vec<u64> =
        wanted.iter().filter(|place| place.level == 0).map(|place| place.at).collect();
    Some(Shuffles {
        rounds: rounds.iter().map(moved).collect(),
        threads: threads.iter().map(moved).collect(),
        kept,
        copies: registers
            .iter()
            .map(|basis| chosen(&filled_at, elimination.solve(*basis).unwrap_or(0)))
            .collect(),
    })
}

/// Adds a place before for each bit that does not stay, preferring lanes that provide nothing yet.
fn completed(
    mut pairs: Vec<(u64, u64)>,
    wanted: &[&Place],
    lanes: &[&Place],
    own: impl Fn(&Place) -> (u64, u64),
    is_thread: impl Fn(u64) -> u64,
) -> Option<Vec<(u64, u64)>> {
    let columns: Vec<u64> = lanes.iter().map(|place| place.basis).collect();
    let ats: Vec<u64> = lanes.iter().map(|place| place.at).collect();
    let within = Elimination::of(&columns);
    let bases: Vec<u64> = pairs.iter().map(|(v, _)| *v).collect();
    for unit in outside(&bases, units(wanted.len())) {
        let place = wanted.get(unit.trailing_zeros() as usize)?;
        // Warps and blocks stay.
        let (at, basis) = if place.level > 1 { own(place) } else { (0, 0) };
        let first = at ^ chosen(&ats, within.solve(place.basis ^ basis)?);
        let showing: Vec<u64> = pairs.iter().map(|(_, from)| is_thread(*from)).collect();
        let showing = Elimination::of(&showing);
        let others = within.kernel().iter().map(|mask| first ^ chosen(&ats, *mask));
        let mut choices = std::iter::once(first).chain(others);
        let new = choices.find(|from| showing.solve(is_thread(*from)).is_none());
        pairs.push((unit, new.unwrap_or(first)));
    }
    Some(pairs)
}

/// Rounds, threads, and the number of rounds (as an exponent) that stay within threads.
type Cosets = (Vec<u64>, Vec<u64>, Option<u32>);

/// Finds a space W whose cosets are the rounds: returns representatives of its cosets as `rounds`, and W as `threads`.
fn cosets(
    near: &[u64],
    wanted: &[&Place],
    from: &[u64],
    is_thread: impl Fn(u64) -> u64,
) -> Option<Cosets> {
    let bits = wanted.len();
    let in_register = wanted.iter().filter(|place| place.level == 0).count();
    let registers: Vec<u64> = units(in_register).collect();
    // The bits above those of registers are the thread of the place after.
    let thread = |v: u64| v >> in_register;
    let all_threads = bits - in_register;
    let of_near = Elimination::of(&near.iter().map(|v| thread(*v)).collect::<Vec<u64>>());
    let (mut rounds, mut space, kept);
    if of_near.rank() == all_threads {
        let dependent = of_near.kernel().iter().map(|mask| chosen(near, *mask));
        rounds = dependent.collect::<Vec<u64>>();
        kept = Some(rounds.len() as u32);
        space = outside(&rounds, near.iter().copied());
        rounds.extend(outside(&rounds, registers.iter().copied()));
    } else {
        kept = None;
        let threads: Vec<u64> = from.iter().map(|from| is_thread(*from)).collect();
        let same_place = Elimination::of(from).kernel().to_vec();
        let same_thread = Elimination::of(&threads).kernel().to_vec();
        let in_one = [&registers[..], &same_place].concat();
        let apart = common_complement(&in_one, &same_thread, bits)?;
        space = [same_place, apart].concat();
        rounds = outside(&space, registers.into_iter().chain(units(bits)));
    }
    if space.len() == all_threads {
        let elimination = Elimination::of(&space.iter().map(|v| thread(*v)).collect::<Vec<u64>>());
        space = units(all_threads)
            .map(|unit| Some(chosen(&space, elimination.solve(unit)?)))
            .collect::<Option<Vec<u64>>>()?;
    }
    Some((rounds, space, kept))
}
