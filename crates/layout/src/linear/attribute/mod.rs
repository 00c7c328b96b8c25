//! Triton's layout attributes: the element that each register of each thread holds, or the place of each element in shared
//! memory.
//!
//! Source: Triton, the attributes of its GPU dialect, and NVIDIA, *PTX ISA*, fragments of `mma.m16n8k*` and `wgmma`. Older
//! versions call the dialect `triton_gpu`. In order: `token`, `tree` (the text), `parameters`, `cluster`, `threads`,
//! `tensor_core` (NVIDIA), `matrix_core`, `mfma`, `wmma` (AMD), `shared`, `tensor_memory`.

mod cluster;
mod matrix_core;
mod mfma;
mod parameters;
mod shared;
mod tensor_core;
mod tensor_memory;
mod threads;
mod token;
mod tree;
mod wmma;

pub use shared::Padding;

use super::algebra::Inverse;
use super::layout::{LinearLayout, NotLinear};
use affinor::expr::{Expr, ExprError, IndexingMap};
use affinor::text::{Error, ErrorKind};
use parameters::power;
use tree::{Attribute, DIALECTS, read};

/// The layout that an attribute denotes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Encoding {
    /// Maps `(register, lane, warp, block)` to elements.
    Threads(LinearLayout),
    /// Maps the offset, before padding, to elements.
    Memory(LinearLayout, Vec<Padding>),
    /// Maps `(row, col, block)` of tensor memory to elements; along a basis of 0, only the first places hold elements.
    TensorMemory(LinearLayout),
}

impl Encoding {
    /// Returns the layout, without padding.
    #[must_use]
    pub fn layout(&self) -> &LinearLayout {
        match self {
            Encoding::Threads(layout)
            | Encoding::Memory(layout, _)
            | Encoding::TensorMemory(layout) => layout,
        }
    }

    /// Returns the map: `(register, lane, warp, block) -> (dim0, ..)` for threads; `(dim0, ..) -> (offset)` for memory, including
    /// the padding; `(dim0, dim1) -> (row, col, block)` for tensor memory.
    ///
    /// # Errors
    /// Without a span: kind `shape` for memory in which an element has no place or two, `too-large`.
    pub fn map(&self) -> Result<IndexingMap, Error> {
        let wrong =
            |why: &dyn std::fmt::Display| Error::without_span(ErrorKind::TooLarge, why.to_string());
        let (layout, paddings) = match self {
            Encoding::Threads(layout) => return layout.map().map_err(|why| wrong(&why)),
            Encoding::TensorMemory(layout) => {
                return Self::places(layout)?.map().map_err(|why| wrong(&why));
            }
            Encoding::Memory(layout, paddings) => (layout, paddings),
        };
        let map = Self::elements_of_memory(layout)?.map().map_err(|why| wrong(&why))?;
        let (domain, results) = map.into_parts();
        let offset = results.into_iter().next().unwrap_or_else(|| Expr::constant(0));
        let padded = || {
            let mut terms = vec![(1, offset.clone())];
            for padding in paddings {
                let [interval, elements] = [padding.interval, padding.elements]
                    .map(|size| i64::try_from(size).map_err(|_| ExprError::Overflow));
                terms.push((elements?, offset.floordiv(interval?)?));
            }
            Expr::sum(0, terms)
        };
        let offset = padded().map_err(|why| wrong(&why))?;
        Ok(IndexingMap::new(domain, vec![offset]))
    }

    /// Returns the function from elements to their places in tensor memory.
    fn places(layout: &LinearLayout) -> Result<LinearLayout, Error> {
        let inverse = layout.inverse().map(|inverse| inverse.layout().clone());
        inverse.map_err(|why| Error::without_span(ErrorKind::TooLarge, why.to_string()))
    }

    /// Returns the function from elements to offsets without padding.
    fn elements_of_memory(layout: &LinearLayout) -> Result<LinearLayout, Error> {
        let offsets = layout.inverse().and_then(|inverse| match inverse {
            Inverse::Exact(inverse) => inverse.flattened("offset"),
            Inverse::Pseudo(_) => {
                Err(NotLinear::Map("in this memory an element lies nowhere or twice".to_owned()))
            }
        });
        offsets.map_err(|why| Error::without_span(ErrorKind::Shape, why.to_string()))
    }

    /// Returns the linear function that the attribute represents: from threads to elements, or from elements to their places.
    ///
    /// # Errors
    /// Without a span: as for [`Encoding::map`], and for padding, with which offsets are not linear.
    pub fn function(&self) -> Result<LinearLayout, Error> {
        match self {
            Encoding::Threads(layout) => Ok(layout.clone()),
            Encoding::TensorMemory(layout) => Self::places(layout),
            Encoding::Memory(layout, paddings) if paddings.is_empty() => {
                Self::elements_of_memory(layout)
            }
            Encoding::Memory(..) => {
                let message = "offsets with padding are not linear over bits";
                let error = Error::without_span(ErrorKind::Unsupported, message);
                Err(error.hint("`compose` takes them as maps"))
            }
        }
    }

