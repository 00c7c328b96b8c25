//! A tie between a law and a program: the terms of the law that describe the program's reads.

use std::ops::Range;

/// The part of the program that a law is compared with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subject {
    /// The maps from the result to an operand.
    Reads(usize),
    /// The maps from an operand to the result: `d` are its indices.
    Readers(usize),
    /// The maps from the result of the whole program to a parameter.
    Through(usize),
    /// The definition of the reads from an operand.
    Defined(usize),
    /// All of these operands are read.
    Everywhere(&'static [usize]),
    /// None of these operands is read.
    Nowhere(&'static [usize]),
}

/// The part of a law that describes the reads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Says {
    /// Its conditions, and the terms of a fact.
    Given,
    /// The left side of an equivalence.
    Left,
    /// The right side of an equivalence.
    Right,
    /// Some of the comparisons on the left side.
    Part(Range<usize>),
}

/// A law, a program, and the correspondence between letters of the law and indices of the program.
#[derive(Clone, Debug)]
pub struct Tie {
    pub law: &'static str,
    pub program: &'static str,
    pub subject: Subject,
    /// The law's letters for the indices of the array; `_` for an index that it does not mention.
    pub at: &'static [&'static str],
    pub says: Says,
    /// The law's terms for the indices that are read; `_` for an index that it does not mention. Further indices are not
    /// compared.
    pub leads_to: &'static [&'static str],
    /// Further conditions of the program.
    pub given: &'static str,
    /// The law's letters for values known only at run time, with the operands that hold them.
    pub values: &'static [(&'static str, usize)],
    /// The numbers that a letter may have, if not all are allowed.
    pub drawn: &'static [(&'static str, &'static [i64])],
    /// Whether indices outside of the result are tried. They read nothing.
    pub beyond: bool,
    /// Whether only those indices are compared for which the conditions hold.
    pub inside: bool,
}

impl Tie {
    pub const fn given(self, given: &'static str) -> Tie {
        Tie { given, ..self }
    }

    pub const fn with(self, values: &'static [(&'static str, usize)]) -> Tie {
        Tie { values, ..self }
    }

    pub const fn drawn(self, drawn: &'static [(&'static str, &'static [i64])]) -> Tie {
        Tie { drawn, ..self }
    }

    pub const fn beyond(self) -> Tie {
        Tie { beyond: true, ..self }
    }

    pub const fn inside(self) -> Tie {
        Tie { inside: true, ..self }
    }

    /// Checks whether the law states that nothing is read.
    pub fn is_empty(&self) -> bool {
        self.law.ends_with("-disjoint") && self.says == Says::Left
    }
}

/// Returns a tie without conditions of its own.
pub const fn tie(
    law: &'static str,
    program: &'static str,
    subject: Subject,
    at: &'static [&'static str],
    says: Says,
    leads_to: &'static [&'static str],
) -> Tie {
    Tie {
        law,
        program,
        subject,
        at,
        says,
        leads_to,
        given: "",
        values: &[],
        drawn: &[],
        beyond: false,
        inside: false,
    }
}
