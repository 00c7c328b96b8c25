//! The kind of a line that begins with no command. Only words are examined; nothing is parsed.

use super::cute_word::cute_operation;
use super::token::Class;
use super::token::{Pieces, listed, split, without};
use affinor::text::Span;
use affinor_code as code;
use affinor_hlo::is_mlir;
use affinor_hlo::opcode::Opcode;
use affinor_layout::cute::named::NamedLayout;

/// Words at the beginning of pasted text.
const BEGINNINGS: [&str; 17] = [
    "affine_map",
    "affine_set",
    "memref",
    "linalg.generic",
    "indexing_maps",
    "HloModule",
    "ENTRY",
    "ROOT",
    "lambda",
    "def",
    "for",
    "while",
    "if",
    "return",
    "not",
    "Swizzle",
    "forall",
];

/// Words, besides integer types, at the beginning of declarations in a kernel.
const KERNEL_WORDS: [&str; 8] =
    ["float", "double", "half", "void", "template", "extern", "__shared__", "volatile"];

/// Words that are operators.
const OPERATORS: [&str; 8] = ["and", "or", "mod", "floordiv", "ceildiv", "if", "in", "o"];

/// Commands whose argument may be an expression.
const WITH_VALUES: [&str; 6] = ["let", "show", "simplify", "equal", "prove", "upstream"];

/// The maximum size of a text that an operator at its end continues; longer texts are continued only within brackets.
const MAX_BYTES: usize = 1 << 14;

/// Returns the first word, and the text after it.
fn first_word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':');
    let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
    text.split_at(end)
}

/// Checks whether the line is an object itself: a map, code, HLO, a shape, or a name with its value.
#[must_use]
pub fn is_paste(text: &str) -> bool {
    let (word, rest) = first_word(text);
    if word.is_empty() {
        let text = text.trim_start();
        let begins = ['(', '[', '<', '{', '-', '+', '~', '!', '@', '%', '#'];
        return text.starts_with(begins)
            || ["/*", "//", "∀", "*("].iter().any(|start| text.starts_with(start))
            || text.starts_with(code::is_sign);
    }
    let next = rest.trim_start();
    let is_declared = (is_type(word) || KERNEL_WORDS.contains(&word))
        && next.starts_with(|c: char| c.is_alphabetic() || c == '_');
    BEGINNINGS.contains(&word.trim_end_matches(':'))
        || is_declared
        || is_mlir_text(text)
        || is_named_instruction(text)
        || word.starts_with(|c: char| c.is_ascii_digit())
        || rest.starts_with(['(', '['])
        || goes_on_with(rest)
        || OPERATORS.contains(&first_word(next).0)
        || has_bounds(next)
        || code::is_builtin(word)
        || is_cute(text)
        || (word.starts_with("min") || word.starts_with("max")) && next.starts_with('(')
}

/// Checks whether the text gives bounds: `for i in range(9)`, `where 0 <= i < 9`.
fn has_bounds(text: &str) -> bool {
    let (word, rest) = first_word(text);
    match word {
        "for" if rest.contains(" in ") || rest.trim_start().starts_with('(') => true,
        _ => (word == "for" || code::is_condition_word(word)) && rest.contains(['<', '>', '=']),
    }
}

fn is_type(word: &str) -> bool {
    code::is_type(word)
}

/// Checks whether this text, after a first word, is the rest of an expression or statement.
#[must_use]
pub fn goes_on_with(rest: &str) -> bool {
    let next = rest.trim_start();
    let second = next.get(1..).unwrap_or("");
    match next.chars().next() {
        Some('=' | '+' | '*' | '/' | '%' | '&' | '|' | '^' | '<' | '>') => !next.starts_with("=>"),
        Some('!') => second.starts_with('='),
        Some('-') => second.starts_with([' ', '(', '>']) && !second.trim().is_empty(),
        Some('?' | ',') => !second.trim().is_empty(),
        Some(sign) if code::is_sign(sign) => true,
        _ => false,
    }
}

/// Checks whether the text is an expression, not a path: a word followed by an operator.
#[must_use]
pub fn is_expression(text: &str) -> bool {
    is_no_argument(first_word(text).1)
}

