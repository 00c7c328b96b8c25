//! The named ops of linalg, by the indexing maps that they imply.
//!
//! Law: a contraction is the sum of products over the letters that its result does not have; a convolution reads index
//! `out * stride + window * dilation` in each spatial dimension; a window op reads only the sizes of its second operand. The
//! result is added to the destination, or overwrites it. Source: MLIR, `LinalgNamedStructuredOps.yaml`.

use crate::body::{OrUnknown, Stop, unknown};
use crate::fold::Window;
use crate::linalg::{self, Structure, called, contracted, indexing_maps, maps_of, moved};
use crate::lower::Site;
use crate::points::{Count, dims, map_text};
use crate::site::{dimensions, fixed, ranges, sizes};
use affinor_maps::expr::IndexingMap;
use std::fmt::Write as _;

type Done = Result<(), Stop>;

/// Contractions in alphabetical order, each with the dimensions of its inputs and its result.
const CONTRACTIONS: [(&str, &str); 19] = [
    ("batch_matmul", "bmk,bkn->bmn"),
    ("batch_matmul_transpose_a", "bkm,bkn->bmn"),
    ("batch_matmul_transpose_b", "bmk,bnk->bmn"),
    ("batch_matvec", "bmk,bk->bm"),
    ("batch_mmt4d", "bmkpr,bnkqr->bmnpq"),
    ("batch_reduce_matmul", "bmk,bkn->mn"),
    ("batch_vecmat", "bk,bkn->bn"),
    ("dot", "k,k->"),
    ("matmul", "mk,kn->mn"),
    ("matmul_transpose_a", "km,kn->mn"),
    ("matmul_transpose_b", "mk,nk->mn"),
    ("matmul_unsigned", "mk,kn->mn"),
    ("matvec", "mk,k->m"),
    ("mmt4d", "mkpr,nkqr->mnpq"),
    ("quantized_batch_matmul", "bmk,bkn,,->bmn"),
    ("quantized_matmul", "mk,kn,,->mn"),
    ("quantized_matmul_transpose_a", "km,kn,,->mn"),
    ("quantized_matmul_transpose_b", "mk,nk,,->mn"),
    ("vecmat", "k,kn->n"),
];

/// Returns the names of contractions.
pub(crate) fn contractions() -> impl Iterator<Item = &'static str> {
    CONTRACTIONS.iter().map(|(name, _)| *name)
}

/// Prefixes of ops whose names list their dimensions: convolutions and windows.
pub(crate) const WINDOWED: [&str; 3] = ["conv_", "depthwise_conv_", "pooling_"];

/// Returns whether `name` begins with such a prefix.
pub(crate) fn is_windowed(name: &str) -> bool {
    WINDOWED.iter().any(|start| name.starts_with(start))
}

/// Lowers a contraction to a sum of products, or to its loops.
pub(crate) fn contraction(site: &mut Site<'_, '_, '_>) -> Done {
    let maps = match indexing_maps(site)? {
        Some(maps) => maps,
        None => {
            let mut rows = CONTRACTIONS.iter();
            match rows.find(|(name, _)| *name == site.op.short()) {
                Some((_, spec)) => by_letters(spec)?,
                None => return unknown("the attribute `indexing_maps` is missing"),
            }
        }
    };
    let structure = Structure::of(site, maps)?;
    // An op that states its kind may combine products by another operation.
    let adds = site.op.named(&["kind"]).is_none_or(|kind| {
        site.lowering.text.tokens.slice(&site.lowering.text.meant(&kind)).contains("<add>")
    });
    if adds && site.op.short() != "matmul_unsigned" && contracted(site, &structure, "add")? {
        return Ok(());
    }
    whole(site, &structure, None, site.op.name)
}

/// Lowers the loops to a call that reads all operands, except an unread one.
fn whole(site: &mut Site<'_, '_, '_>, of: &Structure, unread: Option<usize>, text: &str) -> Done {
    let used: Vec<bool> = (0..site.operands.len()).map(|k| Some(k) != unread).collect();
    called(site, of, of.outs, &used, &[], None, text)
}

/// Returns the maps of operands whose dimensions are letters; loops are in the order of the result, then of the operands.
fn by_letters(spec: &str) -> Result<Vec<IndexingMap>, Stop> {
    let Some((inputs, result)) = spec.split_once("->") else { return unknown("it has no result") };
    let mut loops: Vec<char> = result.chars().collect();
    for letter in inputs.chars().filter(|letter| *letter != ',') {
        if !loops.contains(&letter) {
            loops.push(letter);
        }
    }
    let index = |letter: char| {
        let at = loops.iter().position(|other| *other == letter);
        format!("d{}", at.unwrap_or(usize::MAX))
    };
    let operands: Vec<Vec<String>> =
        inputs.split(',').chain([result]).map(|part| part.chars().map(index).collect()).collect();
    maps_of(loops.len(), &operands)
}

