//! Examples with named sizes become numbers: a rule has constants where the example has sizes.

use super::samples;
use affinor::expr::{IndexingMap, VariableId, VariableKind};
use affinor::prove::{sizes_of, with_sizes};

/// Sizes that are not multiples of each other, and large enough that none is what another one and 1 make.
const SIZES: [i64; 8] = [5, 7, 11, 13, 17, 19, 23, 29];

/// Common divisors of sizes, where small sizes are not in the domain.
const MULTIPLES: [i64; 7] = [1, 2, 3, 4, 8, 16, 128];

/// Values of named sizes.
pub type Sizes = Vec<(String, i64)>;

/// The same maps for some numbers as the values of their parameters, and these numbers with their names. `None` if no
/// numbers are found for which the first one has points.
pub fn numbered(maps: [&IndexingMap; 2]) -> Option<([IndexingMap; 2], Sizes)> {
    let domain = maps[0].domain();
    let parameters: Vec<VariableId> = domain.ids(VariableKind::Parameter).collect();
    if parameters.is_empty() {
        return Some((maps.map(Clone::clone), Vec::new()));
    }
    let numbers = || (0..parameters.len() as u32).map(VariableId);
    let tried = MULTIPLES.into_iter().flat_map(|of| {
        // They may be in order.
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
