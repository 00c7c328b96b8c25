//! Shapes, and the numbering of an array's elements: in row-major order, whatever the layout.

use std::fmt;

/// An element type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Pred,
    S32,
    U8,
    U16,
    U32,
    F32,
    C64,
}

impl Kind {
    /// Returns the width of an element.
    pub fn bits(self) -> i64 {
        match self {
            Kind::Pred | Kind::U8 => 8,
            Kind::U16 => 16,
            Kind::S32 | Kind::U32 | Kind::F32 => 32,
            Kind::C64 => 64,
        }
    }

    /// Returns `value` wrapped to this kind. A float only has to be equal to another one or different.
    pub fn held(self, value: i64) -> i64 {
        match self {
            Kind::Pred => value & 1,
            Kind::S32 => i64::from(value as i32),
            Kind::U8 => i64::from(value as u8),
            Kind::U16 => i64::from(value as u16),
            Kind::U32 => i64::from(value as u32),
            Kind::F32 | Kind::C64 => value,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format!("{self:?}").to_lowercase())
    }
}

/// The shape of an array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Array {
    pub kind: Kind,
    pub sizes: Vec<i64>,
    /// The dimensions in minor-to-major order; `None` is the row-major layout.
    pub layout: Option<Vec<usize>>,
    /// The sizes of a tile of the most minor dimensions, from major to minor; empty without tiling.
    pub tile: Vec<i64>,
}

impl Array {
    pub fn new(kind: Kind, sizes: &[i64]) -> Array {
        Array { kind, sizes: sizes.to_vec(), layout: None, tile: Vec::new() }
    }

    /// Returns the dimensions in major-to-minor order.
    fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = match &self.layout {
            Some(layout) => layout.clone(),
            None => (0..self.sizes.len()).rev().collect(),
        };
        order.reverse();
        order
    }

    /// Returns the number of elements in memory, padding included.
    pub fn held(&self) -> i64 {
        let order = self.order();
        let first = order.len() - self.tile.len();
        let held = order.iter().enumerate().map(|(place, k)| {
            let tile = if place < first { 1 } else { self.tile[place - first] };
            (self.sizes[*k] + tile - 1) / tile * tile
        });
        held.product()
    }

    /// Returns the number of elements.
    pub fn count(&self) -> usize {
        self.sizes.iter().product::<i64>() as usize
    }

    /// Returns the number of the element at `index`.
    pub fn number(&self, index: &[i64]) -> usize {
        let steps = self.sizes.iter().zip(index);
        steps.fold(0, |number, (size, i)| {
            assert!((0..*size).contains(i), "{index:?} of {self}");
            number * size + i
        }) as usize
    }

    /// Returns the index of the element with this number.
    pub fn index(&self, number: usize) -> Vec<i64> {
        let mut rest = number as i64;
        let mut index = vec![0; self.sizes.len()];
        for (i, size) in index.iter_mut().zip(&self.sizes).rev() {
            *i = rest % size;
            rest /= size;
        }
        index
    }

    /// Returns the indices of all elements, in the order of their numbers.
    pub fn indices(&self) -> impl Iterator<Item = Vec<i64>> + '_ {
        (0..self.count()).map(|number| self.index(number))
    }

    /// Returns the position of the element in memory, counted in elements.
    pub fn position(&self, index: &[i64]) -> i64 {
        let order = self.order();
        let first = order.len() - self.tile.len();
        let mut position = 0;
        for (place, k) in order.iter().enumerate() {
            let tile = if place < first { 1 } else { self.tile[place - first] };
            let tiles = (self.sizes[*k] + tile - 1) / tile;
            position = position * tiles + index[*k] / tile;
        }
        for (k, tile) in order[first..].iter().zip(&self.tile) {
            position = position * tile + index[*k] % tile;
        }
        position
    }
}

impl fmt::Display for Array {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]", self.kind, joined(&self.sizes))?;
        if self.layout.is_none() && self.tile.is_empty() {
            return Ok(());
        }
        let mut order = self.order();
        order.reverse();
        match self.tile.is_empty() {
            true => write!(f, "{{{}}}", joined(&order)),
            false => write!(f, "{{{}:T({})}}", joined(&order), joined(&self.tile)),
        }
    }
}

/// The shape of a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shape {
    Array(Array),
    Tuple(Vec<Shape>),
}

impl Shape {
    /// Returns the array; `None` for other shapes.
    pub fn array(&self) -> Option<&Array> {
        match self {
            Shape::Array(array) => Some(array),
            Shape::Tuple(_) => None,
        }
    }

    /// Returns all arrays with their paths, in order: the *leaves*.
    pub fn leaves(&self) -> Vec<(Vec<usize>, &Array)> {
        match self {
            Shape::Array(array) => vec![(Vec::new(), array)],
            Shape::Tuple(parts) => {
                let leaves = parts.iter().enumerate().flat_map(|(k, part)| {
                    let below = part.leaves().into_iter();
                    below.map(move |(path, array)| ([vec![k], path].concat(), array))
                });
                leaves.collect()
            }
        }
    }

    /// Returns the numbers of the leaves in part `k` of a tuple.
    pub fn leaves_of_part(&self, k: usize) -> std::ops::Range<usize> {
        let Shape::Tuple(parts) = self else {
            panic!("an array has no parts");
        };
        let before = parts[..k].iter().map(|part| part.leaves().len()).sum();
        before..before + parts[k].leaves().len()
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shape::Array(array) => array.fmt(f),
            Shape::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(Shape::to_string).collect();
                write!(f, "({})", parts.join(", "))
            }
        }
    }
}

/// Writes the items with commas between them.
pub fn joined<T: fmt::Display>(items: &[T]) -> String {
    let items: Vec<String> = items.iter().map(T::to_string).collect();
    items.join(",")
}
