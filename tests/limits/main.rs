//! Large and hostile input: each gets one answer, in bounded work, memory and stack.

mod bounded;
mod certificate_fuel;
mod certificate_sizes;
