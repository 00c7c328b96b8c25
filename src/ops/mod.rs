//! The reads of ops: index maps, and the definitions that judge them.
//!
//! [`indexing`] derives maps as XLA's indexing analysis does. [`definition`] states the reads of an op after the
//! operation semantics, as a relation, and shares no code with it; [`agreement`] compares the two. [`named`] has the maps
//! of ops whose sizes have names. [`pairing`] compares what two modules read, [`computed`] what they compute of it. [`relayout`] has ops between layouts.

pub mod agreement;
pub mod computed;
pub mod definition;
pub mod indexing;
pub mod named;
pub mod pairing;
pub mod relayout;
