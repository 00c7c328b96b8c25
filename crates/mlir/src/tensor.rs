//! Ops of tensor, and equivalent ops of memref and vector, that extract, move and combine elements.
//!
//! Law: a view of a buffer reads as the tensor op of the same shape; the order of its elements in memory is not considered.
//! Source: MLIR, *tensor dialect*.

use crate::body::{OrUnknown, Stop, unknown};
use crate::lower::Site;
use crate::moved::interior_free_padding;
use crate::points::{Count, identity};
use crate::site::{braced, dimensions, fixed, ranges, sizes};
use crate::token::Token;
use crate::tree::Op;
use affinor_maps::text::parse_map;
use std::rc::Rc;

type Done = Result<(), Stop>;

/// Lowers a reshape: the elements in row-major order, in other sizes.
pub(crate) fn reshape(site: &mut Site<'_, '_, '_>) -> Done {
    let (operand, ty) = (site.operand(0)?, site.result_type()?);
    sizes(&operand.ty)?;
    site.reshaped(operand.line, &ty)
}

/// Lowers a cast: the same array, whose type has more or fewer known sizes.
pub(crate) fn cast(site: &mut Site<'_, '_, '_>) -> Done {
    let (operand, ty) = (site.operand(0)?, site.result_type()?);
    let (of, to) = (sizes(&operand.ty)?, sizes(&ty)?);
    let agree = |(x, y): (&Option<i64>, &Option<i64>)| x == y || x.is_none() || y.is_none();
    if of.len() != to.len() || !of.iter().zip(to).all(agree) {
        return unknown("it changes the sizes");
    }
    if of == to {
        return site.made(ty.clone(), "copy", &[operand.line], "");
    }
    // A copy in HLO would keep the type, including the known sizes.
    let (all, rank) = (Count::of_operand(0, to), to.len());
    let reads = vec![(operand.line, Some(identity(rank)))];
    site.call(all, identity(rank), reads, "tensor.cast", &ty)
}

/// Lowers the allocation of an uninitialized array.
pub(crate) fn empty(site: &mut Site<'_, '_, '_>) -> Done {
    let ty = site.result_type()?;
    sizes(&ty)?;
    let attributes = ", custom_call_target=\"AllocateBuffer\"";
    site.made(ty, "custom-call", &[], attributes)
}

/// Broadcasts a scalar, or a vector along the last dimensions.
pub(crate) fn splat(site: &mut Site<'_, '_, '_>) -> Done {
    let (operand, ty) = (site.operand(0)?, site.result_type()?);
    let (given, sizes) = (sizes(&operand.ty)?, sizes(&ty)?);
    let added =
        sizes.len().checked_sub(given.len()).or_unknown(|| "its result has fewer dimensions")?;
    let (mut kept, mut left) = (Vec::new(), Vec::new());
    for ((at, of), size) in (0_i64..).zip(sizes).skip(added).zip(given) {
        match *size {
            size if size == *of => {
                kept.push(at);
                left.push(size);
            }
            Some(1) => {}
            _ => return unknown("its sizes do not fit"),
        }
    }
    let mut line = operand.line;
    if left.len() < given.len() {
        line = site.push("reshape", &operand.ty.with_sizes(&left), "reshape", &[line], "");
    }
    let attributes = dimensions(&kept);
    site.made(ty, "broadcast", &[line], &attributes)
}

/// Lowers `tensor.concat dim(1) %a, %b : ..`.
pub(crate) fn concat(site: &mut Site<'_, '_, '_>) -> Done {
    let dimension = match site.op.named(&["dim"]) {
        Some(_) => site.integer(&["dim"])?,
        None => match behind(site, "dim").as_deref() {
            Some([dimension]) => *dimension,
            _ => return unknown("its dimension is missing"),
        },
    };
    let (lines, ty) = (site.lines(), site.result_type()?);
    let attributes = format!(", dimensions={{{dimension}}}");
    site.made(ty, "concatenate", &lines, &attributes)
}

/// Reads the numbers in brackets after a word: `gather_dims([1, 2])`.
fn behind(site: &Site<'_, '_, '_>, word: &str) -> Option<Vec<i64>> {
    let tokens = &site.lowering.text.tokens;
    let at = site.op.tokens.clone().find(|at| tokens.is(*at, word))?;
    let inside = tokens.inside(at + 1);
    inside
        .filter(|at| tokens.get(*at) == Some(Token::Integer))
        .map(|at| tokens.word(at).parse().ok())
        .collect()
}

