//! Indexing analysis: which elements of its operands does each element of an op's output read?
//!
//! One file for each family of ops states the family's law and builds its maps from sizes and attributes; composition through
//! fusions and calls is common to all.
//!
//! Modules in dependency order: `reads` (the answer), `builder` and `op` (building it), `reducer` (dependences of folds) and
//! the geometries that families share (`offsets`, `spread`, `window`, `index_vectors`, `same_memory`), the families, `called`
//! and `while_loop` (ops that run computations), `custom_batches`, `custom_points`, `custom_forms` and `custom` (custom-calls),
//! `replica` (the devices that are read), `operation` (the table of ops), `number`, `arithmetic`, `frames`, `plane`, `leaves`,
//! `known`, `known_floats`, `narrowed`, `cases`, `fold` (values known at compile time), `choices` (selections by them), `heights`, `opened` (values computed from parameters), `roles` (operands that are
//! indices), `scalar`, `concrete`, `control`, `terms`, `tables`, `origins` (equal values of two modules), `sequence`,
//! `projected`, `tidy` and `union` (composition), `open` (arrays with named sizes), `trips`, `times`, `together`,
//! `overwritten`, `counted`, `groups` and `counted_loop` (loops with known trip counts), `values`, `walk` (through a
//! computation), `inverse` (from operands to the output), `stages` (derivation of a map), `derivation` (claims for
//! certificates), `cache` and `analysis` (of a module), `hops` and `exchanged` (composition through collectives). Nothing here
//! simplifies: the caller passes a simplifier.
//!
//! ```
//! use affinor::text::{Style, print_map};
//! use affinor_hlo as hlo;
//! use affinor_ops::indexing::Analysis;
//!
//! let module = hlo::read(b"p = f32[8,16] parameter(0) \n t = f32[16,8] transpose(p), dimensions={1,0}")?;
//! let root = module[module.entry()].root();
//! let reads = Analysis::new(&module, &|map| map.clone()).instruction(module.entry(), root)?;
//! let maps = reads[0].reads.maps().unwrap();
//! let expected = "(d0, d1) -> (d1, d0), domain: d0 in [0, 15], d1 in [0, 7]";
//! assert_eq!(print_map(&maps[0].map, Style::Plain), expected);
//! # Ok::<(), affinor::text::Error>(())
//! ```
//!
//! Source of the maps: XLA, *Indexing analysis* and *Operation semantics*, corrected where they are wrong.

mod adjoined;
mod analysis;
mod arithmetic;
mod asked;
mod batch_norm;
mod between;
mod bitcast;
mod broadcast;
mod builder;
mod cache;
mod called;
mod cases;
mod choices;
mod collective;
mod composed;
mod concatenate;
mod concrete;
mod control;
mod convolution;
mod counted;
mod counted_loop;
mod course;
mod custom;
mod custom_batches;
mod custom_forms;
mod custom_points;
mod derivation;
mod dot;
mod dot_variants;
mod dynamic;
mod element_range;
mod exchanged;
#[cfg(test)]
mod extremes;
mod fft;
mod fitted;
mod fold;
mod forward;
mod frames;
mod freed;
mod gather;
mod gradients;
mod groups;
mod heights;
mod hops;
mod index_vectors;
mod inverse;
mod json;
mod known;
mod known_floats;
mod leaves;
mod narrowed;
mod number;
mod number_set;
mod offsets;
mod op;
mod open;
mod opened;
mod operation;
mod origins;
mod overwritten;
mod pad;
mod pairs;
mod passed_on;
mod plane;
mod pointwise;
mod projected;
mod reads;
mod reduce;
mod reduce_window;
mod reducer;
mod replica;
mod reshape;
mod roles;
mod same_memory;
mod scalar;
mod scan;
mod scatter;
mod select_and_scatter;
mod sequence;
mod slice;
mod sort;
mod spread;
mod stages;
mod starts;
mod tables;
mod terms;
#[cfg(test)]
mod testing;
mod tidy;
mod times;
mod together;
mod transpose;
mod triangular;
mod trips;
mod union;
mod unrolled;
mod unseen;
mod update_slice;
mod values;
mod walk;
mod while_loop;
mod window;

pub use analysis::Analysis;
pub use asked::AskedPairs;
pub use between::Between;
pub use choices::decided;
pub use control::{LoopCourse, known_integer, known_word};
pub use counted_loop::LoopClaims;
pub use custom::CustomCalls;
pub use derivation::{Derivation, Derived, DerivedInside};
pub use exchanged::{DeviceReads, device_reads, has_collectives, on_unknown_devices};
pub use hops::{Device, Hop};
pub use open::OpenReads;
pub use opened::opened;
pub use operation::{no_op, runs_computations};
pub use origins::{Origin, Origins, Scope};
pub use passed_on::passed_on;
pub use reads::{
    Exactness, InstructionPlace, InstructionReads, OperandMap, OperandReads, Pair, Reads,
    RuntimeVariable, TuplePath, ValueSource,
};
pub use replica::{Exchange, Own, Replica};
pub use reshape::row_major;
pub use sequence::with_indices;
pub use stages::Stage;
pub use terms::{SILENT, is_commutative, is_pointwise};
pub use tidy::Simplify;
pub use walk::{Limits, Place};
