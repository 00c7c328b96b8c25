//! `tile --exact-for`: sizes for which a tile is read in full, as alternatives: `b in {1, 2, 4}, or b mod 8 in [0, 0]`.
//!
//! Law: each alternative is proved, for all values of the sizes that it does not name. Other sizes may be exact, too.

use crate::option::Flag;
use crate::output::{Object, Role, Text};
use affinor::expr::{Divisor, Expr, ExprKind, IndexingMap, VariableKind};
use affinor::prove::ends_of;
use affinor::text::{Style, print_expr, variable_names};
use affinor_ops::footprint::tiling::{Means, elements_by_size, tile_by_size};
use std::collections::BTreeSet;

pub const EXACT_FOR: Flag = Flag::new(
    "exact-for",
    "of sizes that are names: for which of their values the tile is proved to be exact",
);

/// The maximal number of constants of a map whose multiples and divisors are tried, and the largest such constant.
const NUMBERS: usize = 4;
const LARGEST: i64 = 4096;

/// The maximal number of divisors of a constant that are tried.
const DIVISORS: usize = 8;

/// The tiles of a map.
pub struct Tiles<'a> {
    /// The map, with parameters for the names of the sizes.
    pub map: &'a IndexingMap,
    /// The number of parameters that the map had before; these come first.
    pub given: usize,
    /// The sizes, over the parameters.
    pub sizes: &'a [Expr],
    /// Whether the tiles are exact for all values of the parameters.
    pub are_exact: bool,
}

/// Writes the sizes for which the tiles are exact, and `{"exact_for": [..]}`.
pub fn write(
    text: &mut Text,
    json: Object,
    tiles: &Tiles<'_>,
    means: &Means<'_>,
    style: Style,
) -> Object {
    let found = match tiles.are_exact {
        true => vec!["all sizes".to_owned()],
        false => tiles.alternatives(means, style),
    };
    let line = match found.is_empty() {
        true => "\nno sizes are known for which it is exact".to_owned(),
        false => format!("\nexact for {}", found.join(", or ")),
    };
    text.push(Role::Faint, line);
    json.with("exact_for", found)
}

impl Tiles<'_> {
    fn alternatives(&self, means: &Means<'_>, style: Style) -> Vec<String> {
        let names = variable_names(self.map.domain());
        let numbers = numbers(self.map);
        let mut found = Vec::new();
        for (place, size) in self.sizes.iter().enumerate().filter(|(place, _)| self.is_free(*place))
        {
            let is_exact = |size: Expr| self.is_exact_with(place, size, means);
            let name = print_expr(size, &names, style);
            let multiples = numbers.iter().copied();
            let multiples: BTreeSet<i64> =
                multiples.filter(|number| size.scale(*number).is_ok_and(&is_exact)).collect();
            let is_multiple = |number: i64| {
                multiples.iter().any(|divisor| *divisor < number && number % divisor == 0)
            };
            let parts: BTreeSet<i64> =
                numbers.iter().flat_map(|number| divisors(*number)).collect();
            let parts = parts.into_iter();
            let parts: Vec<String> = parts
                .filter(|part| !multiples.contains(part) && !is_multiple(*part))
                .filter(|part| is_exact(Expr::constant(*part)))
                .map(|part| part.to_string())
                .collect();
            if !parts.is_empty() {
                found.push(format!("{name} in {{{}}}", parts.join(", ")));
            }
            let least = multiples.iter().filter(|number| !is_multiple(**number));
            found.extend(least.map(|number| format!("{name} mod {number} in [0, 0]")));
        }
        found
    }

    /// Returns whether the size at `place` is a new parameter that occurs in no other size.
    fn is_free(&self, place: usize) -> bool {
        let mut parameters = self.map.domain().ids(VariableKind::Parameter).skip(self.given);
        let Some(id) = self.sizes[place].as_variable() else {
            return false;
        };
        let mut others = self.sizes.iter().enumerate().filter(|(other, _)| *other != place);
        parameters.any(|own| own == id) && !others.any(|(_, other)| other.variables().contains(&id))
    }

    /// Returns whether the tiles with another size at `place` are proved to be exact.
    fn is_exact_with(&self, place: usize, size: Expr, means: &Means<'_>) -> bool {
        let mut sizes = self.sizes.to_vec();
        sizes[place] = size;
        let elements = elements_by_size(self.map, &sizes);
        let tile = elements.map(|elements| tile_by_size(&elements, self.map, means));
        tile.is_ok_and(|tile| tile.is_ok_and(|tile| tile.is_exact))
    }
}

/// Returns the divisors in a map and the sizes of its dimensions, from 2 on.
fn numbers(map: &IndexingMap) -> Vec<i64> {
    let mut found = BTreeSet::new();
    for result in map.results() {
        divided(result, &mut found);
    }
    let domain = map.domain();
    for id in domain.ids(VariableKind::Dimension) {
        let [_, last] = ends_of(domain, id, &|_| false);
        let sizes = last.iter().filter_map(Expr::as_constant);
        found.extend(sizes.filter_map(|last| last.checked_add(1)));
    }
    found.into_iter().filter(|number| (2..=LARGEST).contains(number)).take(NUMBERS).collect()
}

fn divided(expr: &Expr, found: &mut BTreeSet<i64>) {
    if let ExprKind::FloorDiv(_, Divisor::Integer(c)) | ExprKind::Mod(_, Divisor::Integer(c)) =
        expr.kind()
    {
        found.insert(*c);
    }
    for part in expr.operands() {
        divided(part, found);
    }
}

/// Returns the smallest proper divisors of a number.
fn divisors(number: i64) -> impl Iterator<Item = i64> {
    (1..number).filter(move |divisor| number % divisor == 0).take(DIVISORS)
}