/// Checks whether this text, after the name of a command, cannot be its argument, so that the name is that of a map or
/// variable.
#[must_use]
pub fn is_no_argument(rest: &str) -> bool {
    let next = rest.trim_start();
    let is_assigned = next.starts_with('=') && !next.starts_with("=>") || rest.starts_with('[');
    let mut operators =
        ["+ ", "* ", "// ", "% ", "& ", "^ ", "<< ", ">> ", "< ", "> ", "<= ", ">= "].iter();
    is_assigned || (rest.starts_with(' ') && operators.any(|operator| next.starts_with(operator)))
}

/// Splits `NAME = VALUE`; the name of an MLIR alias is returned without its `#`.
#[must_use]
pub fn assignment(text: &str) -> Option<(&str, &str)> {
    let (name, value) = text.split_once('=')?;
    let name = name.trim();
    let name = name.strip_prefix('#').unwrap_or(name);
    let is_value = !value.starts_with(['=', '>']) && !value.trim().is_empty();
    (is_value && affinor::text::is_name(name)).then_some((name, value))
}

/// Checks whether the text is a JavaScript function: `(i, j) => i * 8 + j`.
#[must_use]
pub fn is_arrow_function(text: &str) -> bool {
    let names = text.trim_start().strip_prefix('(').and_then(|rest| rest.split_once(')'));
    names.is_some_and(|(names, rest)| {
        rest.trim_start().starts_with("=>")
            && names.split(',').all(|name| affinor::text::is_name(name.trim()))
    })
}

/// Checks whether the text is a map, in any notation.
#[must_use]
pub fn is_map(text: &str) -> bool {
    let start = text.trim_start();
    if start.starts_with("affine_map") || start.starts_with('#') && !start.starts_with("#define ") {
        return true;
    }
    // isl's `[n] -> { [i] -> [i] }`, and the set `{ S[i] : i >= 0 }`
    let arrow = start.split_once("->");
    let is_isl = arrow.is_some_and(|(_, rest)| rest.trim_start().starts_with('{'));
    let is_name = |c: char| c.is_alphanumeric() || c.is_whitespace() || c == '_';
    let tuple = start.strip_prefix('{').map(|rest| rest.trim_start_matches(is_name));
    let is_set = tuple.is_some_and(|rest| rest.starts_with('['));
    if start.starts_with('{') && arrow.is_some() || is_set || start.starts_with('[') && is_isl {
        return true;
    }
    // A `->` after lists of variables, but not in a Python function.
    let is_list = |c: char| c.is_alphanumeric() || " _,()[]{}<>\n\t\r".contains(c);
    start.starts_with(['(', '<'])
        && start.split_once("->").is_some_and(|(lists, rest)| {
            lists.chars().all(is_list) && !(start.starts_with('(') && has_conditions(rest))
        })
}

/// Checks whether conditions of code follow results in brackets, as in `(i + j) where j < 4` and `(i + j), j < 4`.
fn has_conditions(results: &str) -> bool {
    let mut depth = 0;
    let outside = results.char_indices().filter(|(_, letter)| {
        depth += i32::from(matches!(letter, '(' | '[')) - i32::from(matches!(letter, ')' | ']'));
        depth == 0
    });
    let after = outside.map(|(at, _)| &results[at..]).find(|rest| {
        rest.starts_with([',', ';', '\n'])
            || ["where ", "for "].iter().any(|word| rest.starts_with(word))
    });
    after.is_some_and(|rest| {
        let bounds = rest.strip_prefix(',').map(str::trim_start);
        bounds.map_or(rest.starts_with(['w', 'f']), |bounds| {
            !bounds.is_empty() && !bounds.starts_with("domain")
        })
    })
}

/// Checks whether the text is code: an expression, a function or a loop, and no other text that is typed without a command.
#[must_use]
pub fn is_code(text: &str) -> bool {
    let text = text.trim();
    let is_other = is_map(text) || is_hlo(text) || is_shape(text) || text.contains("indexing_maps");
    let is_attribute = text.starts_with("memref") || text.starts_with("affine_set");
    text.len() <= code::MAX_BYTES && is_paste(text) && !is_other && !is_attribute
}

