//! `tile --exact-for`: its claims about named sizes, compared with tiles of numeric sizes.

use super::support::memory::Memory;
use affinor::text::ErrorKind;
use affinor_commands::{Failure, Session};
use serde_json::{Value, json};

fn ask(line: &str) -> Result<Value, Failure> {
    let mut host = Memory::default();
    Session::new().run(line, &mut host)?;
    let json = host.outputs.first().and_then(|output| output.json.clone());
    Ok(json.map(Value::from).unwrap_or_default())
}

/// Checks the conditions on the size of one-dimensional tiles, and whether the tile of each size from 1 on is exact.
#[track_caller]
fn check(map: &str, expected: &[&str], is_exact: &[bool]) {
    let said = ask(&format!("tile {map} ; b --exact-for")).expect("an answer");
    assert_eq!(said["exact_for"], json!(expected), "{map}");
    for (size, expected) in (1..).zip(is_exact) {
        let said = ask(&format!("tile {map} ; {size}")).expect("an answer");
        assert_eq!(said["exact"], *expected, "{map} in tiles of {size}");
    }
}

#[test]
fn alternatives_are_those_of_numbers() {
    let (yes, no) = (true, false);
    // A tile is a divisor of a row of four, or whole rows.
    check(
        "(d0) -> (d0 floordiv 4, d0 mod 4), domain: d0 in [0, 19]",
        &["b in {1, 2}", "b mod 4 in [0, 0]"],
        &[yes, yes, no, yes, no, no, no, yes, no],
    );
    check("(d0) -> (d0 * 3), domain: d0 in [0, 9]", &["all sizes"], &[yes; 5]);
    check("(d0) -> (d0, d0), domain: d0 in [0, 7]", &["b in {1}"], &[yes, no, no]);
}

#[test]
fn only_names_of_their_own_are_decided() {
    let of = |line: &str| ask(line).expect("an answer")["exact_for"].clone();
    let rows = "domain: n in [1, inf], d0 in [0, n * 4 - 1]";
    let map = format!("<n>(d0) -> (d0 floordiv 4, d0 mod 4), {rows}");
    // The map's own parameters cannot be chosen, and neither can a name that two sizes share.
    assert_eq!(of(&format!("tile {map} ; n --exact-for")), json!([]));
    let diagonal = "(d0, d1) -> (d0 + d1, d0 + d1), domain: d0 in [0, 3], d1 in [0, 3]";
    assert_eq!(of(&format!("tile {diagonal} ; b,b --exact-for")), json!([]));
    let numbers = ask("tile (d0) -> (d0), domain: d0 in [0, 7] ; 2 --exact-for");
    let failure = numbers.expect_err("numbers are not names");
    let message = "`--exact-for` takes sizes that are names: `tile MAP n,m`";
    assert_eq!((failure.error.kind, failure.error.message.as_str()), (ErrorKind::Usage, message));
}
