//! Shardings: which part of an array each device holds.
//!
//! Law: in `{devices=[2,4]<=[8]}`, entry `k` of the first list is the number of parts along dimension `k`. Parts are numbered in
//! row-major order, and the devices after the list, or `<=`, are those of parts 0, 1, .. in order. Devices that differ only in
//! dimensions after those of the array hold the same part.
//! Source: XLA, `hlo_sharding.h`, `tile_assignment.h`.

/// The division of an array into parts, and the part that each device holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Sharding {
    /// The number of parts along each dimension.
    pub(super) tiles: Vec<i64>,
    /// The number of the part of each device, in row-major order of the parts.
    pub(super) part: Vec<usize>,
}

impl Sharding {
    /// All devices hold the whole array.
    pub(super) fn replicated(rank: usize, devices: usize) -> Sharding {
        Sharding { tiles: vec![1; rank], part: vec![0; devices] }
    }

    /// Reads the sharding of an array; `None` for one of another form, or for a different number of devices.
    pub(super) fn read(text: &str, rank: usize, devices: usize) -> Option<Sharding> {
        let text = text.trim().strip_prefix('{')?.strip_suffix('}')?.trim();
        if text == "replicated" {
            return Some(Sharding::replicated(rank, devices));
        }
        let (listed, rest) = text.strip_prefix("devices=[")?.split_once(']')?;
        let mut tiles = integers(listed)?;
        let (order, rest) = match rest.strip_prefix("<=[") {
            Some(rest) => {
                let (shape, rest) = rest.split_once(']')?;
                let shape = integers(shape)?;
                match rest.strip_prefix("T(") {
                    Some(rest) => {
                        let (axes, rest) = rest.split_once(')')?;
                        (in_order(&shape, &integers(axes)?)?, rest)
                    }
                    None => ((0..product(&shape)?).collect(), rest),
                }
            }
            None => {
                let (numbers, rest) = rest.split_once(' ').unwrap_or((rest, ""));
                (integers(numbers)?, rest)
            }
        };
        let copies = match rest.trim() {
            "" => 0,
            "last_tile_dim_replicate" => 1,
            _ => return None,
        };
        (tiles.len() == rank + copies).then_some(())?;
        let all = product(&tiles)?;
        let in_a_part = product(&tiles[rank..])?;
        tiles.truncate(rank);
        let mut part = vec![None; devices];
        (order.len() == devices && usize::try_from(all).ok()? == devices).then_some(())?;
        for (place, device) in order.iter().enumerate() {
            let device = part.get_mut(usize::try_from(*device).ok()?)?;
            *device = Some(place / usize::try_from(in_a_part).ok()?);
        }
        Some(Sharding { tiles, part: part.into_iter().collect::<Option<_>>()? })
    }

    /// Returns the index, along each dimension, of the part that a device holds.
    pub(super) fn place(&self, device: usize) -> Option<Vec<i64>> {
        let mut number = i64::try_from(*self.part.get(device)?).ok()?;
        let mut place = vec![0; self.tiles.len()];
        for (at, tiles) in place.iter_mut().zip(&self.tiles).rev() {
            (*at, number) = (number % tiles, number / tiles);
        }
        Some(place)
    }

    /// Returns the sizes of each part of an array.
    pub(super) fn sizes(&self, whole: &[i64]) -> Option<Vec<i64>> {
        (whole.len() == self.tiles.len()).then_some(())?;
        let size = |(size, tiles): (&i64, &i64)| size.checked_add(tiles - 1)?.checked_div(*tiles);
        whole.iter().zip(&self.tiles).map(size).collect()
    }

    /// Returns whether all parts of an array have the same size.
    pub(super) fn is_even(&self, whole: &[i64]) -> bool {
        whole.iter().zip(&self.tiles).all(|(size, tiles)| size % tiles == 0)
    }
}

