//! What HLO ops read: index maps of ops, through fusions, calls, branches and loops.
//!
//! [`indexing`] derives maps as XLA's indexing analysis does; [`named`] has the maps of ops whose sizes have names;
//! [`open_sizes`] those of a module whose sizes are not fixed; [`relayout`] has ops between layouts; [`footprint`] has the tiles, images and costs of maps.
//!
//! Law: nothing here knows the definitions that judge these maps (the crate `affinor-definition`).

pub mod footprint;
pub mod indexing;
pub mod named;
pub mod open_sizes;
pub mod relayout;
