//! A question after code, in a comment beside it, or in the next line: `out[tid * 2] coalesced?`, `bank conflicts?`,
//! `a[blockIdx.x * 100 + threadIdx.x] = v; // <<<10, 128>>> do two threads write the same element?`.
//!
//! Law: the question is about the elements that the code accesses: all of them, or those that it writes if a collision is asked
//! for. In a line of its own, it is about the last line of code. Sizes of a launch are bounds of its threads.

use super::array::closing;
use super::clauses::asks;
use super::declared::declared;
use super::domains::gridded;
use super::holes::{Hole, Part, parsed, texts};
use super::question;
use super::ranges::dotted;
use super::vectors::ELEMENTS;
use crate::bare::assignment;
use crate::session::Session;
use crate::token::{Class, listed, split};
use affinor::text::{ErrorKind, is_name};
use std::sync::LazyLock;

/// Questions without their subject, each with its command. [`super::holes`] defines their words.
const FORMS: [(&str, &str); 11] = [
    (
        "is|are|does|do|has|have|will|any|_ it|this|that|they|these|there|the+access|the+load|the+read|the+write|the+store|this+access|_ have|cause|free+of|any|a|_ any|_ bank+conflicts|bank+conflict|bank-conflict-free|bank+conflict+free|conflict-free|conflict+free|without+bank+conflicts",
        "banks",
    ),
    (
        "is|are|_ it|this|that|they|these|the+access|the+accesses|the+load|the+read|the+write|the+store|this+access|this+load|_ fully|perfectly|always|_ coalesced|coalesced+access|coalescing",
        "coalesce",
    ),
    (
        "do|does|can|could|will|is|are|_ it|this|that|they|these|there|_ ever|_ any|a|_ overlap|overlapping|self-overlapping|collide|alias|aliasing|race|races|race+condition|race+conditions|data+race|data+races|racy|write+conflict|write+conflicts|write-write+race|collisions|collision",
        "injective",
    ),
    (
        "do|does|can|could|will any|_ two|different|distinct|several|_ threads|iterations|points|blocks|programs|lanes|elements ever|_ collide|clash|overlap|race|conflict|write+the+same+element|write+to+the+same+element|write+the+same+address|write+to+the+same+address|write+the+same+location|write+to+the+same+location|touch+the+same+element|access+the+same+element|hit+the+same+element|alias",
        "injective",
    ),
    (
        "is|are|_ it|this|that|they|the+map|this+map|the+index|_ injective|one-to-one|unique|collision-free|race-free|race+free|free+of+races",
        "injective",
    ),
    (
        "is|are|_ it|this|that|they|the+map|this+map|_ a|_ bijective|bijection|permutation|one-to-one+correspondence",
        "injective --onto",
    ),
    (
        "is|are|does|do|can|could|_ it|this|that|they|the+access|the+accesses|the+index|this+access|_ always|ever|all|go|run|read|write|_ in|within|inside|out+of|out-of bounds|range",
        "inside",
    ),
    (
        "can|could|may|is|are|does|do|will|_ this+loop|the+loop|these+loops|the+loops|this+nest|the+iterations|its+iterations|this+one|i|we|you|it|this|that|they|these|iterations|loops|loop|_ be|run|_ safely|_ parallelize|parallelise|parallelized|parallelised|parallelizable|parallelisable|parallel|in+parallel|independent|in+any+order|reordered|vectorize|vectorized|vectorised this+loop|the+loop|it|this|safely|_",
        "parallel",
    ),
    (
        "is|are|has|have|does|do|_ this+loop|the+loop|these+loops|the+loops|there|it|this|that|_ have|carry|a|an|any|_ a|any|_ loop-carried|loop+carried|_ dependence|dependences|dependency|dependencies between+the+iterations|between+iterations|across+iterations|_",
        "parallel",
    ),
    (
        "can|could|may|is|are|does|do|_ i|we|one|you|it|this|these|the|_ loops|two+loops|nest|loop+nest|_ be|legal+to|safe+to|valid+to|_ interchange|interchanged|swap|swapped|permute|permuted|exchange|exchanged|interchangeable|permutable the|these|both|_ loops|two+loops|loop|order|_",
        "parallel --interchange",
    ),
    (
        "how+many|count|count+the|number+of|the+number+of iterations|points|times|trips|loop+iterations does|do|is|are|will|_ it|this|that|they|there|the+loop|this+loop|the+loops|the+nest|_ run|execute|executed|have|make|take|iterate|loop|_ in+total|altogether|_",
        "count",
    ),
];

