//! The syntax of ops after `op`, from a column of `hlo::opcode_table`: the positional attribute, required and default
//! attributes, and an example of each.

use affinor_hlo::opcode::Opcode;
use affinor_hlo::opcode_table::opcode_table;
use affinor_hlo::shape::Shape;

/// The syntax of one op.
#[derive(Debug)]
pub struct Form {
    /// An example of the text after the name of the op.
    pub example: &'static str,
    /// The attribute given by unnamed words.
    pub positional: Option<&'static str>,
    /// Required attributes.
    pub required: &'static [&'static str],
    /// Optional attributes.
    pub optional: &'static [&'static str],
    /// Operands that may be omitted.
    pub scalars: Scalars,
    /// Attributes that name computations, filled in with undefined ones.
    pub computations: &'static [&'static str],
}

/// Scalar operands that do not affect an op's shape.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scalars {
    /// No operand may be omitted.
    None,
    /// An operand of the element type of the first one may be omitted after this many operands.
    Value(usize),
    /// An `s32[]` for each dimension of the first operand may be omitted after this many operands.
    Starts(usize),
}

macro_rules! forms {
    (($op:ident, $callee:ident) $($variant:ident = $name:literal, $count:expr, $map:expr, $definition:expr
        $(, shape $shape:expr)? $(, values $values:ident)? $(, typed $typed:expr)?;)*) => {
        /// Returns the form of `opcode`; `None` if it has no form of its own.
        #[must_use]
        pub fn form(opcode: &Opcode) -> Option<Form> {
            match opcode {
                $($(Opcode::$variant => Some($typed),)?)*
                _ => None,
            }
        }
    };
}

opcode_table!(forms);

/// Returns a form without operands or attributes to fill in.
fn as_in(example: &'static str) -> Form {
    Form {
        example,
        positional: None,
        required: &[],
        optional: &[],
        scalars: Scalars::None,
        computations: &[],
    }
}

impl Form {
    /// Requires the attribute `name`, which is given by unnamed words.
    fn word(self, name: &'static [&'static str; 1]) -> Form {
        Form { positional: Some(name[0]), ..self.needs(name) }
    }

    fn needs(self, required: &'static [&'static str]) -> Form {
        Form { required, ..self }
    }

    fn may_have(self, optional: &'static [&'static str]) -> Form {
        Form { optional, ..self }
    }

    fn calls(self, computations: &'static [&'static str]) -> Form {
        Form { computations, ..self }
    }

    /// Allows a scalar to be omitted after `given` operands.
    fn scalar_after(self, given: usize) -> Form {
        let scalars = Scalars::Value(given);
        Form { scalars, ..self }
    }

    /// Allows the start indices of a slice to be omitted after `given` operands.
    fn starts_after(self, given: usize) -> Form {
        let scalars = Scalars::Starts(given);
        Form { scalars, ..self }
    }

    /// Returns the names of its attributes, except for those that name computations.
    pub fn attributes(&self) -> impl Iterator<Item = &'static str> {
        self.required.iter().chain(self.optional).copied()
    }

    /// Returns whether this op may be given with `count` operands, the others being filled in.
    #[must_use]
    pub fn completes(&self, count: usize) -> bool {
        matches!(self.scalars, Scalars::Value(given) | Scalars::Starts(given) if given == count)
    }

    /// Returns the shapes of the operands that are filled in after `given`.
    #[must_use]
    pub fn filled_in(&self, given: &[Shape]) -> Vec<String> {
        let Some(first) = given.first().and_then(Shape::as_array) else {
            return Vec::new();
        };
        match self.scalars {
            Scalars::Value(count) if given.len() == count => {
                vec![format!("{}[]", first.element_type().name())]
            }
            Scalars::Starts(count) if given.len() == count => {
                vec!["s32[]".to_owned(); first.rank()]
            }
            _ => Vec::new(),
        }
    }
}
