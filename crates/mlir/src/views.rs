//! The ops that make views, and the array that has the elements of a value. Source: MLIR,
//! `OffsetSizeAndStrideOpInterface`, *memref dialect*.

use crate::arithmetic::{delinearized, linearized};
use crate::body::{OrUnknown, Stop, unknown};
use crate::exprs::{Known, checked};
use crate::index::Index;
use crate::lower::Site;
use crate::site::sizes;
use crate::tree::{Op, Use};
use crate::types::Type;
use crate::view::{View, place, places};
use affinor_maps::expr::Expr;
use std::rc::Rc;

/// Maximum number of views of views.
const MAX_VIEWS: usize = 64;

/// Offsets, sizes and strides.
pub(crate) struct Part {
    /// `None` for offsets that are not known in loops.
    pub(crate) offsets: Vec<Option<Expr>>,
    pub(crate) lengths: Vec<Expr>,
    strides: Vec<i64>,
}

impl Part {
    /// Reads the lists of an op; the values of its generic form are the operands from `first` on.
    pub(crate) fn of<'a>(
        site: &mut Site<'_, '_, 'a>,
        index: &mut Index,
        op: &Op<'a>,
        first: usize,
    ) -> Result<Part, Stop> {
        let mut values = op.operands.iter().skip(first);
        let mut lists: Vec<Vec<Option<Expr>>> = Vec::new();
        for (k, name) in ["static_offsets", "static_sizes", "static_strides"].iter().enumerate() {
            let list: Vec<Known> = match op.named(&[name]) {
                None => {
                    let group = op.groups.get(k).cloned();
                    let group = group.or_unknown(|| "its offsets, sizes or strides are missing")?;
                    index.each(site, group.start)
                }
                Some(range) => {
                    let numbers = site.lowering.text.integers(&range);
                    let numbers = numbers.or_unknown(|| "its lists are not supported")?;
                    let of = |number: i64| match number {
                        i64::MIN => {
                            index.value(site, values.next().or_unknown(|| "it lacks operands")?)
                        }
                        number => Ok(Expr::constant(number)),
                    };
                    numbers.into_iter().map(of).collect()
                }
            };
            lists.push(list.into_iter().map(Result::ok).collect());
        }
        let strides = lists.pop().unwrap_or_default();
        let strides = strides.iter().map(|stride| stride.as_ref()?.as_constant());
        let strides: Option<Vec<i64>> = strides.collect();
        let strides = strides.or_unknown(|| "its strides are known only at run time")?;
        let lengths: Option<Vec<Expr>> = lists.pop().unwrap_or_default().into_iter().collect();
        let lengths = lengths.or_unknown(|| "its sizes are not known")?;
        Ok(Part { offsets: lists.pop().unwrap_or_default(), lengths, strides })
    }

    /// Returns the indices of the whole for those of the part, an array of type `ty` that may lack dimensions of size 1, and the
    /// lengths of the part's dimensions.
    pub(crate) fn indices(
        &self,
        ty: &Type,
        at: &[Expr],
    ) -> Result<(Vec<Option<Expr>>, Vec<Expr>), Stop> {
        let rank = self.offsets.len();
        if [self.lengths.len(), self.strides.len()] != [rank; 2] {
            return unknown("its lists differ in length");
        }
        let lengths: Vec<Option<i64>> = self.lengths.iter().map(Expr::as_constant).collect();
        let kept = kept(&lengths, ty)?;
        let (mut own, mut indices, mut of) = (at.iter(), Vec::new(), Vec::new());
        let lists = self.offsets.iter().zip(&self.lengths).zip(&self.strides).zip(kept);
        for (((offset, length), stride), is_kept) in lists {
            let mut index = offset.clone();
            if is_kept {
                let at = own.next().or_unknown(|| "its sizes are not those of its type")?;
                let step = at.scale(*stride);
                let sum = index.map(|index| checked(step.and_then(|step| step.add(&index))));
                index = sum.transpose()?;
                of.push(length.clone());
            }
            indices.push(index);
        }
        Ok((indices, of))
    }
}

/// Returns whether the elements of a buffer lie one after the other, in their order.
fn is_contiguous(ty: &Type) -> bool {
    !["strided", "affine_map", "#"].iter().any(|word| ty.text.contains(word))
}

