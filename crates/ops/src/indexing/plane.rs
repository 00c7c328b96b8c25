//! Arrays whose elements are a single affine function of their index.

/// Returns the constant and the coefficients of the affine function of the index that gives every element; `None` if no such
/// function exists.
pub(super) fn plane(values: &[i64], sizes: &[i64]) -> Option<(i64, Vec<i64>)> {
    let constant = *values.first()?;
    let mut strides = vec![1_usize; sizes.len()];
    for k in (1..sizes.len()).rev() {
        strides[k - 1] = strides[k] * usize::try_from(sizes[k]).ok()?;
    }
    let slope = |(stride, size): (&usize, &i64)| match size {
        1 => Some(0),
        _ => values.get(*stride)?.checked_sub(constant),
    };
    let slopes: Vec<i64> = strides.iter().zip(sizes).map(slope).collect::<Option<_>>()?;
    let fits = |(position, value): (usize, &i64)| {
        let digits = strides.iter().zip(sizes).zip(&slopes);
        let terms = digits.map(|((stride, size), slope)| {
            let digit = (position / stride) as i64 % size;
            i128::from(digit) * i128::from(*slope)
        });
        i128::from(constant) + terms.sum::<i128>() == i128::from(*value)
    };
    values.iter().enumerate().all(fits).then_some((constant, slopes))
}
