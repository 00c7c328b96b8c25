//! Sizes of convolutions and poolings in English: `output size of a conv with kernel 3 stride 2 padding 1 on 224`.
//!
//! Law: each number belongs to one of the words kernel, stride, padding, dilation and input, and every other word is one of those
//! that such questions have; a text with another word or number is none of them. The padding is on both sides.

/// Words with a number, each with the place of the number: kernel, stride, padding, dilation, input.
const KEYS: [(&str, usize); 22] = [
    ("kernel", 0),
    ("kernels", 0),
    ("filter", 0),
    ("window", 0),
    ("kernel_size", 0),
    ("k", 0),
    ("stride", 1),
    ("strides", 1),
    ("s", 1),
    ("padding", 2),
    ("pad", 2),
    ("padded", 2),
    ("p", 2),
    ("dilation", 3),
    ("dilated", 3),
    ("on", 4),
    ("input", 4),
    ("image", 4),
    ("from", 4),
    ("over", 4),
    ("n", 4),
    ("input_size", 4),
];

/// Words of the two ops.
const CONVOLUTIONS: [&str; 5] = ["conv", "conv1d", "conv2d", "convolution", "convolutional"];
const TRANSPOSED: [&str; 8] = [
    "transposed",
    "transpose",
    "deconv",
    "deconvolution",
    "convtranspose",
    "convtranspose1d",
    "convtranspose2d",
    "conv_transpose2d",
];
const POOLINGS: [&str; 8] =
    ["pool", "pooling", "maxpool", "max-pool", "avgpool", "max-pooling", "maxpool2d", "avgpool2d"];

const OTHERS: [&str; 28] = [
    "output",
    "size",
    "shape",
    "length",
    "width",
    "height",
    "of",
    "the",
    "a",
    "an",
    "with",
    "and",
    "for",
    "what",
    "is",
    "how",
    "big",
    "large",
    "does",
    "have",
    "by",
    "layer",
    "max",
    "average",
    "spatial",
    "dimension",
    "dimensions",
    "give",
];

/// Translates a question to the op, whose shape is the answer.
pub fn line(text: &str) -> Option<String> {
    let text = text.trim().trim_end_matches(['?', '.']).to_ascii_lowercase();
    let words = text.split(|c: char| !(c.is_alphanumeric() || "_-".contains(c)));
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let has = |list: &[&str]| words.iter().any(|word| list.contains(word));
    let is_transposed = has(&TRANSPOSED);
    let is_convolution = has(&CONVOLUTIONS) || is_transposed;
    let asks = ["output", "size", "shape", "big", "large"];
    if is_convolution == has(&POOLINGS) || !has(&asks) {
        return None;
    }
    let mut given: [Option<Vec<u32>>; 5] = Default::default();
    let mut last = None; // a number that belongs to the next word
    let mut key = None; // a word whose number follows
    for word in words {
        let place = KEYS.iter().find(|(name, _)| *name == word).map(|(_, place)| *place);
        let is_op =
            [&CONVOLUTIONS[..], &TRANSPOSED, &POOLINGS].iter().any(|list| list.contains(&word));
        if let Some(sizes) = sizes(word) {
            match key.take() {
                Some(place) => put(&mut given, place, sizes)?,
                None if last.is_some() => return None,
                None => last = Some(sizes),
            }
        } else if let Some(place) = place {
            // `on a 224 image`: the later word is the same one.
            if key.is_some_and(|key| key != place) {
                return None;
            }
            match last.take() {
                Some(sizes) => put(&mut given, place, sizes)?,
                None => key = Some(place),
            }
        } else if is_op && last.is_some() {
            put(&mut given, 0, last.take()?)?;
        } else if !is_op && !OTHERS.contains(&word) {
            return None;
        }
    }
    // In `on a 224x224 image` the sizes are between the two words.
    let is_whole = last.is_none() && key.is_none_or(|place| given[place].is_some());
    let [kernel, stride, padding, dilation, input] = given;
    let (kernel, input) = (kernel.filter(|_| is_whole)?, input?);
    let rank = [Some(&kernel), Some(&input), stride.as_ref(), padding.as_ref(), dilation.as_ref()];
    let rank = rank.into_iter().flatten().map(Vec::len).max()?;
    let all = |sizes: Option<Vec<u32>>, usual: u32| {
        let sizes = sizes.unwrap_or_else(|| vec![usual]);
        let all = if sizes.len() == 1 { vec![sizes[0]; rank] } else { sizes };
        (all.len() == rank).then_some(all)
    };
    let joined = |sizes: Vec<u32>, between: &str| {
        sizes.iter().map(u32::to_string).collect::<Vec<_>>().join(between)
    };
    let (kernel, input) = (all(Some(kernel), 1)?, all(Some(input), 1)?);
    // A pooling without a stride steps by its window.
    let stride = match stride {
        None if !is_convolution => kernel.clone(),
        stride => all(stride, 1)?,
    };
    let (mut padding, dilation) = (all(padding, 0)?, all(dilation, 1)?);
    let ones = vec![1; rank];
    let (stride, spread) = match is_transposed {
        true => (ones.clone(), stride),
        false => (stride, ones.clone()),
    };
    if is_transposed {
        // The input is spread by the stride, and padded by the reach of a window beyond it.
        let reach = |axis: usize| kernel[axis].checked_sub(1)?.checked_mul(dilation[axis]);
        let pads = padding.iter().enumerate().map(|(axis, pad)| reach(axis)?.checked_sub(*pad));
        padding = pads.collect::<Option<_>>()?;
    }
    let padding: Vec<String> = padding.iter().map(|pad| format!("{pad}_{pad}")).collect();
    let dilated = |name: &str, sizes: Vec<u32>| match sizes == ones {
        true => String::new(),
        false => format!(" {name}={}", joined(sizes, "x")),
    };
    let window = format!(
        "window={{size={} stride={} pad={}{}{}}}",
        joined(kernel.clone(), "x"),
        joined(stride, "x"),
        padding.join("x"),
        dilated("lhs_dilate", spread),
        dilated("rhs_dilate", dilation)
    );
    let (input, kernel) = (joined(input, ","), joined(kernel, ","));
    let axes: String = (0..rank).map(|axis| axis.to_string()).collect();
    Some(match is_convolution {
        true => format!(
            "op convolution f32[1,{input},1] f32[{kernel},1,1] {window} dim_labels=b{axes}f_{axes}io->b{axes}f"
        ),
        false => format!("op reduce-window f32[{input}] {window}"),
    })
}