/// Lowers `tensor.pad %x low[1, 0] high[0, 2] {..}`.
pub(crate) fn pad(site: &mut Site<'_, '_, '_>) -> Done {
    let mut next = 1;
    let names = ["static_low", "static_high"];
    let mut lists = Vec::new();
    for (k, name) in names.iter().enumerate() {
        let group = site.op.groups.get(k).cloned();
        lists.push(match (site.op.named(&[name]), group) {
            (Some(_), _) => site.needed_list(&[name])?,
            (None, Some(group)) => {
                let places = site.places(&group, &mut next)?;
                Site::all_fixed(&places, "widths")?
            }
            (None, None) => return unknown("its widths are missing"),
        });
    }
    let (operand, ty) = (site.operand(0)?, site.result_type()?);
    let rank = sizes(&operand.ty)?.len();
    if lists.iter().any(|list| list.len() != rank || list.contains(&i64::MIN)) {
        return unknown("its widths are not those of the operand's rank, or not fixed");
    }
    let region = site.region(0)?;
    let Some((last, before)) = region.ops.split_last().filter(|(last, _)| last.is_return()) else {
        return unknown("its region yields nothing");
    };
    if before.iter().any(|op| op.name != "arith.constant") {
        return unknown("the value that it pads with depends on the place");
    }
    for op in before {
        site.lowering.op(site.body, op)?;
    }
    let values = site.body.uses(&last.operands, last)?;
    let [value] = &*values else { return unknown("its region yields no value") };
    let value = value.line;
    padded(site, operand.line, value, &lists, &ty.shape, true)?;
    Ok(())
}

/// Adds a `pad` with these widths, as the op's result or as an auxiliary instruction; returns its line.
fn padded(
    site: &mut Site<'_, '_, '_>,
    line: usize,
    value: usize,
    widths: &[Vec<i64>],
    shape: &str,
    is_result: bool,
) -> Result<usize, Stop> {
    let attributes = interior_free_padding(&widths[0], &widths[1]);
    let opcode = if attributes.is_empty() { "copy" } else { "pad" };
    let operands = if attributes.is_empty() { vec![line] } else { vec![line, value] };
    if is_result {
        let ty = site.result_type()?;
        return site.made(ty, opcode, &operands, &attributes).map(|()| 0);
    }
    Ok(site.push("padded", shape, opcode, &operands, &attributes))
}

/// Lowers `tensor.gather %a[%i] gather_dims([0, 2]) : ..`.
pub(crate) fn gather(site: &mut Site<'_, '_, '_>) -> Done {
    let (source, indices, ty) = (site.operand(0)?, site.operand(1)?, site.result_type()?);
    let dimensions = match site.op.named(&["gather_dims"]) {
        Some(_) => site.needed_list(&["gather_dims"])?,
        None => behind(site, "gather_dims").unwrap_or_default(),
    };
    let (of, at, sizes) = (fixed(&source.ty)?, fixed(&indices.ty)?, fixed(&ty)?);
    let batch = at.len().checked_sub(1).or_unknown(|| "its indices are not a list")?;
    let is_gathered = |dimension: usize| {
        i64::try_from(dimension).is_ok_and(|dimension| dimensions.contains(&dimension))
    };
    // The result omits gathered dimensions, or has them with size 1.
    let collapsed: &[i64] = match sizes.len() == batch + of.len() {
        true => &[],
        false => &dimensions,
    };
    let slice: Vec<i64> =
        of.iter().enumerate().map(|(k, size)| if is_gathered(k) { 1 } else { *size }).collect();
    let rank = i64::try_from(sizes.len()).unwrap_or(i64::MAX);
    let first = i64::try_from(batch).unwrap_or(i64::MAX);
    let offsets: Vec<i64> = (first..rank).collect();
    let attributes = format!(
        ", offset_dims={}, collapsed_slice_dims={}, start_index_map={}, index_vector_dim={batch}, slice_sizes={}",
        braced(&offsets),
        braced(collapsed),
        braced(&dimensions),
        braced(&slice)
    );
    let operands = [source.line, indices.line];
    site.made(ty, "gather", &operands, &attributes)
}