/// The dimensions of a convolution or a window op, one letter each.
struct Letters {
    input: String,
    kernel: String,
    output: String,
    /// The number of zero points after the two arrays.
    scalars: usize,
}

impl Letters {
    /// Parses `conv_2d_nhwc_hwcf`, `depthwise_conv_1d_ncw_cw`, `pooling_nhwc_max`, `conv_2d`.
    fn of(name: &str) -> Option<Letters> {
        let is_letters = |text: &str| text.chars().all(|c| "ncdhwfgm".contains(c));
        let spatial =
            |text: &str| -> String { text.chars().filter(|c| "dhw".contains(*c)).collect() };
        if let Some(rest) = name.strip_prefix("pooling_") {
            let (input, _) = rest.split_once('_')?;
            is_letters(input).then_some(())?;
            let (kernel, output) = (spatial(input), input.to_owned());
            return Some(Letters { input: input.to_owned(), kernel, output, scalars: 0 });
        }
        let rest = name.trim_start_matches("depthwise_").strip_prefix("conv_")?;
        let mut parts = rest.split('_');
        let plain = match parts.next()? {
            "1d" => "w",
            "2d" => "hw",
            "3d" => "dhw",
            _ => return None,
        };
        let input = parts.next().unwrap_or(plain);
        let kernel = parts.next().unwrap_or(plain);
        let scalars = match parts.next() {
            None => 0,
            Some("q") => 2,
            Some(_) => return None,
        };
        (is_letters(input) && is_letters(kernel)).then_some(())?;
        let channel = if kernel.contains('f') { "f" } else { "c" };
        let mut output = input.replace('c', channel);
        output.extend(kernel.chars().filter(|c| *c == 'm'));
        Some(Letters { input: input.to_owned(), kernel: kernel.to_owned(), output, scalars })
    }
}

/// Lowers a convolution, or an op over windows.
pub(crate) fn windowed(site: &mut Site<'_, '_, '_>) -> Done {
    let name = site.op.short();
    let letters = Letters::of(name).or_unknown(|| "its dimensions are not known")?;
    let spatial: Vec<char> =
        letters.kernel.chars().filter(|letter| "dhw".contains(*letter)).collect();
    let list = |names: &[&str]| -> Result<Vec<i64>, Stop> {
        let list = site.list(names)?;
        match list.len() {
            0 => Ok(vec![1; spatial.len()]),
            length if length == spatial.len() => Ok(list),
            _ => unknown("its strides or dilations have the wrong rank"),
        }
    };
    let (strides, dilations) = (list(&["strides"])?, list(&["dilations"])?);
    let of_letter = |list: &[i64], letter: char| {
        // Strides are in the order of the result's spatial dimensions, which is also that of the kernel's.
        let mut ordered = letters.output.chars().filter(|c| "dhw".contains(*c));
        ordered.position(|other| other == letter).and_then(|at| list.get(at).copied()).unwrap_or(1)
    };
    // The loops are those of the result, then those of the window, then the other dimensions of the kernel.
    let mut loops: Vec<(char, bool)> =
        letters.output.chars().map(|letter| (letter, false)).collect();
    loops.extend(spatial.iter().map(|letter| (*letter, true)));
    for letter in letters.kernel.chars() {
        if !"dhw".contains(letter) && !loops.contains(&(letter, false)) {
            loops.push((letter, false));
        }
    }
    let at = |letter: char, is_window: bool| {
        let place = loops.iter().position(|known| *known == (letter, is_window));
        format!("d{}", place.unwrap_or(usize::MAX))
    };
    let is_spatial = |letter: &char| "dhw".contains(*letter);
    let input = letters.input.chars().map(|letter| match is_spatial(&letter) {
        true => {
            let (stride, dilation) = (of_letter(&strides, letter), of_letter(&dilations, letter));
            format!("{} * {stride} + {} * {dilation}", at(letter, false), at(letter, true))
        }
        false => at(letter, false),
    });
    let kernel = letters.kernel.chars().map(|letter| at(letter, is_spatial(&letter)));
    let output = letters.output.chars().map(|letter| at(letter, false));
    let mut operands: Vec<Vec<String>> = vec![input.collect(), kernel.collect()];
    operands.extend(vec![Vec::new(); letters.scalars]);
    operands.push(output.collect());
    let maps = maps_of(loops.len(), &operands)?;
    let structure = Structure::of(site, maps)?;
    if name.starts_with("pooling_") {
        return whole(site, &structure, Some(1), name);
    }
    if !convolved(site, &letters, &strides, &dilations)? {
        return whole(site, &structure, None, site.op.name);
    }
    Ok(())
}

