//! Parts of arrays, and arrays that are put together from parts.

use super::lines::{Id, Lines};
use super::sharding::Sharding;

/// Returns `2,3` as text.
pub(super) fn listed(sizes: &[i64]) -> String {
    sizes.iter().map(i64::to_string).collect::<Vec<_>>().join(",")
}

/// Returns the text of a slice along one dimension, or of the whole array along the others.
pub(super) fn sliced(sizes: &[i64], ranges: &[(i64, i64)]) -> String {
    let ranges = sizes.iter().enumerate().map(|(dimension, size)| {
        let (start, end) = ranges.get(dimension).copied().unwrap_or((0, *size));
        format!("[{start}:{end}]")
    });
    format!(", slice={{{}}}", ranges.collect::<Vec<_>>().join(", "))
}

/// Returns the part of an array that a device holds, whose shape has the text `shape`; the parts have equal sizes.
pub(super) fn part(
    lines: &mut Lines<'_>,
    whole: Id,
    sizes: &[i64],
    (sharding, device): (&Sharding, usize),
    shape: &str,
) -> Option<Id> {
    sharding.is_even(sizes).then_some(())?;
    let own = sharding.sizes(sizes)?;
    let place = sharding.place(device)?;
    let ranges: Vec<(i64, i64)> =
        place.iter().zip(&own).map(|(at, size)| (at * size, (at + 1) * size)).collect();
    match own == sizes {
        true => Some(whole),
        false => lines.made(shape, "slice", &[whole], &sliced(sizes, &ranges)),
    }
}

/// Returns the array of these sizes whose parts the devices hold. Where several devices hold a part, there is an array for each
/// such copy; arrays that are the same are listed once.
pub(super) fn whole(
    lines: &mut Lines<'_>,
    parts: &[Id],
    sizes: &[i64],
    element_type: &str,
    sharding: &Sharding,
) -> Option<Vec<Id>> {
    let count = usize::try_from(sharding.tiles.iter().product::<i64>()).ok()?;
    let mut holders: Vec<Vec<Id>> = vec![Vec::new(); count];
    for (device, part) in sharding.part.iter().enumerate() {
        holders.get_mut(*part)?.push(*parts.get(device)?);
    }
    let copies = holders.first()?.len();
    let mut found = Vec::new();
    for copy in 0..copies {
        let mut own: Vec<Id> =
            holders.iter().map(|all| all.get(copy).copied()).collect::<Option<_>>()?;
        let mut sizes_now = sharding.sizes(sizes)?;
        for dimension in (0..sizes.len()).rev() {
            let tiles = usize::try_from(sharding.tiles[dimension]).ok()?;
            if tiles == 1 {
                continue;
            }
            sizes_now[dimension] = sizes_now[dimension].checked_mul(sharding.tiles[dimension])?;
            let shape = format!("{element_type}[{}]", listed(&sizes_now));
            let rest = format!(", dimensions={{{dimension}}}");
            let rows = own.chunks(tiles);
            own = rows
                .map(|row| lines.made(&shape, "concatenate", row, &rest))
                .collect::<Option<_>>()?;
        }
        let [all] = own[..] else {
            return None;
        };
        let ranges: Vec<(i64, i64)> = sizes.iter().map(|size| (0, *size)).collect();
        let shape = format!("{element_type}[{}]", listed(sizes));
        let all = match sizes_now == sizes {
            true => all,
            // What lies beyond the end is not part of the array.
            false => lines.made(&shape, "slice", &[all], &sliced(&sizes_now, &ranges))?,
        };
        if !found.contains(&all) {
            found.push(all);
        }
    }
    Some(found)
}
