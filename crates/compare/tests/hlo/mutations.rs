//! Damaged modules: truncated at every byte, with bytes changed, with lines exchanged, removed and duplicated. Each is read
//! as a module, all of whose instructions are then analysed, or has one error with a line and a column; nothing panics.

use crate::modules::files;
use crate::written;
use affinor::text::{Error, ErrorKind};
use affinor_hlo as hlo;
use affinor_hlo::module::Module;
use affinor_ops::indexing::Analysis;

/// Small modules in which every second byte can be a truncation point.
const SMALL: [&str; 3] = [
    "conv_zoo_dilation_padding.opt.hlo",
    "pooling_zoo.unopt.hlo",
    "shardmap_collectives.unopt.hlo",
];

fn small_modules() -> impl Iterator<Item = Vec<u8>> {
    let files = files();
    SMALL.into_iter().map(move |wanted| {
        let (_, text) = files.iter().find(|(name, _)| name == wanted).unwrap();
        text.clone().into_bytes()
    })
}

/// Returns the line and column of an error, from 1.
#[track_caller]
fn place(bytes: &[u8], error: &Error) -> (usize, usize) {
    let span = error.span.clone().expect("an error has a place");
    assert!(span.start <= span.end && span.end <= bytes.len(), "{error:?}");
    if let Ok(text) = std::str::from_utf8(bytes) {
        assert!(text.is_char_boundary(span.start) && text.is_char_boundary(span.end));
    }
    let before = &bytes[..span.start];
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    let column = before.iter().rev().take_while(|byte| **byte != b'\n').count() + 1;
    (line, column)
}

/// Reads a module, if it is valid, and checks that its printed text is read as the same module.
#[track_caller]
fn read(bytes: &[u8]) -> Option<Module> {
    match hlo::read(bytes) {
        Ok(module) => {
            let printed = module.to_string();
            let again =
                hlo::read_text(&printed).unwrap_or_else(|error| panic!("{error:?}: {printed}"));
            assert_eq!(again.to_string(), printed);
            Some(module)
        }
        Err(error) => {
            let (line, column) = place(bytes, &error);
            assert!(line >= 1 && column >= 1);
            None
        }
    }
}

/// Analyses every instruction, and the entry computation. Errors must have a position too.
fn ask(bytes: &[u8], module: &Module) {
    let mut analysis = Analysis::new(module, &|map| map.clone());
    let mut errors: Vec<Error> =
        analysis.instructions().filter_map(|(_, reads)| reads.err()).collect();
    errors.extend(analysis.computation(module.entry()).err());
    for error in errors {
        // An attribute may have a number that is too large.
        let kind = error.kind;
        assert!(matches!(kind, ErrorKind::Hlo | ErrorKind::Overflow), "{error:?}");
        place(bytes, &error);
    }
}

/// The numbers of modules that were read, and that were refused.
#[derive(Default, Debug)]
struct Tally {
    read: u32,
    refused: u32,
}

impl Tally {
    fn add(&mut self, bytes: &[u8]) {
        match read(bytes) {
            Some(module) => {
                self.read += 1;
                ask(bytes, &module);
            }
            None => self.refused += 1,
        }
    }
}

#[test]
fn cut_off_anywhere() {
    for bytes in small_modules() {
        // A text that ends after the brace of a computation is a module, unless it refers to a missing computation.
        let read = (0..=bytes.len()).filter(|&end| read(&bytes[..end]).is_some());
        assert!(read.count() >= 1);
    }
}

/// A generator of pseudorandom numbers.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }
}

const SIGNS: &[u8] = b"{}()[]<>,:=*?#%\"\\/-_. \n0129abfxTSE\xff\0";

/// Changes, removes or adds one to three bytes.
fn with_bytes_changed(bytes: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut damaged = bytes.to_vec();
    for _ in 0..=dice.below(3) {
        let place = dice.below(damaged.len());
        match dice.below(4) {
            0 => damaged[place] ^= 1 << dice.below(8),
            1 => damaged[place] = SIGNS[dice.below(SIGNS.len())],
            2 => drop(damaged.remove(place)),
            _ => damaged.insert(place, SIGNS[dice.below(SIGNS.len())]),
        }
    }
    damaged
}

/// Exchanges two lines, or removes or duplicates one.
fn with_lines_moved(bytes: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    let (one, other) = (dice.below(lines.len()), dice.below(lines.len()));
    match dice.below(4) {
        0 => drop(lines.remove(one)),
        1 => lines.insert(one, lines[other]),
        _ => lines.swap(one, other),
    }
    lines.join(&b'\n')
}

/// Changes digits: sizes, dimension numbers, strides, paddings. Most results are still modules, and are then analysed.
fn with_digits_changed(bytes: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut damaged = bytes.to_vec();
    let digits: Vec<usize> = (0..bytes.len()).filter(|&at| bytes[at].is_ascii_digit()).collect();
    for _ in 0..=dice.below(3) {
        damaged[digits[dice.below(digits.len())]] = b"0123456789"[dice.below(10)];
    }
    damaged
}

fn cut_off(bytes: &[u8], dice: &mut Dice) -> Vec<u8> {
    bytes[..dice.below(bytes.len() + 1)].to_vec()
}

#[test]
fn damaged_in_four_ways() {
    type Damage = fn(&[u8], &mut Dice) -> Vec<u8>;
    let ways: [Damage; 4] = [with_bytes_changed, with_lines_moved, with_digits_changed, cut_off];
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    let mut tallies: [Tally; 4] = Default::default();
    let files = files();
    let texts = files.iter().map(|(_, text)| text.as_bytes());
    let texts = texts.filter(|text| text.len() < 40_000);
    let mut texts: Vec<&[u8]> = texts.collect();
    for text in written::texts() {
        texts.push(text.as_bytes());
    }
    const ROUNDS: usize = 1000;
    for round in 0..ROUNDS {
        let bytes = texts[round % texts.len()];
        for (damage, tally) in ways.iter().zip(&mut tallies) {
            tally.add(&damage(bytes, &mut dice));
        }
    }
    for tally in &tallies {
        assert!(tally.read + tally.refused == ROUNDS as u32 && tally.refused > 20, "{tallies:?}");
    }
    // Many texts with changed digits are still modules.
    assert!(tallies[2].read > 50, "{tallies:?}");
}