/// Lowers the op to an HLO convolution to which the destination is added; returns `false` if it has another form.
fn convolved(
    site: &mut Site<'_, '_, '_>,
    letters: &Letters,
    strides: &[i64],
    dilations: &[i64],
) -> Result<bool, Stop> {
    let has = |text: &str, needed: &str| needed.chars().all(|letter| text.contains(letter));
    let is_plain = has(&letters.input, "nc")
        && has(&letters.kernel, "cf")
        && has(&letters.output, "nf")
        && letters.scalars == 0
        && !letters.input.contains('g');
    let spatial: Vec<char> = letters.output.chars().filter(|c| "dhw".contains(*c)).collect();
    let kernel: Vec<char> = letters.kernel.chars().filter(|c| "dhw".contains(*c)).collect();
    if !is_plain || spatial != kernel || site.operands.len() != 3 {
        return Ok(false);
    }
    let label = |letter: char, names: [char; 2]| match letter {
        'n' => 'b',
        'c' => names[0],
        'f' => names[1],
        _ => {
            let at = spatial.iter().position(|other| *other == letter).unwrap_or(9);
            char::from_digit(u32::try_from(at).unwrap_or(9), 10).unwrap_or('?')
        }
    };
    let labels = |text: &str, names| -> String { text.chars().map(|c| label(c, names)).collect() };
    let (input, weights, out) = (site.operand(0)?, site.operand(1)?, site.operand(2)?);
    if [&input, &weights, &out].iter().any(|value| value.ty.fixed().is_none()) {
        return Ok(false);
    }
    let weights_sizes = fixed(&weights.ty)?;
    let sizes = letters.kernel.chars().zip(&weights_sizes);
    let sizes = sizes.filter(|(letter, _)| "dhw".contains(*letter)).map(|(_, size)| *size);
    let window = Window {
        sizes: sizes.collect(),
        strides: strides.to_vec(),
        window_dilations: dilations.to_vec(),
        ..Window::default()
    };
    let mut attributes = window.text()?;
    let _ = write!(
        attributes,
        ", dim_labels={}_{}->{}",
        labels(&letters.input, ['f', 'f']),
        labels(&letters.kernel, ['i', 'o']),
        labels(&letters.output, ['f', 'f'])
    );
    // The input may extend beyond the last window. HLO derives sizes from the window, so the rest is cut off.
    let of_stride = |letter: char| {
        let at = spatial.iter().position(|other| *other == letter);
        at.and_then(|at| strides.get(at).copied()).unwrap_or(1)
    };
    let given = fixed(&input.ty)?;
    let results = fixed(&out.ty)?;
    let (mut ends, mut is_cut) = (Vec::new(), false);
    for (letter, size) in letters.input.chars().zip(&given) {
        let stride = of_stride(letter);
        let reached = spatial.iter().position(|other| *other == letter).and_then(|at| {
            let out_at = letters.output.chars().position(|other| other == letter)?;
            let windows = results.get(out_at)?.checked_sub(1)?.checked_mul(*strides.get(at)?)?;
            let taps = window.sizes.get(at)?.checked_sub(1)?.checked_mul(*dilations.get(at)?)?;
            windows.checked_add(taps)?.checked_add(1)
        });
        let reached = reached.unwrap_or(*size);
        if reached > *size {
            return unknown("its windows reach beyond its input");
        }
        // The input must be cut off if another window would fit.
        is_cut |= size - reached >= stride && spatial.contains(&letter);
        ends.push(reached);
    }
    let mut line = input.line;
    if is_cut {
        let cut = ranges(ends.iter().map(|end| (0, *end, 1)));
        line = site.push("reached", &input.ty.with_sizes(&ends), "slice", &[line], &cut);
    }
    let made =
        site.push("product", &out.ty.shape, "convolution", &[line, weights.line], &attributes);
    site.made(out.ty, "add", &[out.line, made], "").map(|()| true)
}

/// Lowers to the HLO op on the inputs: `linalg.add ins(%a, %b : ..) outs(%c : ..)`.
pub(crate) fn elementwise(site: &mut Site<'_, '_, '_>, opcode: &str) -> Done {
    let outs = site.operands.len().saturating_sub(1);
    let ty = site.operand(outs)?.ty;
    let lines: Vec<usize> = site.lines()[..outs].to_vec();
    let mut inputs = site.operands[..outs].iter();
    if inputs.any(|value| value.ty.sizes != ty.sizes) {
        return unknown("its operands differ in their sizes");
    }
    site.made(ty, opcode, &lines, "")
}

