//! Parses maps and points from arguments, and returns maps as answers.

use super::arguments::Argument;
use super::bare::{is_cute, is_map, is_paste, named_cute};
use super::failure::Failure;
use super::output::{Object, Output, Role, Text, clipped};
use super::results::number_of;
use super::table::Call;
use super::words::nearest;
use affinor::expr::{ExprError, IndexingMap, VariableKind};
use affinor::num::Stopped;
use affinor::text::{
    Error, ErrorKind, Span, is_name, memref, parse_map, print_map_strictly, set_as_map,
};
use affinor_code as code;
use affinor_layout::cute::Layout;
use affinor_layout::linear::attribute::Encoding;

/// Commands that take maps with parameters.
const WITH_PARAMETERS: [&str; 22] = [
    "bind",
    "compose",
    "contains",
    "count",
    "emit",
    "equal",
    "eval",
    "fits",
    "image",
    "injective",
    "inside",
    "inverse",
    "learn",
    "let",
    "paste",
    "range",
    "show",
    "simplify",
    "strides",
    "tile",
    "vector",
    "why",
];

/// Rejects a map with parameters.
///
/// # Errors
/// [`ErrorKind::Unsupported`], for a map with parameters; `what` is the beginning of the message.
pub fn without_parameters(map: &IndexingMap, what: &str) -> Result<(), Error> {
    if map.domain().count(VariableKind::Parameter) == 0 {
        return Ok(());
    }
    let message = format!("{what} no map with parameters");
    let hint = "give each parameter a value, as in `bind n = 8 in MAP`";
    Err(Error::without_span(ErrorKind::Unsupported, message).hint(hint))
}

