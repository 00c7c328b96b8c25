//! The ops of random programs that take several arrays.

use super::program::{Array, Cell, Draft, all_of, list};

impl Draft<'_> {
    pub fn concatenate(&mut self, name: &str, x: &Array) {
        let place = self.random.place(x.sizes.len());
        let mut parts = vec![(name.to_owned(), x.clone())];
        for _ in 0..1 + self.random.place(2) {
            let other = match self.random.place(3) {
                0 => (name.to_owned(), x.clone()),
                _ => {
                    let mut sizes = x.sizes.clone();
                    sizes[place] = self.random.within(1..=11);
                    self.parameter("f32", &sizes, |_| 0)
                }
            };
            let at = self.random.place(parts.len() + 1);
            parts.insert(at, other);
        }
        let mut sizes = x.sizes.clone();
        sizes[place] = parts.iter().map(|(_, part)| part.sizes[place]).sum();
        if !Draft::fits(&sizes) {
            return;
        }
        let names: Vec<&str> = parts.iter().map(|(name, _)| name.as_str()).collect();
        let attributes = format!("dimensions={{{place}}}");
        self.push("concatenate", &sizes, &names, &attributes, |index| {
            let mut from = index.to_vec();
            for (_, part) in &parts {
                if from[place] < part.sizes[place] {
                    return part.at(&from).cloned().unwrap_or_default();
                }
                from[place] -= part.sizes[place];
            }
            Cell::default()
        });
    }

    /// Adds a parameter of indices into dimensions of `size`, some of them out of bounds.
    fn starts(&mut self, sizes: &[i64], size: i64) -> (String, Array) {
        let (name, array) = self.parameter("s32", sizes, |random| random.within(-2..=size + 1));
        (name, array)
    }

    pub fn gather(&mut self, name: &str, x: &Array) {
        let rank = x.sizes.len();
        let batch: Vec<i64> =
            (0..1 + self.random.place(2)).map(|_| self.random.within(1..=5)).collect();
        let components = self.random.place(rank + 1);
        let mut dimensions: Vec<usize> = (0..rank).collect();
        for i in (1..rank).rev() {
            dimensions.swap(i, self.random.place(i + 1));
        }
        dimensions.truncate(components);
        let window: Vec<i64> = x.sizes.iter().map(|size| self.random.within(1..=*size)).collect();
        let is_collapsed: Vec<bool> =
            window.iter().map(|size| *size == 1 && self.random.place(2) == 0).collect();
        let kept: Vec<usize> = (0..rank).filter(|d| !is_collapsed[*d]).collect();
        let all = batch.len() + kept.len();
        // Choose the output dimensions that belong to the window.
        let mut offset: Vec<usize> = (0..all).collect();
        while offset.len() > kept.len() {
            let place = self.random.place(offset.len());
            offset.remove(place);
        }
        let (mut of_window, mut of_batch) = (kept.iter(), batch.iter());
        let sizes: Vec<i64> = (0..all)
            .map(|d| match offset.contains(&d) {
                true => of_window.next().map(|d| window[*d]).unwrap_or_default(),
                false => of_batch.next().copied().unwrap_or_default(),
            })
            .collect();
        if !Draft::fits(&sizes) || components == 0 {
            return;
        }
        let largest = x.sizes.iter().max().copied().unwrap_or_default();
        let of_indices = [batch.as_slice(), &[components as i64]].concat();
        let (other, starts) = self.starts(&of_indices, largest);
        let collapsed: Vec<usize> = (0..rank).filter(|d| is_collapsed[*d]).collect();
        let attributes = format!(
            "offset_dims={{{}}}, collapsed_slice_dims={{{}}}, start_index_map={{{}}}, index_vector_dim={}, slice_sizes={{{}}}",
            list(&offset),
            list(&collapsed),
            list(&dimensions),
            batch.len(),
            list(&window)
        );
        self.push("gather", &sizes, &[name, &other], &attributes, |index| {
            let at: Vec<i64> = (0..all).filter(|d| !offset.contains(d)).map(|d| index[d]).collect();
            let mut from = vec![0; rank];
            for (d, place) in kept.iter().zip(&offset) {
                from[*d] = index[*place];
            }
            let mut read = Vec::new();
            for (component, d) in dimensions.iter().enumerate() {
                let start = starts.at(&[at.as_slice(), &[component as i64]].concat());
                from[*d] += start.map_or(0, |start| start.value.clamp(0, x.sizes[*d] - window[*d]));
                read.push(start);
            }
            read.push(x.at(&from));
            all_of(read)
        });
    }

    pub fn dynamic_slice(&mut self, name: &str, x: &Array) {
        let sizes: Vec<i64> = x.sizes.iter().map(|size| self.random.within(1..=*size)).collect();
        let (names, starts) = self.scalars(x, &sizes);
        let names: Vec<&str> = [name].into_iter().chain(names.iter().map(String::as_str)).collect();
        let attributes = format!("dynamic_slice_sizes={{{}}}", list(&sizes));
        self.push("dynamic-slice", &sizes, &names, &attributes, |index| {
            let from = index.iter().zip(&starts).map(|(i, start)| i + start.value);
            let from: Vec<i64> = from.collect();
            all_of(starts.iter().map(Some).chain([x.at(&from)]))
        });
    }

    /// Adds a scalar for each dimension of `x`, clamped so that a window of `sizes` is in bounds.
    fn scalars(&mut self, x: &Array, sizes: &[i64]) -> (Vec<String>, Vec<Cell>) {
        let mut all = (Vec::new(), Vec::new());
        for (whole, size) in x.sizes.iter().zip(sizes) {
            let (name, array) = self.starts(&[], *whole);
            let mut cell = array.cells[0].clone();
            cell.value = cell.value.clamp(0, whole - size);
            all.0.push(name);
            all.1.push(cell);
        }
        all
    }

    pub fn update_slice(&mut self, name: &str, x: &Array) {
        let sizes: Vec<i64> = x.sizes.iter().map(|size| self.random.within(1..=*size)).collect();
        let (update, u) = self.parameter("f32", &sizes, |_| 0);
        let (names, starts) = self.scalars(x, &sizes);
        let names: Vec<&str> =
            [name, &update].into_iter().chain(names.iter().map(String::as_str)).collect();
        self.push("dynamic-update-slice", &x.sizes, &names, "", |index| {
            let from = index.iter().zip(&starts).map(|(i, start)| i - start.value);
            let from: Vec<i64> = from.collect();
            let element = u.at(&from).or_else(|| x.at(index));
            all_of(starts.iter().map(Some).chain([element]))
        });
    }

    pub fn dot(&mut self, name: &str, x: &Array) {
        let rank = x.sizes.len();
        let contracted = self.random.place(rank);
        let batch: Vec<usize> =
            (0..rank).filter(|d| *d != contracted && self.random.place(3) == 0).collect();
        let free: Vec<usize> =
            (0..rank).filter(|d| *d != contracted && !batch.contains(d)).collect();
        let columns = self.random.within(1..=5);
        let size = |d: &usize| x.sizes[*d];
        let of_batch: Vec<i64> = batch.iter().map(size).collect();
        let of_other = [of_batch.as_slice(), &[x.sizes[contracted], columns]].concat();
        let sizes = [of_batch.clone(), free.iter().map(size).collect(), vec![columns]].concat();
        if !Draft::fits(&sizes) || !Draft::fits(&of_other) {
            return;
        }
        let (other, y) = self.parameter("f32", &of_other, |_| 0);
        let count = batch.len();
        let mut attributes =
            format!("lhs_contracting_dims={{{contracted}}}, rhs_contracting_dims={{{count}}}");
        if count > 0 {
            let of_other: Vec<usize> = (0..count).collect();
            attributes += &format!(
                ", lhs_batch_dims={{{}}}, rhs_batch_dims={{{}}}",
                list(&batch),
                list(&of_other)
            );
        }
        self.push("dot", &sizes, &[name, &other], &attributes, |index| {
            let read = (0..x.sizes[contracted]).flat_map(|k| {
                let mut lhs = vec![0; rank];
                lhs[contracted] = k;
                for (d, i) in batch.iter().chain(&free).zip(index) {
                    lhs[*d] = *i;
                }
                let column = index.last().copied().unwrap_or_default();
                let rhs = [&index[..count], &[k, column]].concat();
                [x.at(&lhs), y.at(&rhs)]
            });
            all_of(read)
        });
    }
}
