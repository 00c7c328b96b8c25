//! A computation of HLO without the rest of its module: `fused_computation {`, `%region (a: f32[]) -> f32[] {`.
//!
//! Law: alone it is the entry computation of its module.

use crate::bare::is_hlo;

/// Returns a single computation as the entry computation.
pub fn entry(text: &str) -> Option<String> {
    let text = text.trim();
    let (head, body) = text.split_once('\n')?;
    let head = head.trim_end().strip_suffix('{')?.trim_end();
    let name = head.split(['(', ' ']).next()?;
    let rest = head[name.len()..].trim_start();
    let is_name = |c: char| c.is_alphanumeric() || "._-%".contains(c);
    let is_head = !name.is_empty()
        && name != "ENTRY"
        && name.chars().all(is_name)
        && (rest.is_empty() || rest.starts_with('(') && rest.contains("->"));
    let lines = body.trim_end().strip_suffix('}')?.lines();
    let mut lines = lines.map(str::trim).filter(|line| !line.is_empty()).peekable();
    let is_body = lines.peek().is_some() && lines.all(is_hlo);
    (is_head && is_body).then(|| format!("ENTRY {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn computations_are_entries() {
        for (text, is_one) in [
            (
                "fused_computation {\n  p = f32[4,8]{1,0} parameter(0)\n  ROOT t = f32[8,4]{1,0} transpose(p), dimensions={1,0}\n}",
                true,
            ),
            (
                "%add (a: f32[], b: f32[]) -> f32[] {\n  %a = f32[] parameter(0)\n  ROOT %r = f32[] negate(%a)\n}",
                true,
            ),
            ("ENTRY e {\n  ROOT p = f32[4] parameter(0)\n}", false),
            ("module {\n  func.func @f() {\n  }\n}", false),
            ("for (int i = 0; i < 4; i++) {\n  a[i] = 0;\n}", false),
            ("f {\n}", false),
        ] {
            assert_eq!(entry(text).is_some(), is_one, "{text}");
        }
    }
}
