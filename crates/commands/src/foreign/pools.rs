//! Poolings and convolutions of PyTorch as ops of HLO: `nn.MaxPool2d(3, stride=2, padding=1) on input (1, 64, 112, 112)`,
//! `F.conv2d(x, w, padding=1) with x of shape (1, 3, 8, 8) and w of shape (4, 3, 3, 3)`.
//!
//! Law: the op has the window of the call, and the layout NCHW of PyTorch; padding is outside of the input, so it is not read.
//! Out of scope: `ceil_mode`, indices of maxima, transposed convolutions.

use super::array::closing;
use super::numbers::{Given, integers, only_call};
use affinor::text::{Error, ErrorKind};

/// Words between a call and the sizes of its input.
const INPUTS: [&str; 9] = ["input", "of", "with", "on", "to", "shape", "applied", "an", "for"];

/// The parameters of a window, with their places after the arguments that do not belong to it.
struct Window {
    size: Vec<i64>,
    stride: Vec<i64>,
    pad: Vec<(i64, i64)>,
    dilation: Vec<i64>,
}

/// Translates a call to the op.
pub fn line(text: &str) -> Option<Result<String, Error>> {
    let text = text.trim().trim_end_matches(['?', ';', '.']).trim_end();
    let open = text.find('(')?;
    let name = text[..open].rsplit(['.', ' ']).next()?;
    let lower = name.to_ascii_lowercase().replace('_', "");
    let rank = lower.strip_suffix('d')?.chars().next_back()?.to_digit(10)?;
    let rank = usize::try_from(rank).ok().filter(|rank| (1..=3).contains(rank))?;
    let kind = &lower[..lower.len() - 2];
    let is_module = name.starts_with(|c: char| c.is_ascii_uppercase());
    let is_convolution = kind == "conv";
    if !is_convolution && !matches!(kind, "maxpool" | "avgpool") {
        return None;
    }
    let before = text[..open].trim_end_matches(name).trim_end_matches('.');
    let is_known = before.split(['.', ' ']).all(|word| {
        matches!(word, "" | "torch" | "nn" | "functional" | "F" | "what" | "does" | "reads" | "of")
    });
    let close = open + closing(&text[open..])?;
    let given = Given::of(&text[open + 1..close]);
    // `nn.MaxPool2d(3)(x)`
    let behind = &text[close + 1..];
    let behind = match closing(behind).filter(|_| behind.starts_with('(') && is_module) {
        Some(end) if !behind[1..end].starts_with(|c: char| c.is_ascii_digit()) => {
            &behind[end + 1..]
        }
        _ => behind,
    };
    let mut shapes = shapes(behind)?;
    // `F.max_pool2d(torch.zeros(1, 3, 8, 8), 2)`
    let made = given.placed(0).filter(|_| !is_module && shapes.is_empty()).and_then(only_call);
    let is_made = |name: &str| ["zeros", "ones", "randn", "rand", "empty"].contains(&name);
    if let Some((maker, sizes)) = made
        && is_made(maker.rsplit('.').next()?)
    {
        shapes.push(integers(sizes).ok()?);
    }
    // The input and, for a convolution, the kernel precede the window.
    let first = match (is_convolution, is_module) {
        (true, true) => 2,
        (true, false) => 3,
        (false, true) => 0,
        (false, false) => 1,
    };
    is_known.then(|| op(&given, &shapes, (rank, first), is_convolution, is_module, name))
}

/// Returns the sizes after a call: one list, or that of each array; `None` for other words.
fn shapes(text: &str) -> Option<Vec<Vec<i64>>> {
    let (mut found, mut rest) = (Vec::new(), text.trim());
    while !rest.is_empty() {
        if rest.starts_with(['(', '[']) {
            let end = closing(rest)?;
            found.push(integers(&rest[..=end]).ok()?);
            rest = &rest[end + 1..];
        } else {
            let end = rest.find([' ', '(', '[', ',', ':', '=']).unwrap_or(rest.len());
            let word = &rest[..end];
            let is_array = word.len() == 1 || matches!(word, "weight" | "and" | "is" | "f32" | "");
            if !is_array && !INPUTS.contains(&word) && !matches!(word, "torch.Size" | "x.shape") {
                return None;
            }
            rest = rest[end..].trim_start_matches([',', ':', '=']);
        }
        rest = rest.trim_start();
    }
    (found.len() <= 2).then_some(found)
}

