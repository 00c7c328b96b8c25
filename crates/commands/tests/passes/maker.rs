//! A random program with something in its middle that a pass rewrites.

use super::program::Body;
use super::random::Random;

/// Which of three programs is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Version {
    Before,
    /// After the pass.
    After,
    /// After one with a mistake.
    Mistaken,
}

/// What is in the middle: of the maker, it makes an array.
pub type Middle = fn(&mut Maker) -> usize;

pub struct Maker {
    pub body: Body,
    /// For choices that all versions share.
    pub random: Random,
    pub version: Version,
    /// The sizes of `x` and `y`.
    pub rows: usize,
    pub width: usize,
    pub x: usize,
    pub y: usize,
    /// Scalars known only at run time.
    pub offsets: [usize; 2],
}

/// The program that a seed stands for.
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

    /// An array of the sizes of both that is made of them.
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

    /// What becomes of the result in the middle.
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
