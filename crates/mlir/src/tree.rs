//! The syntax tree of MLIR: ops in regions, the same for the generic form and the pretty ones.
//!
//! Nothing here knows the meaning of an op. A pretty form is kept as its parts: values, `key = value`, words, groups in
//! brackets, types, regions; the tables of ops define which key denotes which attribute.

use crate::token::{Range, shortened};
use crate::types::{self, Type};
use affinor_maps::text::{Error, ErrorKind, Span};
use std::rc::Rc;

/// An op with all its parts.
#[derive(Debug, Default)]
pub(crate) struct Op<'a> {
    /// The name, with the dialect, without quotes.
    pub(crate) name: &'a str,
    pub(crate) name_span: Span,
    pub(crate) span: Span,
    pub(crate) results: Vec<ResultName<'a>>,
    pub(crate) operands: Vec<Use<'a>>,
    /// `@callee`, in order, without `@`.
    pub(crate) symbols: Vec<&'a str>,
    /// Attributes and `key = value` by name, as written.
    pub(crate) named: Vec<(&'a str, Range)>,
    /// Words by themselves, such as `LT` or `applies`.
    pub(crate) words: Vec<&'a str>,
    /// Groups in brackets or angles, and literals: `[0:1, 0:8]`, `dense<0>`.
    pub(crate) groups: Vec<Range>,
    /// Values that the op defines for its regions before them: `%iterArg = %0` or `%a: tensor<f32>`.
    pub(crate) bindings: Vec<Binding<'a>>,
    pub(crate) regions: Vec<Region<'a>>,
    /// All tokens after the name.
    pub(crate) tokens: Range,
    /// The ranges of operands in brackets.
    pub(crate) indices: Vec<Range>,
    /// The number of operands in `outs(..)`, which are the last ones.
    pub(crate) destinations: usize,
    /// The types before an arrow; all types if there is no arrow.
    pub(crate) operand_types: Vec<Rc<Type>>,
    /// The types after an arrow.
    pub(crate) arrow_types: Option<Vec<Rc<Type>>>,
}

/// The name of one or more results: `%4:2`.
#[derive(Debug)]
pub(crate) struct ResultName<'a> {
    pub(crate) name: &'a str,
    pub(crate) count: usize,
    pub(crate) span: Span,
}

/// A use of a value: `4#1`, without `%`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Use<'a> {
    pub(crate) name: &'a str,
    pub(crate) span: Span,
}

/// A value that a region gets from its op: an argument of a block.
#[derive(Clone, Debug)]
pub(crate) struct Binding<'a> {
    pub(crate) name: &'a str,
    pub(crate) span: Span,
    pub(crate) ty: Option<Rc<Type>>,
    /// The attributes after it.
    pub(crate) attributes: Option<Range>,
}

#[derive(Debug, Default)]
pub(crate) struct Region<'a> {
    pub(crate) arguments: Vec<Binding<'a>>,
    pub(crate) ops: Vec<Op<'a>>,
    /// The number of further blocks: control flow between them is not followed.
    pub(crate) more_blocks: usize,
    pub(crate) span: Span,
}

fn scalar(ty: Option<Rc<Type>>) -> Option<Rc<Type>> {
    ty.map(|ty| Rc::new(Type::array_like::<i64>(&ty, &[])))
}

impl<'a> Op<'a> {
    /// Returns the name without its dialect.
    pub(crate) fn short(&self) -> &'a str {
        self.name.split_once('.').map_or(self.name, |(_, name)| name)
    }

    pub(crate) fn dialect(&self) -> &'a str {
        self.name.split_once('.').map_or("", |(dialect, _)| dialect)
    }

    /// Returns the number of results.
    pub(crate) fn result_count(&self) -> usize {
        self.results.iter().map(|result| result.count).sum()
    }

    /// Returns, for each result, the name of its instruction, the name in its uses, and its span.
    pub(crate) fn result_names(&self) -> impl Iterator<Item = (String, String, Span)> {
        self.results.iter().flat_map(|result| {
            (0..result.count).map(|part| {
                let name = match result.count {
                    1 => result.name.to_owned(),
                    _ => format!("{}.{part}", result.name),
                };
                let key = match part {
                    0 => result.name.to_owned(),
                    _ => format!("{}#{part}", result.name),
                };
                (name, key, result.span.clone())
            })
        })
    }

    /// Returns the types of the results: those after the arrow, otherwise those of the list, where a single type applies to
    /// all.
    pub(crate) fn result_types(&self) -> Result<Vec<Rc<Type>>, Error> {
        let count = self.result_count();
        let given = self.arrow_types.as_ref().unwrap_or(&self.operand_types);
        if given.len() == count {
            return Ok(given.clone());
        }
        match given.last() {
            Some(last) if self.arrow_types.is_none() && (count == 1 || given.len() == 1) => {
                Ok(vec![last.clone(); count])
            }
            _ => {
                let message = format!(
                    "`{}` names {count} results, and has types of {}",
                    shortened(self.name),
                    given.len()
                );
                Err(self.error(message).hint("each result has its type after `->`"))
            }
        }
    }

    /// Returns the type of operand `k` that the op states; without an arrow, the last type applies to all further operands.
    ///
    /// Values in brackets are indices, unless there is a type for each operand. The type after `to` or `into` may be that of a
    /// destination that is overwritten.
    pub(crate) fn operand_type(&self, k: usize) -> Option<Rc<Type>> {
        let mut k = k;
        if self.operand_types.len() < self.operands.len() {
            if self.indices.iter().any(|range| range.contains(&k)) {
                return types::of("index").map(Rc::new);
            }
            let before = self.indices.iter().filter(|range| range.end <= k);
            k -= before.map(ExactSizeIterator::len).sum::<usize>();
        }
        let last = match &self.arrow_types {
            Some(types) => types.last(),
            None => self.operand_types.last(),
        };
        let ty = self.operand_types.get(k).or(last).cloned();
        let computes_indices = matches!(self.dialect(), "affine" | "scf" | "xla");
        if ty.is_none() && computes_indices {
            return types::of("index").map(Rc::new);
        }
        match self.name {
            // For these ops, the array type is stated, and operands are its elements.
            "tensor.splat" | "vector.splat" | "tensor.from_elements" => scalar(ty),
            "vector.transfer_read" if k > 0 => scalar(ty),
            "tensor.insert" if k == 0 => scalar(ty),
            "vector.interleave" => self.operand_types.first().cloned(),
            _ => ty,
        }
    }

    /// Returns the attribute, or `key = value`, with any of these names.
    pub(crate) fn named(&self, names: &[&str]) -> Option<Range> {
        let found = self.named.iter().find(|(name, _)| names.contains(name));
        found.map(|(_, range)| range.clone())
    }

    /// Returns the attribute with any of these names, or the first group of a pretty form.
    pub(crate) fn named_or_group(&self, names: &[&str]) -> Option<Range> {
        self.named(names).or_else(|| self.groups.first().cloned())
    }

    pub(crate) fn error(&self, message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Hlo, self.name_span.clone(), message)
    }

    /// Returns whether the op ends a block.
    pub(crate) fn is_return(&self) -> bool {
        matches!(self.short(), "return" | "yield")
    }
}
