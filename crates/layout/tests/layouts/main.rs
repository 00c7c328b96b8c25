//! Layouts and tilings, compared with buffers that are filled element by element.

mod algebra;
mod buffer;
mod bytes;
mod cute;
mod laws;
mod linear;
#[path = "../../../../tests/support/numbers.rs"]
mod numbers;
mod page;
mod random;
mod simplified;