/// Lowers elementwise ops without equivalent in HLO.
pub(crate) fn elementwise_call(site: &mut Site<'_, '_, '_>) -> Done {
    let rank = site.operands.last().map_or(0, |value| value.ty.sizes.len());
    let is_scalar = |k: usize| site.operands.get(k).is_some_and(|value| value.ty.sizes.is_empty());
    let maps: Vec<Vec<String>> = (0..site.operands.len())
        .map(|k| if is_scalar(k) { Vec::new() } else { dims(0..rank) })
        .collect();
    let maps = match indexing_maps(site)? {
        Some(maps) => maps,
        None => maps_of(rank, &maps)?,
    };
    let structure = Structure::of(site, maps)?;
    let kind = site.op.named(&["kind"]).map(|kind| site.lowering.text.tokens.slice(&kind));
    let text = format!("{} {}", site.op.name, kind.unwrap_or_default());
    whole(site, &structure, Some(structure.outs), &text)
}

pub(crate) fn fill(site: &mut Site<'_, '_, '_>) -> Done {
    let (scalar, ty) = (site.operand(0)?, site.operand(1)?.ty);
    if !ty.is_array() || !scalar.ty.sizes.is_empty() {
        return unknown("it fills an array with a scalar");
    }
    let mut line = scalar.line;
    if scalar.ty.element != ty.element {
        line = site.push("value", &ty.scalar(), "convert", &[line], "");
    }
    site.made(ty, "broadcast", &[line], ", dimensions={}")
}

/// Lowers a broadcast; `dimensions` are those that the operand does not have.
pub(crate) fn broadcast(site: &mut Site<'_, '_, '_>) -> Done {
    let added = site.needed_list(&["dimensions"])?;
    let (line, ty) = (site.operand(0)?.line, site.operand(1)?.ty);
    let all = (0_i64..).zip(&ty.sizes).map(|(at, _)| at);
    let kept: Vec<i64> = all.filter(|at| !added.contains(at)).collect();
    let attributes = dimensions(&kept);
    site.made(ty, "broadcast", &[line], &attributes)
}

/// Lowers `linalg.reduce` and `linalg.map`, with a region or the name of an op instead.
pub(crate) fn by_region(site: &mut Site<'_, '_, '_>) -> Done {
    let reduced = site.list(&["dimensions"])?;
    let rank = site.operand(0)?.ty.sizes.len();
    let all = dims(0..rank);
    let kept: Vec<String> = (0_i64..)
        .zip(&all)
        .filter(|(k, _)| !reduced.contains(k))
        .map(|(_, index)| index.clone())
        .collect();
    let outs = site.operands.len().saturating_sub(linalg::destinations(site)?);
    let maps: Vec<Vec<String>> = (0..site.operands.len())
        .map(|k| if k < outs { all.clone() } else { kept.clone() })
        .collect();
    let maps = maps_of(rank, &maps)?;
    if site.op.regions.is_empty() {
        let structure = Structure::of(site, maps)?;
        // A `linalg.map` does not read its destination.
        let unread = Some(structure.outs).filter(|_| site.op.short() != "reduce");
        let named = site.op.named.iter().map(|(name, _)| *name);
        let text = format!("{} {}", site.op.name, named.collect::<Vec<_>>().join(" "));
        return whole(site, &structure, unread, &text);
    }
    linalg::of_region(site, maps)
}

/// Lowers a softmax: each element is computed from all elements along one dimension.
pub(crate) fn softmax(site: &mut Site<'_, '_, '_>) -> Done {
    let ty = site.operand(1)?.ty;
    let sizes = Count::of_operand(0, sizes(&ty)?);
    let tokens = &site.lowering.text.tokens;
    let mut at = site.op.tokens.clone();
    let along = at.find(|at| tokens.is(*at, "dimension"));
    let along = along.and_then(|at| tokens.word(at + 2).parse::<usize>().ok());
    let along =
        along.filter(|along| *along < sizes.len()).or_unknown(|| "its dimension is not given")?;
    let loops = sizes.len() + 1;
    let mut indices = dims(0..sizes.len());
    let result = map_text(loops, &indices);
    indices[along] = format!("d{}", sizes.len());
    let read = map_text(loops, &indices);
    let sizes = [&sizes[..], &sizes[along..=along]].concat();
    let reads = vec![(site.operand(0)?.line, Some(read)), (site.operand(1)?.line, None)];
    site.call(sizes, result, reads, &format!("linalg.softmax {along}"), &ty)
}

/// Lowers a copy, which overwrites the destination.
pub(crate) fn copy(site: &mut Site<'_, '_, '_>) -> Done {
    let rank = site.operand(0)?.ty.sizes.len();
    let maps = maps_of(rank, &[dims(0..rank), dims(0..rank)])?;
    let structure = Structure::of(site, maps)?;
    if site.operand(0)?.ty.element == site.operand(1)?.ty.element && moved(site, &structure, 0)? {
        return Ok(());
    }
    elementwise(site, "convert")
}