fn op(
    given: &Given<'_>,
    shapes: &[Vec<i64>],
    (rank, first): (usize, usize),
    is_convolution: bool,
    is_module: bool,
    name: &str,
) -> Result<String, Error> {
    let numbers = |name: &str, place: usize| given.optional(name, place);
    let one = |name: &str, place: usize| -> Result<i64, Error> {
        Ok(numbers(name, place)?.and_then(|list| list.first().copied()).unwrap_or(1))
    };
    let wrong = |message: String| Error::without_span(ErrorKind::Usage, message);
    if given.named("ceil_mode").is_some_and(|value| value != "False") {
        return Err(wrong("`ceil_mode` is not supported".to_owned()));
    }
    let channels = match (is_convolution && is_module, is_convolution) {
        (true, _) => Some((one("in_channels", 0)?, one("out_channels", 1)?)),
        _ => None,
    };
    let kernel = match (is_convolution, is_module) {
        (true, false) => shapes.get(1).and_then(|sizes| sizes.get(2..)).map(<[i64]>::to_vec),
        (true, true) => numbers("kernel_size", 2)?,
        (false, _) => numbers("kernel_size", first)?,
    };
    let kernel = kernel.ok_or_else(|| {
        wrong(format!("`{name}` needs the sizes of its window")).hint(match is_convolution {
            true => {
                "write `F.conv2d(x, w) with x of shape (1, 3, 8, 8) and w of shape (4, 3, 3, 3)`"
            }
            false => "write `nn.MaxPool2d(3, stride=2) on input (1, 3, 8, 8)`",
        })
    })?;
    // Behind the kernel size: stride, padding, dilation, groups.
    let place = if is_convolution { 3 } else { first + 1 };
    let window = window(given, kernel, (rank, place), is_convolution)?;
    let groups = if is_convolution { one("groups", place + 3)? } else { 1 };
    let missing = shapes.is_empty();
    let input = match shapes.first() {
        Some(sizes) => sizes.clone(),
        None => {
            let channels = channels.map_or(64, |(channels, _)| channels);
            [1, channels].into_iter().chain(std::iter::repeat_n(28, rank)).collect()
        }
    };
    if input.len() != rank + 2 {
        return Err(wrong(format!(
            "the input of `{name}` has {} sizes: batch, channels and {rank} more",
            rank + 2
        )));
    }
    let joined = |list: &[i64]| list.iter().map(i64::to_string).collect::<Vec<_>>();
    let shape = format!("f32[{}]", joined(&input).join(","));
    let line = match is_convolution {
        true => {
            let kernel = match (shapes.get(1), channels) {
                (Some(sizes), _) => sizes.clone(),
                (None, Some((from, to))) => {
                    let of_group = from / groups.max(1);
                    [to, of_group].into_iter().chain(window.size.iter().copied()).collect()
                }
                (None, None) => {
                    return Err(wrong(format!("`{name}` needs the sizes of its kernel")));
                }
            };
            let axes: String = (0..rank).map(|axis| axis.to_string()).collect();
            let groups = match groups {
                1 => String::new(),
                groups => format!(" feature_group_count={groups}"),
            };
            let kernel = joined(&kernel).join(",");
            format!(
                "op convolution {shape} f32[{kernel}] window={{{}}} dim_labels=bf{axes}_oi{axes}->bf{axes}{groups}",
                window.text(0)
            )
        }
        false => format!("op reduce-window {shape} window={{{}}}", window.text(2)),
    };
    match missing {
        false => Ok(line),
        true => Err(wrong(format!("`{name}` needs the sizes of its input")).hint(format!(
            "for one of {shape}, type `{line}`, or write `on input ({})` after it",
            joined(&input).join(", ")
        ))),
    }
}

