//! Texts of this crate that other crates use: files with the rules, and the code that fires them.

macro_rules! own {
    ($($path:literal)*) => { &[$(($path, include_str!(concat!("../../", $path)))),*] };
}

/// The proofs of the rules for Rocq, `rules/proofs.txt`.
pub const PROOFS: &str = include_str!("../../rules/proofs.txt");

/// Laws that look true but are false, `rules/refuted.rules`: a check of rules must reject them.
pub const REFUTED: &str = include_str!("../../rules/refuted.rules");

/// The source files that match rules and fire them, by their paths: they depend on nothing
/// else but [`SOURCES`](crate::num::sources::SOURCES).
pub const MATCHER: &[(&str, &str)] = own! {
    "src/rule/eval.rs"
    "src/rule/role.rs"
    "src/rule/types.rs"
    "src/rule/matching/bindings.rs"
    "src/rule/matching/choice.rs"
    "src/rule/matching/clause.rs"
    "src/rule/matching/constants.rs"
    "src/rule/matching/equivalence.rs"
    "src/rule/matching/evaluate.rs"
    "src/rule/matching/min_max.rs"
    "src/rule/matching/matcher.rs"
    "src/rule/matching/mod.rs"
    "src/rule/matching/number.rs"
    "src/rule/matching/parts.rs"
    "src/rule/matching/pattern.rs"
    "src/rule/matching/related.rs"
    "src/rule/matching/search.rs"
    "src/rule/matching/sides.rs"
    "src/rule/matching/split.rs"
};