/// Returns, for each dimension of a part, whether an array of type `ty` has it; the others must have size 1.
pub(crate) fn kept(lengths: &[Option<i64>], ty: &Type) -> Result<Vec<bool>, Stop> {
    let mut of = sizes(ty)?.iter().peekable();
    let mut kept = Vec::new();
    for length in lengths {
        let fits = of.peek().is_some_and(|size| *size == length || length.is_none());
        match (fits, length) {
            (true, _) => drop(of.next()),
            (false, Some(1)) => {}
            _ => return unknown("its sizes are not those of its type"),
        }
        kept.push(fits);
    }
    match of.next() {
        None => Ok(kept),
        Some(_) => unknown("its sizes are not those of its type"),
    }
}

/// Returns the type of the result of a view's op, after `to` or `into`.
fn type_of(op: &Op<'_>) -> Result<Rc<Type>, Stop> {
    let arrow = op.arrow_types.as_ref().and_then(|types| types.first());
    arrow.or(op.operand_types.last()).cloned().or_unknown(|| "its type is not stated")
}

/// Returns the view that `op` makes of its first operand; `None` if it makes none.
pub(crate) fn made<'t, 'a>(
    site: &mut Site<'_, 't, 'a>,
    index: &mut Index,
    op: &'t Op<'a>,
    depth: usize,
) -> Option<Result<View, Stop>> {
    let rule = match op.name {
        "memref.subview" | "tensor.extract_slice" => subview,
        "memref.cast" | "tensor.cast" | "memref.memory_space_cast" => cast,
        "memref.transpose" => transposed,
        "memref.expand_shape" | "tensor.expand_shape" => expanded,
        "memref.collapse_shape" | "tensor.collapse_shape" => collapsed,
        "memref.reinterpret_cast" => reinterpreted,
        _ => return None,
    };
    let mut view = || -> Result<View, Stop> {
        let used = op.operands.first().or_unknown(|| "it has no operand")?;
        let of = through(site, index, used, op.operand_type(0), depth + 1)?;
        let ty = type_of(op)?;
        let indices = rule(ViewOp { site, index, op, of: &of, ty: &ty })?;
        of.of(sizes(&ty)?.to_vec(), &indices)
    };
    Some(view())
}

/// An op that makes a view.
pub(crate) struct ViewOp<'m, 's, 't, 'a> {
    pub(crate) site: &'m mut Site<'s, 't, 'a>,
    pub(crate) index: &'m mut Index,
    pub(crate) op: &'m Op<'a>,
    /// The operand.
    pub(crate) of: &'m View,
    /// The type of the view.
    pub(crate) ty: &'m Type,
}

/// The index of an element of the operand in each dimension, for an element of the view.
type Indices = Result<Vec<Option<Expr>>, Stop>;

fn subview(view: ViewOp<'_, '_, '_, '_>) -> Indices {
    let part = Part::of(view.site, view.index, view.op, 1)?;
    Ok(part.indices(view.ty, &places(view.ty.sizes.len()))?.0)
}

fn cast(view: ViewOp<'_, '_, '_, '_>) -> Indices {
    match view.of.sizes.len() == view.ty.sizes.len() {
        true => Ok(places(view.ty.sizes.len()).into_iter().map(Some).collect()),
        false => unknown("it changes the rank"),
    }
}

fn transposed(view: ViewOp<'_, '_, '_, '_>) -> Indices {
    let order = crate::tensor::permutation(view.site, view.op)?;
    let from = |k: usize| order.iter().position(|at| usize::try_from(*at) == Ok(k)).map(place);
    let indices: Option<Vec<_>> = (0..view.of.sizes.len()).map(|k| from(k).map(Some)).collect();
    indices.or_unknown(|| "its permutation has the wrong rank")
}

