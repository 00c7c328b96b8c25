//! Options: one constant each, which its command lists and by which its value is looked up and read.

use super::arguments::Argument;
use super::failure::Failure;
use super::given::parse_point;
use super::output::clipped;
use super::table::{Call, Switch};
use crate::text::ErrorKind;

/// An option without a value.
#[derive(Clone, Copy, Debug)]
pub struct Flag {
    /// What it is called.
    pub switch: Switch,
}

/// An option with a value, which is a `T`.
pub struct Setting<T: 'static> {
    /// What it is called.
    pub switch: Switch,
    read: fn(&Switch, &Argument) -> Result<T, Failure>,
}

impl Flag {
    pub(super) const fn new(name: &'static str, summary: &'static str) -> Flag {
        let value = None;
        let switch = Switch {
            name,
            value,
            summary,
            values: Vec::new,
        };
        Flag { switch }
    }
}

impl<T> Setting<T> {
    /// One whose value help calls `value`, and `read` reads.
    pub(super) const fn new(
        name: &'static str,
        value: &'static str,
        summary: &'static str,
        read: fn(&Switch, &Argument) -> Result<T, Failure>,
    ) -> Setting<T> {
        let value = Some(value);
        let switch = Switch {
            name,
            value,
            summary,
            values: Vec::new,
        };
        Setting { switch, read }
    }

    /// The same, whose value is one of these words.
    pub(super) const fn among(mut self, values: fn() -> Vec<&'static str>) -> Setting<T> {
        self.switch.values = values;
        self
    }
}

impl AsRef<Switch> for Flag {
    fn as_ref(&self) -> &Switch {
        &self.switch
    }
}

impl<T> AsRef<Switch> for Setting<T> {
    fn as_ref(&self) -> &Switch {
        &self.switch
    }
}

/// The option that any command has: to answer in JSON.
pub(super) const JSON: &str = "json";

/// For commands that read code: how `/` and `%` round.
pub(super) const C: Flag = Flag::new("c", "/ and % of code round toward zero, as in C");

impl Call<'_> {
    /// Was the option given?
    #[must_use]
    pub fn has(&self, option: impl AsRef<Switch>) -> bool {
        self.arguments.has(option.as_ref().name)
    }

    /// The text of the option's value, if it was given.
    #[must_use]
    pub fn text_of<T>(&self, setting: &Setting<T>) -> Option<&Argument> {
        self.arguments.value(setting.switch.name)
    }

    /// The texts of all values of an option that may be given several times.
    #[must_use]
    pub fn texts_of<T>(&self, setting: &Setting<T>) -> Vec<&Argument> {
        let given = self.arguments.options.iter();
        let given = given.filter(|(name, _)| *name == setting.switch.name);
        given.filter_map(|(_, value)| value.as_ref()).collect()
    }

    /// The option's value, if it was given.
    ///
    /// # Errors
    /// If it is no `T`.
    pub fn value<T>(&self, setting: &Setting<T>) -> Result<Option<T>, Failure> {
        let given = self.text_of(setting);
        given
            .map(|given| (setting.read)(&setting.switch, given))
            .transpose()
    }
}

/// The text as it stands, for an option that its command reads.
#[expect(clippy::unnecessary_wraps, reason = "reads as others do")]
pub(super) fn text(_: &Switch, given: &Argument) -> Result<Argument, Failure> {
    Ok(given.clone())
}

/// Integers between commas.
pub(super) fn integers(_: &Switch, given: &Argument) -> Result<Vec<i64>, Failure> {
    parse_point(given)
}

/// A positive integer.
pub(super) fn positive(switch: &Switch, given: &Argument) -> Result<u64, Failure> {
    match given.text.parse() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err(given.wrong(
            ErrorKind::Usage,
            format!(
                "expected a positive integer for `--{}`, found `{}`",
                switch.name,
                clipped(&given.text)
            ),
        )),
    }
}

/// A positive integer; one beyond 64 bits with a sign is the largest of those.
pub(super) fn size(switch: &Switch, given: &Argument) -> Result<i64, Failure> {
    Ok(i64::try_from(positive(switch, given)?).unwrap_or(i64::MAX))
}
