//! The loops of code, and whether their iterations have an order for other reasons than the elements of arrays.
//!
//! Law: a loop without a reason ends as its head says, calls only functions without side effects, and each name that an iteration
//! changes is assigned by the same iteration before it is used, and not used after the loop. This is determined from the tokens
//! alone; in doubt there is a reason.

use super::changes::changes;
use super::extent::{closed, loop_length, statements};
use super::functions::function;
use super::token::{Class, is_assignment, is_reserved};
use super::tokens::Tokens;
use super::types::is_type;
use affinor_maps::text::Error;
use std::collections::{BTreeMap, BTreeSet};

/// Functions of C without side effects.
const PURE: [&str; 23] = [
    "__expf", "__ldg", "cos", "cosf", "exp", "expf", "fabs", "fabsf", "fma", "fmaf", "fmax",
    "fmaxf", "fmin", "fminf", "log", "logf", "pow", "powf", "rsqrtf", "sin", "sinf", "sqrt",
    "sqrtf",
];
/// Libraries whose functions change nothing, but for the stores and atomic operations of Triton, which are accesses.
const LIBRARIES: [&str; 4] = ["jnp.", "libdevice.", "math.", "tl."];

/// Words with brackets after them that are not functions.
const WORDS: [&str; 13] = [
    "and", "elif", "else", "for", "if", "in", "not", "or", "range", "return", "sizeof", "switch",
    "while",
];

/// Words before calls, where other words would begin the head of a function: `void f(`.
const BEFORE_CALLS: [&str; 14] = [
    "and", "await", "case", "delete", "do", "elif", "else", "if", "new", "not", "or", "return",
    "throw", "yield",
];

/// A loop, by the head with which it begins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loop {
    /// Its counters, more than one for a grid.
    pub counters: Vec<String>,
    /// Whether the counter grows, if that is known.
    pub is_up: Option<bool>,
    /// Why its iterations may have an order.
    pub reason: Option<String>,
    /// The arrays that its body declares, separate ones in each iteration.
    pub arrays: BTreeSet<String>,
}

/// The loops of a text, and why the blocks and threads of a kernel may have an order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Order {
    /// The loops, in their order.
    pub loops: Vec<Loop>,
    /// Why the blocks and threads may have an order.
    pub of_grid: Option<String>,
    /// Why the iterations of loops other than `for` have an order, if there may be some.
    pub of_others: Option<String>,
    /// The blocks, threads and programs that the text mentions, by their names in maps.
    pub grid: BTreeSet<String>,
    /// The arrays that it declares, each with whether all threads of a block share it.
    pub arrays: BTreeMap<String, bool>,
}

/// Finds the loops of a text.
///
/// # Errors
/// For a text that is too large.
pub fn order(text: &str) -> Result<Order, Error> {
    let mut tokens = Tokens::new(text)?;
    tokens.by_lines = !tokens.has(";");
    let body = Body { start: 0, end: tokens.len(), statements: Vec::new() };
    let of_grid = called(&tokens, &body)
        .or_else(|| member(&tokens, &body))
        .or_else(|| word(&tokens, &body, &["__syncthreads", "tl.debug_barrier", "goto"]));
    let heads: Vec<Head> = (0..tokens.len()).filter_map(|at| Head::of(&tokens, at)).collect();
    let loops = heads.iter().map(|one| {
        let reason =
            word(&tokens, &one.body, &["break", "goto", "raise", "return", "throw", "yield"])
                .or_else(|| called(&tokens, &one.body))
                .or_else(|| carried(&tokens, one, &heads));
        let own = declared(&tokens, &one.body).into_iter().filter(|(_, is_shared)| !is_shared);
        let arrays = own.map(|(name, _)| name).collect();
        Loop { counters: one.counters.clone(), is_up: one.is_up, reason, arrays }
    });
    let (loops, arrays) = (loops.collect(), declared(&tokens, &body));
    let of_others = word(&tokens, &body, &["do", "while"]);
    Ok(Order { loops, of_grid, of_others, grid: grid(&tokens), arrays })
}