/// Combines scalars, in row-major order.
pub(crate) fn from_elements(site: &mut Site<'_, '_, '_>) -> Done {
    let ty = site.result_type()?;
    fixed(&ty)?;
    let mut parts = Vec::new();
    for line in site.lines() {
        parts.push(site.push("element", &ty.with_sizes(&[1]), "reshape", &[line], ""));
    }
    let shape = ty.with_sizes(&[i64::try_from(parts.len()).unwrap_or(i64::MAX)]);
    let line = match &*parts {
        [] => return unknown("it has no elements"),
        parts => site.push("elements", &shape, "concatenate", parts, ", dimensions={0}"),
    };
    site.reshaped(line, &ty)
}

/// The tiles of `linalg.pack` and `linalg.unpack`.
struct Tiles {
    /// The sizes of the untiled array, rounded up to whole tiles.
    whole: Vec<i64>,
    /// These sizes in tiles, each followed by the tile size of its dimension.
    split: Vec<i64>,
    /// For each dimension of the tiled array, outer dimensions first, its dimension in `split`.
    order: Vec<i64>,
}

impl Tiles {
    fn of(site: &Site<'_, '_, '_>, plain: &[i64]) -> Result<Tiles, Stop> {
        let positions = site.needed_list(&["inner_dims_pos"])?;
        let sizes = match site.op.named(&["static_inner_tiles"]) {
            Some(_) => site.needed_list(&["static_inner_tiles"])?,
            None => site.needed_list(&["inner_tiles"])?,
        };
        let permutation = site.list(&["outer_dims_perm"])?;
        let rank = plain.len();
        let is_dimension = |at: &i64| usize::try_from(*at).is_ok_and(|at| at < rank);
        let distinct: std::collections::BTreeSet<&i64> = positions.iter().collect();
        let fits = positions.len() == sizes.len()
            && distinct.len() == positions.len()
            && positions.iter().chain(&permutation).all(is_dimension)
            && sizes.iter().all(|size| *size > 0)
            && (permutation.is_empty() || permutation.len() == rank);
        if !fits {
            return unknown("its tiles do not fit the array");
        }
        let (mut whole, mut split, mut places) = (Vec::new(), Vec::new(), Vec::new());
        let mut tiles = vec![0; sizes.len()];
        for (dimension, size) in (0_i64..).zip(plain) {
            places.push(i64::try_from(split.len()).unwrap_or(i64::MAX));
            let tile = positions.iter().position(|at| *at == dimension);
            let Some(tile) = tile else {
                split.push(*size);
                whole.push(*size);
                continue;
            };
            let outer = affinor_maps::num::ceildiv(*size, sizes[tile]);
            split.push(outer);
            tiles[tile] = i64::try_from(split.len()).unwrap_or(i64::MAX);
            split.push(sizes[tile]);
            let all = outer.checked_mul(sizes[tile]).or_unknown(|| "its tiles are too large")?;
            whole.push(all);
        }
        let outer = (0..rank).map(|k| match permutation.get(k) {
            Some(from) => places[usize::try_from(*from).unwrap_or(0)],
            None => places[k],
        });
        let order: Vec<i64> = outer.chain(tiles).collect();
        Ok(Tiles { whole, split, order })
    }
}

/// Lowers `linalg.pack`: pads the array to whole tiles, splits it, and moves the tile dimensions last.
pub(crate) fn pack(site: &mut Site<'_, '_, '_>) -> Done {
    let (source, ty) = (site.operand(0)?, site.operand(1)?.ty);
    let plain = fixed(&source.ty)?;
    fixed(&ty)?;
    let tiles = Tiles::of(site, &plain)?;
    let mut line = source.line;
    if tiles.whole != plain {
        let segments = site.list(&["operandSegmentSizes", "operand_segment_sizes"])?;
        let value = match site.op.bindings.first() {
            Some(binding) => match site.body.values.get(binding.name) {
                Some(value) => value.line,
                None if site.body.is_snippet => {
                    let ty = binding.ty.clone().unwrap_or_else(|| source.ty.clone());
                    site.body.parameter(binding, ty, "");
                    site.body.values.get(binding.name).map_or(0, |value| value.line)
                }
                None => return unknown(format!("`%{}` is not defined", binding.name)),
            },
            None if segments.get(2) == Some(&1) => site.operand(2)?.line,
            None => {
                return unknown("its last tiles are not whole, and it has no value to pad with");
            }
        };
        let high = tiles.whole.iter().zip(&plain).map(|(whole, size)| whole - size).collect();
        let widths = [vec![0; plain.len()], high];
        let shape = source.ty.with_sizes(&tiles.whole);
        line = padded(site, line, value, &widths, &shape, false)?;
    }
    line = site.push("split", &source.ty.with_sizes(&tiles.split), "reshape", &[line], "");
    let attributes = dimensions(&tiles.order);
    site.made(ty, "transpose", &[line], &attributes)
}

