//! Kernels of OpenCL, SYCL, Metal, HIP and GLSL, whose threads and blocks have the names of CUDA here.
//!
//! Law: a global id is a variable of its own, `global_id_x`, at least 0: two work items have different ones. The other names
//! mean the same in CUDA. Barriers access no element.

use super::array::closing;
use crate::token::listed;

/// Calls with an axis, each with the variable of CUDA.
const CALLS: [(&str, &str); 20] = [
    (".get_global_id", "global_id_"),
    (".get_local_id", "threadIdx."),
    (".get_group", "blockIdx."),
    (".get_local_range", "blockDim."),
    (".get_group_range", "gridDim."),
    (".get_id", "global_id_"),
    (".get_global_linear_id", "global_id_"),
    (".get_local_linear_id", "threadIdx."),
    (".get_group_linear_id", "blockIdx."),
    ("get_global_id", "global_id_"),
    ("get_local_id", "threadIdx."),
    ("get_group_id", "blockIdx."),
    ("get_local_size", "blockDim."),
    ("get_num_groups", "gridDim."),
    ("gl_GlobalInvocationID", "global_id_"),
    ("gl_LocalInvocationID", "threadIdx."),
    ("gl_WorkGroupID", "blockIdx."),
    ("hipThreadIdx", "threadIdx."),
    ("hipBlockIdx", "blockIdx."),
    ("hipBlockDim", "blockDim."),
];

/// Attributes of the parameters of a Metal kernel, each with the variable of CUDA.
const ATTRIBUTES: [(&str, &str); 7] = [
    ("thread_position_in_grid", "global_id_"),
    ("thread_position_in_threadgroup", "threadIdx."),
    ("threadgroup_position_in_grid", "blockIdx."),
    ("threads_per_threadgroup", "blockDim."),
    ("threadgroups_per_grid", "gridDim."),
    ("thread_index_in_threadgroup", "threadIdx."),
    ("thread_index_in_simdgroup", "threadIdx."),
];

/// Words of other dialects, each with that of CUDA; nothing if it says nothing more.
const WORDS: [(&str, &str); 11] = [
    ("__kernel", "__global__"),
    ("__global", ""),
    ("__constant", ""),
    ("__local", "__shared__"),
    ("__private", ""),
    ("__read_only", ""),
    ("__write_only", ""),
    ("device", ""),
    ("threadgroup", "__shared__"),
    ("groupshared", "__shared__"),
    ("shared", "__shared__"),
];

/// Calls that only wait.
const BARRIERS: [&str; 15] = [
    "__syncthreads",
    "__syncwarp",
    "__threadfence",
    "__threadfence_block",
    "barrier",
    "work_group_barrier",
    "threadgroup_barrier",
    "simdgroup_barrier",
    "group_barrier",
    "sycl::group_barrier",
    "tl.debug_barrier",
    "gl.barrier",
    "memoryBarrierShared",
    "mem_fence",
    "cooperative_groups::sync",
];

const AXES: [&str; 3] = ["x", "y", "z"];

/// Returns whether a text is only calls of barriers.
pub fn is_barrier(text: &str) -> bool {
    let code = text.split("//").next().unwrap_or("").trim();
    let mut calls = code.split(';').map(str::trim).filter(|call| !call.is_empty()).peekable();
    calls.peek().is_some() && calls.all(is_waiting)
}

fn is_waiting(call: &str) -> bool {
    let Some((name, rest)) = call.split_once('(') else { return false };
    let is_own = |word: &&&str| name.trim() == **word;
    let is_method = name.rsplit_once('.').is_some_and(|(of, method)| {
        matches!(method, "barrier" | "sync" | "arrive_and_wait")
            && affinor::text::is_name(of.trim())
    });
    (BARRIERS.iter().find(is_own).is_some() || is_method) && rest.ends_with(')')
}

