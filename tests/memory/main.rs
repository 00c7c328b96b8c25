//! Layouts and tilings, against buffers that are filled element by element.

mod buffer;
mod page;
mod random;
mod tiling;
