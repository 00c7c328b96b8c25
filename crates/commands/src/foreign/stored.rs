//! The memory layout of an array: `x.stride()`, `x.is_contiguous()`, and whether `view` needs a copy.
//!
//! Law: a view in NumPy or PyTorch has a stride for each dimension, in elements; the result of a method that copies has row-major
//! strides. A dimension of size 1 may have any stride, so none is claimed; the strides of a named array are unknown.

use super::array::{Array, Strides, boxed, index, new_strides, shape};
use affinor::expr::{Domain, Expr, IndexingMap};
use affinor::text::{Error, Style, print_map};

impl Array {
    /// Returns the strides of the array whose elements are those of this array at `places`: a view, if the places are sums.
    pub fn strides_at(&self, sizes: &[i64], places: &[Expr]) -> Strides {
        let own = self.strides.as_ref()?;
        let mut strides = Vec::new();
        for (number, size) in sizes.iter().enumerate() {
            let mut point = vec![0; sizes.len()];
            let mut sum = Some(0i64);
            let mut moves = false;
            for (place, stride) in places.iter().zip(own) {
                point[number] = 0;
                let first = place.eval(&point).ok()?;
                point[number] = 1;
                let by = place.eval(&point).ok()?.checked_sub(first)?;
                moves |= by != 0;
                sum = match (by, sum, stride) {
                    (0, sum, _) => sum,
                    (by, Some(sum), Some(stride)) => {
                        Some(sum.checked_add(by.checked_mul(*stride)?)?)
                    }
                    _ => None,
                };
            }
            strides.push(sum.filter(|_| moves || *size > 1));
        }
        Some(strides)
    }

    /// Returns the strides of a view with other sizes in row-major order; `Err` if no such view exists, so that a copy is made.
    pub fn strides_of_view(&self, sizes: &[i64]) -> Result<Strides, ()> {
        let Some(own) = &self.strides else {
            return Ok(None);
        };
        if self.strides == new_strides(&self.sizes) {
            return Ok(new_strides(sizes));
        }
        // Dimensions that are contiguous with each other, the last first, with the size and stride of each run.
        let mut runs: Vec<(i64, i64)> = Vec::new();
        for (size, stride) in self.sizes.iter().zip(own).rev() {
            let Some(stride) = stride.filter(|_| *size > 1) else { continue };
            match runs.last_mut() {
                Some((count, first)) if *count * *first == stride => *count *= size,
                _ => runs.push((*size, stride)),
            }
        }
        let mut runs = runs.into_iter();
        let (mut left, mut step) = runs.next().unwrap_or((1, 1));
        let mut strides = Vec::new();
        for size in sizes.iter().rev() {
            if *size == 1 {
                strides.push(None);
                continue;
            }
            if left == 1 {
                (left, step) = runs.next().unwrap_or((1, 1));
            }
            if left % size != 0 {
                return Err(());
            }
            strides.push(Some(step));
            (left, step) = (left / size, step * size);
        }
        strides.reverse();
        Ok(Some(strides))
    }

    /// Applies PyTorch's `view`, which never copies.
    pub fn viewed(self, sizes: &[i64]) -> Result<Array, Error> {
        let view = self.clone().reshaped(sizes)?;
        match self.strides_of_view(&view.sizes) {
            Ok(_) => Ok(view),
            Err(()) => {
                let strides = self.strides.iter().flatten();
                let strides: Vec<String> = strides
                    .map(|stride| stride.map_or("any".to_owned(), |x| x.to_string()))
                    .collect();
                let message = format!(
                    "sizes {:?} with strides ({}) have no view of sizes {sizes:?}: PyTorch refuses it",
                    self.sizes,
                    strides.join(", ")
                );
                Err(shape(message).hint("`reshape` makes a copy where there is no view"))
            }
        }
    }

    /// Returns numbers about an array, as an array.
    pub fn numbers(self, numbers: &[i64]) -> Array {
        let results = numbers.iter().map(|number| Expr::constant(*number)).collect();
        let map = IndexingMap::new(Domain::new(Vec::new()), results);
        Array { sizes: Vec::new(), map, strides: None, ..self }
    }

    /// Returns the strides in elements.
    ///
    /// # Errors
    /// If they are unknown.
    pub fn known_strides(&self) -> Result<Vec<i64>, Error> {
        let Some(strides) = &self.strides else {
            let message = "the strides of this array are not known: it may be a copy";
            return Err(shape(message)
                .hint("write the array in one line: `torch.empty(4, 8).t().stride()`"));
        };
        strides
            .iter()
            .copied()
            .collect::<Option<_>>()
            .ok_or_else(|| shape("the stride of a new dimension of size 1 is any number"))
    }

    /// Returns the line that asks whether the elements are in row-major order.
    ///
    /// # Errors
    /// If the strides are unknown.
    pub fn is_contiguous(&self) -> Result<String, Error> {
        let strides = match self.strides {
            Some(_) => self.strides.clone(),
            None => return Err(self.known_strides().err().unwrap_or_else(|| shape("no strides"))),
        };
        let domain = boxed(&self.sizes)?;
        let place = |strides: Vec<Option<i64>>| {
            let terms = strides.into_iter().enumerate();
            let terms = terms.map(|(number, stride)| (stride.unwrap_or(0), index(number)));
            let sum = Expr::sum(0, terms).map_err(crate::given::expr_error)?;
            Ok::<String, Error>(print_map(
                &IndexingMap::new(domain.clone(), vec![sum]),
                Style::Plain,
            ))
        };
        let own = place(strides.unwrap_or_default())?;
        Ok(format!("equal {own} ; {}", place(new_strides(&self.sizes).unwrap_or_default())?))
    }
}
