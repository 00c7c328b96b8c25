//! Windows that move over an array: the geometry that `window={..}` describes.
//!
//! Law, for each dimension: the base is an array of `base` elements, `base_dilation` apart, with `low` positions before and
//! `high` after it (cut off if negative). Window number `w` begins at position `w * stride` of the padded base; its tap `t` is
//! at distance `t * window_dilation` from its beginning. There are as many windows as fit in the padded base. Source: XLA,
//! *Operation semantics*, `ReduceWindow` and `Conv`.
//! For all sizes: the laws `window-*` of `rules/ops.rules`.

use super::builder::Condition;
use super::op::NoMap;
use super::spread;
use affinor::expr::Expr;
use affinor::num::Interval;
use affinor_hlo::attribute::WindowDimension;

/// The element of the base under a tap (or the window with a tap at an element), and the conditions for its existence.
pub(super) struct Tap {
    pub(super) element: Expr,
    pub(super) conditions: Vec<Condition>,
}

/// The geometry of one dimension of a window.
pub(super) trait Geometry: Sized {
    /// Returns the size of a base of this size after dilation and padding; `None` beyond 64 bits or below 0.
    fn padded(&self, base: i64) -> Option<i64>;

    /// Returns the same window over a base that is already padded and dilated.
    fn without_padding(&self) -> WindowDimension;

    /// Rejects a number of windows other than `count`.
    fn check(&self, base: i64, count: i64) -> Result<(), NoMap>;

    /// Returns the element of a base of this size under tap number `tap` of window number `window`.
    fn tap(&self, base: i64, window: &Expr, tap: &Expr) -> Result<Tap, NoMap>;

    /// Returns the conditions for window number `window` to have a tap at element `element` of an undilated base.
    fn covers(&self, window: &Expr, element: &Expr) -> Result<Vec<Condition>, NoMap>;

    /// Returns the only window that may have a tap at element `element` of an undilated base, if windows do not overlap, and
    /// the conditions for one of `count` windows to have it. `None` if they overlap.
    fn only_window(&self, count: i64, element: &Expr) -> Result<Option<Tap>, NoMap>;

    /// Returns whether a window may have fewer taps at elements of the base than `size`.
    fn may_miss(&self) -> bool;
}

impl Geometry for WindowDimension {
    fn padded(&self, base: i64) -> Option<i64> {
        let spread = spread::extent(base, i128::from(self.base_dilation));
        let size = i128::from(self.padding_low) + spread + i128::from(self.padding_high);
        i64::try_from(size).ok().filter(|size| *size >= 0)
    }

    fn without_padding(&self) -> WindowDimension {
        WindowDimension { padding_low: 0, padding_high: 0, base_dilation: 1, ..*self }
    }

    fn check(&self, base: i64, count: i64) -> Result<(), NoMap> {
        let steps = [self.size, self.stride, self.base_dilation, self.window_dilation];
        let right = steps.iter().all(|step| *step >= 1) && base >= 0;
        if right && windows_over(self, base) == Some(i128::from(count)) {
            return Ok(());
        }
        Err(NoMap::invalid(format!(
            "a window of size {} with stride {}, padding {}_{} and dilations {} and {} over a dimension of \
             size {base} is not at {count} place(s)",
            self.size,
            self.stride,
            self.padding_low,
            self.padding_high,
            self.base_dilation,
            self.window_dilation
        )))
    }

    fn tap(&self, base: i64, window: &Expr, tap: &Expr) -> Result<Tap, NoMap> {
        let place =
            Expr::sum(0, [(self.stride, window.clone()), (self.window_dilation, tap.clone())])?;
        let position = place.sub(&Expr::constant(self.padding_low))?;
        let conditions = spread::holds(&position, base, self.base_dilation)?;
        let conditions =
            conditions.ok_or_else(|| NoMap::unknown("its window is beyond 64 bits"))?;
        let element = spread::element_at(&position, self.base_dilation)?;
        Ok(Tap { element, conditions })
    }

    fn covers(&self, window: &Expr, element: &Expr) -> Result<Vec<Condition>, NoMap> {
        let begin = window.scale(self.stride)?.sub(&Expr::constant(self.padding_low))?;
        let distance = element.sub(&begin)?;
        let conditions = spread::holds(&distance, self.size, self.window_dilation)?;
        conditions.ok_or_else(|| NoMap::unknown("its window is beyond 64 bits"))
    }