/// Returns code with the names of CUDA; `None` if it has no other ones.
pub fn line(text: &str) -> Option<String> {
    let has_name = CALLS.iter().any(|(name, _)| text.contains(name))
        || ATTRIBUTES.iter().any(|(name, _)| text.contains(name))
        || text.contains("__kernel") && text.contains('{');
    if let Some(text) = of_sycl(text) {
        return Some(line(&text).unwrap_or(text));
    }
    if !has_name {
        return without_barriers(text);
    }
    let is_metal = text.contains("[[");
    let mut made = if is_metal { of_metal(text)? } else { text.to_owned() };
    // The last of several dimensions is the fastest in SYCL, the first elsewhere.
    let rank = (0..3).rev().find(|axis| made.contains(&format!("({axis})"))).unwrap_or(0);
    for (name, variable) in CALLS {
        while let Some(at) = made.find(name) {
            let (start, end, axis) = called(&made, (at, name), rank)?;
            made.replace_range(start..end, &format!("{variable}{axis}"));
        }
    }
    for (word, own) in WORDS {
        made = replaced(&made, word, own);
    }
    Some(without_barriers(&made).unwrap_or(made))
}

/// Returns the place of a call or a member in a text, and the letter of its axis.
fn called(
    text: &str,
    (at, name): (usize, &str),
    rank: usize,
) -> Option<(usize, usize, &'static str)> {
    let behind = &text[at + name.len()..];
    let is_method = name.starts_with('.');
    let object = |c: char| c.is_alphanumeric() || c == '_';
    let start = if is_method { text[..at].trim_end_matches(object).len() } else { at };
    let end = at + name.len();
    if let Some(letter) = behind.strip_prefix(['.', '_']) {
        let axis = AXES.into_iter().find(|axis| letter.starts_with(axis))?;
        return Some((start, end + 2, axis));
    }
    let close = closing(behind).filter(|_| behind.starts_with('('))?;
    let axis = match behind[1..close].trim() {
        "" => 0,
        axis => axis.parse::<usize>().ok().filter(|axis| *axis < 3)?,
    };
    let axis = if is_method && !behind[1..close].trim().is_empty() { rank - axis } else { axis };
    Some((start, end + close + 1, AXES[axis]))
}

/// Returns a kernel of Metal without the attributes of its parameters, which name its threads.
fn of_metal(text: &str) -> Option<String> {
    let open = text.find('(')?;
    let close = open + closing(&text[open..])?;
    let (mut kept, mut names) = (Vec::new(), Vec::new());
    for part in listed(&text[open + 1..close]) {
        let Some((before, attribute)) = part.split_once("[[") else {
            kept.push(part.trim().to_owned());
            continue;
        };
        let attribute = attribute.split(']').next().unwrap_or("");
        let name = before.trim().rsplit([' ', '*', '&']).next()?.to_owned();
        match ATTRIBUTES.iter().find(|(own, _)| *own == attribute.trim()) {
            Some((_, variable)) => names.push((name, *variable)),
            None => kept.push(before.trim().to_owned()),
        }
    }
    let mut body = text[close + 1..].to_owned();
    for (name, variable) in names {
        for axis in AXES {
            body = replaced(&body, &format!("{name}.{axis}"), &format!("{variable}{axis}"));
        }
        body = replaced(&body, &name, &format!("{variable}x"));
    }
    let head = replaced(&text[..open], "kernel", "__global__");
    Some(format!("{head}({}){body}", kept.join(", ")))
}