impl Call<'_> {
    /// Returns the map that an argument names or contains.
    ///
    /// # Errors
    /// Any error in it, at its position; parameters of the map, if the command takes no parameters.
    pub fn map(&self, argument: &Argument) -> Result<IndexingMap, Failure> {
        let map = self.any_map(argument)?;
        let name = self.command.name;
        if !WITH_PARAMETERS.contains(&name) {
            let taken = without_parameters(&map, &format!("`{name}` takes"));
            taken.map_err(|error| argument.blame(error))?;
        }
        Ok(map)
    }

    /// Returns the map that an argument names or contains, with or without parameters.
    ///
    /// # Errors
    /// Any error in the argument, at its position.
    pub fn any_map(&self, argument: &Argument) -> Result<IndexingMap, Failure> {
        let map = self.map_of(argument)?;
        if is_name(argument.text.trim()) {
            self.session.recent.name_of(argument, &map);
        }
        Ok(map)
    }

    fn map_of(&self, argument: &Argument) -> Result<IndexingMap, Failure> {
        let text = argument.text.trim();
        if text == "_" {
            return self.session.last.clone().ok_or_else(|| {
                let reason = self.session.why_no_last();
                argument.wrong(ErrorKind::Name, format!("`_` is not set: {reason}"))
            });
        }
        if let Some(number) = number_of(text) {
            return self.session.results.get(number).cloned().ok_or_else(|| {
                let failure =
                    argument.wrong(ErrorKind::Name, format!("unknown answer `{}`", clipped(text)));
                match self.session.results.last_number() {
                    0 => failure.hint("no command has returned a map yet"),
                    last => failure.hint(format!("the last one is `_{last}`")),
                }
            });
        }
        if is_name(text) {
            return self.session.maps.get(text).cloned().ok_or_else(|| {
                let names = self.session.names();
                let near = nearest(text, names);
                let hint = match near {
                    Some(name) => format!("did you mean `{name}`?"),
                    None => "`let NAME = MAP` names one, `show` lists the names".to_owned(),
                };
                argument
                    .wrong(ErrorKind::Name, format!("unknown map `{}`", clipped(text)))
                    .hint(hint)
            });
        }
        if let Some(map) = self.alias(text) {
            return Ok(map);
        }
        if Encoding::is_meant(text) {
            let map = Encoding::read(&argument.text).and_then(|encoding| encoding.map());
            return map.map_err(|error| argument.blame(error));
        }
        if text.starts_with("memref") {
            return memref(&argument.text).map_err(|error| argument.blame(error));
        }
        if text.starts_with("affine_set") {
            return set_as_map(&argument.text).map_err(|error| argument.blame(error));
        }
        if is_cute(text) {
            let layout = Layout::read(&argument.text).map_err(|error| argument.blame(error))?;
            return Ok(layout.map().clone());
        }
        if let Some(layout) = named_cute(text) {
            return layout
                .map()
                .map_err(|refusal| argument.wrong(ErrorKind::Overflow, refusal.to_string()));
        }
        if let Some(array) = self.array(text) {
            return Ok(array.map_err(|error| argument.blame(error))?.map);
        }
        if let Some(bounded) = affine_with_bounds(text) {
            return parse_map(&bounded)
                .map_err(|error| argument.blame(Error { span: None, ..error }));
        }
        if text.len() <= code::MAX_BYTES && is_paste(text) && !is_map(text) {
            return self.only_map(argument);
        }
        if let Some(map) = self.map_of_command(argument)? {
            return Ok(map);
        }
        self.check_first_word(argument)?;
        parse_map(without_flag(&argument.text)).map_err(|error| argument.blame(error))
    }

    /// Returns the map with the name `#map0`.
    pub(super) fn alias(&self, text: &str) -> Option<IndexingMap> {
        let name = text.strip_prefix('#').filter(|name| is_name(name))?;
        let maps = &self.session.maps;
        maps.get(name).or_else(|| maps.get(&format!("{name}_"))).cloned()
    }

    /// Returns the single map of code.
    fn only_map(&self, argument: &Argument) -> Result<IndexingMap, Failure> {
        let code = self.code(argument, self.arguments.has("c"))?;
        self.map_of_code(argument, code)
    }

    /// Checks that `argument` is not a name, or a word like a command, followed by more text.
    fn check_first_word(&self, argument: &Argument) -> Result<(), Failure> {
        let text = argument.text.trim_start();
        let start = argument.text.len() - text.len();
        let length = text.find(char::is_whitespace).unwrap_or(text.len());
        let word = &text[..length];
        if !is_name(word) {
            return Ok(()); // a text, or an argument on which the parser reports more
        }
        if word == "_" || number_of(word).is_some() || self.session.maps.contains_key(word) {
            let rest = text[length..].trim_start();
            let error = Error::new(
                ErrorKind::Syntax,
                argument.text.len() - rest.len()..argument.text.len(),
                format!("unexpected text after the name `{}`", clipped(word)),
            );
            return Err(argument.blame(error.hint("two maps are separated by `;`")));
        }
        let of = |message: String| Error::new(ErrorKind::Name, start..start + length, message);
        if self.commands.named(word).is_some() {
            let error = of(format!("the answer of `{}` is not a map", clipped(word)));
            return Err(argument.blame(error.hint("it stands in a line of its own")));
        }
        let error = of(format!("unknown map or command `{}`", clipped(word)));
        Err(argument.blame(match self.commands.nearest(word) {
            Some(name) => error.hint(format!("did you mean `{name}`?")),
            None => error.hint("write a map as `(d0) -> (d0 * 2), domain: d0 in [0, 9]`"),
        }))
    }

    /// Prints a map, as the whole answer.
    ///
    /// # Errors
    /// If the style of the session cannot express the map. (Inside a longer answer, such a map is printed in the default
    /// style instead.)
    pub fn written(&self, map: &IndexingMap) -> Result<String, Failure> {
        print_map_strictly(map, self.session.style).map_err(|error| self.failed(error))
    }

    /// Sets the last answer to `map`, and outputs it.
    ///
    /// # Errors
    /// The errors of [`Call::written`].
    pub fn map_output(&mut self, map: IndexingMap) -> Result<Output, Failure> {
        let text = self.written(&map)?;
        let json = Object::new().with("result", text.as_str());
        let mut text = Text::of(Role::Formula, text);
        let (json, status) = self.add_width(&map, None, &mut text, json)?;
        let mut output = Output::new(text, json).status(status);
        output.number = Some(self.session.answer(map));
        Ok(output)
    }
}

