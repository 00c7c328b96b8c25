//! `window={..}` and `dim_labels=..`.
//!
//! Source: XLA, `hlo_parser.cc` (`ParseWindow`, `ParseConvolutionDimensionNumbers`).

use super::attribute::{ConvolutionArray, ConvolutionDimensions, WindowDimension};
use super::cursor::{Cursor, integer, underscored, wrong};
use super::token::Token;
use affinor_maps::text::{Error, ErrorKind, Span};

/// Parses `{size=3x3 stride=2x2 pad=0_1x0_1 lhs_dilate=1x1 rhs_dilate=1x1 rhs_reversal=0x1}`; every entry but `size` is optional,
/// and `{}` is the window of a convolution without spatial dimensions.
pub(super) fn window(cursor: &mut Cursor<'_>) -> Result<Vec<WindowDimension>, Error> {
    let open = cursor.expect(Token::OpenBrace)?;
    let mut entries: Vec<(&str, Span, Span)> = Vec::new();
    while cursor.peek() == Some(Token::Name) {
        let (name, name_span) = cursor.expect_name("a name")?;
        if !matches!(name, "size" | "stride" | "pad" | "lhs_dilate" | "rhs_dilate" | "rhs_reversal")
        {
            return Err(wrong(name_span, format!("a window has no `{name}`"))
                .hint("it has size, stride, pad, lhs_dilate, rhs_dilate, rhs_reversal"));
        }
        if entries.iter().any(|(known, ..)| *known == name) {
            return Err(wrong(name_span, format!("`{name}` is given twice")));
        }
        cursor.expect(Token::Equals)?;
        let value = match cursor.peek() {
            Some(Token::Pattern | Token::Integer) => cursor.advance(),
            _ => return Err(cursor.expected("numbers such as `3x3`")),
        };
        entries.push((name, name_span, value));
    }
    cursor.expect(Token::CloseBrace)?;

    let sizes = entries.iter().find(|(name, ..)| *name == "size");
    let Some((_, _, size_span)) = sizes else {
        return match entries.first() {
            None => Ok(Vec::new()),
            Some(_) => Err(wrong(open, "the window has no `size`")
                .hint("give the size first, as in `{size=3x3 stride=2x2}`")),
        };
    };
    let mut window: Vec<WindowDimension> = cursor
        .slice(size_span.clone())
        .split('x')
        .map(|size| {
            Ok(WindowDimension {
                size: at_least_one(size, size_span)?,
                stride: 1,
                padding_low: 0,
                padding_high: 0,
                base_dilation: 1,
                window_dilation: 1,
                reversal: false,
            })
        })
        .collect::<Result<_, Error>>()?;
    for (name, _, span) in &entries {
        let parts: Vec<&str> = cursor.slice(span.clone()).split('x').collect();
        // XLA does not reverse dimensions beyond the listed ones.
        let is_short = *name == "rhs_reversal" && parts.len() < window.len();
        if parts.len() != window.len() && !is_short {
            return Err(wrong(
                span.clone(),
                format!("`size` has {} dimensions, but `{name}` has {}", window.len(), parts.len()),
            ));
        }
        for (dimension, part) in window.iter_mut().zip(parts) {
            set(dimension, name, part, span)?;
        }
    }
    Ok(window)
}

fn set(dimension: &mut WindowDimension, name: &str, part: &str, span: &Span) -> Result<(), Error> {
    match name {
        "stride" => dimension.stride = at_least_one(part, span)?,
        "lhs_dilate" => dimension.base_dilation = at_least_one(part, span)?,
        "rhs_dilate" => dimension.window_dilation = at_least_one(part, span)?,
        "rhs_reversal" => {
            dimension.reversal = match part {
                "0" => false,
                "1" => true,
                _ => return Err(wrong(span.clone(), "expected 0 or 1 in `rhs_reversal`")),
            }
        }
        "pad" => match underscored(part, span)?[..] {
            [low, high] => (dimension.padding_low, dimension.padding_high) = (low, high),
            _ => {
                return Err(wrong(
                    span.clone(),
                    "each dimension of `pad` is `low_high`, as in `0_0x1_1`",
                ));
            }
        },
        _ => {} // `size` is already there.
    }
    Ok(())
}

fn at_least_one(part: &str, span: &Span) -> Result<i64, Error> {
    if part.is_empty() || !part.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(wrong(span.clone(), "expected positive numbers separated by `x`, as in `3x3`"));
    }
    match integer(part, span.clone())? {
        0 => Err(wrong(span.clone(), "sizes, strides and dilations of a window are at least 1")),
        value => Ok(value),
    }
}

/// Parses `b01f_01io->b01f`: batch, feature and numbered spatial dimensions of input, kernel and output.
pub(super) fn labels(cursor: &mut Cursor<'_>) -> Result<ConvolutionDimensions, Error> {
    let span = cursor.expect(Token::Labels)?;
    let text = cursor.slice(span.clone());
    let parts = text
        .split_once("->")
        .and_then(|(operands, output)| Some((operands.split_once('_')?, output)));
    let Some(((input, kernel), output)) = parts else {
        return Err(wrong(span, "expected labels such as `b01f_01io->b01f`"));
    };
    let dimensions = ConvolutionDimensions {
        input: array(input, 'b', 'f', &span)?,
        kernel: array(kernel, 'o', 'i', &span)?,
        output: array(output, 'b', 'f', &span)?,
    };
    let count = |array: &ConvolutionArray| array.spatial.len();
    let counts = [count(&dimensions.input), count(&dimensions.kernel), count(&dimensions.output)];
    if counts.iter().any(|&count| count != counts[0]) {
        let [input, kernel, output] = counts;
        return Err(wrong(
            span,
            format!(
                "input, kernel and output have {input}, {kernel} and {output} spatial dimensions"
            ),
        )
        .hint("number the same spatial dimensions in all three"));
    }
    Ok(dimensions)
}

fn array(labels: &str, batch: char, feature: char, span: &Span) -> Result<ConvolutionArray, Error> {
    let position = |label: char| -> Result<Option<usize>, Error> {
        let mut places = labels.char_indices().filter(|(_, c)| *c == label);
        match (places.next(), places.next()) {
            (place, None) => Ok(place.map(|(index, _)| index)),
            _ => Err(wrong(span.clone(), format!("duplicate label `{label}` in `{labels}`"))),
        }
    };
    // XLA accepts labels of spatial dimensions only, which no convolution has.
    let required = |label: char| {
        position(label)?.ok_or_else(|| {
            Error::new(
                ErrorKind::Unsupported,
                span.clone(),
                format!("missing label `{label}` in `{labels}`"),
            )
        })
    };
    let mut spatial = Vec::new();
    for digit in '0'..='9' {
        match position(digit)? {
            Some(place) => spatial.push(place),
            None => break,
        }
    }
    let known = |c: char| {
        c == batch
            || c == feature
            || c == '?'
            || c.to_digit(10).is_some_and(|digit| (digit as usize) < spatial.len())
    };
    if let Some(label) = labels.chars().find(|&c| !known(c)) {
        return Err(wrong(span.clone(), format!("unexpected label `{label}` in `{labels}`")).hint(
            format!("label dimensions `{batch}`, `{feature}` and `0`, `1`, .. without a gap"),
        ));
    }
    Ok(ConvolutionArray {
        rank: labels.len(),
        batch: required(batch)?,
        feature: required(feature)?,
        spatial,
    })
}