/// Checks whether the text is a shape of HLO, or a layout of CuTe or Triton.
#[must_use]
pub fn is_shape(text: &str) -> bool {
    let (word, rest) = first_word(text);
    let letters = word.trim_start_matches("bf").trim_start_matches(['f', 's', 'u', 'c']);
    let is_sized = letters != word && letters.starts_with(|c: char| c.is_ascii_digit());
    let is_type = is_sized || matches!(word, "pred" | "token" | "opaque");
    let sizes = rest.strip_prefix('[').map(|rest| rest.split_once(']').unwrap_or((rest, "")));
    let is_sizes = |sizes: &str| sizes.chars().all(|c| c.is_ascii_digit() || " ,<=?".contains(c));
    let is_array = sizes.is_some_and(|(sizes, after)| {
        is_sizes(sizes) && (after.trim().is_empty() || after.starts_with('{'))
    });
    (is_type && is_array) || is_cute(text) || named_cute(text).is_some() || is_triton(text)
}

/// Checks whether the text is a Triton layout attribute, or a type with such an attribute, possibly after aliases.
#[must_use]
pub fn is_triton(text: &str) -> bool {
    let begins = ["#", "!ttg.", "tensor<"].iter().any(|start| text.trim_start().starts_with(start));
    begins && affinor_layout::linear::attribute::Encoding::is_meant(text)
}

/// Words in the text of a CuTe layout in C++ and Python; longer words come first.
const CUTE_WORDS: [&str; 6] = ["ComposedLayout", "Layout", "Swizzle", "offset", "Sw", "S"];

/// Checks whether the text is a CuTe layout with strides, `(4,8):(8,1)`, in any notation.
#[must_use]
pub fn is_cute(text: &str) -> bool {
    let text = text.trim();
    let is_layout = text.starts_with("Layout(")
        || text.starts_with("ComposedLayout(")
        || text.contains(':') && text.contains(|c: char| c.is_ascii_digit());
    let is_part = |c: char| c.is_ascii_digit() || " ,():_-<>=o∘".contains(c);
    // Most other texts contain another letter early.
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| !is_part(c)) {
        let word = CUTE_WORDS.iter().find(|word| rest[at..].starts_with(*word));
        match word {
            Some(word) => rest = &rest[at + word.len()..],
            None => return false,
        }
    }
    is_layout && !text.contains("->")
}

/// Parses a CuTe layout with names in its sizes, `(n,8):(8,1)`.
#[must_use]
pub fn named_cute(text: &str) -> Option<NamedLayout> {
    let text = text.trim();
    let is_meant = text.starts_with('(') && text.contains(':') && !text.contains("->");
    let layout = is_meant.then(|| NamedLayout::read(text).ok()).flatten()?;
    (!layout.names().is_empty()).then_some(layout)
}

/// Checks whether the text is code with several statements, or a function.
#[must_use]
pub fn is_block(text: &str) -> bool {
    let lines = text.lines().filter(|line| line.contains('=')).count();
    lines > 1 || text.contains("return") || text.trim_end().trim_end_matches(';').contains(';')
}

/// Checks whether the text is a statement of code that ends with its line.
#[must_use]
pub fn is_statement(text: &str) -> bool {
    is_paste(text) && !is_map(text) && !is_hlo(text)
}

/// Checks whether the command may continue in the next line, because the operator at its end lacks an operand, or because it
/// is a function without its end.
#[must_use]
pub fn goes_on(text: &str) -> bool {
    if text.len() > MAX_BYTES {
        return false;
    }
    let (word, rest) = first_word(text);
    if matches!(word, "help" | "h" | "?") || word == "rules" {
        return false; // the subject of a help request may be an operator
    }
    if word == "def" || text.trim_start().starts_with('@') {
        return !text.contains("return");
    }
    if text.lines().next_back().is_some_and(|line| line.trim_start().starts_with("#define ")) {
        return true;
    }
    if word == "HloModule" {
        return text.contains('{') && !text.contains("ENTRY");
    }
    if !is_paste(text) && is_map(rest) {
        return rest.trim_end().ends_with(',') && !rest.contains("domain");
    }
    let has_value = WITH_VALUES.contains(&word);
    if !(has_value || is_paste(text)) {
        return false;
    }
    let visible = without(text, |class| class == Class::Comment);
    let visible = visible.trim_end();
    match visible.chars().next_back() {
        Some('\\') => true,
        Some(',') => !has_value || !text.contains("domain"),
        Some('-') if !has_value => rest.trim() != "-",
        // A comparison or a shift; other `>` close a bracket of a type.
        Some('>') => visible.ends_with(" >") || visible.ends_with(" >>"),
        _ => code::goes_on(visible),
    }
}

