//! Fourier transform along the last dimensions.
//!
//! Law: each element of the result is a sum over all elements along the last `fft_length.len()` dimensions of the operand, at
//! the same index in the others. A transform of a real signal of length `n` (RFFT) gives `n floordiv 2 + 1` elements along the
//! last dimension; its inverse (IRFFT) takes as many and gives `n`.
//! Source: XLA, *Operation semantics*, `Fft`.

use super::builder::fibres;
use super::op::{Entries, NoMap, Op};
use affinor::expr::IndexingMap;

/// Returns the reads of a Fourier transform.
pub(super) fn entries(op: &Op<'_>) -> Entries {
    let Some(length) = op.instruction.numbers("fft_length")? else {
        return Err(NoMap::invalid("`fft` needs the attribute `fft_length`"));
    };
    let kind = op.instruction.word("fft_type")?.unwrap_or("FFT");
    op.single(|output, operand| output_to_operand(output, operand, kind, length))
}

/// Returns the map of a transform of this type and length.
pub(super) fn output_to_operand(
    output: &[i64],
    operand: &[i64],
    kind: &str,
    length: &[i64],
) -> Result<IndexingMap, NoMap> {
    let (mut of_operand, mut of_output) = (length.to_vec(), length.to_vec());
    let halved = match kind {
        "RFFT" => of_output.last_mut(),
        "IRFFT" => of_operand.last_mut(),
        "FFT" | "IFFT" => None,
        _ => return Err(NoMap::unknown(format!("the transform `{kind}` has no map"))),
    };
    if let Some(last) = halved {
        *last = if *last == 0 { 0 } else { last.div_euclid(2) + 1 };
    }
    let rank = operand.len();
    let Some(first) = rank.checked_sub(length.len()).filter(|_| output.len() == rank) else {
        return Err(NoMap::invalid(format!(
            "a transform of {} dimension(s) of sizes {operand:?} does not give sizes {output:?}",
            length.len()
        )));
    };
    if operand[first..] != of_operand || output[first..] != of_output {
        return Err(NoMap::invalid(format!(
            "a transform {kind} of length {length:?} of sizes {operand:?} does not give sizes {output:?}"
        )));
    }
    let whole: Vec<usize> = (first..rank).collect();
    fibres("fft", output, operand, &whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::indexing::testing::{built, check_against, points};

    #[track_caller]
    fn check(kind: &str, operand: &[i64], output: &[i64], length: &[i64]) {
        let map = built(output_to_operand(output, operand, kind, length));
        let kept = operand.len() - length.len();
        check_against(&[map], output, |d| {
            // Every term of the sum has a factor e^(..), which is never 0.
            points(&operand[kept..]).into_iter().map(|k| [&d[..kept], &k].concat()).collect()
        });
    }

    #[test]
    fn reads_the_whole_signal() {
        check("FFT", &[2, 4], &[2, 4], &[4]);
        check("IFFT", &[2, 3, 4], &[2, 3, 4], &[3, 4]);
        check("RFFT", &[2, 5], &[2, 3], &[5]);
        check("RFFT", &[2, 3, 4], &[2, 3, 3], &[3, 4]);
        check("IRFFT", &[2, 3], &[2, 5], &[5]);
        check("IRFFT", &[2, 3], &[2, 4], &[4]);
    }

    #[test]
    fn refuses_what_does_not_fit() {
        assert!(output_to_operand(&[4], &[4], "RFFT", &[4]).is_err());
        assert!(output_to_operand(&[3], &[4], "FFT", &[4]).is_err());
        assert!(output_to_operand(&[4], &[4], "FFT", &[2, 4]).is_err());
        assert!(output_to_operand(&[4], &[4], "HARTLEY", &[4]).is_err());
    }
}
