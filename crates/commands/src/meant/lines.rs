//! The line of commands for each kind of question: words that ask, and the parts that are asked about.

use super::material::{Kind, Material, Part, heads};

/// Beginnings of words that ask, each with the line that answers: the first fits whose holes take all parts of the question. A
/// beginning with `=` is a whole word; without any, the line fits every question. `{F}` is a map, an expression or an access with
/// its bounds, `{E}` has the value of a statement in place of its access, `{V}` is an expression without bounds, `{B}` the bounds,
/// `{C}` a comparison, `{S}` a shape, `{L}` a layout of CuTe, `{I}` an instruction, `{X}` an index, `{N}` a number, `{Y}` a number
/// of bytes, `{P}` loops and `{H}` their heads; `{E2}`, `{S2}`, `{L2}` and `{X2}` are second ones.
const LINES: &[(&str, &str)] = &[
    ("", "{C}"),
    ("interchang swap permut exchang reorder", "parallel --interchange {P}"),
    ("parallel depend race carried order independent", "parallel {P}"),
    ("iterat trip many count times often", "count {P}"),
    ("iterat trip many count times often", "count {H}"),
    ("iterat trip many count times often", "how many iterations does {P} have"),
    ("coalesc sector transaction cache line", "coalesce {F} --transaction {Y}"),
    ("coalesc sector transaction", "coalesce {F} --bytes {Y}"),
    ("bank conflict", "banks {F} --bytes {Y}"),
    ("inver undo", "inverse {E}"),
    ("biject permut onto surject cover tile partition exactly every", "injective {F} --onto"),
    ("bank conflict", "banks {F}"),
    ("coalesc sector transaction cacheline", "coalesce {F}"),
    ("vectori float2 float4 wide", "vector {F}"),
    (
        "injectiv collid collision overlap unique same alias duplicat twice race =one-to-one disjoint clash",
        "injective {F}",
    ),
    ("parallel depend race order carried", "parallel {F}"),
    ("overflow fit wrap bit =int32 =i32 =int =32-bit", "fits {E}"),
    ("stride step", "strides {F}"),
    ("python numpy", "emit {E} --as python"),
    ("cuda", "emit {E} --as cuda"),
    ("triton", "emit {E} --as triton"),
    ("mlir affinemap affine", "emit {E} --as mlir"),
    ("latex", "emit {E} --as latex"),
    ("=isl", "emit {E} --as isl"),
    ("=c", "emit {E} --as c"),
    ("draw plot pictur visual diagram", "draw {F}"),
    ("why explain", "why {E}"),
    (
        "maxim minim largest smallest highest lowest biggest great least bound extrem limit",
        "range {E}",
    ),
    ("many number count size distinct cardinal", "count {E}"),
    ("between range", "range {E}"),
    ("values image reach hit attain produce touch access read write set", "image {E}"),
    ("simpl cheap short reduce optimi canonical normal rewrit factor", "simplify {E}"),
    ("compos after then chain follow =of", "compose {E} ; {E2} --simplify"),
    ("differ equal equivalent same agree identical match inter", "equal {E} ; {E2}"),
    ("exceed above past over beyond greater more", "any(({V}) > ({N}){B})"),
    ("below under less negative", "any(({V}) < ({N}){B})"),
    ("divisib multiple divide align", "({V}) % {N} == 0{B}"),
    ("bit", "fits {E} --bits {N}"),
    ("equal hit reach take become produce attain value contain be =is", "any(({V}) == ({N}){B})"),
    ("inside bound outside out-of-bounds oob fit size length", "inside {E} ; {N}"),
    ("inside bound outside out-of-bounds oob fit shape", "inside {E} ; {S}"),
    ("egraph e-graph", "egraph {E}"),
    ("=at evaluat apply appli =point", "eval {E} {X}"),
    ("offset address flat linear position where index element locat", "layout {S} --index {X}"),
    (
        "offset address flat linear position where index element locat maps =at thread lane warp hold own register",
        "layout {L} --index {X}",
    ),
    (
        "coordinat unravel unflatten delinear multi index element position logical where",
        "layout {S} --linear {N}",
    ),
    ("=at evaluat apply appli offset map swizzle", "{L}({N})"),
    ("contiguous dense", "torch.empty_strided({X}, {X2}).is_contiguous()"),
    ("coordinat unravel unflatten delinear multi indices", "np.unravel_index({N}, {X})"),
    ("flat linear ravel offset position index", "np.ravel_multi_index({X}, {X2})"),
    ("reshap view flatten", "op reshape {S} -> {S2}"),
    ("bitcast free copy bytes physical memory relayout no-op same", "bitcast {S} {S2}"),
    ("equal same differ equivalent identical", "layout equal {L} ; {L2}"),
    ("equal same differ equivalent identical", "layout equal {S} ; {S2}"),
    ("compos after then", "layout compose {L} ; {L2}"),
    ("divid tile", "layout divide {L} ; {L2}"),
    ("product repeat", "layout product {L} ; {L2}"),
    ("complement", "layout complement {L} {N}"),
    ("coalesc simpl flatten", "layout coalesce {L}"),
    ("inver", "layout inverse {L}"),
    ("injectiv unique overlap alias duplicat collid same compact", "injective {L}"),
    ("bank conflict draw pictur", "layout {L} --draw"),
    ("draw pictur", "layout {S} --draw"),
    ("", "layout {S}"),
    ("", "layout {L}"),
    ("", "{I}"),
];

