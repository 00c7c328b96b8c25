//! Footprints compared with enumeration, simulation and buffers: images, tiles and sizes, relayouts, and costs of accesses.

#[path = "../support/mod.rs"]
mod support;

#[path = "../../../layout/tests/layouts/buffer.rs"]
mod buffer;
#[path = "../../../layout/tests/layouts/random.rs"]
mod random;

mod access;
mod bitcasts;
mod by_size;
mod counts;
mod decompose;
mod fusions;
mod image;
mod layout_inverses;
mod serde;
mod sizes;
mod tiling;
