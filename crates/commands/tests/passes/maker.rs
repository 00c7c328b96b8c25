//! A random program whose middle is rewritten by a pass.

use super::program::Body;
use super::random::Random;

/// The version of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Version {
    Before,
    /// After the pass.
    After,
    /// After a faulty pass.
    Mistaken,
}

/// A function that adds the middle of a program, and returns its array.
pub type Middle = fn(&mut Maker) -> usize;

pub struct Maker {
    pub body: Body,
    /// The source of choices that all versions share.
    pub random: Random,
    pub version: Version,
    /// The number of rows of `x` and `y`.
    pub rows: usize,
    pub width: usize,
    pub x: usize,
    pub y: usize,
    /// Scalars known only at run time.
    pub offsets: [usize; 2],
}

/// Returns the program of a seed.
pub fn program(middle: Middle, seed: u64, version: Version) -> Body {
    let mut random = Random::new(seed);
    let (rows, width) = (random.pick(&[4, 6]), random.pick(&[2, 3, 5]));
    let mut body = Body::default();
    let arrays = [0, 1, 2].map(|number| body.parameter(number, &[rows, width]));
    let offsets = [3, 4].map(|number| body.parameter(number, &[]));
    let mut maker =
        Maker { body, random, version, rows, width, x: arrays[0], y: arrays[1], offsets };
    maker.x = maker.varied([arrays[0], arrays[2]]);
    maker.y = maker.varied([arrays[1], arrays[2]]);
    let found = middle(&mut maker);
    maker.end(found);
    maker.body
}

impl Maker {
    pub fn is(&self, version: Version) -> bool {
        self.version == version
    }

    /// Adds an array computed from two arrays of the same sizes.
    fn varied(&mut self, [one, other]: [usize; 2]) -> usize {
        let body = &mut self.body;
        match self.random.below(6) {
            0 => body.binary("add", one, other),
            1 => body.binary("subtract", one, other),
            2 => body.reverse(one, 1),
            3 => {
                let filled = body.filled(3, &[self.rows, self.width]);
                body.binary("multiply", one, filled)
            }
            _ => one,
        }
    }

    /// Adds the operations on the result of the middle.
    fn end(&mut self, of: usize) {
        let body = &mut self.body;
        let sizes = body.sizes(of);
        match (self.random.below(5), sizes.len()) {
            (0, 2) => body.transpose(of, &[1, 0]),
            (1, 1..) => body.reduce(of, &[0]),
            (2, 1..) => {
                let count = sizes.iter().product();
                body.reshape(of, &[count])
            }
            _ => {
                let filled = body.filled(5, &sizes);
                body.binary("add", of, filled)
            }
        };
    }
}
