//! A formally checked symbolic engine for *index maps*: which elements of its inputs does each
//! element of a tensor operation's output read?
//!
//! ```
//! use affinor::expr::IndexingMap;
//! use affinor::prove::{Budget, Verdict, equal_functions};
//! use affinor::simplify::Simplifier;
//!
//! let map: IndexingMap = "(d0, d1) -> ((d0 * 8 + d1) floordiv 8, (d0 * 8 + d1) mod 8),
//!     domain: d0 in [0, 3], d1 in [0, 7]".parse()?;
//! let simplifier = Simplifier::shipped()?;
//! let simple = simplifier.simplify(&map, &Default::default()).map;
//! assert_eq!(simple.to_string(), "(d0, d1) -> (d0, d1), domain: d0 in [0, 3], d1 in [0, 7]");
//! assert_eq!(equal_functions(&map, &simple, &Budget::default())?, Verdict::Proved);
//! # Ok::<(), affinor::text::Error>(())
//! ```
//!
//! # Tasks
//!
//! The folder `examples` of the crate `affinor-ops` has a program for each of the last five.
//!
//! | task | how |
//! |---|---|
//! | a map from text, and back | [`parse`](str::parse) to an [`IndexingMap`](expr::IndexingMap), `to_string`; [`text::parse_map`] reads MLIR and isl too |
//! | a map from parts | [`Interval`](num::Interval)s of [`Variable`](expr::Variable)s make a [`Domain`](expr::Domain), and [`Expr`](expr::Expr)s over them are the results |
//! | values, composition | [`eval`](expr::IndexingMap::eval), [`then`](expr::IndexingMap::then), [`inverse`](expr::IndexingMap::inverse) |
//! | are two maps equal? | [`prove::equal_functions`], which answers a [`Verdict`](prove::Verdict): proved, refuted with a point, or unknown with the reason |
//! | a certificate, and its replay | [`Simplifier::certify`](simplify::Simplifier::certify), [`certificate::replay`]; as JSON [`with_rules`](certificate::Certificate::with_rules) and [`from_json`](certificate::Certificate::from_json) |
//! | rules of one's own | [`rule::read_rule`], [`rule::verify::judge`] with [`BUDGET`](rule::verify::BUDGET), [`in_file`](rule::Rule::in_file) with [`rule::SESSION`], [`RuleSet::extend`](rule::RuleSet::extend), [`Simplifier::new`](simplify::Simplifier::new) |
//! | reads of the result of a module | `affinor_hlo::read`, then `affinor_ops::indexing::Analysis`, which is given a simplifier: see below |
//! | tiles of operands | `affinor_ops::footprint::tiling`: `propagate` takes a map of an analysis, a `Grid` and `Means` |
//! | many modules | [`num::parallel::in_parallel`] with a clone of the simplifier for each thread; an error of one module is its answer |
//!
//! ```text
//! let module = affinor_hlo::read(&std::fs::read("module.hlo")?)?;
//! let simplify = |map: &IndexingMap| simplifier.simplify(map, &Options::default()).map;
//! let mut analysis = affinor_ops::indexing::Analysis::new(&module, &simplify);
//! analysis.instructions()                      // each instruction, with its reads of each operand
//! analysis.computation(module.entry())?        // the reads of each parameter by the result
//! reads.maps()                                 // of one of these: maps, each exact or a bound; `None` is unknown
//!
//! let means = Means::new(&simplify, Budget::default(), &Fuel::new(STEPS, &Interrupt::new()));
//! propagate(&maps[0], &Grid::of_sizes(vec![16, 32])?, &means)??        // the operand's tile for each tile of the result
//! ```
//!
//! Answers implement `serde::Serialize`; maps, intervals and certificates read back. Nothing here prints, or looks at files or a
//! clock. Work is bounded by steps ([`num::Fuel`], [`simplify::Options`], [`prove::Budget`]), and an
//! [`Interrupt`](num::Interrupt) ends it from another thread. Layouts, code and the commands of the program are in crates of their
//! own, which ARCHITECTURE.md lists.
//!
//! # Modules
//!
//! [`num`], [`expr`] and [`text`] are the modules of the crate `affinor-maps`, which defines maps. Those on top of
//! them in dependency order; each uses only those above it:
//! [`prove`], [`rule`], [`certificate`], [`simplify`].

pub mod certificate;
pub mod prove;
pub mod rule;
pub mod simplify;

pub use affinor_maps::{expr, num, text};
