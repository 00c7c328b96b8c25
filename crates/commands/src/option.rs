//! Options: each is one constant, which its command lists, and which finds and parses its value.

use super::arguments::Argument;
use super::failure::Failure;
use super::given::parse_point;
use super::output::clipped;
use super::table::{Call, Command, Excluded, Switch};
use affinor::text::{ErrorKind, Style};

/// An option without a value.
#[derive(Clone, Copy, Debug)]
pub struct Flag {
    /// The name and the help of the option.
    pub switch: Switch,
}

/// An option with a value of type `T`.
pub struct Setting<T: 'static> {
    /// The name and the help of the option.
    pub switch: Switch,
    read: fn(&Switch, &Argument) -> Result<T, Failure>,
}

impl Flag {
    pub(super) const fn new(name: &'static str, summary: &'static str) -> Flag {
        Flag { switch: Switch::new(name, None, summary) }
    }

    /// Declares options that are invalid beside this one.
    pub(super) const fn excluding(mut self, others: &'static [Switch]) -> Flag {
        self.switch.excludes = Excluded::Only(others);
        self
    }

    /// Declares the only options of the command that are valid beside this one.
    pub(super) const fn beside_only(mut self, others: &'static [Switch]) -> Flag {
        self.switch.excludes = Excluded::AllBut(others);
        self
    }

    /// Declares options of which one must be given beside this one.
    pub(super) const fn needing(mut self, others: &'static [Switch]) -> Flag {
        self.switch.needs = others;
        self
    }
}

impl<T> Setting<T> {
    /// Creates an option whose value is called `value` in the help, and is parsed by `read`.
    pub(super) const fn new(
        name: &'static str,
        value: &'static str,
        summary: &'static str,
        read: fn(&Switch, &Argument) -> Result<T, Failure>,
    ) -> Setting<T> {
        Setting { switch: Switch::new(name, Some(value), summary), read }
    }

    /// Declares options that are invalid beside this one.
    pub(super) const fn excluding(mut self, others: &'static [Switch]) -> Setting<T> {
        self.switch.excludes = Excluded::Only(others);
        self
    }

    /// Declares the only options of the command that are valid beside this one.
    pub(super) const fn beside_only(mut self, others: &'static [Switch]) -> Setting<T> {
        self.switch.excludes = Excluded::AllBut(others);
        self
    }

    /// Declares options of which one must be given beside this one.
    pub(super) const fn needing(mut self, others: &'static [Switch]) -> Setting<T> {
        self.switch.needs = others;
        self
    }

    /// Parses a given value.
    ///
    /// # Errors
    /// If the value is not a `T`.
    pub(super) fn read(&self, given: &Argument) -> Result<T, Failure> {
        (self.read)(&self.switch, given)
    }

    /// Restricts the value to these words.
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

/// The option to answer in JSON.
pub(super) const JSON: Flag = Flag::new("json", "answer in JSON");

/// The option to answer in JSON, with each map as a tree.
pub(super) const TREES: Flag = Flag::new("trees", "as --json, with each map as a tree too");

/// The option to answer in ASCII.
pub(super) const ASCII: Flag = Flag::new("ascii", "answer in ASCII");

/// The notation of the maps of the answer.
pub(super) const STYLE: Setting<Style> =
    Setting::new("style", "STYLE", "notation of the maps of the answer: plain, xla or mlir", style)
        .among(|| vec!["plain", "xla", "mlir"]);

/// The options that every command takes, at the prompt and in a shell.
pub const OF_ANY: &[Switch] = &[JSON.switch, TREES.switch, ASCII.switch, STYLE.switch];

/// The options that only the command line of the program takes.
pub const OF_PROGRAM: &[&str] = &["color", "help", "keep-going", "quiet", "version"];

/// The rounding of `/` and `%`, for commands that read code.
pub(super) const C: Flag = Flag::new("c", "/ and % of code round toward zero, as in C");

impl Command {
    /// Returns the options of a call: first those of the command, then those of every command.
    pub fn switches(&self) -> impl Iterator<Item = &'static Switch> {
        let of_any = OF_ANY.iter();
        let others = of_any.filter(|any| !self.options.iter().any(|own| own.name == any.name));
        self.options.iter().chain(others)
    }