/// Returns the blocks, threads and programs, by their names in maps.
fn grid(tokens: &Tokens<'_>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for at in 0..tokens.len() {
        let name = tokens.ahead(at).text.rsplit("cuda.").next().unwrap_or_default();
        if name.starts_with("threadIdx.") || name.starts_with("blockIdx.") {
            found.insert(name.replace('.', "_"));
        }
        let axis = tokens.ahead(at + 2);
        if name.ends_with("program_id")
            && tokens.ahead(at + 1).text == "("
            && axis.class == Class::Integer
        {
            found.insert(format!("program_id_{}", axis.text));
        }
    }
    found
}

/// Returns the arrays that are declared in the body, but for static ones, each with whether the threads of a block share it.
fn declared(tokens: &Tokens<'_>, body: &Body) -> BTreeMap<String, bool> {
    let mut found = BTreeMap::new();
    for at in body.start.max(1)..body.end {
        let (one, before) = (tokens.ahead(at), tokens.ahead(at - 1));
        let is_typed = before.class == Class::Name
            && !WORDS.contains(&before.text)
            && !is_reserved(before.text)
            && one.indent.is_none();
        // A parameter is written in brackets.
        let is_own = is_outside(tokens, body.start..at);
        if one.class == Class::Name && tokens.ahead(at + 1).text == "[" && is_typed && is_own {
            let begins = (0..at).rev().take_while(|at| tokens.ahead(*at).class == Class::Name);
            let words: Vec<&str> = begins.map(|at| tokens.ahead(at).text).collect();
            if !words.iter().any(|word| matches!(*word, "extern" | "static")) {
                let is_shared = words.contains(&"__shared__");
                found.insert(one.text.to_owned(), is_shared);
            }
        }
    }
    found
}

/// The head of a loop, and its body.
struct Head {
    counters: Vec<String>,
    is_up: Option<bool>,
    body: Body,
}

impl Head {
    /// Reads the loop that begins at this token, if one does.
    fn of(tokens: &Tokens<'_>, at: usize) -> Option<Head> {
        let token = tokens.ahead(at);
        if (token.class, token.text) != (Class::Name, "for") {
            return None;
        }
        let mut inside = tokens.clone();
        (0..=at).for_each(|_| inside.advance());
        let (counters, is_up) = head(&inside);
        // A loop after its statement has the whole text as its body.
        let is_first = at == 0
            || token.indent.is_some()
            || matches!(tokens.ahead(at - 1).text, ";" | "{" | "}" | ")" | ":" | "else");
        let length = loop_length(&inside, token.indent.filter(|_| tokens.by_lines));
        let body = match is_first {
            false => Body { start: 0, end: tokens.len(), statements: Vec::new() },
            true => Body {
                start: at + 1,
                end: at + 1 + length,
                statements: statements(&inside, length).iter().map(|k| at + 1 + k).collect(),
            },
        };
        Some(Head { counters, is_up, body })
    }
}

/// The body of a loop with its head, by the places of its tokens, and those where its own statements begin.
struct Body {
    start: usize,
    end: usize,
    statements: Vec<usize>,
}

impl Body {
    fn contains(&self, other: &Body) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// Returns the first place of a name.
    fn first(&self, tokens: &Tokens<'_>, name: &str) -> Option<usize> {
        (self.start..self.end).find(|at| is_named(tokens, *at, name))
    }
}

fn is_named(tokens: &Tokens<'_>, at: usize, name: &str) -> bool {
    let one = tokens.ahead(at);
    one.class == Class::Name && one.text == name
}