/// Parses the text of a CuTe layout.
pub(super) fn cute_layout(argument: &Argument) -> Option<Layout> {
    is_cute(&argument.text).then(|| Layout::read(&argument.text).ok()).flatten()
}

/// Returns the text of a map without `is_simplified: true`, which XLA prints after a domain: it is not a property of the map.
fn without_flag(text: &str) -> &str {
    let bare = text.trim_end();
    let bare = bare.strip_suffix("true").or(bare.strip_suffix("false"));
    let bare = bare.and_then(|bare| bare.trim_end().strip_suffix(':'));
    let bare = bare.and_then(|bare| bare.trim_end().strip_suffix("is_simplified"));
    bare.filter(|bare| bare.contains("domain")).unwrap_or(text)
}

/// Converts the error for an expression that is not representable.
pub fn expr_error(error: ExprError) -> Error {
    let kind = match error {
        ExprError::Overflow => ErrorKind::Overflow,
        ExprError::Divisor(_) => ErrorKind::Division,
        ExprError::Stopped(Stopped::Interrupted) => ErrorKind::Interrupted,
        ExprError::TooDeep | ExprError::TooLarge | ExprError::Stopped(_) => ErrorKind::TooLarge,
    };
    Error::without_span(kind, error.to_string())
}

/// Parses `3, -4`, with or without brackets.
///
/// # Errors
/// Any other text, at the malformed part.
pub fn parse_point(argument: &Argument) -> Result<Vec<i64>, Failure> {
    let text = argument.text.as_str();
    let inner = text.trim();
    let without = |open, close| inner.strip_prefix(open)?.strip_suffix(close);
    let inner = without('(', ')').or(without('[', ']')).unwrap_or(inner);
    if inner.trim().is_empty() {
        return Ok(Vec::new());
    }
    let mut position = text.find(inner).unwrap_or(0);
    let mut point = Vec::new();
    for item in inner.split(',') {
        let number = item.trim();
        let start = position + item.len() - item.trim_start().len();
        position += item.len() + 1;
        let value = number.parse::<i64>().map_err(|error| {
            let span = start..start + number.len();
            let is_large = matches!(
                error.kind(),
                std::num::IntErrorKind::PosOverflow | std::num::IntErrorKind::NegOverflow
            );
            let error = if is_large {
                Error::new(ErrorKind::Overflow, span, "this integer does not fit in 64 bits")
            } else {
                Error::new(ErrorKind::Syntax, span, "expected an integer")
                    .hint("write a point as `3,4`")
            };
            argument.blame(error)
        })?;
        point.push(value);
    }
    Ok(point)
}

/// Returns a part of an argument, or all of it if the part does not exist.
pub fn part(argument: &Argument, span: Span) -> Argument {
    argument.part(span).unwrap_or_else(|| argument.clone())
}

/// Returns `affine_map<(d0) -> (d0)>, d0 in [0, 3]` as a map with these bounds.
fn affine_with_bounds(text: &str) -> Option<String> {
    let (map, bounds) = text.strip_prefix("affine_map<")?.rsplit_once(">,")?;
    let bounds = bounds.trim();
    let bounds = bounds.strip_prefix("domain:").unwrap_or(bounds).trim();
    let word = bounds.split(|c: char| !(c.is_alphanumeric() || c == '_')).next()?;
    (is_name(word) && word != "affine_set").then(|| format!("{map}, domain: {bounds}"))
}
