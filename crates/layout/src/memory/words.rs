//! Descriptions of layouts in words.

/// Describes the order of dimensions in memory: `row-major: dim 1 is minor`.
///
/// Source: *Shapes and layout*, "Minor-to-major dimension ordering".
#[must_use]
pub fn order_in_words(minor_to_major: &[usize]) -> String {
    let rank = minor_to_major.len();
    let (Some(minor), Some(major)) = (minor_to_major.first(), minor_to_major.last()) else {
        return "a scalar has no order".to_owned();
    };
    if rank == 1 {
        return "dim 0 is the only one".to_owned();
    }
    let ends = format!("dim {minor} is minor, dim {major} is major");
    if minor_to_major.is_sorted_by(|one, next| one > next) {
        return format!("row-major: {ends}");
    }
    if minor_to_major.is_sorted() {
        return format!("column-major: {ends}");
    }
    let list: Vec<String> = minor_to_major.iter().map(usize::to_string).collect();
    format!("minor to major: dims {}", list.join(", "))
}

/// Returns the customary letters of 2, 3 and 4 dimensions, dimension 0 first; none for other ranks.
///
/// Source: *Shapes and layout*, "Terminology, notation, and conventions".
#[must_use]
pub fn dimension_letters(rank: usize) -> &'static [&'static str] {
    match rank {
        2 => &["y", "x"],
        3 => &["z", "y", "x"],
        4 => &["p", "z", "y", "x"],
        _ => &[],
    }
}

/// Returns the name of memory space `S(n)`. 0, 1 and 5 have the names that XLA's own devices use; others depend on the
/// device.
#[must_use]
pub fn memory_space_name(memory_space: i64) -> &'static str {
    match memory_space {
        0 => "HBM, the device's main memory",
        1 => "VMEM, the memory beside the vector unit",
        5 => "host memory",
        _ => "depends on the device",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_have_names() {
        for (order, words) in [
            (&[][..], "a scalar has no order"),
            (&[0], "dim 0 is the only one"),
            (&[1, 0], "row-major: dim 1 is minor, dim 0 is major"),
            (&[0, 1], "column-major: dim 0 is minor, dim 1 is major"),
            (&[2, 1, 0], "row-major: dim 2 is minor, dim 0 is major"),
            (&[1, 2, 0], "minor to major: dims 1, 2, 0"),
        ] {
            assert_eq!(order_in_words(order), words);
        }
    }
}