static PARSED: LazyLock<Vec<(Vec<Part>, &str)>> =
    LazyLock::new(|| FORMS.iter().map(|(form, command)| (parsed(form), *command)).collect());

/// The length of the longest question, in bytes.
const LONGEST: usize = 120;

/// The maximum number of elements that one question is about.
const MAX_ELEMENTS: usize = 8;

/// Translates code followed by a question, or a question alone, to lines.
pub fn lines(session: &Session, text: &str) -> Option<Vec<String>> {
    let text = text.trim();
    if let Some(lines) = of_each_access(session, text) {
        return Some(lines);
    }
    let is_known = session.names().any(|name| name == text);
    if text.contains(['{', '"']) || is_known {
        return None;
    }
    if let Some(line) = around_loops(text) {
        return Some(vec![line]);
    }
    let (code, comment) = commented(text);
    let launch = launched(text);
    // `is E unique? <<<4, 64>>>` is a question of its own.
    if let (Some(launch), None) = (&launch, comment)
        && let Some((before, behind)) = text.split_once("<<<")
        && let Some((_, behind)) = behind.split_once(">>>")
        && let Some(line) = question::line(&format!("{} {}", before.trim(), behind.trim()))
    {
        let (line, option) = line.split_once(" --").unwrap_or((&line, ""));
        let option = if option.is_empty() { String::new() } else { format!(" --{option}") };
        return Some(vec![format!("{line}{}{option}", launch_bounds(launch, line, ""))]);
    }
    let (body, command, kind) = match comment {
        Some(comment) => (code.to_owned(), matched(comment)?, ""),
        None => match matched(text) {
            Some(command) => (String::new(), command, ""),
            None => behind(text)?,
        },
    };
    let said = comment.and_then(|comment| comment.rsplit_once(", ")).map(|(bounds, _)| bounds);
    let said = said.filter(|bounds| bounds.contains(" in ")).map(str::trim);
    // The type of the elements follows the question, or precedes the element: `half s[i], any bank conflicts?`
    let typed = body.split_once(' ').filter(|_| !body.contains(['=', ';']));
    let typed = typed.map_or("", |(word, _)| word);
    let of_kind =
        |kind: &str| ELEMENTS.iter().find(|(own, _)| *own == kind).map(|(_, bytes)| *bytes);
    let bytes = of_kind(kind).or_else(|| of_kind(typed));
    let (command, option) = command.split_once(' ').unwrap_or((command, ""));
    let bytes = bytes.filter(|_| matches!(command, "banks" | "coalesce"));
    let option = bytes.map_or(option.to_owned(), |bytes| format!("--bytes {bytes}"));
    let last = if body.is_empty() { last_code(session, text) } else { None };
    let whole = last.as_deref().unwrap_or(&body);
    if command == "parallel" {
        let option = if option.is_empty() { String::new() } else { format!("{option} ") };
        return (!whole.trim().is_empty())
            .then(|| vec![format!("parallel {option}{}", whole.trim())]);
    }
    let (statement, before) = statements(whole)?;
    let before = if last.is_some() { Vec::new() } else { before };
    if last.is_some() && whole.trim_end_matches(';').contains([';', '\n', '{']) {
        // The names inside a kernel have no values outside.
        return Some(vec![format!("{command} _ {option}").trim_end().to_owned()]);
    }
    let (value, bounds) = bounded(statement);
    let bounds = match said {
        Some(said) if bounds.is_empty() => {
            let said = format!(" for {said}");
            dotted(&said).unwrap_or(said)
        }
        _ => bounds.to_owned(),
    };
    let bounds = launch.map_or(bounds.clone(), |launch| launch_bounds(&launch, value, &bounds));
    let subjects = subjects(session, value, command)?;
    let line = |subject: String| {
        let (subject, shape) = subject.split_once(" ; ").unwrap_or((&subject, ""));
        let shape = if shape.is_empty() { String::new() } else { format!(" ; {shape}") };
        format!("{command} {subject}{bounds}{shape} {option}").trim_end().to_owned()
    };
    Some(before.into_iter().chain(subjects.into_iter().map(line)).collect())
}

/// Translates a question about the accesses of warps to a statement, `coalesce a[i] = b[2*i]`, to one about each of its accesses.
fn of_each_access(session: &Session, text: &str) -> Option<Vec<String>> {
    let (command, rest) = text.split_once(' ')?;
    if !matches!(command, "banks" | "coalesce") || text.contains(['?', '{', '\n']) {
        return None;
    }
    let (rest, options) = rest.split_at(rest.find(" --").unwrap_or(rest.len()));
    let (value, bounds) = bounded(rest.trim().trim_end_matches(';').trim_end());
    assignment_of_element(value)?;
    let subjects = subjects(session, value, command)?.into_iter();
    Some(subjects.map(|subject| format!("{command} {subject}{bounds}{options}")).collect())
}

