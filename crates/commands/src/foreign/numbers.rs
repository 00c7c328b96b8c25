//! Arguments of Python calls that are numbers, or tuples and lists of numbers.

use crate::token::listed;
use affinor::text::{Error, ErrorKind};

/// Splits a text that is a single call into its function and arguments. Brackets in quotes are text.
pub fn only_call(text: &str) -> Option<(&str, &str)> {
    let text = text.trim();
    let open = text.find('(')?;
    let (mut quote, mut depth) = (None, 0usize);
    let end = text.char_indices().skip_while(|(at, _)| *at < open).find(|(_, letter)| {
        match (letter, quote) {
            (letter, Some(own)) if *letter == own => quote = None,
            (_, Some(_)) => {}
            ('\'' | '"', None) => quote = Some(*letter),
            ('(' | '[', None) => depth += 1,
            (')' | ']', None) => depth -= 1,
            _ => {}
        }
        depth == 0
    });
    let (end, _) = end?;
    (end + 1 == text.len()).then(|| (&text[..open], &text[open + 1..end]))
}

/// The arguments of a call, each with its name if it is passed by name.
#[derive(Clone, Debug)]
pub struct Given<'t> {
    list: Vec<(&'t str, &'t str)>,
}

impl<'t> Given<'t> {
    /// Parses the arguments between the brackets of a call.
    pub fn of(text: &'t str) -> Given<'t> {
        let parts = listed(text).into_iter();
        let named = |part: &'t str| match part.split_once('=') {
            Some((name, value)) if affinor::text::is_name(name.trim()) => {
                (name.trim(), value.trim())
            }
            _ => ("", part),
        };
        Given { list: parts.filter(|part| !part.is_empty()).map(named).collect() }
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns the first argument.
    pub fn first(&self) -> Option<&'t str> {
        self.list.first().map(|(_, value)| *value)
    }

    /// Returns the text of the argument called `name`.
    pub fn named(&self, name: &str) -> Option<&'t str> {
        self.list.iter().find(|(own, _)| *own == name).map(|(_, value)| *value)
    }

    /// Returns the argument at this position, if it is not passed by name.
    pub fn placed(&self, place: usize) -> Option<&'t str> {
        self.list.get(place).filter(|(own, _)| own.is_empty()).map(|(_, value)| *value)
    }

    /// Returns the arguments after the first.
    pub fn rest(&self) -> Given<'t> {
        Given { list: self.list.iter().skip(1).copied().collect() }
    }

    /// Returns the arguments without that called `name`.
    pub fn without(&self, name: &str) -> Given<'t> {
        Given { list: self.list.iter().filter(|(own, _)| *own != name).copied().collect() }
    }

    /// Checks that no argument has another name, and that at most `most` are positional.
    ///
    /// # Errors
    /// For the first unsupported one.
    pub fn check(&self, names: &[&str], most: usize) -> Result<(), Error> {
        let mut placed = 0;
        for (own, value) in &self.list {
            placed += usize::from(own.is_empty());
            if placed > most || !own.is_empty() && !names.contains(own) {
                let shown = if own.is_empty() { value } else { own };
                let message = format!("the argument `{shown}` is not supported");
                return Err(Error::without_span(ErrorKind::Unsupported, message));
            }
        }
        Ok(())
    }

    /// Returns the texts of all arguments.
    pub fn texts(&self) -> Vec<&'t str> {
        self.list.iter().map(|(_, value)| *value).collect()
    }

    /// Returns the numbers of all arguments that are positional or called `name`.
    ///
    /// # Errors
    /// If a text is not a number.
    pub fn all(&self, name: &str) -> Result<Vec<i64>, Error> {
        let mut numbers = Vec::new();
        for (own, value) in &self.list {
            let is_meant = own.is_empty() || *own == name || is_axis(own) && is_axis(name);
            match is_meant {
                true => numbers.extend(integers(value)?),
                false
                    if *own == "dtype"
                        || *own == "device"
                        || *own == "order" && *value == "'C'" => {}
                false => {
                    let message = format!("the argument `{own}` is not supported");
                    return Err(Error::without_span(ErrorKind::Unsupported, message));
                }
            }
        }
        Ok(numbers)
    }

    /// Returns the numbers of the argument called `name`, or of the positional argument at `place`.
    ///
    /// # Errors
    /// If the text is not a number.
    pub fn optional(&self, name: &str, place: usize) -> Result<Option<Vec<i64>>, Error> {
        let named = self.list.iter().find(|(own, _)| {
            own.trim_end_matches('s') == name.trim_end_matches('s') || is_axis(own) && is_axis(name)
        });
        let named = named.map(|(_, value)| *value);
        named.or_else(|| self.placed(place)).map(integers).transpose()
    }

    /// Returns the numbers of the argument called `name`, or of the positional argument at `place`, which is required.
    ///
    /// # Errors
    /// If it is missing, or is not a number.
    pub fn numbers(&self, name: &str, place: usize) -> Result<Vec<i64>, Error> {
        self.optional(name, place)?.ok_or_else(|| {
            Error::without_span(ErrorKind::Shape, format!("expected the argument `{name}`"))
        })
    }

    /// Returns the number called `name`, or at position `place`.
    ///
    /// # Errors
    /// If it is missing, or is not a single number.
    pub fn one(&self, name: &str, place: usize) -> Result<i64, Error> {
        match self.numbers(name, place)?[..] {
            [number] => Ok(number),
            _ => Err(Error::without_span(ErrorKind::Shape, format!("`{name}` is one number"))),
        }
    }
}

fn is_axis(name: &str) -> bool {
    matches!(name, "axis" | "dim" | "dims" | "axes" | "dimensions")
}

/// Returns the parts of `(a, b)` or `[a, b]`; for any other text, the text itself.
pub fn tuple(text: &str) -> Vec<&str> {
    let text = text.trim();
    let inner = text.strip_prefix(['(', '[']).and_then(|text| text.strip_suffix([')', ']']));
    let mut parts = listed(inner.unwrap_or(text));
    parts.retain(|part| !part.is_empty());
    parts
}

/// Parses `3`, `(3, 4)` or `[3, 4]`.
///
/// # Errors
/// For anything else.
pub fn integers(text: &str) -> Result<Vec<i64>, Error> {
    let inner = text.trim().trim_start_matches(['(', '[']).trim_end_matches([')', ']']);
    inner.split(',').map(str::trim).filter(|part| !part.is_empty()).map(number).collect()
}

/// Parses a number with its sign.
///
/// # Errors
/// For anything else.
pub fn number(text: &str) -> Result<i64, Error> {
    let text = text.trim();
    let number =
        text.replace('_', "").parse::<i64>().ok().filter(|number| number.unsigned_abs() < 1 << 40);
    number.ok_or_else(|| {
        let message = format!("`{text}` is not a number");
        let error = Error::without_span(ErrorKind::Unsupported, message);
        error.hint("sizes, axes and subscripts of arrays are numbers here")
    })
}