    fn only_window(&self, count: i64, element: &Expr) -> Result<Option<Tap>, NoMap> {
        let span = spread::extent(self.size, i128::from(self.window_dilation));
        if span > i128::from(self.stride) {
            return Ok(None);
        }
        let position = element.add(&Expr::constant(self.padding_low))?;
        let window = position.floordiv(self.stride)?;
        let within = position.modulo(self.stride)?;
        let holds = spread::holds(&within, self.size, self.window_dilation)?;
        Ok(holds.map(|mut conditions| {
            conditions.push((window.clone(), Interval::of_size(count)));
            Tap { element: window, conditions }
        }))
    }

    fn may_miss(&self) -> bool {
        self.padding_low > 0 || self.padding_high > 0 || self.base_dilation > 1
    }
}

/// Returns the number of windows over a base of this size; `None` if the padding cuts off more than the base.
fn windows_over(window: &WindowDimension, base: i64) -> Option<i128> {
    let padded = i128::from(window.padding_low)
        + spread::extent(base, i128::from(window.base_dilation))
        + i128::from(window.padding_high);
    let room = padded - spread::extent(window.size, i128::from(window.window_dilation));
    match (padded, room) {
        (..0, _) => None,
        (_, ..0) => Some(0),
        (_, room) => Some(room / i128::from(window.stride) + 1),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns a strategy for windows that fit at least once over a base of this size.
    pub(in crate::indexing) fn windows(base: i64) -> impl Strategy<Value = WindowDimension> {
        let steps = (1i64..4, 1i64..3, 1i64..3, 1i64..3);
        (steps, -2i64..3, -2i64..3).prop_map(move |(steps, low, high)| {
            let (size, stride, base_dilation, window_dilation) = steps;
            let spread = (base - 1) * base_dilation + 1;
            let window = (size - 1) * window_dilation + 1;
            let low = low.max(-spread);
            WindowDimension {
                size,
                stride,
                padding_low: low,
                padding_high: high.max(window - spread - low),
                base_dilation,
                window_dilation,
                reversal: false,
            }
        })
    }

    /// Returns, for each window, the element under each of its taps, by sliding the window over the expanded base.
    pub(in crate::indexing) fn slid(window: &WindowDimension, base: i64) -> Vec<Vec<Option<i64>>> {
        let mut line = Vec::new();
        for element in 0..base {
            if element > 0 {
                line.extend(std::iter::repeat_n(None, window.base_dilation as usize - 1));
            }
            line.push(Some(element));
        }
        let padding = |edge: i64| std::iter::repeat_n(None, edge.max(0) as usize);
        let mut line: Vec<Option<i64>> =
            padding(window.padding_low).chain(line).chain(padding(window.padding_high)).collect();
        line.drain(..(-window.padding_low).max(0) as usize);
        line.truncate(line.len() - (-window.padding_high).max(0) as usize);
        let reach = (window.size - 1) * window.window_dilation;
        let taps = |begin: usize| -> Vec<Option<i64>> {
            (0..window.size)
                .map(|tap| line[begin + (tap * window.window_dilation) as usize])
                .collect()
        };
        (0..line.len())
            .step_by(window.stride as usize)
            .filter(|begin| begin + (reach as usize) < line.len())
            .map(taps)
            .collect()
    }

    proptest! {
        #[test]
        fn windows_are_counted((base, window) in (1i64..6).prop_flat_map(|b| (Just(b), windows(b)))) {
            let count = slid(&window, base).len() as i64;
            prop_assert!(window.check(base, count).is_ok());
            prop_assert!(window.check(base, count + 1).is_err());
        }
    }

    #[test]
    fn a_window_that_does_not_fit_is_nowhere() {
        let window = |padding_low, padding_high| WindowDimension {
            size: 3,
            stride: 1,
            padding_low,
            padding_high,
            base_dilation: 1,
            window_dilation: 1,
            reversal: false,
        };
        assert!(window(0, 0).check(2, 0).is_ok());
        assert!(window(-1, -2).check(2, 0).is_err());
        assert!(window(i64::MAX, i64::MAX).check(2, 0).is_err());
    }
}
