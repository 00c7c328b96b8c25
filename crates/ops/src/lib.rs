//! The reads of HLO ops: index maps of ops, composed through fusions, calls, branches and loops.
//!
//! [`indexing`] derives maps as XLA's indexing analysis does; [`named`] derives the maps of ops whose sizes have names;
//! [`open_sizes`] those of modules with sizes known only at run time; [`relayout`] covers ops between layouts; [`footprint`]
//! computes the tiles, images and costs of maps.
//!
//! Law: nothing here depends on the definitions that these maps are checked against (the crate `affinor-definition`).

pub mod footprint;
pub mod indexing;
pub mod named;
pub mod open_sizes;
pub mod relayout;