fn window(
    given: &Given<'_>,
    kernel: Vec<i64>,
    (rank, place): (usize, usize),
    is_convolution: bool,
) -> Result<Window, Error> {
    let spread = |list: Vec<i64>| -> Result<Vec<i64>, Error> {
        match list.len() {
            1 => Ok(vec![list[0]; rank]),
            length if length == rank => Ok(list),
            _ => {
                let message = format!("expected 1 or {rank} numbers");
                Err(Error::without_span(ErrorKind::Usage, message))
            }
        }
    };
    let size = spread(kernel)?;
    let stride = match given.optional("stride", place)? {
        Some(stride) => spread(stride)?,
        // A pooling steps by its window.
        None if is_convolution => vec![1; rank],
        None => size.clone(),
    };
    // An average pooling has no dilation at its place.
    let dilation = given.named("dilation").or(given.placed(place + 2).filter(|_| is_convolution));
    let dilation = dilation.map(integers).transpose()?.unwrap_or_else(|| vec![1]);
    let dilation = spread(dilation)?;
    let word = given.named("padding").or(given.placed(place + 1));
    let word = word.map(|word| word.trim_matches(['\'', '"']));
    let pad = match word {
        None | Some("valid") => vec![(0, 0); rank],
        Some("same") => {
            let total = size.iter().zip(&dilation).map(|(size, dilation)| dilation * (size - 1));
            total.map(|total| (total / 2, total - total / 2)).collect()
        }
        Some(word) => spread(integers(word)?)?.into_iter().map(|pad| (pad, pad)).collect(),
    };
    Ok(Window { size, stride, pad, dilation })
}

impl Window {
    /// Returns the attribute of HLO, preceded by this many dimensions without a window.
    fn text(&self, before: usize) -> String {
        let list = |name: &str, of_one: &str, list: Vec<String>| {
            let all = std::iter::repeat_n(of_one.to_owned(), before).chain(list);
            format!("{name}={}", all.collect::<Vec<_>>().join("x"))
        };
        let plain = |list: &[i64]| list.iter().map(i64::to_string).collect::<Vec<_>>();
        let pad = self.pad.iter().map(|(lo, hi)| format!("{lo}_{hi}")).collect();
        let mut parts = vec![
            list("size", "1", plain(&self.size)),
            list("stride", "1", plain(&self.stride)),
            list("pad", "0_0", pad),
        ];
        if self.dilation.iter().any(|dilation| *dilation != 1) {
            parts.push(list("rhs_dilate", "1", plain(&self.dilation)));
        }
        parts.join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_ops() {
        for (text, expected) in [
            (
                "nn.MaxPool2d(kernel_size=3, stride=2, padding=1) on input (1, 64, 112, 112)",
                "op reduce-window f32[1,64,112,112] window={size=1x1x3x3 stride=1x1x2x2 pad=0_0x0_0x1_1x1_1}",
            ),
            (
                "F.max_pool2d(x, 2) with x of shape (1, 8, 6, 6)",
                "op reduce-window f32[1,8,6,6] window={size=1x1x2x2 stride=1x1x2x2 pad=0_0x0_0x0_0x0_0}",
            ),
            (
                "F.max_pool2d(torch.zeros(1, 3, 8, 8), 2, 1)",
                "op reduce-window f32[1,3,8,8] window={size=1x1x2x2 stride=1x1x1x1 pad=0_0x0_0x0_0x0_0}",
            ),
            (
                "torch.nn.functional.avg_pool1d(x, 3, stride=1, padding=1), x: (2, 4, 9)",
                "op reduce-window f32[2,4,9] window={size=1x1x3 stride=1x1x1 pad=0_0x0_0x1_1}",
            ),
            (
                "nn.Conv2d(4, 16, 3, padding='same', groups=2) on (1, 4, 32, 32)",
                "op convolution f32[1,4,32,32] f32[16,2,3,3] window={size=3x3 stride=1x1 pad=1_1x1_1} dim_labels=bf01_oi01->bf01 feature_group_count=2",
            ),
            (
                "F.conv1d(x, w, stride=2, dilation=3) with x of shape (1, 3, 9) and w of shape (5, 3, 2)",
                "op convolution f32[1,3,9] f32[5,3,2] window={size=2 stride=2 pad=0_0 rhs_dilate=3} dim_labels=bf0_oi0->bf0",
            ),
        ] {
            assert_eq!(line(text).and_then(Result::ok).as_deref(), Some(expected), "{text}");
        }
        for text in [
            "nn.MaxPool2d(3, stride=2)",
            "nn.MaxPool2d(2, ceil_mode=True) on (1, 2, 8, 8)",
            "nn.Conv2d(3, 8, 3) on (8, 8)",
            "F.conv2d(x, w) with x of shape (1, 3, 8, 8)",
        ] {
            assert!(line(text).is_some_and(|line| line.is_err()), "{text}");
        }
        for text in ["nn.Linear(3, 4)", "max(x, 2)", "conv2d with kernel 3", "MaxPool2d(2) is fun"]
        {
            assert!(line(text).is_none(), "{text}");
        }
    }
}