/// Translates a question around loops, `does for (..) A[i] = ..; have a dependence?`.
fn around_loops(text: &str) -> Option<String> {
    let (first, _) = text.split_once(' ')?;
    if !asks(first) {
        return None;
    }
    let start = ["for (", "for(", "affine.for "].iter().filter_map(|head| text.find(head)).min()?;
    let end = text.rfind([';', '}']).filter(|end| *end > start)? + 1;
    let asked = format!("{} it {}", text[..start].trim(), text[end..].trim());
    let command = matched(asked.trim_end_matches('?').trim())?;
    let is_of_loops = command.starts_with("parallel") || command == "count";
    is_of_loops.then(|| format!("{command} {}", text[start..end].trim()))
}

/// Splits code at the comment after it.
fn commented(text: &str) -> (&str, Option<&str>) {
    // `a // b` divides; `a; // b` does not.
    let is_start = |at: usize| {
        let before = text[..at].trim_end();
        before.is_empty() || before.ends_with([';', '}'])
    };
    let slashes = text.match_indices("//").map(|(at, _)| at).find(|at| is_start(*at));
    let hash = text.find("# ").filter(|at| *at == 0 || text[..*at].ends_with(' '));
    match slashes.map(|at| (at, 2)).or(hash.map(|at| (at, 1))) {
        Some((at, length)) => (&text[..at], Some(&text[at + length..])),
        None => (text, None),
    }
}

/// Returns whether a text is a question about code that is not there.
#[must_use]
pub fn is_question_alone(text: &str) -> bool {
    matched(text).is_some()
}

/// Returns the command of a question without its subject; the sizes of a launch may precede it.
fn matched(text: &str) -> Option<&'static str> {
    let text = text.trim().trim_end_matches('?').trim_end();
    let text = match text.find(">>>") {
        Some(end) if text.contains("<<<") => text[end + 3..].trim_start_matches([',', ':', ' ']),
        _ => text,
    };
    // Bounds may come first: `tid in [0, 255], is there a race`
    let text = match text.rsplit_once(", ") {
        Some((bounds, asked)) if bounds.contains(" in ") => asked,
        _ => text,
    };
    let lower = text.to_ascii_lowercase();
    let is_form = |(form, _): &&(Vec<Part>, &str)| texts(form, text, &lower).is_some();
    PARSED.iter().find(is_form).map(|(_, command)| *command)
}

/// Splits code and the question after it, which may be followed by the type of the elements.
fn behind(text: &str) -> Option<(String, &'static str, &str)> {
    let (asked, kind) = text.rsplit_once('?').unwrap_or((text, ""));
    let kind = kind.trim();
    let is_value = kind
        .split_once('=')
        .is_some_and(|(name, value)| is_name(name.trim()) && value.trim().parse::<i64>().is_ok());
    if !kind.is_empty() && !is_value && !ELEMENTS.iter().any(|(own, _)| *own == kind) {
        return None;
    }
    let starts = asked.match_indices([' ', '\n']).map(|(at, _)| at);
    let starts = starts.filter(|at| asked.len() - at <= LONGEST);
    let mut starts = starts.filter(|at| {
        let before = asked[..*at].trim_end();
        before.ends_with([';', ']', ')', ',']) || before.ends_with(char::is_alphanumeric)
    });
    starts.find_map(|at| {
        let body = asked[..at].trim().trim_end_matches(',');
        let command = matched(&asked[at..])?;
        // A grid is that of the lambda before it.
        let body = gridded(body).unwrap_or(body.to_owned());
        let body = if is_value { format!("{body} with {kind}") } else { body };
        is_code(&body).then_some((body, command, kind))
    })
}

/// Returns whether a text is code, perhaps with bounds that are missing.
fn is_code(text: &str) -> bool {
    if Hole::Call.takes(text) {
        return true;
    }
    let has_index = text.contains(['[', '(', '*', '+', '/', '%']);
    let error = affinor_code::read(text, false, &|_| None).err();
    has_index && error.is_none_or(|error| error.kind != ErrorKind::Syntax) && !asks(text)
}