/// Lowers `linalg.unpack`: the inverse of `pack`, without the padding.
pub(crate) fn unpack(site: &mut Site<'_, '_, '_>) -> Done {
    let (source, ty) = (site.operand(0)?, site.operand(1)?.ty);
    let plain = fixed(&ty)?;
    let tiles = Tiles::of(site, &plain)?;
    let mut back = vec![0; tiles.order.len()];
    for (at, from) in (0_i64..).zip(&tiles.order) {
        if let Some(place) = usize::try_from(*from).ok().and_then(|from| back.get_mut(from)) {
            *place = at;
        }
    }
    let attributes = dimensions(&back);
    let shape = source.ty.with_sizes(&tiles.split);
    let mut line = site.push("ordered", &shape, "transpose", &[source.line], &attributes);
    if tiles.whole == plain {
        return site.reshaped(line, &ty);
    }
    line = site.push("joined", &source.ty.with_sizes(&tiles.whole), "reshape", &[line], "");
    let attributes = ranges(plain.iter().map(|size| (0, *size, 1)));
    site.made(ty, "slice", &[line], &attributes)
}

/// Lowers `linalg.transpose .. permutation = [1, 0]`, `vector.transpose %v, [1, 0]`, `memref.transpose %m (i, j) -> (j, i)`.
pub(crate) fn transpose(site: &mut Site<'_, '_, '_>) -> Done {
    let (operand, ty) = (site.operand(0)?, site.result_type()?);
    let order = permutation(site, site.op)?;
    if order.len() != sizes(&operand.ty)?.len() {
        return unknown("its permutation has the wrong rank");
    }
    let attributes = dimensions(&order);
    site.made(ty, "transpose", &[operand.line], &attributes)
}

/// Returns, for each dimension of the result of a transpose, the dimension of the operand.
pub(crate) fn permutation(site: &Site<'_, '_, '_>, op: &Op<'_>) -> Result<Vec<i64>, Stop> {
    let text = site.lowering.text;
    let named = op.named(&["permutation", "perms"]);
    let listed = named.clone().or(op.groups.first().cloned());
    let listed = listed.and_then(|range| text.integers(&range));
    if let Some(order) = listed.filter(|list| !list.is_empty()) {
        return Ok(order);
    }
    // A map, possibly without `affine_map<..>` around it.
    let mut at = op.tokens.clone();
    let open = at.find(|at| text.tokens.get(*at) == Some(Token::OpenParenthesis));
    let start = open.unwrap_or(op.tokens.start);
    let bare = start..text.tokens.behind(text.tokens.behind(start) + 1);
    let written = text.tokens.slice(&named.map_or(bare, |range| text.meant(&range)));
    let written = written.trim_start_matches("affine_map<").trim_end_matches('>');
    let map = parse_map(&format!("affine_map<{written}>")).ok();
    let places = map.and_then(|map| {
        let results = map.results().iter();
        let place = results.map(|result| i64::try_from(result.as_variable()?.index()).ok());
        place.collect::<Option<Vec<i64>>>()
    });
    places.or_unknown(|| "its permutation is not supported")
}

/// Lowers `dim`: the size of a dimension, a constant if it is fixed.
pub(crate) fn dim(site: &mut Site<'_, '_, '_>) -> Done {
    let array = site.operand(0)?;
    let at = crate::geometry::known(&site.operand(1)?, site);
    let size = at.and_then(|at| array.ty.sizes.get(usize::try_from(at).ok()?).copied());
    let size = size.or_unknown(|| "which dimension it asks for is not known")?;
    if let Some(size) = size {
        return site.is_number(size);
    }
    // No element is read.
    let ty = crate::types::of("index").or_unknown(|| "it has no type")?;
    let reads = vec![(array.line, None)];
    site.call(Vec::new(), identity(0), reads, "tensor.dim", &Rc::new(ty))
}