    /// Returns the options of a call that are valid beside those in the text `before`.
    pub fn switches_beside(&self, before: &str) -> impl Iterator<Item = &'static Switch> {
        let words = before.split_whitespace().filter_map(|word| word.strip_prefix("--"));
        let names: Vec<&str> = words.map(|word| word.split('=').next().unwrap_or(word)).collect();
        let own = self.options;
        let given = own.iter().filter(move |option| names.contains(&option.name));
        let given: Vec<&Switch> = given.collect();
        self.switches().filter(move |option| {
            let excludes = |one: &&Switch| {
                one.name != option.name && (one.excludes.has(option) || option.excludes.has(one))
            };
            !own.iter().any(|one| one.name == option.name) || !given.iter().any(excludes)
        })
    }
}

impl Call<'_> {
    /// Checks whether the option was given.
    #[must_use]
    pub fn has(&self, option: impl AsRef<Switch>) -> bool {
        self.arguments.has(option.as_ref().name)
    }

    /// Returns the text of the option's value, if it was given.
    #[must_use]
    pub fn text_of<T>(&self, setting: &Setting<T>) -> Option<&Argument> {
        self.arguments.value(setting.switch.name)
    }

    /// Returns the texts of all values of an option that may be repeated.
    #[must_use]
    pub fn texts_of<T>(&self, setting: &Setting<T>) -> Vec<&Argument> {
        let given = self.arguments.options.iter();
        let given = given.filter(|(name, _)| *name == setting.switch.name);
        given.filter_map(|(_, value)| value.as_ref()).collect()
    }

    /// Rejects options that do not go together, as their declarations say.
    ///
    /// # Errors
    /// At the first option of the command that excludes another one, or that needs a missing one.
    pub fn check_options(&self) -> Result<(), Failure> {
        let has = |option: &&Switch| self.arguments.has(option.name);
        let given: Vec<&Switch> = self.command.options.iter().filter(has).collect();
        for option in &given {
            let mut others = given.iter().filter(|other| other.name != option.name);
            if let Some(other) = others.find(|other| option.excludes.has(other)) {
                let message = format!("`--{}` does not go with `--{}`", option.name, other.name);
                return Err(self.wrong_usage(message));
            }
        }
        for option in given {
            if !option.needs.is_empty() && !option.needs.iter().any(|other| has(&other)) {
                let needed: Vec<String> =
                    option.needs.iter().map(|other| format!("`--{}`", other.name)).collect();
                let message = format!("`--{}` goes with {}", option.name, needed.join(" or "));
                return Err(self.wrong_usage(message));
            }
        }
        Ok(())
    }

    /// Returns the option's value, if it was given.
    ///
    /// # Errors
    /// If the value is not a `T`.
    pub fn value<T>(&self, setting: &Setting<T>) -> Result<Option<T>, Failure> {
        let given = self.text_of(setting);
        given.map(|given| setting.read(given)).transpose()
    }
}

/// Returns the text unchanged, for an option that its command parses.
#[expect(clippy::unnecessary_wraps, reason = "reads as others do")]
pub(super) fn text(_: &Switch, given: &Argument) -> Result<Argument, Failure> {
    Ok(given.clone())
}

/// Parses a notation of maps.
fn style(_: &Switch, given: &Argument) -> Result<Style, Failure> {
    match given.text.as_str() {
        "plain" => Ok(Style::Plain),
        "xla" => Ok(Style::Xla),
        "mlir" => Ok(Style::Mlir),
        other => {
            let message = format!("unknown style `{}`", clipped(other));
            let failure = given.wrong(ErrorKind::Usage, message);
            Err(failure.hint("it is one of plain, xla, mlir"))
        }
    }
}

/// Parses integers separated by commas.
pub(super) fn integers(_: &Switch, given: &Argument) -> Result<Vec<i64>, Failure> {
    parse_point(given)
}

/// Parses a positive integer.
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

/// Parses the width of an integer, in bits.
pub(super) fn bits(_: &Switch, given: &Argument) -> Result<u32, Failure> {
    let bits = given.text.trim().parse::<u32>().ok().filter(|bits| (2..=64).contains(bits));
    let wrong = || given.wrong(ErrorKind::Usage, "expected a number of bits, 2 to 64");
    bits.ok_or_else(wrong)
}

/// Parses a positive integer; one beyond the signed 64-bit range becomes the largest integer of that range.
pub(super) fn size(switch: &Switch, given: &Argument) -> Result<i64, Failure> {
    Ok(i64::try_from(positive(switch, given)?).unwrap_or(i64::MAX))
}
