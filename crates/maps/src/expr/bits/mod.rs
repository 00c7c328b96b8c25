//! Values as bits: each bit of a value is a sum modulo 2 of bits of other values.
//!
//! Law: integers are in two's complement, so bit `k` of `x` is `x floordiv 2^k mod 2`; `a xor b` of two bits is `(a + b)
//! mod 2`. In order: `form`, `read` (the form of an expression), `digit`, `join` and `write` (an expression of a form).

mod digit;
mod form;
mod join;
mod read;
mod write;

pub use form::{BitForm, Parity, Source};