/// Splits the sharding of a tuple, `{{..}, {..}}`, into those of its elements.
pub(super) fn of_elements(text: &str) -> Option<Vec<&str>> {
    let text = text.trim().strip_prefix('{')?.strip_suffix('}')?;
    let (mut depth, mut start, mut found) = (0_usize, 0, Vec::new());
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => {
                if depth == 0 {
                    start = at;
                }
                depth += 1;
            }
            b'}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    found.push(&text[start..=at]);
                }
            }
            _ => {}
        }
    }
    (!found.is_empty()).then_some(found)
}

fn integers(text: &str) -> Option<Vec<i64>> {
    text.split(',').map(|number| number.trim().parse().ok().filter(|x| *x >= 0)).collect()
}

/// Returns the product of sizes that are at least 1.
fn product(sizes: &[i64]) -> Option<i64> {
    let product = |all: i64, size: &i64| all.checked_mul(*size).filter(|_| *size >= 1);
    sizes.iter().try_fold(1, product).filter(|all| *all <= 1 << 16)
}

/// Returns 0, 1, .., reshaped to `shape` and transposed, in row-major order.
fn in_order(shape: &[i64], axes: &[i64]) -> Option<Vec<i64>> {
    product(shape)?;
    let mut sorted = axes.to_vec();
    sorted.sort_unstable();
    sorted.iter().copied().eq(0..i64::try_from(shape.len()).ok()?).then_some(())?;
    let mut found = vec![0];
    for axis in axes {
        let axis = usize::try_from(*axis).ok()?;
        let stride: i64 = shape[axis + 1..].iter().product();
        let next = found.iter().flat_map(|from| (0..shape[axis]).map(move |k| from + k * stride));
        found = next.collect();
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, rank: usize, expected: Option<(&[i64], &[usize])>) {
        let found = Sharding::read(text, rank, 8);
        let found = found.as_ref().map(|found| (&found.tiles[..], &found.part[..]));
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn parts_of_devices() {
        check("{replicated}", 2, Some((&[1, 1], &[0; 8])));
        check("{devices=[2,4]<=[8]}", 2, Some((&[2, 4], &[0, 1, 2, 3, 4, 5, 6, 7])));
        check("{devices=[2,4]<=[4,2]T(1,0)}", 2, Some((&[2, 4], &[0, 4, 1, 5, 2, 6, 3, 7])));
        let rows = "{devices=[2,1,4]<=[8] last_tile_dim_replicate}";
        check(rows, 2, Some((&[2, 1], &[0, 0, 0, 0, 1, 1, 1, 1])));
        let columns = "{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}";
        check(columns, 2, Some((&[1, 4], &[0, 1, 2, 3, 0, 1, 2, 3])));
        check("{devices=[8]7,6,5,4,3,2,1,0}", 1, Some((&[8], &[7, 6, 5, 4, 3, 2, 1, 0])));
        for (text, rank) in [
            ("{manual}", 2),
            ("{maximal device=0}", 1),
            ("{devices=[2,4]<=[8]}", 1),
            ("{devices=[2,2]<=[4]}", 2),
            ("{devices=[2,4]<=[4,2]T(1,1)}", 2),
            ("{devices=[8]7,6,5,4,3,2,1,1}", 1),
            (rows, 3),
            ("{devices=[2,1,4]<=[8] last_tile_dims={manual}}", 2),
        ] {
            check(text, rank, None);
        }
        let tuple = "{{devices=[2,4]<=[8]}, /*index=1*/{replicated}}";
        assert_eq!(of_elements(tuple), Some(vec!["{devices=[2,4]<=[8]}", "{replicated}"]));
        assert_eq!(of_elements("{replicated}"), None);
        let of = Sharding::read(columns, 2, 8).expect("a sharding");
        assert_eq!(of.place(6), Some(vec![0, 2]));
        assert_eq!(of.sizes(&[3, 6]), Some(vec![3, 2]));
        assert!(of.is_even(&[3, 8]) && !of.is_even(&[3, 6]));
    }
}
