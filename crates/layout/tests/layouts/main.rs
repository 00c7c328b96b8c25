//! Layouts and tilings, against buffers that are filled element by element.

mod algebra;
mod buffer;
mod bytes;
mod cute;
mod laws;
mod linear;
mod page;
mod random;
mod simplified;