/// Translates a call of the CuTe layout algebra, as C++ and Python write it: `composition((8,4):(1,8), (4,2):(2,1))`.
#[must_use]
pub fn called_algebra(text: &str) -> Option<String> {
    let (name, rest) = text.trim().strip_suffix(')')?.split_once('(')?;
    let (word, option) = cute_operation(name.rsplit([':', '.']).next()?)?;
    let operands = listed(rest);
    let are_layouts = operands.iter().all(|operand| is_cute(operand));
    let separator = if word == "complement" { " " } else { " ; " };
    are_layouts.then(|| format!("layout {word} {}{option}", operands.join(separator)))
}

/// Checks whether the line below belongs to the pasted text above it: it is a constraint of a domain written on several
/// lines, or an instruction of HLO.
#[must_use]
pub fn belongs_below(above: &str, below: &str) -> bool {
    let is_indented = below.starts_with([' ', '\t']) && !below.trim().is_empty();
    let (word, _) = first_word(above);
    if word == "def" || above.trim_start().starts_with('@') || is_loop(above) {
        return is_indented || (below.trim().is_empty() && !above.contains("return"));
    }
    if is_module_head(above) {
        let below = below.trim();
        return below.is_empty() || below.ends_with('{') || below.starts_with(['%', '#', '/']);
    }
    if may_have_more_instructions(above) {
        return is_instruction(below);
    }
    let has_domain = above.lines().any(|line| line.trim_end().ends_with("domain:"));
    let is_constraint = below.contains(" in [") || below.trim_start().starts_with("is_simplified");
    has_domain && is_constraint
}

/// Checks whether a later line may belong to the pasted text.
#[must_use]
pub fn may_have_more(above: &str) -> bool {
    let (word, _) = first_word(above);
    word == "def"
        || is_module_head(above)
        || may_have_more_instructions(above)
        || above.trim_start().starts_with('@')
        || is_loop(above)
        || above.lines().any(|line| line.trim_end().ends_with("domain:"))
}

/// Checks whether these are instructions of HLO, the last of which is not the root.
fn may_have_more_instructions(text: &str) -> bool {
    let is_root = |line: &str| line.trim_start().starts_with("ROOT");
    !text.is_empty()
        && text.lines().all(is_instruction)
        && !text.lines().last().is_some_and(is_root)
}

/// Checks whether the line is a single instruction of HLO.
fn is_instruction(line: &str) -> bool {
    let line = line.trim_start();
    let is_head = line.starts_with("HloModule")
        || line.starts_with("ENTRY")
        || line.contains('{') && !line.contains('=');
    !line.is_empty() && !is_head && is_hlo(line) && !is_nameless_instruction(line)
}

/// Checks whether the line belongs to an HLO module.
pub fn is_hlo(line: &str) -> bool {
    let first = line.split_whitespace().next().unwrap_or("");
    first.starts_with('%')
        || matches!(first, "HloModule" | "ENTRY" | "ROOT")
        || is_named_instruction(line)
        || is_nameless_instruction(line)
        || is_mlir_text(line)
}

/// Checks whether the line is `NAME = SHAPE OPCODE ..`, and not an assignment of code: `a[0] = b[1];`, `x = b[1] + 2`.
fn is_named_instruction(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let name = words.next().filter(|name| !name.contains('['));
    let shape = name.and(words.next()).filter(|word| *word == "=").and_then(|_| words.next());
    let is_code =
        words.next().is_some_and(|word| word.starts_with(|c| "+-*/%<>=!&|^;".contains(c)));
    shape.is_some_and(|shape| {
        let kind = shape.trim_start_matches('(');
        let letters = kind.find('[').and_then(|end| kind.get(..end)).unwrap_or("");
        let is_size = |c: char| c.is_ascii_digit() || matches!(c, ']' | '<' | '?');
        let sizes = kind.get(letters.len() + 1..).unwrap_or("");
        !letters.is_empty()
            && letters.chars().all(|c| c.is_ascii_alphanumeric())
            && sizes.starts_with(is_size)
            && !shape.contains(';')
            && !is_code
    })
}

