//! The parameters of an attribute, each looked up by name and checked with its span.

use super::super::layout::{MOST_BITS, NotLinear};
use super::tree::{Attribute, Number, Parameter, Value, wrong};
use affinor::text::{Error, ErrorKind, Span};

/// The parameters of one attribute.
pub(super) struct Parameters<'a> {
    attribute: &'a Attribute,
}

/// The parameters of layouts that distribute over the blocks of a cluster.
pub(super) const OF_CLUSTERS: [&str; 4] = ["CTAsPerCGA", "CTASplitNum", "CTAOrder", "CGALayout"];

impl<'a> Parameters<'a> {
    /// Rejects parameters that are not among `known`.
    pub(super) fn of(attribute: &'a Attribute, known: &[&str]) -> Result<Parameters<'a>, Error> {
        let mut given = attribute.parameters.iter();
        if let Some(unknown) = given.find(|given| !known.contains(&&*given.name)) {
            let message = format!("`{}` has no parameter `{}`", attribute.name, unknown.name);
            let listed: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
            let error = Error::new(ErrorKind::Name, unknown.span.clone(), message);
            return Err(error.hint(format!("it has {}", listed.join(", "))));
        }
        Ok(Parameters { attribute })
    }

    pub(super) fn span(&self) -> Span {
        self.attribute.span.clone()
    }

    pub(super) fn find(&self, name: &str) -> Option<&'a Parameter> {
        self.attribute.parameters.iter().find(|given| given.name == name)
    }

    pub(super) fn value(&self, name: &str) -> Result<&'a Value, Error> {
        self.find(name).map(|given| &given.value).ok_or_else(|| {
            let message = format!("`{}` needs the parameter `{name}`", self.attribute.name);
            wrong(self.span(), message)
        })
    }

    pub(super) fn number(&self, name: &str) -> Result<&'a Number, Error> {
        match self.value(name)? {
            Value::Number(number) => Ok(number),
            other => Err(wrong(other.span(), format!("`{name}` is an integer"))),
        }
    }

    /// Parses a power of two.
    pub(super) fn size(&self, name: &str) -> Result<u64, Error> {
        power(self.number(name)?)
    }

    pub(super) fn flag(&self, name: &str) -> Result<bool, Error> {
        match self.find(name).map(|given| &given.value) {
            None => Ok(false),
            Some(Value::Flag(flag, _)) => Ok(*flag),
            Some(other) => Err(wrong(other.span(), format!("`{name}` is `true` or `false`"))),
        }
    }

    pub(super) fn numbers(&self, name: &str) -> Result<Vec<&'a Number>, Error> {
        numbers(self.value(name)?, name)
    }

    /// Parses powers of two, one for each of `rank` dimensions.
    pub(super) fn sizes(&self, name: &str, rank: usize) -> Result<Vec<u64>, Error> {
        let found = self.numbers(name)?;
        if found.len() != rank {
            return Err(self.not_of_rank(name, found.len(), rank));
        }
        found.into_iter().map(power).collect()
    }

    /// Parses a permutation of the dimensions, from the fastest to the slowest.
    pub(super) fn order(&self, name: &str, rank: usize) -> Result<Vec<usize>, Error> {
        let found = self.numbers(name)?;
        if found.len() != rank {
            return Err(self.not_of_rank(name, found.len(), rank));
        }
        let mut order = Vec::new();
        for number in found {
            match usize::try_from(number.value) {
                Ok(dim) if dim < rank && !order.contains(&dim) => order.push(dim),
                _ => {
                    let message =
                        format!("`{name}` has each dimension from 0 to {} once", rank - 1);
                    return Err(wrong(number.span.clone(), message));
                }
            }
        }
        Ok(order)
    }

    fn not_of_rank(&self, name: &str, found: usize, rank: usize) -> Error {
        let span = self.find(name).map_or(self.span(), |given| given.value.span());
        let message = format!("`{name}` has {found} numbers, the tensor {rank} dimensions");
        Error::new(ErrorKind::Arity, span, message)
    }

    /// Parses bases: lists of coordinates.
    pub(super) fn bases(&self, name: &str) -> Result<Vec<Vec<&'a Number>>, Error> {
        match self.value(name)? {
            Value::List(list, _) => list.iter().map(|basis| numbers(basis, name)).collect(),
            other => {
                Err(wrong(other.span(), format!("`{name}` is a list of bases, `[[0, 1], [8, 0]]`")))
            }
        }
    }

    /// Returns the nested parameters of this name; `None` if they are not given.
    pub(super) fn group(&self, name: &str) -> Result<Option<&'a Attribute>, Error> {
        match self.find(name).map(|given| &given.value) {
            None => Ok(None),
            Some(Value::Group(group)) => Ok(Some(group)),
            Some(other) => {
                Err(wrong(other.span(), format!("`{name}` is a group, `{{warp = [[0, 1]]}}`")))
            }
        }
    }

    pub(super) fn parent(&self) -> Result<&'a Attribute, Error> {
        match self.value("parent")? {
            Value::Attribute(attribute) => Ok(attribute),
            other => Err(wrong(other.span(), "`parent` is a layout")),
        }
    }
}

fn numbers<'a>(value: &'a Value, name: &str) -> Result<Vec<&'a Number>, Error> {
    let wrong_type = |span| wrong(span, format!("expected a list of integers in `{name}`"));
    let Value::List(list, _) = value else {
        return Err(wrong_type(value.span()));
    };
    let number = |value: &'a Value| match value {
        Value::Number(number) => Ok(number),
        other => Err(wrong_type(other.span())),
    };
    list.iter().map(number).collect()
}

/// Parses a power of two with at most [`MOST_BITS`] bits.
pub(super) fn power(number: &Number) -> Result<u64, Error> {
    match u64::try_from(number.value) {
        Ok(value) if value.is_power_of_two() && value.trailing_zeros() <= MOST_BITS => Ok(value),
        _ => {
            let message =
                format!("expected a power of two up to 2^{MOST_BITS}, found {}", number.value);
            Err(Error::new(ErrorKind::Shape, number.span.clone(), message))
        }
    }
}

/// Converts an error at a span.
pub(super) fn at(span: Span) -> impl Fn(NotLinear) -> Error {
    move |why| Error::new(ErrorKind::Shape, span.clone(), why.to_string())
}
