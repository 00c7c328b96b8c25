//! No text makes the reader panic: bytes of valid texts are changed at random, and tokens are put in any order.

use proptest::prelude::*;

const TOKENS: &str = r#"%0 %a %a#1 = : , ( ) { } [ ] < > -> ^bb0 @f #map !t module func.func return stablehlo.add stablehlo.while "stablehlo.case" stablehlo.constant dense tensor<4xf32> cond do x 12 loc"#;

/// Returns the texts of `read.txt`.
fn texts() -> impl Iterator<Item = &'static str> {
    let cases = include_str!("read.txt").split("\n\n");
    cases.flat_map(|case| case.split("=> ").next().unwrap_or_default().split("\n==\n"))
}

/// Reads a text; an error must have a span within the text.
fn read(text: &str) {
    if let Err(error) = affinor_mlir::read_mlir(text) {
        let span = error.span.unwrap_or_else(|| panic!("{text}: no place"));
        assert!(text.get(span.clone()).is_some(), "{text}: {span:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_bytes(text in prop::sample::select(texts().collect::<Vec<_>>()), changes in prop::collection::vec((any::<prop::sample::Index>(), 0_u8..128, 0..3), 1..6)) {
        let mut bytes = text.as_bytes().to_vec();
        for (at, byte, kind) in changes {
            let at = at.index(bytes.len());
            match kind {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                _ => drop(bytes.remove(at)),
            }
        }
        read(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn moved_pieces(text in prop::sample::select(texts().collect::<Vec<_>>()), from in any::<prop::sample::Index>(), length in 1_usize..40, to in any::<prop::sample::Index>()) {
        let start = from.index(text.len());
        let piece = &text[start..(start + length).min(text.len())];
        let to = to.index(text.len());
        read(&format!("{}{piece}{}", &text[..to], &text[to..]));
    }

    #[test]
    fn any_tokens(words in prop::collection::vec(prop::sample::select(TOKENS.split(' ').chain(["\n"]).collect::<Vec<_>>()), 0..40)) {
        read(&words.join(" "));
    }
}

#[test]
fn every_beginning_and_every_text_without_a_byte() {
    for text in texts() {
        for end in 0..text.len() {
            read(&text[..end]);
            read(&format!("{}{}", &text[..end], &text[end + 1..]));
        }
        read(text);
    }
}
