//! Conversion of a tensor from one distribution over threads to another.
//!
//! Law: all data movement is within a lane if `B(x) - A(lane, warp, block of x)` is in the span of A's registers for each basis
//! `x` of B; within a warp, if that holds with A's lanes in the span; and so on. In one shuffle a lane receives one element, so
//! at least as many shuffles are needed as elements to receive; `shuffle` and `exchange` determine the moves.

use super::elimination::Elimination;
use super::exchange::Exchange;
use super::layout::{LinearLayout, NotLinear, THREADS};
use super::shuffle::{Shuffles, shuffles};

/// The longest distance that an element moves.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Way {
    /// Nowhere: both layouts are the same.
    Nothing,
    /// From register to register of a lane.
    Registers,
    /// From lane to lane of a warp, by shuffles.
    Shuffles,
    /// From warp to warp of a block, by shared memory.
    Shared,
    /// From block to block of a cluster.
    Cluster,
}

/// The cost and the plan of a conversion.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conversion {
    /// The longest distance that an element moves.
    pub way: Way,
    /// The number of different elements that each lane holds before.
    pub before: u64,
    /// The number of different elements that each lane holds after.
    pub after: u64,
    /// The maximum number of different elements that a lane receives from other lanes: a lower bound of the number of shuffles.
    pub moved: u64,
    /// The moves; `None` between blocks, and if there are too many bits.
    pub plan: Option<Plan>,
}

/// The moves of a conversion.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Plan {
    /// Within warps.
    Shuffles(Shuffles),
    /// Within blocks.
    Exchange(Exchange),
}

impl Conversion {
    /// Returns the number of shuffles, if the conversion takes any, and whether it is minimal.
    #[must_use]
    pub fn shuffles(&self) -> Option<(u64, bool)> {
        match &self.plan {
            Some(Plan::Shuffles(plan)) if self.way == Way::Shuffles => {
                Some((plan.count(), plan.count() == self.moved))
            }
            _ => None,
        }
    }
}

impl LinearLayout {
    /// Returns the data movement that converts this layout to `target`.
    ///
    /// # Errors
    /// If the shapes or the numbers of lanes, warps or blocks differ, or an element is not held before.
    pub fn conversion(&self, target: &LinearLayout) -> Result<Conversion, NotLinear> {
        for layout in [self, target] {
            let stranger = layout.inputs().iter().find(|input| !THREADS.contains(&&*input.name));
            if let Some(stranger) = stranger {
                let expected = "register, lane, warp and block".to_owned();
                return Err(NotLinear::Dimensions(stranger.name.clone(), expected));
            }
        }
        if self.shape() != target.shape() {
            return Err(NotLinear::Sizes(self.shape(), target.shape()));
        }
        let bases = |layout: &LinearLayout, name: &str| {
            layout.input(name).map(|input| input.bases.clone()).unwrap_or_default()
        };
        for name in &THREADS[1..] {
            let counts = [self, target].map(|layout| 1_u64 << bases(layout, name).len());
            if counts[0] != counts[1] {
                let [one, other] = counts.map(|count| format!("{count} of {name}"));
                return Err(NotLinear::Dimensions(one, other));
            }
        }
        let mut way = None;
        for (level, found) in
            [Way::Registers, Way::Shuffles, Way::Shared, Way::Cluster].into_iter().enumerate()
        {
            let within = self.bases_of(|name| THREADS[..=level].contains(&name));
            let stays = THREADS.iter().enumerate().all(|(number, name)| {
                let own = bases(self, name);
                let mut wanted = bases(target, name).into_iter().enumerate();
                wanted.all(|(bit, element)| {
                    let same = if number > level { own.get(bit).copied().unwrap_or(0) } else { 0 };
                    within.solve(element ^ same).is_some()
                })
            });
            if stays {
                way = Some(found);
                break;
            }
        }
        let Some(way) = way else {
            return Err(NotLinear::Missing("that holds each element before".to_owned()));
        };
        let registers = [self, target].map(|layout| Elimination::of(&bases(layout, "register")));
        let [before, after] = registers.each_ref().map(|all| 1_u64 << all.rank());
        // Modulo the registers that the same lane holds before.
        let both: Vec<u64> = [bases(self, "register"), bases(target, "register")].concat();
        let both = Elimination::of(&both);
        let all_near = THREADS[1..].iter().all(|name| {
            let pairs = bases(self, name).into_iter().zip(bases(target, name));
            pairs.into_iter().all(|(own, wanted)| both.solve(own ^ wanted).is_some())
        });
        let kept = match all_near {
            true => after >> (both.rank() - registers[0].rank()),
            false => 0,
        };
        let way = if self.equals(target) { Way::Nothing } else { way };
        let plan = match way {
            Way::Nothing | Way::Cluster => None,
            Way::Registers | Way::Shuffles => shuffles(self, target).map(Plan::Shuffles),
            Way::Shared => Exchange::of(self, target)?.map(Plan::Exchange),
        };
        Ok(Conversion { way, before, after, moved: after - kept, plan })
    }
}