/// Returns a lambda of SYCL with its parameter, `id<1> i`, by its name here.
fn of_sycl(text: &str) -> Option<String> {
    let at = ["id<1> ", "item<1> "].iter().find_map(|kind| Some(text.find(kind)? + kind.len()))?;
    let name = text[at..].split(')').next().filter(|name| affinor::text::is_name(name))?;
    let head = text[..at].trim_end_matches("sycl::").to_owned();
    let body = &text[at + name.len()..];
    // With a range, the lambda is the body of a loop over it.
    let range = text[..at].split_once("range<1>").and_then(|(_, rest)| {
        let close = rest.find([')', '}'])?;
        rest.get(1..close).filter(|size| size.chars().all(|c| c.is_alphanumeric() || c == '_'))
    });
    if let (Some(size), Some((open, close))) = (range, body.find('{').zip(body.rfind('}'))) {
        return Some(format!(
            "for (int {name} = 0; {name} < {size}; {name}++) {}",
            &body[open..=close]
        ));
    }
    let is_id = !body.contains(&format!("{name}.")) && !text[..at].ends_with("nd_item<1> ");
    is_id
        .then(|| format!("{head}{name}_{}", replaced(body, name, "global_id_x")))
        .filter(|made| !made.contains("global_id_x = "))
        .map(|made| made.replace("id<1> ", "int ").replace("item<1> ", "int "))
}

/// Replaces a whole word.
fn replaced(text: &str, word: &str, own: &str) -> String {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let (mut made, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(word) {
        let behind = &rest[at + word.len()..];
        let before = if at > 0 { &rest[..at] } else { &made };
        let is_whole = !before.ends_with(is_part) && !behind.starts_with(is_part);
        made += &rest[..at];
        made += if is_whole { own } else { word };
        rest = if is_whole && own.is_empty() { behind.trim_start() } else { behind };
    }
    made + rest
}

/// Returns statements without calls of barriers between them. A kernel keeps its own: they order its accesses.
fn without_barriers(text: &str) -> Option<String> {
    if text.contains('{')
        || text.contains("def ")
        || !BARRIERS.iter().any(|name| text.contains(name))
    {
        return None;
    }
    let parts: Vec<&str> = text.split_inclusive(';').collect();
    let kept: String = parts
        .iter()
        .filter(|part| !is_waiting(part.trim().trim_end_matches(';')))
        .copied()
        .collect();
    (kept.len() < text.len() && !kept.trim().is_empty()).then(|| kept.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dialects_are_cuda() {
        for (text, expected) in [
            ("int i = get_global_id(1);", Some("int i = global_id_y;")),
            (
                "__kernel void f(__global float *a) { a[get_group_id(0) * 4 + get_local_id(0)] = 0; }",
                Some("__global__ void f(float *a) { a[blockIdx.x * 4 + threadIdx.x] = 0; }"),
            ),
            (
                "a[it.get_local_id(0) * 8 + it.get_local_id(1)] = 0;",
                Some("a[threadIdx.y * 8 + threadIdx.x] = 0;"),
            ),
            (
                "kernel void f(device float *a [[buffer(0)]], uint t [[thread_position_in_grid]]) { a[t] = t2; }",
                Some("__global__ void f(float *a) { a[global_id_x] = t2; }"),
            ),
            ("a[gl_GlobalInvocationID.x] = 0;", Some("a[global_id_x] = 0;")),
            (
                "q.parallel_for(range<1>(n), [=](id<1> i) { a[i * 2] = b[i]; });",
                Some("for (int i = 0; i < n; i++) { a[i * 2] = b[i]; }"),
            ),
            ("a[i] = 0; __syncthreads(); b[i] = a[i];", Some("a[i] = 0; b[i] = a[i];")),
            // Another axis, an axis that varies, CUDA itself.
            ("int i = get_global_id(3);", None),
            ("int i = get_global_id(k);", None),
            ("a[threadIdx.x] = 0;", None),
            ("device = 3", None),
        ] {
            assert_eq!(line(text).as_deref(), expected, "{text}");
        }
        for text in ["__syncthreads();", "item.barrier(); // wait", "barrier(CLK_LOCAL_MEM_FENCE);"]
        {
            assert!(is_barrier(text), "{text}");
        }
        for text in ["a[i] = 0; __syncthreads();", "sync();", ";", "barrier"] {
            assert!(!is_barrier(text), "{text}");
        }
    }
}
