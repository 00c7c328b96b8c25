//! The line that a text in other words may mean.
//!
//! Law: it is only proposed. Each part of the text that is not English is in it, and it was run: it has an answer.

mod lines;
mod material;

use super::foreign::ranges::{dotted, from_to};
use super::foreign::relations::signed;
use super::host::Host;
use super::output::Output;
use super::relay::Relay;
use super::session::Session;
use super::table::Commands;

/// The maximum number of lines that are tried.
const MAX_TRIED: usize = 8;

/// Words that make another question of one that is like it.
const OTHER: [&str; 4] = ["projected", "not", "without", "except"];

/// The length of the longest line that is proposed, in bytes.
const LONGEST: usize = 160;

/// Returns the line that a text may mean.
pub fn line(
    commands: Commands,
    session: &Session,
    text: &str,
    host: &mut dyn Host,
) -> Option<String> {
    let mut found = candidates(text);
    found.retain(|line| line != text.trim() && line.len() <= LONGEST);
    found.truncate(MAX_TRIED);
    found.into_iter().find(|line| {
        let mut quiet = Relay { host: &mut *host, answer: |_: &mut dyn Host, _: Output| () };
        commands.run_line(&mut session.inner(), line, &mut quiet).is_ok()
    })
}

/// Returns lines that a text may mean, the likeliest first.
fn candidates(text: &str) -> Vec<String> {
    let text = text.trim();
    let signed = signed(text);
    let text = signed.as_deref().unwrap_or(text);
    let dotted = dotted(text);
    let text = dotted.as_deref().unwrap_or(text);
    let ends = from_to(text);
    let text = ends.as_deref().unwrap_or(text);
    // One word beside code is none of a sentence.
    let is_sentence = |of: &material::Material| {
        let is_other = of.words.iter().any(|word| OTHER.contains(&word.as_str()));
        of.words.len() + of.parts.len() > 2 && !is_other
    };
    let material = material::material(text).filter(is_sentence);
    material
        .filter(|material| !material.parts.is_empty())
        .map_or(Vec::new(), |material| lines::lines(&material))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_propose_lines() {
        for (question, expected) in [
            (
                "where is a[i] = 2*i - i*i//4 largest for i in range(8)",
                Some("range 2*i - i*i//4 for i in range(8)"),
            ),
            (
                "when do floor(x / 4) and trunc(x / 4) differ for x in [-8, 8]",
                Some("equal floor(x / 4) ; trunc(x / 4) for x in [-8, 8]"),
            ),
            (
                "tell me the biggest value that i * 4 + j has, i in [0, 7], j in [0, 3]?",
                Some("range i * 4 + j, i in [0, 7], j in [0, 3]"),
            ),
            ("why would x // 4 * 4 <= x hold", Some("x // 4 * 4 <= x")),
            (
                "do threads cover it: i = blockIdx.x * 2 + threadIdx.x for blockIdx.x in range(4), threadIdx.x in range(2)",
                Some(
                    "injective blockIdx.x * 2 + threadIdx.x for blockIdx.x in range(4), threadIdx.x in range(2) --onto",
                ),
            ),
            (
                "would i * 4 go past 12 for i in range(4)",
                Some("any((i * 4) > (12) for i in range(4))"),
            ),
            ("how many programs does (cdiv(9, 4), 2) launch", Some("count (cdiv(9, 4), 2)")),
            (
                "do threads collide in t * 4 with t in 0..31",
                Some("injective t * 4 where t in [0, 31]"),
            ),
            ("does pid * 4 cover everything", Some("injective pid * 4 --onto")),
            (
                "affine_map<(d0, d1) -> (d0 * 4 + d1)> range of results, d0 in [0, 7], d1 in [0, 3]",
                Some("range affine_map<(d0, d1) -> (d0 * 4 + d1)> with d0 in [0, 7], d1 in [0, 3]"),
            ),
            (
                "flat index 77 to coordinates in shape (4, 5, 6)",
                Some("np.unravel_index(77, (4, 5, 6))"),
            ),
            (
                "what is the position of (1, 2) in f32[4,8]{0,1}?",
                Some("layout f32[4,8]{0,1} --index 1,2"),
            ),
            (
                "i in [0, 7], j in [0, 3]: is i * 4 + j unique?",
                Some("injective i * 4 + j, i in [0, 7], j in [0, 3]"),
            ),
            ("(4,8):(8,1) inverse please", Some("layout inverse (4,8):(8,1)")),
            (
                "how many cache lines does a[i*16] touch for i in range(64) with 64-byte lines",
                Some("coalesce a[i*16] for i in range(64) --transaction 64"),
            ),
            (
                "can I interchange for (i = 1; i < n; i++) for (j = 0; j < n; j++) A[i][j] = A[i-1][j];",
                Some(
                    "parallel --interchange for (i = 1; i < n; i++) for (j = 0; j < n; j++) A[i][j] = A[i-1][j];",
                ),
            ),
            (
                "which lane holds element (5, 7) of tensor<32x64xf16, #ttg.blocked<{order = [1, 0]}>>",
                Some("layout #ttg.blocked<{order = [1, 0]}> : 32x64 --index 5,7"),
            ),
            ("how many values does i * 4 + 1 take for i < 4", Some("count i * 4 + 1 for i < 4")),
            // Without an expression, or with one more than is asked.
            ("how does this work", None),
            ("how many of (1 2 3) are odd", None),
        ] {
            assert_eq!(candidates(question).first().map(String::as_str), expected, "{question}");
        }
    }
}
