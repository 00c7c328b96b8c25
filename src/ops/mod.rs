//! What ops read: their index maps, and the definitions that the maps are judged by.
//!
//! [`indexing`] derives maps as XLA's indexing analysis does. [`definition`] says what an op reads after the operation semantics, as a relation,
//! and shares no code with it; [`agreement`] compares the two. [`relayout`] has the ops that arrays of other layouts go through.

pub mod agreement;
pub mod definition;
pub mod indexing;
pub mod relayout;
