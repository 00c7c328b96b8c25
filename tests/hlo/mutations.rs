//! Damaged modules: cut off at every byte, and with bytes changed. Each gives a module or one error
//! with a place in the text; nothing panics.

use crate::modules::files;
use affinor::hlo;

const NAMES: [&str; 3] = [
    "conv_zoo_dilation_padding.opt.hlo",
    "pooling_zoo.unopt.hlo",
    "shardmap_collectives.unopt.hlo",
];

fn small_modules() -> impl Iterator<Item = Vec<u8>> {
    let files = files();
    NAMES.into_iter().map(move |wanted| {
        let (_, text) = files.iter().find(|(name, _)| name == wanted).unwrap();
        text.clone().into_bytes()
    })
}

/// Is it read?
#[track_caller]
fn survives(bytes: &[u8]) -> bool {
    match hlo::read(bytes) {
        Ok(module) => {
            let printed = module.to_string();
            let again =
                hlo::read_text(&printed).unwrap_or_else(|error| panic!("{error:?}: {printed}"));
            assert_eq!(again.to_string(), printed);
            true
        }
        Err(error) => {
            let span = error.span.expect("an error has a place");
            assert!(span.start <= span.end && span.end <= bytes.len());
            if let Ok(text) = std::str::from_utf8(bytes) {
                assert!(text.is_char_boundary(span.start) && text.is_char_boundary(span.end));
            }
            false
        }
    }
}

#[test]
fn cut_off_anywhere() {
    for bytes in small_modules() {
        // A text that ends behind the brace of a computation is a module.
        let read = (0..=bytes.len()).filter(|&end| survives(&bytes[..end]));
        assert!(read.count() >= 2);
    }
}

#[test]
fn bytes_changed() {
    let mut state: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    const SIGNS: &[u8] = b"{}()[]<>,:=*?#%\"\\/-_. \n0129abfxTSE\xff\0";
    let (mut read, mut refused) = (0, 0);
    for bytes in small_modules() {
        for _ in 0..1500 {
            let mut damaged = bytes.clone();
            for _ in 0..=next() % 3 {
                let place = (next() % damaged.len() as u64) as usize;
                match next() % 4 {
                    0 => damaged[place] ^= 1 << (next() % 8),
                    1 => damaged[place] = SIGNS[(next() % SIGNS.len() as u64) as usize],
                    2 => drop(damaged.remove(place)),
                    _ => damaged.insert(place, SIGNS[(next() % SIGNS.len() as u64) as usize]),
                }
            }
            match survives(&damaged) {
                true => read += 1,
                false => refused += 1,
            }
        }
    }
    assert!(
        read > 100 && refused > 1000,
        "{read} read, {refused} refused"
    );
}