/// Returns the counters of the head that begins here, and whether they grow.
fn head(tokens: &Tokens<'_>) -> (Vec<String>, Option<bool>) {
    let name = |at: usize| Some(tokens.ahead(at)).filter(|one| one.class == Class::Name);
    let end = closed(tokens, 0);
    let is_c = (0..end).any(|at| tokens.ahead(at).text == ";");
    if tokens.current().text == "(" && is_c {
        let equals = (0..end).find(|at| tokens.ahead(*at).text == "=").unwrap_or(1);
        let counter = name(equals - 1).map(|one| one.text.to_owned());
        let last = (0..end).rev().find(|at| tokens.ahead(*at).text == ";").unwrap_or(0);
        return (counter.into_iter().collect(), step(tokens, last + 1..end));
    }
    let first = usize::from(tokens.current().text == "(");
    let word = (first..tokens.len()).find(|at| matches!(tokens.ahead(*at).text, "in" | ":"));
    let word = word.unwrap_or(first);
    let counters = (first..word).filter_map(name).filter(|one| !is_type(one.text));
    let counters = counters.map(|one| one.text.to_owned()).collect();
    let is_range = tokens.ahead(word + 1).text.ends_with("range");
    let end = closed(tokens, word + 2);
    let commas: Vec<usize> = (word + 3..end)
        .filter(|at| tokens.ahead(*at).text == "," && is_outside(tokens, word + 3..*at))
        .collect();
    let is_up = match (is_range, &commas[..]) {
        (true, [_, second]) => match tokens.ahead(second + 1) {
            one if one.text == "-" => Some(false),
            one => (one.class == Class::Integer).then_some(true),
        },
        _ => Some(true),
    };
    (counters, is_up)
}

/// Returns whether no bracket is open after these tokens.
fn is_outside(tokens: &Tokens<'_>, range: std::ops::Range<usize>) -> bool {
    let texts = range.map(|at| tokens.ahead(at).text);
    let change = texts.map(|text| match text {
        "(" | "[" => 1,
        ")" | "]" => -1,
        _ => 0,
    });
    change.sum::<i32>() == 0
}

/// Returns whether the last part of the head of a C loop makes its counter grow.
fn step(tokens: &Tokens<'_>, part: std::ops::Range<usize>) -> Option<bool> {
    let text = |at: usize| tokens.ahead(at).text;
    let find = |sign: &str| part.clone().find(|at| text(*at) == sign && text(at + 1) == sign);
    let by = |sign: &str| part.clone().find(|at| text(*at) == sign).map(|at| tokens.ahead(at + 1));
    let is_number =
        |one: Option<&super::token::Token<'_>>| one.is_some_and(|one| one.class == Class::Integer);
    match () {
        () if find("+").is_some() || is_number(by("+=")) => Some(true),
        () if find("-").is_some() || is_number(by("-=")) => Some(false),
        () if by("<<=").is_some() || by("*=").is_some() => Some(true),
        () if by(">>=").is_some() || by("/=").is_some() => Some(false),
        () => None,
    }
}

/// Returns the reason that one of these words is in the body.
fn word(tokens: &Tokens<'_>, body: &Body, words: &[&str]) -> Option<String> {
    let mut inside = (body.start..body.end).map(|at| tokens.ahead(at));
    let found = inside.find(|one| one.class == Class::Name && words.contains(&one.text))?;
    Some(format!("`{}` gives it an order", found.text))
}

/// Returns the reason that a function is called that may access anything.
fn called(tokens: &Tokens<'_>, body: &Body) -> Option<String> {
    (body.start..body.end).find_map(|at| {
        let (one, next) = (tokens.ahead(at), tokens.ahead(at + 1).text);
        let is_call = one.class == Class::Name && next == "(";
        // `def f(`, `void f(`: the head of a function. `in grid(`: the head of a loop.
        let before = at.checked_sub(1).map(|before| tokens.ahead(before));
        let is_head = before.is_some_and(|before| {
            let is_star = before.text == "*" && at > 1 && is_type(tokens.ahead(at - 2).text);
            is_star || before.class == Class::Name && !BEFORE_CALLS.contains(&before.text)
        });
        let is_known = function(one.text).is_some()
            || is_type(one.text)
            || WORDS.contains(&one.text)
            || PURE.contains(&one.text)
            || one.text.starts_with("__") && one.text.ends_with("__")
            || LIBRARIES.iter().any(|library| one.text.starts_with(library));
        let is_atomic = one.text.contains("atomic");
        (is_call && !is_head && (!is_known || is_atomic))
            .then(|| format!("`{}(..)` may access anything", one.text))
    })
}

/// Returns the reason that a part of an object is assigned.
fn member(tokens: &Tokens<'_>, body: &Body) -> Option<String> {
    (body.start..body.end).find_map(|at| {
        let (one, next) = (tokens.ahead(at), tokens.ahead(at + 1).text);
        let is_part = one.class == Class::Name
            && (one.text.contains('.') || at > 0 && tokens.ahead(at - 1).text == "->");
        (is_part && is_assignment(next) && is_outside(tokens, body.start..at))
            .then(|| format!("`{}` takes a value from one iteration to the next", one.text))
    })
}

