//! Replaces the named sizes of an example by numbers: the rule has constants in their place.

use super::samples;
use affinor::expr::{IndexingMap, VariableId, VariableKind};
use affinor::prove::{sizes_of, with_sizes};

/// Sizes that are not multiples of each other, and large enough that none is a small combination of another and 1.
const SIZES: [i64; 8] = [5, 7, 11, 13, 17, 19, 23, 29];

/// Common factors of the sizes, for domains that exclude small sizes.
const MULTIPLES: [i64; 7] = [1, 2, 3, 4, 8, 16, 128];

/// Values of named sizes, by name.
pub type Sizes = Vec<(String, i64)>;

/// Substitutes numbers for the parameters of the maps; returns the maps and the numbers with the parameters' names. `None` if no
/// numbers are found for which the domain of the first map has points.
pub fn numbered(maps: [&IndexingMap; 2]) -> Option<([IndexingMap; 2], Sizes)> {
    let domain = maps[0].domain();
    let parameters: Vec<VariableId> = domain.ids(VariableKind::Parameter).collect();
    if parameters.is_empty() {
        return Some((maps.map(Clone::clone), Vec::new()));
    }
    let numbers = || (0..parameters.len() as u32).map(VariableId);
    let tried = MULTIPLES.into_iter().flat_map(|of| {
        // The domain may require the sizes to be in descending order.
        [false, true].map(|falls| {
            let sizes = SIZES.iter().cycle();
            let mut sizes: Vec<i64> = sizes.take(parameters.len()).map(|size| size * of).collect();
            if falls {
                sizes.reverse();
            }
            numbers().zip(sizes).collect::<Vec<_>>()
        })
    });
    let small = sizes_of([maps[0], maps[0]]);
    let sizes = tried.chain(small.into_iter().rev()).find(|sizes| {
        let map = with_sizes(maps[0], sizes);
        map.is_some_and(|map| !samples::points(map.domain()).is_empty())
    })?;
    let [left, right] = maps.map(|map| with_sizes(map, &sizes));
    let name =
        |id: &VariableId| domain.variables()[parameters[id.index()].index()].name.to_string();
    let named = sizes.iter().map(|(id, value)| (name(id), *value));
    Some(([left?, right?], named.collect()))
}