/// Checks whether the line is a single instruction of HLO without its name: `f32[4,8] transpose(p), ..`.
#[must_use]
pub fn is_nameless_instruction(line: &str) -> bool {
    let line = line.trim();
    let opcode = line.split_whitespace().find_map(|word| Some(word.split_once('(')?.0));
    let is_opcode = |word: &str| Opcode::LISTED.iter().any(|opcode| opcode.name() == word);
    let shape = opcode.filter(|word| is_opcode(word)).and_then(|word| {
        let at = line.find(&format!(" {word}("))?;
        line.get(..at)
    });
    shape.is_some_and(|shape| !line.contains('\n') && is_shape(shape) && !is_cute(shape))
}

/// Translates a call of an HLO operation on shapes, without name and result shape: `transpose(f32[4,8]), ..`.
#[must_use]
pub fn called_operation(text: &str) -> Option<String> {
    let (word, rest) = text.trim().split_once('(')?;
    let (operands, attributes) = rest.split_once(')')?;
    let is_known = Opcode::LISTED.iter().any(|opcode| opcode.name() == word);
    let shape = |span: Span| {
        let shape = operands[span].split_whitespace().next();
        shape.filter(|shape| is_shape(shape))
    };
    let shapes = split(operands, 0..operands.len(), Class::Comma).into_iter().map(shape);
    let shapes: Option<Vec<&str>> = shapes.collect();
    let attributes =
        attributes.trim_start_matches([',', ' ']).replace(", ", " ").replace(" to ", " -> ");
    let line = format!("op {word} {} {attributes}", shapes?.join(" "));
    is_known.then(|| line.trim_end().to_owned())
}

/// Checks whether the text is a module, a function or an op of MLIR. Aliases alone are maps to be named.
fn is_mlir_text(text: &str) -> bool {
    let is_alias = text.trim_start().starts_with(['#', '!']);
    let has_op = || {
        let mut lines = text.lines().map(str::trim_start);
        lines.any(|line| !line.starts_with(['#', '!']) && is_mlir(line))
    };
    is_mlir(text) && (!is_alias || has_op())
}

/// Checks whether the text is the head of a module, without its computations.
fn is_module_head(text: &str) -> bool {
    first_word(text).0 == "HloModule" && !text.contains('{')
}

/// Checks whether the first line is the head of a loop, whose body is below it.
fn is_loop(text: &str) -> bool {
    let head = text.lines().next().unwrap_or("").trim();
    // A command may be in front.
    let is_command =
        |(word, _): &(&str, &str)| *word != "for" && word.chars().all(char::is_lowercase);
    let head = head.split_once(' ').filter(is_command).map_or(head, |(_, rest)| rest.trim_start());
    let rest = head.strip_prefix("for").or_else(|| head.strip_prefix("while"));
    let of_c = rest.is_some_and(|rest| rest.trim_start().starts_with('(') && head.ends_with(')'));
    of_c || rest.is_some_and(|rest| rest.starts_with(' ') && head.ends_with(':'))
}

/// Checks whether a bracket is open at the end of `text`, or an operator lacks its operand.
#[must_use]
pub fn is_open(text: &str) -> bool {
    let is_open = || !Pieces::new(text).open_at_end().is_empty() || goes_on(text);
    !matches!(first_word(text).0, "help" | "h" | "?") && is_open()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hlo_is_known_by_its_first_words() {
        for line in [
            "%t = f32[4,8]{1,0} transpose(%p), dimensions={1,0}",
            "ROOT t = f32[4,8] transpose(p)",
            "HloModule m",
            "t = (f32[4]) tuple(p)",
            "module @jit_f attributes {mhlo.num_partitions = 1 : i32} {",
            "module {",
            "func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {",
            "#loc = loc(unknown)\nmodule @m {}",
            "f32[8,4]{1,0} transpose(f32[4,8]{1,0} %p), dimensions={1,0}",
            "pred[8] compare(p, q), direction=LT",
            "my-name.1 = f32[4] copy(p)",
        ] {
            assert!(is_hlo(line), "{line}");
        }
        for line in [
            "a = (d0) -> (d0)",
            "a = x[:, None]",
            "t = a",
            "simplify a",
            "f32[8,4]{1,0}",
            "f32[8] + copy(p)",
            "x transpose(y)",
            "",
            "module",
            "module + 1",
            "#map = affine_map<(d0) -> (d0)>",
        ] {
            assert!(!is_hlo(line), "{line}");
        }
    }
}
