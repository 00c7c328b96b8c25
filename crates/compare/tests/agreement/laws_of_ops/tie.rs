//! What ties a law to a program: which of its terms say what is read there.

use std::ops::Range;

/// What a law is compared with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subject {
    /// The maps from the result to an operand.
    Reads(usize),
    /// The maps from an operand to the result: `d` are its indices.
    Readers(usize),
    /// The maps from the result of the whole program to a parameter.
    Through(usize),
    /// The definition of what is read of an operand.
    Defined(usize),
    /// Whether all of these operands are read.
    Everywhere(&'static [usize]),
    /// Whether none of these operands is read.
    Nowhere(&'static [usize]),
}

/// Which part of a law says what is read.
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

/// A law, a program, and which letter of the law is which index of the program.
#[derive(Clone, Debug)]
pub struct Tie {
    pub law: &'static str,
    pub program: &'static str,
    pub subject: Subject,
    /// The law's letters for the indices that are asked about; `_` for an index that it does not mention.
    pub at: &'static [&'static str],
    pub says: Says,
    /// Terms of the law for the indices that are read; `_` for an index that it does not mention. Further indices
    /// are not compared.
    pub leads_to: &'static [&'static str],
    /// What the program demands besides.
    pub given: &'static str,
    /// The law's letters for values known only at run time, with the operands that hold them.
    pub values: &'static [(&'static str, usize)],
    /// Numbers that a letter may have, if it cannot have any.
    pub drawn: &'static [(&'static str, &'static [i64])],
    /// Are indices outside of the result looked at? They read nothing.
    pub beyond: bool,
    /// Are only those indices compared for which the conditions hold?
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

    /// Does the law say that nothing is read?
    pub fn is_empty(&self) -> bool {
        self.law.ends_with("-disjoint") && self.says == Says::Left
    }
}

/// A tie without conditions of its own.
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