/// Returns the last line of code of the session that is not `text` itself.
fn last_code(session: &Session, text: &str) -> Option<String> {
    let mut lines = session.history.iter().rev().filter(|line| line.as_str() != text);
    let found = lines.find(|line| {
        let code = commented(line).0;
        is_code(code) && declared(code).is_none() && !elements(code).is_empty()
            || code.contains('{') && code.contains('[')
    });
    // Loops may follow a command that asked about them.
    let of_loops = |code: &str| -> Option<String> {
        let (word, rest) = code.split_once(' ')?;
        let is_command = is_name(word) && word != "for" && rest.trim_start().starts_with("for");
        is_command.then(|| rest.trim_start().to_owned())
    };
    found.map(|line| commented(line).0.trim()).map(|code| of_loops(code).unwrap_or(code.to_owned()))
}

/// Splits statements into the last and those before it.
fn statements(text: &str) -> Option<(&str, Vec<String>)> {
    let parts = split(text, 0..text.len(), Class::Semicolon).into_iter().map(|span| &text[span]);
    let parts = parts.flat_map(str::lines).map(str::trim).filter(|part| !part.is_empty());
    let mut parts: Vec<&str> = parts.collect();
    let last = parts.pop()?;
    Some((last, parts.into_iter().map(|part| format!("{part};")).collect()))
}

/// Splits a statement at its bounds, which keep the blank before them.
fn bounded(text: &str) -> (&str, &str) {
    let words = [" for ", " where ", " with ", ", domain"];
    let at = words.iter().filter_map(|word| text.find(word)).min().unwrap_or(text.len());
    text.split_at(at)
}

/// Returns the texts that the command is asked about.
fn subjects(session: &Session, value: &str, command: &str) -> Option<Vec<String>> {
    let is_assigned = assignment_of_element(value);
    let found = match (command, is_assigned) {
        // Only writes race.
        ("injective", Some(written)) => vec![written.to_owned()],
        _ if Hole::Call.takes(value) && !Hole::Element.takes(value) => Vec::new(),
        _ => elements(value),
    };
    // Words after an element, `s[i], 16 byte accesses`, would be lost.
    let rest =
        found.iter().fold(value.to_owned(), |rest, element| rest.replace(element.as_str(), ""));
    if is_assigned.is_none() && !found.is_empty() && rest.contains(',') {
        return None;
    }
    if command == "inside" {
        let of = |element: &String| {
            let name = element.split('[').next()?;
            let array = declared(session.arrays.get(name)?)?;
            Some(format!("{element} ; [{}]", array.sizes.join(", ")))
        };
        return found.iter().map(of).collect();
    }
    match found.is_empty() {
        true => Some(vec![assignment(value).map_or(value, |(_, value)| value).trim().to_owned()]),
        false => Some(found).filter(|found| found.len() <= MAX_ELEMENTS),
    }
}

/// Returns the element that a statement writes.
fn assignment_of_element(text: &str) -> Option<&str> {
    let (left, _) = text.split_once('=').filter(|(_, right)| !right.starts_with('='))?;
    let left = left.trim_end().trim_end_matches(['+', '-', '*', '|', '&', '^']).trim_end();
    (elements(left).first()?.as_str() == left).then_some(left)
}

/// Returns the elements of arrays in a text, `a[i][j]`, without those in the index of another one.
fn elements(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut at = 0;
    while let Some(open) = text[at..].find('[').map(|open| at + open) {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let start = text[..open].trim_end_matches(is_part).len();
        let mut end = open;
        while let Some(close) = closing(&text[end..]).filter(|_| text[end..].starts_with('[')) {
            end += close + 1;
        }
        let element = text[start..end].to_owned();
        if is_name(&text[start..open]) && end > open && !found.contains(&element) {
            found.push(element);
        }
        at = end.max(open + 1);
    }
    found
}

/// Returns the sizes of a launch, `<<<10, 128>>>`: of the grid and of the block.
fn launched(text: &str) -> Option<[Vec<&str>; 2]> {
    let inner = text.split_once("<<<")?.1.split_once(">>>")?.0;
    match listed(inner)[..] {
        [grid, block, ..] => Some([axes(grid), axes(block)]),
        _ => None,
    }
}

/// Returns the sizes of a launch along its axes: `dim3(4, 4)` or `4`.
fn axes(part: &str) -> Vec<&str> {
    let inner = part.trim().trim_start_matches("dim3").trim_matches(['(', ')', ' ']);
    listed(inner)
}

