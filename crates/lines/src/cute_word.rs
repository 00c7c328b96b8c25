//! Names of CuTe's functions.

/// Returns the operation of `layout` with this name in CuTe, and its option.
#[must_use]
pub fn cute_operation(name: &str) -> Option<(&'static str, &'static str)> {
    Some(match name {
        "composition" => ("compose", ""),
        "complement" => ("complement", ""),
        "coalesce" => ("coalesce", ""),
        "max_common_vector" | "max_common_layout" => ("common", ""),
        "left_inverse" => ("inverse", ""),
        "right_inverse" => ("inverse", " --right"),
        "logical_divide" => ("divide", ""),
        "zipped_divide" => ("divide", " --zipped"),
        "tiled_divide" => ("divide", " --tiled"),
        "flat_divide" => ("divide", " --flat"),
        "logical_product" => ("product", ""),
        "zipped_product" => ("product", " --zipped"),
        "tiled_product" => ("product", " --tiled"),
        "flat_product" => ("product", " --flat"),
        "blocked_product" => ("product", " --blocked"),
        "raked_product" => ("product", " --raked"),
        _ => return None,
    })
}