    /// Parses an attribute or a type that contains one, after definitions of aliases: `#ttg.blocked<{..}> : tensor<64x32xf16>`,
    /// `#a = #ttg.blocked<{..}> tensor<64x32xf16, #a>`. If no shape is given, layouts with sizes of their own use these.
    ///
    /// # Errors
    /// With a span: kind `syntax` for other text, `name` for unknown parameters, aliases and layouts, `arity` and `shape` for
    /// numbers that do not fit, `unsupported` for layouts of other processors.
    ///
    /// ```
    /// use affinor_layout::linear::attribute::Encoding;
    ///
    /// let text = "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [2, 1], order = [1, 0]}> : 16x32";
    /// let encoding = Encoding::read(text)?;
    /// // Register 1 of lane 9 of warp 1.
    /// let element = encoding.layout().apply(encoding.layout().input_at(&[1, 9, 1, 0]));
    /// assert_eq!(encoding.layout().coordinates(element), [5, 5]);
    /// # Ok::<(), affinor::text::Error>(())
    /// ```
    pub fn read(text: &str) -> Result<Encoding, Error> {
        let given = read(text)?;
        let sizes =
            given.sizes.map(|sizes| sizes.iter().map(power).collect::<Result<Vec<u64>, _>>());
        encoding(&given.attribute, sizes.transpose()?.as_deref())
    }

    /// Returns whether a text is about such an attribute, valid or not.
    #[must_use]
    pub fn is_meant(text: &str) -> bool {
        DIALECTS.iter().any(|dialect| text.contains(dialect))
    }
}

/// The attributes that have a layout.
const KNOWN: &str = "blocked, linear, slice, dot_op, nvidia_mma, amd_mfma, amd_wmma, swizzled_shared, amd_rotating_shared, padded_shared, shared_linear, nvmma_shared, tensor_memory_encoding";

fn encoding(attribute: &Attribute, sizes: Option<&[u64]>) -> Result<Encoding, Error> {
    if let Some((interval, _)) = attribute.paddings.first()
        && attribute.name != "padded_shared"
    {
        let message = format!("`{}` has no paddings", attribute.name);
        return Err(Error::new(ErrorKind::Syntax, interval.span.clone(), message));
    }
    let threads = match &*attribute.name {
        "blocked" => threads::blocked(attribute, sizes),
        "linear" => threads::linear(attribute, sizes),
        "slice" => slice(attribute, sizes),
        "dot_op" => dot_operand(attribute, sizes),
        "nvidia_mma" => tensor_core::result(attribute, sizes),
        "amd_mfma" => mfma::result(attribute, sizes),
        "amd_wmma" => wmma::result(attribute, sizes),
        "swizzled_shared"
        | "shared"
        | "amd_rotating_shared"
        | "padded_shared"
        | "shared_linear"
        | "nvmma_shared" => {
            let (layout, paddings) = shared::memory(attribute, sizes)?;
            return Ok(Encoding::Memory(layout, paddings));
        }
        "tensor_memory_encoding" => {
            let layout = tensor_memory::tensor_memory(attribute, sizes)?;
            return Ok(Encoding::TensorMemory(layout));
        }
        other => {
            let message = format!("unknown layout `{other}`");
            let error = Error::new(ErrorKind::Unsupported, attribute.span.clone(), message);
            return Err(error.hint(format!("known are {KNOWN}")));
        }
    };
    threads.map(Encoding::Threads)
}

/// Returns the layout of a parent.
fn parent_layout(attribute: &Attribute, sizes: &[u64]) -> Result<LinearLayout, Error> {
    match encoding(attribute, Some(sizes))? {
        Encoding::Threads(layout) => Ok(layout),
        Encoding::Memory(..) | Encoding::TensorMemory(_) => {
            let message = format!("`{}` is a layout of memory, not of threads", attribute.name);
            Err(Error::new(ErrorKind::Shape, attribute.span.clone(), message))
        }
    }
}

fn slice(attribute: &Attribute, sizes: Option<&[u64]>) -> Result<LinearLayout, Error> {
    threads::slice(attribute, sizes, parent_layout)
}

fn dot_operand(attribute: &Attribute, sizes: Option<&[u64]>) -> Result<LinearLayout, Error> {
    let known = ["opIdx", "parent", "kWidth"];
    let parameters = parameters::Parameters::of(attribute, &known)?;
    let index = parameters.number("opIdx")?;
    let operand = match index.value {
        0 => 0,
        1 => 1,
        other => {
            let message = format!("`opIdx` is 0 or 1, not {other}");
            return Err(Error::new(ErrorKind::Shape, index.span.clone(), message));
        }
    };
    let sizes = threads::needed(attribute, sizes)?;
    let parent = parameters.parent()?;
    match &*parent.name {
        "blocked" => threads::operand(parent, operand, sizes),
        "nvidia_mma" => tensor_core::operand(parent, operand, parameters.size("kWidth")?, sizes),
        "amd_mfma" => mfma::operand(parent, operand, parameters.size("kWidth")?, sizes),
        "amd_wmma" => wmma::operand(parent, operand, parameters.number("kWidth")?, sizes),
        other => {
            let message = format!("operands of `{other}` are not supported");
            let error = Error::new(ErrorKind::Unsupported, parent.span.clone(), message);
            Err(error.hint("a parent is blocked, nvidia_mma, amd_mfma or amd_wmma"))
        }
    }
}