/// Returns the bounds of the threads and blocks of a launch that an index has.
fn launch_bounds(launch: &[Vec<&str>; 2], value: &str, bounds: &str) -> String {
    let (mut loops, mut sizes): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for (given, (index, size)) in
        launch.iter().zip([("blockIdx", "gridDim"), ("threadIdx", "blockDim")])
    {
        for (count, axis) in given.iter().zip(["x", "y", "z"]) {
            let (index, size) = (format!("{index}.{axis}"), format!("{size}.{axis}"));
            if value.contains(&index) && !bounds.contains(&index) {
                loops.push(format!("{index} in range({count})"));
            }
            if value.contains(&size) {
                sizes.push(format!("{size} = {count}"));
            }
        }
    }
    let loops = match loops.is_empty() {
        true => String::new(),
        false => format!(" for {}", loops.join(", ")),
    };
    let sizes = match sizes.is_empty() {
        true => String::new(),
        false => format!(" where {}", sizes.join(", ")),
    };
    format!("{bounds}{loops}{sizes}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_behind_code_are_lines() {
        let mut session = Session::new();
        session.arrays.insert("tile".to_owned(), "__shared__ float tile[32][32];".to_owned());
        session.history.push_back("float v = tile[threadIdx.x][threadIdx.y];".to_owned());
        for (text, expected) in [
            ("bank conflicts?", Some("banks tile[threadIdx.x][threadIdx.y]")),
            ("is it free of bank conflicts?", Some("banks tile[threadIdx.x][threadIdx.y]")),
            ("is this in bounds?", Some("inside tile[threadIdx.x][threadIdx.y] ; [32, 32]")),
            ("// is this access coalesced?", Some("coalesce tile[threadIdx.x][threadIdx.y]")),
            (
                "out[(blockIdx.x * 256 + threadIdx.x) * 2] coalesced? float",
                Some("coalesce out[(blockIdx.x * 256 + threadIdx.x) * 2] --bytes 4"),
            ),
            ("b[i] = a[2*i]; coalesced?", Some("coalesce b[i] | coalesce a[2*i]")),
            (
                "out[blockIdx.x * 100 + threadIdx.x] = v;  // <<<10, 128>>> do two threads write the same element?",
                Some(
                    "injective out[blockIdx.x * 100 + threadIdx.x] for blockIdx.x in range(10), threadIdx.x in range(128)",
                ),
            ),
            (
                "y[blockIdx.x * blockDim.x + threadIdx.x] = x[0]; // <<<dim3(4), 64>>> race?",
                Some(
                    "injective y[blockIdx.x * blockDim.x + threadIdx.x] for blockIdx.x in range(4), threadIdx.x in range(64) where blockDim.x = 64",
                ),
            ),
            (
                "out[tid // 2] = x[tid]; // tid in 0..255, is there a race?",
                Some("injective out[tid // 2] for tid in [0, 255]"),
            ),
            (
                "pl.BlockSpec((8, 128), lambda i, j: (i, j)), grid=(8, 2) bijective?",
                Some(
                    "injective pl.BlockSpec((8, 128), lambda i, j: (i, j)) for i in range(8), j in range(2) --onto",
                ),
            ),
            (
                "is blockIdx.x * 64 + threadIdx.x unique? <<<4, 64>>>",
                Some(
                    "injective blockIdx.x * 64 + threadIdx.x for blockIdx.x in range(4), threadIdx.x in range(64)",
                ),
            ),
            (
                "A[threadIdx.x * 1024 + k] coalesced? k = 0",
                Some("coalesce A[threadIdx.x * 1024 + k] with k = 0"),
            ),
            ("x = a[i * 4]  # coalesced?", Some("coalesce a[i * 4]")),
            (
                "i * 8 + j for i in range(4), j in range(9) injective?",
                Some("injective i * 8 + j for i in range(4), j in range(9)"),
            ),
            (
                "torch.as_strided(x, (3, 4), (2, 1)) overlap?",
                Some("injective torch.as_strided(x, (3, 4), (2, 1))"),
            ),
            (
                "int i = threadIdx.x * 2; a[i] = 0; coalesced?",
                Some("int i = threadIdx.x * 2; | coalesce a[i]"),
            ),
            // Without a question mark, other questions, other comments.
            ("does it work?", None),
            ("a[i] = 0; // why?", None),
            ("x < 4 ? a[i] : b[i]", None),
            (
                "for (int i = 0; i < 9; i++) A[i] = B[i]; // can this be vectorized?",
                Some("parallel for (int i = 0; i < 9; i++) A[i] = B[i];"),
            ),
            ("is tile[t][0] coalesced?", None),
            ("cats and dogs overlap?", None),
        ] {
            let found = lines(&session, text).map(|lines| lines.join(" | "));
            assert_eq!(found.as_deref(), expected, "{text}");
        }
        assert_eq!(lines(&Session::new(), "bank conflicts?"), None);
    }
}
