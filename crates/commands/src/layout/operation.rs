//! The options and operand words of operations on CuTe layouts, and the output of an operation without an answer.

use crate::arguments::Argument;
use crate::certificate_form::FORMAT;
use crate::failure::Failure;
use crate::given::parse_point;
use crate::option::Flag;
use crate::output::{Object, Output, Role, Status, Text};
use crate::table::{Call, Switch};
use affinor::text::ErrorKind;
use affinor_layout::cute::algebra::{Arrangement, Interleaving, Refusal};

pub(super) const ZIPPED: Flag =
    Flag::new("zipped", "of divide and product: all tiles in one mode, the rest in another");
pub(super) const TILED: Flag =
    Flag::new("tiled", "of divide and product: the tiles in one mode, then each mode of the rest");
pub(super) const FLAT: Flag =
    Flag::new("flat", "of divide and product: each mode of the tile, then each of the rest");
pub(super) const BLOCKED: Flag =
    Flag::new("blocked", "of product: mode by mode, the first layout's faster");
pub(super) const RAKED: Flag =
    Flag::new("raked", "of product: mode by mode, the second layout's faster");
pub(super) const LEFT: Flag = Flag::new("left", "of inverse: L with L(A(x)) = x");
pub(super) const RIGHT: Flag = Flag::new("right", "of inverse: R with A(R(i)) = i");

pub(super) const CERTIFICATE: Flag = Flag::new(
    "certificate",
    "of equal and of an operation on CuTe layouts: print a certificate that the answer is right, for `replay`",
);

/// The options of operations.
pub(super) const SWITCHES: [Switch; 9] = [
    ZIPPED.switch,
    TILED.switch,
    FLAT.switch,
    BLOCKED.switch,
    RAKED.switch,
    LEFT.switch,
    RIGHT.switch,
    CERTIFICATE.switch,
    FORMAT.switch,
];

/// Returns the options of an operation; `None` if `name` is not an operation.
pub fn options_of(name: &str) -> Option<&'static [Flag]> {
    Some(match name {
        "divide" => &[ZIPPED, TILED, FLAT],
        "product" => &[ZIPPED, TILED, FLAT, BLOCKED, RAKED],
        "inverse" => &[LEFT, RIGHT],
        "compose" | "complement" | "coalesce" | "flatten" | "group" | "common" | "recast"
        | "of" | "convert" => &[],
        _ => return None,
    })
}

/// Returns the requested arrangement.
pub fn arrangement(call: &Call<'_>) -> Arrangement {
    match () {
        () if call.has(ZIPPED) => Arrangement::Zipped,
        () if call.has(TILED) => Arrangement::Tiled,
        () if call.has(FLAT) => Arrangement::Flat,
        () => Arrangement::Logical,
    }
}

/// Returns the order of the modes of both factors of a product.
pub fn interleaving(call: &Call<'_>) -> Interleaving {
    match () {
        () if call.has(BLOCKED) => Interleaving::Blocked,
        () if call.has(RAKED) => Interleaving::Raked,
        () => Interleaving::Apart(arrangement(call)),
    }
}

/// Parses a number, or the number of elements of a shape.
///
/// # Errors
/// If the argument is neither.
pub fn size_of(argument: &Argument) -> Result<i64, Failure> {
    let sizes = parse_point(argument)?;
    if sizes.is_empty() || sizes.iter().any(|size| *size < 1) {
        return Err(argument.wrong(ErrorKind::Shape, "expected a size of at least 1"));
    }
    let all = sizes.iter().try_fold(1_i64, |all, size| all.checked_mul(*size));
    all.ok_or_else(|| argument.wrong(ErrorKind::Overflow, "the size does not fit in 64 bits"))
}

/// Parses `0..2`, or two numbers.
///
/// # Errors
/// For any other text.
pub fn modes(arguments: &[Argument]) -> Result<(usize, usize), Failure> {
    let first = &arguments[0];
    let wrong = || {
        let failure = first.wrong(ErrorKind::Usage, "expected the modes, the first and the end");
        failure.hint("`layout group (2,3,5):(1,2,6) 0..2` puts modes 0 and 1 into one")
    };
    let words: Vec<&str> = match arguments {
        [only] => only.text.split("..").collect(),
        several => several.iter().map(|word| word.text.as_str()).collect(),
    };
    match words.as_slice() {
        [from, to] => match (from.trim().parse(), to.trim().parse()) {
            (Ok(from), Ok(to)) => Ok((from, to)),
            _ => Err(wrong()),
        },
        _ => Err(wrong()),
    }
}

/// Returns the note on a right inverse that replaces a missing left inverse.
pub fn without_left(refusal: &Refusal) -> String {
    match refusal {
        Refusal::None(why) => format!("no left inverse: {why}"),
        other => format!("no left inverse was found: {other}"),
    }
}

/// Emits the reason why the answer is not a layout.
///
/// # Errors
/// If it was interrupted.
pub fn emit_refusal(call: &mut Call<'_>, name: &str, refusal: &Refusal) -> Result<(), Failure> {
    let (word, role, status) = match refusal {
        Refusal::Interrupted => return Err(call.interrupted()),
        Refusal::None(_) => ("none", Role::Bad, Status::Wrong),
        _ => ("unknown", Role::Doubtful, Status::Undecided),
    };
    let text = Text::of(role, word).plain(format!(": {refusal}"));
    let json = Object::new()
        .with("operation", name)
        .with("layout", None::<String>)
        .with("answer", word)
        .with("reason", refusal.to_string());
    call.emit(Output::new(text, json).status(status));
    Ok(())
}