/// Returns the dimensions of each group: `[[0], [1, 2]]`.
fn groups(site: &Site<'_, '_, '_>, op: &Op<'_>) -> Result<Vec<Vec<usize>>, Stop> {
    let range = op.named_or_group(&["reassociation"]);
    let rows = range.and_then(|range| {
        let tokens = &site.lowering.text.tokens;
        let items = tokens.list(tokens.inside(site.lowering.text.meant(&range).start));
        items.iter().map(|item| site.lowering.text.integers(item)).collect::<Option<Vec<_>>>()
    });
    let rows = rows.or_unknown(|| "its groups are not supported")?;
    let dimension = |at: &i64| usize::try_from(*at).ok();
    let rows: Option<Vec<Vec<usize>>> =
        rows.iter().map(|row| row.iter().map(dimension).collect()).collect();
    let rows = rows.filter(|rows| rows.iter().flatten().copied().eq(0..rows.concat().len()));
    rows.or_unknown(|| "its groups are not supported")
}

/// Returns the fixed sizes of all dimensions of a group but the first, whose size does not matter.
fn basis(group: &[usize], sizes: &[Option<i64>]) -> Result<Vec<i64>, Stop> {
    let inner = group.iter().skip(1).map(|k| sizes.get(*k).copied().flatten());
    inner.collect::<Option<Vec<i64>>>().or_unknown(|| "its sizes are not fixed")
}

fn expanded(view: ViewOp<'_, '_, '_, '_>) -> Indices {
    let join = |group: Vec<usize>| {
        let digits: Vec<Expr> = group.iter().map(|k| place(*k)).collect();
        match linearized(&digits, &basis(&group, &view.ty.sizes)?) {
            Some(index) => checked(index).map(Some),
            // All dimensions of size 1 were added.
            None if group.is_empty() => Ok(Some(Expr::constant(0))),
            None => unknown("its groups are not supported"),
        }
    };
    groups(view.site, view.op)?.into_iter().map(join).collect()
}

fn collapsed(view: ViewOp<'_, '_, '_, '_>) -> Indices {
    let groups = groups(view.site, view.op)?;
    if groups.is_empty() {
        return Ok(vec![Some(Expr::constant(0)); view.of.sizes.len()]);
    }
    let mut indices = Vec::new();
    for (k, group) in groups.into_iter().enumerate() {
        let digits = delinearized(&place(k), &basis(&group, &view.of.sizes)?, group.len());
        match digits.or_unknown(|| "its groups are not supported")? {
            Ok(digits) => indices.extend(digits.into_iter().map(Some)),
            Err(error) => return unknown(error.to_string()),
        }
    }
    Ok(indices)
}

pub(crate) fn reinterpreted(view: ViewOp<'_, '_, '_, '_>) -> Indices {
    if !view.of.is_whole() || !is_contiguous(&view.of.ty) {
        return unknown("the elements of its operand do not lie one after the other");
    }
    let Part { offsets, strides, .. } = Part::of(view.site, view.index, view.op, 1)?;
    let (&[Some(ref offset)], true) = (&*offsets, strides.len() == view.ty.sizes.len()) else {
        return unknown("its offset is not known, or its lists differ in rank from its result");
    };
    let add = |sum: Known, (k, stride): (usize, &i64)| {
        let sum = sum?;
        checked(place(k).scale(*stride).and_then(|step| step.add(&sum)))
    };
    let position = strides.iter().enumerate().fold(Ok(offset.clone()), add)?;
    let all: Vec<usize> = (0..view.of.sizes.len()).collect();
    if all.is_empty() {
        return Ok(Vec::new());
    }
    let digits = delinearized(&position, &basis(&all, &view.of.sizes)?, all.len());
    let digits = digits.or_unknown(|| "the sizes of its operand are not fixed")?;
    digits.map_or_else(
        |error| unknown(error.to_string()),
        |digits| Ok(digits.into_iter().map(Some).collect()),
    )
}

/// Returns the array that has the elements of `%name`, and how.
pub(crate) fn through<'t, 'a>(
    site: &mut Site<'_, 't, 'a>,
    index: &mut Index,
    used: &Use<'a>,
    ty: Option<Rc<Type>>,
    depth: usize,
) -> Result<View, Stop> {
    if let Some(view) = index.views.get(used.name) {
        return Ok(view.clone());
    }
    let value = index.outside(site, used, ty)?;
    let made = match value.source.filter(|_| depth < MAX_VIEWS) {
        Some(op) => made(site, index, op, depth),
        None => None,
    };
    match made {
        // A view that is not understood is an array of its own.
        Some(Ok(view)) => Ok(view),
        _ => Ok(View::whole(value.line, value.ty)),
    }
}