fn put(given: &mut [Option<Vec<u32>>; 5], place: usize, sizes: Vec<u32>) -> Option<()> {
    given[place].replace(sizes).is_none().then_some(())
}

/// Parses `3` or `3x3`.
fn sizes(word: &str) -> Option<Vec<u32>> {
    word.split('x').map(|size| size.parse().ok().filter(|size| *size < 1 << 24)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_windows_are_ops() {
        let conv = "op convolution f32[1,224,1] f32[3,1,1] window={size=3 stride=2 pad=1_1} dim_labels=b0f_0io->b0f";
        let square = "op convolution f32[1,224,224,1] f32[3,3,1,1] window={size=3x3 stride=2x2 pad=1_1x1_1} dim_labels=b01f_01io->b01f";
        for (text, expected) in [
            ("output size of a conv with kernel 3 stride 2 padding 1 on 224", Some(conv)),
            (
                "what is the output size of a convolution on 224 with kernel size 3, stride 2 and padding 1?",
                Some(conv),
            ),
            ("output shape of a 3x3 conv, stride 2, padding 1, on a 224x224 image", Some(square)),
            ("conv output size: kernel=3, stride=2, pad=1, input=224", Some(conv)),
            (
                "output size of a max pool with window 2 on 28",
                Some("op reduce-window f32[28] window={size=2 stride=2 pad=0_0}"),
            ),
            (
                "output size of conv with kernel 3 dilation 2 on input 32",
                Some(
                    "op convolution f32[1,32,1] f32[3,1,1] window={size=3 stride=1 pad=0_0 rhs_dilate=2} dim_labels=b0f_0io->b0f",
                ),
            ),
            // Without an input or a kernel, with other words, with numbers that belong to no word, twice.
            ("output size of a conv with kernel 3", None),
            ("output size of a conv on 224", None),
            ("output size of a conv with kernel 3 and 64 channels on 224", None),
            (
                "output size of ConvTranspose2d kernel 4 stride 2 padding 1 on 16",
                Some(
                    "op convolution f32[1,16,1] f32[4,1,1] window={size=4 stride=1 pad=2_2 lhs_dilate=2} dim_labels=b0f_0io->b0f",
                ),
            ),
            ("output size of a transposed conv with kernel 3 padding 3 on 224", None),
            ("output size of a conv with kernel 3 on 224 5", None),
            ("output size of a conv with kernel 3 kernel 5 on 224", None),
            ("conv with kernel 3 on 224", None),
            ("size of a kernel 3 on 224", None),
        ] {
            assert_eq!(line(text).as_deref(), expected, "{text}");
        }
    }
}
