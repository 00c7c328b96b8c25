//! The places that hold an element, and the elements that a thread holds.

use crate::arguments::Argument;
use crate::failure::Failure;
use crate::given::parse_point;
use crate::layout::options::{BLOCK, INDEX, LANE, WARP};
use crate::layout::output::line;
use crate::output::{Object, Text};
use crate::table::Call;
use crate::words::{count, tuple};
use affinor::expr::IndexingMap;
use affinor::text::ErrorKind;
use affinor_layout::linear::LinearLayout;
use affinor_layout::linear::attribute::Encoding;

/// The maximal number of listed places of an element, and of listed elements of a thread.
const MOST_LISTED: u64 = 64;

/// Converts the library's unsigned numbers to the signed ones of answers.
pub fn signed(numbers: &[u64]) -> Vec<i64> {
    numbers.iter().map(|number| i64::try_from(*number).unwrap_or(i64::MAX)).collect()
}

/// Adds the answers to `--index` and `--lane`.
///
/// # Errors
/// If an index is out of range.
pub fn asked(
    call: &Call<'_>,
    encoding: &Encoding,
    map: &IndexingMap,
    mut answer: (Text, Object),
) -> Result<(Text, Object), Failure> {
    if let Some(given) = call.text_of(&INDEX) {
        let layout = encoding.layout();
        let index = parse_point(given)?;
        let coordinates: Option<Vec<u64>> =
            index.iter().map(|coordinate| u64::try_from(*coordinate).ok()).collect();
        let element = coordinates.and_then(|coordinates| layout.element(&coordinates).ok());
        let Some(element) = element else {
            let message = format!("{} is not an index of the tensor", tuple(&index));
            let sizes = tuple(&signed(&layout.shape()));
            return Err(given
                .wrong(ErrorKind::Shape, message)
                .hint(format!("its sizes are {sizes}")));
        };
        answer = match encoding {
            Encoding::Threads(layout) => holders(layout, element, &index, answer),
            Encoding::TensorMemory(layout) => lies(layout, map, &index, answer),
            Encoding::Memory(..) => {
                let offset = map.eval(&index).ok().and_then(|offset| offset.first().copied());
                let offset = offset
                    .ok_or_else(|| given.wrong(ErrorKind::Overflow, "the offset does not fit"))?;
                let (mut text, json) = answer;
                line(
                    &mut text,
                    "index",
                    format!("element {} lies at offset {offset}", tuple(&index)),
                );
                (text, json.with("index", index).with("position", offset))
            }
        };
    }
    let given = [call.text_of(&LANE), call.text_of(&WARP), call.text_of(&BLOCK)];
    let Some(first) = given.into_iter().flatten().next() else {
        return Ok(answer);
    };
    let Encoding::Threads(layout) = encoding else {
        return Err(first.wrong(ErrorKind::Usage, "a layout of memory has no lanes"));
    };
    held(layout, given, answer)
}

/// Returns `register 1, lane 5, warp 0`, without dimensions of size 1.
fn named(layout: &LinearLayout, input: u64) -> String {
    let pairs = layout.inputs().iter().zip(layout.indices(input));
    let pairs = pairs.filter(|(input, _)| !input.bases.is_empty());
    let words: Vec<String> =
        pairs.map(|(input, index)| format!("{} {index}", input.name)).collect();
    words.join(", ")
}

/// Adds the place of an element in tensor memory.
fn lies(
    layout: &LinearLayout,
    map: &IndexingMap,
    index: &[i64],
    (mut text, json): (Text, Object),
) -> (Text, Object) {
    let place = map.eval(index).unwrap_or_default();
    let pairs = layout.inputs().iter().zip(&place).filter(|(input, _)| !input.bases.is_empty());
    let words: Vec<String> = pairs.map(|(input, at)| format!("{} {at}", input.name)).collect();
    line(&mut text, "index", format!("element {} lies at {}", tuple(index), words.join(", ")));
    (text, json.with("index", index).with("position", place))
}

fn holders(
    layout: &LinearLayout,
    element: u64,
    index: &[i64],
    (mut text, json): (Text, Object),
) -> (Text, Object) {
    let Some((first, free)) = layout.holders(element) else {
        line(&mut text, "index", format!("no thread holds element {}", tuple(index)));
        return (text, json.with("index", index).with("holders", Vec::<Vec<u64>>::new()));
    };
    let all = 1_u64 << free.len();
    let listed: Vec<u64> = (0..all.min(MOST_LISTED))
        .map(|choice| {
            let chosen = free.iter().enumerate().filter(|(bit, _)| choice >> bit & 1 == 1);
            chosen.fold(first, |input, (_, mask)| input ^ mask)
        })
        .collect();
    let words: Vec<String> = listed.iter().map(|input| named(layout, *input)).collect();
    let more = match all.saturating_sub(MOST_LISTED) {
        0 => String::new(),
        more => format!("; and in {more} more places"),
    };
    let message = format!("element {} is in {}{more}", tuple(index), words.join("; "));
    line(&mut text, "index", message);
    let places: Vec<Vec<u64>> = listed.iter().map(|input| layout.indices(*input)).collect();
    (text, json.with("index", index).with("holders", places).with("count", all))
}

/// Adds the elements of a lane of a warp of a block; each index that is not given is 0.
fn held(
    layout: &LinearLayout,
    given: [Option<&Argument>; 3],
    (mut text, json): (Text, Object),
) -> Result<(Text, Object), Failure> {
    let mut place = vec![0];
    for (name, given) in ["lane", "warp", "block"].into_iter().zip(given) {
        let size = layout.input(name).map_or(1, |input| 1_u64 << input.bases.len());
        place.push(match given {
            None => 0,
            Some(given) => {
                let number = given.text.trim().parse().ok().filter(|number| *number < size);
                number.ok_or_else(|| {
                    let message = format!("expected a {name} from 0 to {}", size - 1);
                    given.wrong(ErrorKind::Shape, message)
                })?
            }
        });
    }
    let registers = layout.input("register").map_or(1, |input| 1_u64 << input.bases.len());
    let elements: Vec<Vec<i64>> = (0..registers.min(MOST_LISTED))
        .map(|register| {
            place[0] = register;
            signed(&layout.coordinates(layout.apply(layout.input_at(&place))))
        })
        .collect();
    let listed: Vec<String> = elements.iter().map(|element| tuple(element)).collect();
    let more = match registers.saturating_sub(MOST_LISTED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let whose = format!("lane {} of warp {} of block {}", place[1], place[2], place[3]);
    let registers = count(usize::try_from(registers).unwrap_or(usize::MAX), "register");
    let message = format!("{whose} holds in {registers} {}{more}", listed.join(" "));
    line(&mut text, "lane", message);
    Ok((text, json.with("elements_held", elements)))
}
