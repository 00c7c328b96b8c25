//! The layout of tensor memory, which holds the results of tensor cores of version 5: 128 rows of columns.
//!
//! Law: 128 rows of a tensor, or 64 rows placed in those rows whose bit 4 is 0, are side by side with `blockN` columns; further
//! rows come before further columns. Positions along a basis of 0 hold nothing. Source: Triton, `TensorMemoryEncodingAttr`.

use super::super::builder::Builder;
use super::super::layout::LinearLayout;
use super::cluster::Cluster;
use super::parameters::{OF_CLUSTERS, Parameters, at};
use super::threads::needed;
use super::tree::Attribute;
use affinor::text::{Error, ErrorKind};

/// The input dimensions.
const INPUTS: [&str; 3] = ["row", "col", "block"];

/// Builds the map from rows and columns to elements.
pub(super) fn tensor_memory(
    attribute: &Attribute,
    sizes: Option<&[u64]>,
) -> Result<LinearLayout, Error> {
    let own = ["blockM", "blockN", "colStride", "twoCTAs", "fp4Padded"];
    let parameters = Parameters::of(attribute, &[&own[..], &OF_CLUSTERS].concat())?;
    let shape = needed(attribute, sizes)?;
    let wrong = |kind: ErrorKind, message: &str| {
        Err(Error::new(kind, attribute.span.clone(), message.to_owned()))
    };
    if shape.len() != 2 {
        return wrong(ErrorKind::Arity, "tensor memory has tensors of two dimensions");
    }
    if parameters.flag("fp4Padded")? {
        let message = "tensor memory with padding of 4-bit elements is not supported";
        return wrong(ErrorKind::Unsupported, message);
    }
    let cluster = Cluster::of(&parameters, 2)?;
    let part = |dim: usize| (shape[dim] / cluster.split(dim)).max(1);
    let [rows, columns] = [part(0), part(1)];
    let height = parameters.size("blockM")?;
    let width = parameters.size("blockN")?.min(columns);
    let stride = parameters.size("colStride")?;
    let is_pair = parameters.flag("twoCTAs")?;
    if !matches!(height, 64 | 128) {
        return wrong(ErrorKind::Shape, "`blockM` is 64 or 128");
    }
    if rows < height {
        let message = format!("the tensor has {rows} rows for a block, fewer than `blockM`");
        return wrong(ErrorKind::Shape, &message);
    }
    if height == 64 && is_pair && width < 2 {
        return wrong(ErrorKind::Shape, "`blockN` is at least 2 with `twoCTAs` and 64 rows");
    }
    let build = || {
        let mut builder = Builder::new(&INPUTS, 2);
        builder.again("col", stride)?;
        match (height, is_pair) {
            (64, false) => {
                builder.along("row", 0, 16)?;
                builder.along("col", 1, width)?;
                // Bit 4 of the row selects the part that would come next.
                let next = if rows > 64 {
                    vec![64, 0]
                } else if columns > width {
                    vec![0, width]
                } else {
                    vec![0, 0]
                };
                builder.took(0, u32::from(rows > 64));
                builder.took(1, u32::from(rows == 64 && columns > width));
                builder.basis("row", next);
                builder.basis("row", vec![16, 0]);
                builder.basis("row", vec![32, 0]);
                builder.took(0, 2);
            }
            (64, true) => {
                builder.along("row", 0, height)?;
                builder.along("col", 1, width / 2)?;
                builder.along("row", 1, 2)?;
            }
            _ => {
                builder.along("row", 0, height)?;
                builder.along("col", 1, width)?;
            }
        }
        for (dim, size) in [(0, rows), (1, columns)] {
            let taken = builder.taken(dim);
            builder.along("col", dim, size >> taken)?;
        }
        cluster.fit(builder, shape, &[0, 1])?.finished(shape)
    };
    build().map_err(at(attribute.span.clone()))
}