/// Returns the reason that a name may have a value from an earlier iteration, or its last one after the loop.
fn carried(tokens: &Tokens<'_>, of: &Head, heads: &[Head]) -> Option<String> {
    let body = &of.body;
    let inner: Vec<&Head> = heads.iter().filter(|one| body.contains(&one.body)).collect();
    let mut inside = tokens.clone();
    (0..body.start).for_each(|_| inside.advance());
    let changed = changes(&inside, body.end - body.start);
    let is_counter =
        |name: &str| inner.iter().any(|one| one.counters.iter().any(|own| own == name));
    // What is private to an inner loop, and does not occur elsewhere, is so to this one.
    let is_private = |name: &str| {
        let first = body.first(tokens, name);
        let mut bodies = inner.iter().map(|one| &one.body);
        bodies.any(|own| own.first(tokens, name) == first && is_private(tokens, own, name))
    };
    let is_open = |name: &&str| !is_counter(name) && !is_private(name);
    let name = changed.into_iter().find(is_open);
    let reason = name.map(|name| format!("`{name}` takes a value from one iteration to the next"));
    reason.or_else(|| member(tokens, body))
}

/// Returns whether a statement of the body itself assigns the name before it is used there, and nothing after the loop uses it. A
/// name that only the code around the text can use has its last value.
fn is_private(tokens: &Tokens<'_>, body: &Body, name: &str) -> bool {
    let Some(first) = body.first(tokens, name) else {
        return false;
    };
    let begins = body.statements.iter().rev().find(|at| **at <= first);
    let is_target = begins.is_some_and(|begins| {
        (*begins..first).all(|at| {
            let one = tokens.ahead(at);
            let is_word = one.class == Class::Name && !WORDS.contains(&one.text);
            is_word && !is_reserved(one.text) || one.text == "*"
        })
    });
    let is_end = |at: &usize| {
        let one = tokens.ahead(*at);
        one.text == ";" || tokens.by_lines && one.indent.is_some() || one.class == Class::End
    };
    let end = (first + 1..tokens.len()).find(is_end).unwrap_or(tokens.len());
    is_target
        && tokens.ahead(first + 1).text == "="
        && !(first + 1..end).any(|at| is_named(tokens, at, name))
        && (end..body.end).any(|at| is_named(tokens, at, name))
        && !(body.end..tokens.len()).any(|at| is_named(tokens, at, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the counters of each loop, `-` before those that fall, and `?` after those that have a reason.
    fn said(text: &str) -> String {
        let order = order(text).expect("a short text");
        let mut said: Vec<String> = order
            .loops
            .iter()
            .map(|one| {
                let sign = match one.is_up {
                    Some(true) => "",
                    Some(false) => "-",
                    None => "~",
                };
                let mark = if one.reason.is_some() { "?" } else { "" };
                format!("{sign}{}{mark}", one.counters.join("+"))
            })
            .collect();
        said.extend(order.of_grid.map(|_| "grid?".to_owned()));
        said.join(" ")
    }

    #[test]
    fn grids_and_arrays() {
        let text = "__global__ void k(float a[4]) { __shared__ float s[128], t[4]; static int u[2]; float v[3]; for (int i = 0; i < 3; i++) { int w[2]; s[threadIdx.x] = v[i] + blockIdx.y; } }";
        let found = order(text).expect("a short text");
        assert_eq!(found.grid, ["blockIdx_y", "threadIdx_x"].map(str::to_owned).into());
        let arrays = [("s", true), ("v", false), ("w", false)];
        assert_eq!(found.arrays, arrays.map(|(name, all)| (name.to_owned(), all)).into());
        assert_eq!(found.loops[0].arrays, ["w".to_owned()].into());
        let found = order("tl.store(p + tl.program_id(1), x)").expect("a short text");
        assert_eq!(found.grid, ["program_id_1".to_owned()].into());
    }

    #[test]
    fn loops_and_their_reasons() {
        for (text, expected) in [
            ("for i in range(8):\n  for j in range(8, 0, -1):\n    A[i] = j", "i -j"),
            ("for i, j in T.grid(8, 8): A[i, j] = 0", "i+j"),
            ("for (int i = 0; i < n; i++) for (size_t j = n; j-- > 0; ) A[j] = 0;", "i ~j"),
            ("for (int i = 8; i > 0; i -= 2) A[i] = 0;", "-i"),
            ("for (int i = 0; i < n; i += s) A[i] = 0;", "~i"),
            ("for (auto i : r) A[i] = 0;", "i"),
            ("A[i] = 0 for i in range(8)", "i"),
            // Scalars.
            ("for i in range(8):\n  s += A[i]", "i?"),
            ("for i in range(8):\n  t = A[i]\n  B[i] = t", "i"),
            ("for i in range(8):\n  B[i] = t\n  t = A[i]", "i?"),
            ("for i in range(8):\n  t = A[i]\nB[0] = t", "i?"),
            ("for (int i = 0; i < 8; i++) { float t = A[i]; B[i] = t; }", "i"),
            ("float t; for (int i = 0; i < 8; i++) { t = A[i]; B[i] = t; }", "i"),
            ("for (int i = 0; i < 8; i++) { t = t + A[i]; B[i] = t; }", "i?"),
            ("for (int i = 0; i < 8; i++) { if (A[i] > m) m = A[i]; }", "i?"),
            ("for (int i = 0; i < 8; i++) { if (A[i] > 0) m = 5; B[i] = m; }", "i?"),
            ("for (int i = 0; i < 8; i++) { if (i % 2) x = A[i]; else B[i] = x; }", "i?"),
            ("for (int i = 0; i < 8; i++) { if (i) { x = A[i]; } B[i] = x; }", "i?"),
            ("for (int i = 0; i < 8; i++) { if (A[i]) count++; }", "i?"),
            ("for (int i = 0; i < 8; i++) { s.x = i; A[i] = 0; }", "i? grid?"),
            ("for (int i = 0; i < 8; i++) { p->n = p->n + 1; A[i] = 0; }", "i? grid?"),
            (
                "for (int i = 0; i < n; i++) { float s = 0; for (int k = 0; k < n; k++) s += A[i][k]; B[i] = s; }",
                "i k?",
            ),
            (
                "for i in range(8):\n  s = 0\n  for k in range(4):\n    s += A[i, k]\n  B[i] = s",
                "i k?",
            ),
            ("for (int i = 0; i < 8; i++) { last = A[i]; }", "i?"),
            // Ends and calls.
            ("for (int i = 0; i < 8; i++) { A[i] = B[i]; if (A[i] == 0) break; }", "i?"),
            ("for (int i = 0; i < 8; i++) { A[i] = 0; return; }", "i?"),
            ("if (t >= n) return; for (int j = 0; j < 8; j++) B[j] = 0;", "j"),
            ("def f(A):\n  for i in range(8):\n    A[i] = 0\n  return A", "i"),
            ("for (int i = 0; i < 8; i++) swap(A[i], A[7 - i]);", "i? grid?"),
            ("for (int i = 0; i < 8; i++) std::swap(A[i], A[7 - i]);", "i? grid?"),
            ("for (int i = 0; i < 8; i++) A[i] = std::max(A[i], 0);", "i"),
            ("for (int i = 0; i < 8; i++) { g(&A[i + 1]); B[i] = A[i]; }", "i? grid?"),
            ("for (int i = 0; i < 8; i++) B[i] = expf(A[i]) + fmaxf(min(i, 4), (float)i);", "i"),
            ("__global__ void f(float* a, int n) { a[threadIdx.x] = sqrt(a[threadIdx.x]); }", ""),
            ("float* f(float* a) { __syncthreads(); a[threadIdx.x] = 0; }", "grid?"),
            ("atomicAdd(&a[threadIdx.x / 2], 1);", "grid?"),
            ("for i in range(8):\n  np.copyto(A, B)\n  A[i] = 0", "i? grid?"),
            ("for i in range(8): A[i] = np.minimum(i, math.sqrt(B[i]))", "i"),
            ("for i in range(8):\n  if A[i]: raise E\n  A[i] = 0", "i?"),
        ] {
            assert_eq!(said(text), expected, "{text}");
        }
    }
}
