//! Laws of `rules/layouts.rules`, compared with placements: each law's terms are matched with results of the maps, so that the
//! laws, proved for all sizes and tiles, are statements about the maps.

use super::buffer::{array, points};
use affinor::rule::{Rule, RuleSet, Statement, Term, Truth, read_rule};
use affinor_layout::memory::Placement;
use std::collections::{BTreeMap, BTreeSet};

/// The meaning of a law's term in an array of one to three dimensions under one tile.
#[derive(Clone, Copy, Debug)]
enum Meaning {
    /// The index of the tile in this dimension.
    Tile(usize),
    /// The index within the tile in this dimension.
    Within(usize),
    /// The number of tiles in this dimension.
    Tiles(usize),
    /// The padded size of this dimension.
    Whole(usize),
    /// The position.
    Position,
    /// The index in this dimension of the element at the position.
    Element(usize),
    /// The index of a dimension that combines the first two.
    Combined,
    /// The row-major position before the tiles are moved.
    Padded,
}

use Meaning::{Combined, Element, Padded, Position, Tile, Tiles, Whole, Within};

/// A law, the rank of the arrays that it is compared with, and the meanings of its terms.
type Tie = (&'static str, usize, &'static [(&'static str, Meaning)]);

const TIES: &[Tie] = &[
    (
        "tile-in-bounds",
        1,
        &[("e floordiv t", Tile(0)), ("e mod t", Within(0)), ("(d + t - 1) floordiv t", Tiles(0))],
    ),
    ("tile-pads-less-than-a-tile", 1, &[("t*((d + t - 1) floordiv t)", Whole(0))]),
    (
        "tile-apply-undo",
        1,
        &[
            ("t*(e floordiv t) + e mod t", Element(0)),
            ("e floordiv t", Tile(0)),
            ("e mod t", Within(0)),
        ],
    ),
    (
        "tile-undo-apply",
        1,
        &[
            ("t*p + r", Element(0)),
            ("(t*p + r) floordiv t", Tile(0)),
            ("(t*p + r) mod t", Within(0)),
        ],
    ),
    ("combine", 2, &[("B*e + f", Combined)]),
    ("split-is-bitcast", 2, &[("B*t*p + B*r + f", Padded)]),
    ("tiling-1", 1, &[("t*(e floordiv t) + e mod t", Position), ("t*p + r", Position)]),
    (
        "tiling-2",
        2,
        &[
            ("t*u*B*p + t*u*q + u*r + s", Position),
            ("t*u*B*(e floordiv t) + t*u*(f floordiv u) + u*(e mod t) + f mod u", Position),
        ],
    ),
    (
        "tiling-3",
        3,
        &[
            ("t*u*v*B*C*p + t*u*v*C*q + t*u*v*o + u*v*r + v*s + w", Position),
            (
                "t*u*v*B*C*(e floordiv t) + t*u*v*C*(f floordiv u) + t*u*v*(g floordiv v) + u*v*(e mod t) + v*(f mod u) + g mod v",
                Position,
            ),
        ],
    ),
    ("tiled-position-in-bounds", 2, &[("t*u*B*p + t*u*q + u*r + s", Position)]),
];

/// The sizes and tiles that are tried.
const ARRAYS: &[(&[i64], &[i64])] = &[
    (&[7], &[3]),
    (&[6], &[3]),
    (&[2], &[5]),
    (&[3, 5], &[2, 2]),
    (&[4, 6], &[2, 3]),
    (&[1, 4], &[3, 1]),
    (&[3, 2, 5], &[2, 2, 3]),
    (&[2, 3, 4], &[1, 3, 2]),
];

/// One element of one array, and the values of the law's letters there.
struct Case {
    placement: Placement,
    index: Vec<i64>,
    letters: BTreeMap<&'static str, i64>,
}

impl Case {
    fn new(sizes: &[i64], tile: &[i64], index: &[i64], combined: bool) -> Case {
        let list = |items: &[i64]| items.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
        let order: Vec<i64> = (0..sizes.len() as i64).rev().collect();
        let tiles = match combined {
            true => "*,1".to_owned(),
            false => list(tile),
        };
        let text = format!("f32[{}]{{{}:T({tiles})}}", list(sizes), list(&order));
        let placement = Placement::new(&array(&text)).expect("has a placement");
        let counts: Vec<i64> = sizes.iter().zip(tile).map(|(d, t)| (d + t - 1) / t).collect();
        let after = placement.index_after(1).expect("has a map").eval(index).expect("has a value");
        let mut letters = BTreeMap::from([("d", sizes[0])]);
        for (dimension, value) in index.iter().enumerate() {
            letters.insert(["e", "f", "g"][dimension], *value);
            letters.insert(["t", "u", "v"][dimension], tile[dimension]);
            letters.insert(["A", "B", "C"][dimension], counts[dimension]);
            if !combined {
                letters.insert(["p", "q", "o"][dimension], after[dimension]);
                letters.insert(["r", "s", "w"][dimension], after[index.len() + dimension]);
            }
        }
        if combined {
            letters.extend([("A", sizes[0]), ("B", sizes[1])]);
        }
        Case { placement, index: index.to_vec(), letters }
    }

    fn value(&self, meaning: Meaning) -> i64 {
        let level = &self.placement.levels()[0];
        let after = self.placement.index_after(1).expect("has a map");
        let after = after.eval(&self.index).expect("has a value");
        let groups = level.groups();
        let position = self.placement.position().eval(&self.index).expect("has a value")[0];
        match meaning {
            Tile(dimension) => after[dimension],
            Within(dimension) => after[groups.len() + dimension],
            Tiles(dimension) => groups[dimension].tiles(),
            Whole(dimension) => groups[dimension].tiles() * groups[dimension].tile(),
            Position => position,
            Element(dimension) => {
                self.placement.element().eval(&[position]).expect("has a value")[dimension]
            }
            Combined => position,
            Padded => self.index[0] * self.letters["B"] + self.index[1],
        }
    }
}

fn value(text: &str, letters: &BTreeMap<&'static str, i64>) -> i64 {
    let rule = read_rule(&format!("{text} = 0")).expect(text);
    let Statement::Fact(facts) = &rule.statement else { panic!("{text} is not a term") };
    let term: &Term = &facts[0].lhs;
    let point = rule.point(|name| letters.get(name).copied());
    let point = point.expect("a value for each letter");
    let value = term.value(&point).expect("has a value");
    i64::try_from(value).expect("small numbers")
}

/// Evaluates the law at these values of its letters.
fn truth(law: &Rule, letters: &BTreeMap<&'static str, i64>) -> Truth {
    let point = law.point(|name| letters.get(name).copied());
    law.truth(&point.expect("a value for each letter"))
}

#[test]
fn every_law_is_about_placements() {
    let rules = RuleSet::shipped().expect("the rules load");
    let laws = || rules.rules().iter().filter(|rule| rule.file == "layouts.rules");
    let names: BTreeSet<&str> = laws().map(|law| law.name.as_str()).collect();
    let tied: BTreeSet<&str> = TIES.iter().map(|(law, ..)| *law).collect();
    assert_eq!(tied, names);
    let source = include_str!("../../../../rules/layouts.rules");
    for (name, rank, terms) in TIES {
        let law = laws().find(|law| law.name == *name).expect("a law");
        let line = source.lines().find(|line| line.starts_with(&format!("{name}:")));
        let line = line.expect("a line");
        let mut cases = 0;
        for (sizes, tile) in ARRAYS.iter().filter(|(sizes, _)| sizes.len() == *rank) {
            for index in points(sizes) {
                let case = Case::new(sizes, tile, &index, *name == "combine");
                for (term, meaning) in *terms {
                    assert!(line.contains(term), "`{term}` is not part of `{line}`");
                    let letters = &case.letters;
                    assert_eq!(value(term, letters), case.value(*meaning), "{term} at {letters:?}");
                }
                assert_eq!(truth(law, &case.letters), Truth::Holds, "{name} at {:?}", case.letters);
                cases += 1;
            }
        }
        assert!(cases >= 10, "{name}: {cases}");
    }
}