/// Returns the lines that a question may mean, the likeliest first.
pub fn lines(material: &Material) -> Vec<String> {
    let has = |stems: &str| {
        stems.is_empty()
            || stems.split(' ').any(|stem| match stem.strip_prefix('=') {
                Some(whole) => material.words.iter().any(|word| word == whole),
                None => material.words.iter().any(|word| word.starts_with(stem)),
            })
    };
    let fitting = LINES.iter().filter(|(stems, _)| has(stems));
    fitting.filter_map(|(_, line)| filled(line, material)).collect()
}

/// Returns a line with its holes filled; `None` if they do not take all parts, or a part has another kind.
fn filled(line: &str, material: &Material) -> Option<String> {
    let mut rest: Vec<&Part> = material.parts.iter().collect();
    let mut takes_bounds = material.bounds.is_empty();
    let mut made = String::new();
    let is_pair = line.contains("{E2}");
    let mut text = line;
    while let Some((before, after)) = text.split_once('{') {
        let (hole, after) = after.split_once('}')?;
        made += before;
        text = after;
        if hole == "B" {
            takes_bounds = true;
            made += &material.bounds;
            continue;
        }
        let at = rest.iter().position(|part| takes(hole, part.kind))?;
        let part = rest.remove(at);
        match hole {
            "F" | "E" | "E2" => {
                takes_bounds = true;
                let text = match part.text.split_once(" = ") {
                    Some((_, value)) if hole != "F" && part.kind == Kind::Statement => value,
                    _ => &part.text,
                };
                made += &with_bounds((text, part.kind), &material.bounds, is_pair && hole == "E");
            }
            "C" => {
                takes_bounds = true;
                made += &format!("{}{}", part.text, material.bounds);
            }
            "H" => made += heads(&part.text)?,
            "X" if made.ends_with("--index ") || made.starts_with("eval ") => {
                made += &part.text.trim_matches(['(', ')', '[', ']']).replace(' ', "");
            }
            _ => made += &part.text,
        }
    }
    made += text;
    (rest.is_empty() && takes_bounds).then_some(made)
}

fn takes(hole: &str, kind: Kind) -> bool {
    match hole {
        "F" | "E" | "E2" => matches!(kind, Kind::Map | Kind::Value | Kind::Statement),
        "V" => kind == Kind::Value,
        "C" => kind == Kind::Claim,
        "S" | "S2" => kind == Kind::Shape,
        "L" | "L2" => kind == Kind::Layout,
        "I" => kind == Kind::Instruction,
        "X" | "X2" => kind == Kind::Index,
        "N" => kind == Kind::Number,
        "Y" => kind == Kind::Bytes,
        "P" | "H" => kind == Kind::Loops,
        _ => false,
    }
}

/// Returns a part with bounds: those of a map are its domain, and bounds after the second of two expressions hold for both.
fn with_bounds((text, kind): (&str, Kind), bounds: &str, is_first: bool) -> String {
    match kind {
        _ if bounds.is_empty() => text.to_owned(),
        Kind::Map => {
            let words = [" for ", " where ", ", "];
            let said = words.iter().find_map(|word| bounds.strip_prefix(word)).unwrap_or(bounds);
            match text.contains("domain:") {
                true => format!("{text}, {said}"),
                false => format!("{text} with {}", said.replace(" for ", ", ")),
            }
        }
        _ if is_first => text.to_owned(),
        _ => format!("{text}{bounds}"),
    }
}
