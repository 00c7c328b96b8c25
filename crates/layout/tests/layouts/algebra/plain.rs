//! Layouts as the tests represent them: leaves parsed from the text, and a swizzle.

use affinor_layout::cute::Layout;

#[derive(Clone, Debug)]
pub struct Plain {
    pub text: String,
    /// `(size, stride)`, the fastest first.
    pub leaves: Vec<(i64, i64)>,
    pub base: i64,
    pub swizzle: Option<[i64; 3]>,
    /// The number of leaves of each top-level mode.
    pub modes: Vec<usize>,
}

fn integers(text: &str) -> Vec<i64> {
    let words = text.split(|c: char| !c.is_ascii_digit() && c != '-');
    words.filter_map(|word| word.parse().ok()).collect()
}

impl Plain {
    /// Parses the printed form of a layout.
    pub fn of(text: &str) -> Plain {
        let mut parts: Vec<&str> = text.split(" o ").collect();
        let body = parts.pop().expect("a layout");
        let (mut base, mut swizzle) = (0, None);
        for part in parts {
            match integers(part)[..] {
                [offset] => base = offset,
                [bits, lowest, shift] => swizzle = Some([bits, lowest, shift]),
                _ => panic!("{text}"),
            }
        }
        let (shape, strides) = body.split_once(':').expect("strides");
        let leaves: Vec<_> = integers(shape).into_iter().zip(integers(strides)).collect();
        assert_eq!(integers(shape).len(), integers(strides).len(), "{text}");
        let mut modes = vec![0];
        let mut depth = 0;
        for (at, c) in shape.char_indices() {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                ',' if depth == 1 => modes.push(0),
                _ => {}
            }
            let begins = c.is_ascii_digit()
                && !shape[..at].ends_with(|before: char| before.is_ascii_digit());
            if begins {
                *modes.last_mut().expect("a mode") += 1;
            }
        }
        Plain { text: text.to_owned(), leaves, base, swizzle, modes }
    }

    pub fn read(&self) -> Layout {
        Layout::read(&self.text).unwrap_or_else(|error| panic!("{}: {error}", self.text))
    }

    pub fn size(&self) -> i64 {
        self.leaves.iter().map(|(size, _)| size).product()
    }

    /// Returns the sizes of the top-level modes.
    pub fn sizes(&self) -> Vec<i64> {
        let mut leaves = self.leaves.iter();
        let of_mode = |count: &usize| leaves.by_ref().take(*count).map(|(size, _)| size).product();
        self.modes.iter().map(of_mode).collect()
    }

    /// Returns the offset of an element; beyond the last one, the last leaf continues.
    pub fn at(&self, index: i64) -> i64 {
        let mut rest = index;
        let mut offset = self.base;
        for (number, (size, stride)) in self.leaves.iter().enumerate() {
            let is_last = number + 1 == self.leaves.len();
            offset += stride * if is_last { rest } else { rest % size };
            rest /= size;
        }
        match self.swizzle {
            None => offset,
            Some([bits, lowest, shift]) => {
                let mask = ((1 << bits) - 1) << (lowest + shift.max(0));
                let mask = if shift < 0 { ((1 << bits) - 1) << lowest } else { mask };
                let moved = offset & mask;
                offset ^ if shift < 0 { moved << -shift } else { moved >> shift }
            }
        }
    }

    pub fn values(&self) -> Vec<i64> {
        (0..self.size()).map(|index| self.at(index)).collect()
    }
}
