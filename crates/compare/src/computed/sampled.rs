//! Comparisons of values for a sample of the parameters.
//!
//! Law: results whose values differ by far more than noise in each operation changes them are not the same, as real numbers.
//! Views whose values differ are not compared further if the results have the same values.

use super::frames::At;
use super::parts::Deep;
use super::reals::{SAMPLES, Sample, is_narrow};
use super::sample_parts::{Compared, Values};
use super::values::Computed;
use super::verdict::Difference;
use crate::agreement::digits;
use affinor::num::product;
use affinor_ops::indexing::{OperandMap, TuplePath};

/// Difference of values, relative to the larger and to 1, beyond which views are not compared further.
const FAR: f64 = 1e-4;

/// How many times the change by noise the difference of two results is.
const CLEAR: f64 = 100.0;

/// Maximum number of points whose values are computed with noise.
const TRIED: usize = 8;

/// Number of comparisons after which values are sampled.
const PATIENCE: u64 = 400;

/// Number of comparisons after which the difference of results that have other values is not looked for.
const SEARCHED: u64 = 1_200;

/// Number of points at which views, and at which results are compared.
const POINTS: [i64; 2] = [3, 40];

/// Number of samples with noise.
const NOISES: u64 = 3;

/// Sizes of the space, places, and maps of the two compared results.
type Results = (Vec<i64>, [At; 2], [Vec<OperandMap>; 2]);

/// A point at which two views have other values.
struct Apart {
    point: Vec<i64>,
    values: [f64; 2],
}

impl Apart {
    fn difference(&self) -> f64 {
        (self.values[0] - self.values[1]).abs()
    }

    fn is_far(&self) -> bool {
        self.difference() > FAR * self.values[0].abs().max(self.values[1].abs()).max(1.0)
    }
}

impl Computed<'_> {
    /// Returns whether a comparison of two views is in vain, by values at points of the space. If the compared results have other
    /// values, their difference is wanted.
    pub(super) fn are_ruled_out(
        &mut self,
        sizes: &[i64],
        places: &[At; 2],
        maps: &[Vec<OperandMap>; 2],
    ) -> bool {
        self.sampled.asked += 1;
        if self.sampled.asked <= PATIENCE {
            return false;
        }
        if self.sampled.compared == Compared::Unseen {
            let apart = self
                .results()
                .and_then(|(sizes, places, maps)| self.apart(&sizes, &places, &maps, POINTS[0]));
            self.sampled.compared = match apart {
                None => Compared::Unknown,
                Some(apart) if apart.iter().any(Apart::is_far) => Compared::Apart,
                Some(_) => Compared::Equal,
            };
        }
        match self.sampled.compared {
            Compared::Unseen | Compared::Unknown => false,
            Compared::Equal => {
                let apart = self.apart(sizes, places, maps, POINTS[0]);
                apart.is_some_and(|apart| apart.iter().any(Apart::is_far))
            }
            Compared::Apart => self.sampled.asked > SEARCHED,
        }
    }

    /// Returns the difference between the values of two results of the entries, if there is a clear one. Modules in which loops
    /// are unrolled have more values that are known.
    pub fn different_values(&mut self, path: &TuplePath) -> Option<Difference> {
        self.sampled.results = Some(self.results_at(path).ok()?);
        let (sizes, places, maps) = self.results()?;
        let found = SAMPLES.into_iter().find_map(|sample| {
            let found = self.in_sample(sample, 0, |this| {
                let mut apart = this.apart(&sizes, &places, &maps, POINTS[1])?;
                apart.sort_by(|one, other| other.difference().total_cmp(&one.difference()));
                apart.truncate(TRIED);
                Some(apart)
            });
            // Noise changes the values by far less than they differ.
            let clear = (1..=NOISES).try_fold(found?, |mut apart, noise| {
                apart.retain(|one| {
                    self.in_sample(sample, noise, |this| {
                        let sample =
                            |side: usize| this.sample(side, &places[side], &maps[side], &one.point);
                        [0, 1].map(sample)
                    })
                    .iter()
                    .zip(one.values)
                    .all(|(value, exact)| {
                        value.is_some_and(|value| CLEAR * (value - exact).abs() < one.difference())
                    })
                });
                (!apart.is_empty()).then_some(apart)
            });
            Some((sample, clear?.into_iter().next()?))
        });
        let (sample, Apart { point, values: [old, new] }) = found?;
        let sample = match sample {
            Sample::Positive => "positive",
            Sample::Signed => "signed",
            Sample::Unknown => return None,
        };
        let index = point.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
        let name = |side: usize| self.frames[side].instruction(&places[side]).name().to_owned();
        let what = format!(
            "element ({index}) was {old:.6}, and is {new:.6}, for the {sample} sample of parameters"
        );
        Some(Difference { old: name(0), new: name(1), what })
    }

    /// Computes with the values of a sample.
    pub(super) fn in_sample<T>(
        &mut self,
        sample: Sample,
        noise: u64,
        compute: impl FnOnce(&mut Self) -> T,
    ) -> T {
        if (self.values.sample, self.values.noise) == (sample, noise) {
            return compute(self);
        }
        let own = self.other_values.remove(&(sample, noise));
        let own = own.unwrap_or_else(|| Values::new(sample, noise));
        let kept = std::mem::replace(&mut self.values, own);
        let found = compute(self);
        let own = std::mem::replace(&mut self.values, kept);
        self.other_values.insert((sample, noise), own);
        found
    }

    /// Returns the compared results; `None` if their floats are too narrow for a difference to matter.
    fn results(&self) -> Option<Results> {
        (0..2).all(|side| !is_narrow(self.frames[side].module)).then_some(())?;
        let Deep { sizes, views: [old, new], .. } = self.sampled.results.clone()?;
        Some((sizes, [old.at, new.at], [old.maps, new.maps]))
    }

    /// Returns points at which two views have other values; `None` if all values are unknown.
    fn apart(
        &mut self,
        sizes: &[i64],
        places: &[At; 2],
        maps: &[Vec<OperandMap>; 2],
        points: i64,
    ) -> Option<Vec<Apart>> {
        let count = product(sizes.iter().copied())?;
        let last = (points.min(count) - 1).max(1);
        let mut found = None;
        for number in 0..points.min(count) {
            let place = (count - 1).checked_mul(number)? / last;
            let point = digits(place.unsigned_abs(), sizes);
            let values = [0, 1].map(|side| self.sample(side, &places[side], &maps[side], &point));
            if let [Some(old), Some(new)] = values {
                let apart = found.get_or_insert_with(Vec::new);
                if old != new {
                    apart.push(Apart { point, values: [old, new] });
                }
            }
        }
        found
    }
}
