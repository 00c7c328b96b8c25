//! The texts of pieces: results with their bounds in each form, and the lines before them.

use crate::indices::Index;
use crate::pieces::{Form, Piece, map_name};
use crate::tree::Tree;

impl Piece {
    /// Returns the lines before the questions.
    pub fn before(&self) -> Vec<String> {
        if self.form != Form::Session {
            return Vec::new();
        }
        let statements = self.statements();
        if self.in_one_line {
            return vec![statements.join("; ").replace(";;", ";")];
        }
        statements
            .iter()
            .map(|line| match self.dialect.is_c() {
                true => line.clone(),
                false => format!("{line}{}", self.domain()),
            })
            .collect()
    }

    /// Writes a comparison with its bounds on one line; after a comma the bounds would be statements as well.
    pub fn stated(&self, comparison: &Tree) -> Option<String> {
        let form = if self.form == Form::Comma { Form::Where } else { self.form };
        Piece { form, ..self.clone() }.inline(std::slice::from_ref(comparison))
    }

    /// Writes results with their bounds on one line, as the argument of a command; `None` if the form takes several lines.
    pub fn inline(&self, results: &[Tree]) -> Option<String> {
        let texts = self.texts(results);
        let shown = match &texts[..] {
            [one] => one.clone(),
            several => format!("({})", several.join(", ")),
        };
        let text = match self.form {
            Form::Block | Form::Function => return None,
            Form::Loops if self.dialect.is_c() => format!("{} {shown}", self.heads().join(" ")),
            Form::Loops => format!("{shown} {}", self.heads().join(" ")),
            Form::Lambda => {
                let names: Vec<&str> = self.indices.iter().map(|index| &*index.name).collect();
                format!("lambda {}: {shown}{}", names.join(", "), self.domain())
            }
            Form::Where => format!("{shown}{}", self.chains(" where ")),
            Form::Comma => format!("{shown}{}", self.chains(", ")),
            Form::Domain | Form::Session => format!("{shown}{}", self.domain()),
        };
        let is_marked = ["(", "u", "&&", "||", "?", "threadIdx"].map(|mark| match mark {
            // A cast, or the head of a loop.
            "(" => ["(int ", "_cast<"].iter().any(|mark| text.contains(mark)),
            "u" => {
                let mut digits = text.match_indices('u').map(|(at, _)| &text[..at]);
                digits.any(|before| before.ends_with(|c: char| c.is_ascii_digit()))
            }
            mark => text.contains(mark),
        });
        let divides = text.contains(['/', '%']);
        match self.dialect.is_c() && divides && !is_marked.contains(&true) {
            true => Some(format!("{text} --c")),
            false => Some(text),
        }
    }

    /// Writes the whole piece in lines; `None` if the form takes one line.
    pub fn block(&self) -> Option<String> {
        let mut lines: Vec<String> = Vec::new();
        let (statements, results) = (self.statements(), self.texts(&self.results));
        let result = match &results[..] {
            [one] => one.clone(),
            several => several.join(", "),
        };
        let names: Vec<&str> = self.indices.iter().map(|index| &*index.name).collect();
        match (self.form, self.dialect.is_c()) {
            (Form::Block, is_c) => {
                let mut indent = String::new();
                for head in self.heads() {
                    let end = if is_c { " {" } else { ":" };
                    lines.push(format!("{indent}{head}{end}"));
                    indent += "    ";
                }
                let end = if is_c { ";" } else { "" };
                let all = statements.into_iter().chain([format!("{result}{end}")]);
                lines.extend(all.map(|line| format!("{indent}{line}")));
                while is_c && indent.len() >= 4 {
                    indent.truncate(indent.len() - 4);
                    lines.push(format!("{indent}}}"));
                }
            }
            (Form::Function, false) => {
                lines.push(format!("def f({}):", names.join(", ")));
                let all = statements.into_iter().chain([format!("return {result}")]);
                lines.extend(all.map(|line| format!("    {line}")));
            }
            (Form::Function, true) => {
                let names = names.iter().map(|name| format!("int {name}"));
                let names: Vec<String> = names.collect();
                lines.push(format!("long long f({}) {{", names.join(", ")));
                let all = statements.into_iter().chain([format!("return {result};")]);
                lines.extend(all.map(|line| format!("  {line}")));
                lines.push("}".to_owned());
            }
            _ => return None,
        }
        Some(lines.join("\n"))
    }

    fn bounded(&self) -> impl Iterator<Item = &Index> {
        self.indices.iter().filter(|index| index.is_bounded)
    }

    /// Returns the heads of the loops.
    fn heads(&self) -> Vec<String> {
        let head = |index: &Index| {
            let (name, lo, end, step) = (&index.name, index.lo, index.end.text(), index.step);
            match (self.dialect.is_c(), lo, step) {
                (true, _, 1) if lo == 0 => {
                    format!("for (int {name} = 0; {name} < {end}; {name}++)")
                }
                (true, _, 1) => format!("for (int {name} = {lo}; {name} < {end}; ++{name})"),
                (true, ..) => format!("for (int {name} = {lo}; {name} < {end}; {name} += {step})"),
                (false, 0, 1) => format!("for {name} in range({end})"),
                (false, _, 1) => format!("for {name} in range({lo}, {end})"),
                (false, ..) => format!("for {name} in range({lo}, {end}, {step})"),
            }
        };
        self.indices.iter().map(head).collect()
    }

    fn domain(&self) -> String {
        // An `arange` states its bounds itself.
        let named = self.bounded().filter(|index| !index.name.contains("arange"));
        let items = named.map(|index| {
            let name = match index.name.contains('(') {
                true => map_name(&index.name),
                false => index.name.clone(),
            };
            format!("{name} in [{}, {}]", index.lo, index.end.less_one().text())
        });
        let items: Vec<String> = items.collect();
        match items.is_empty() {
            true => String::new(),
            false => format!(", domain: {}", items.join(", ")),
        }
    }

    fn chains(&self, before: &str) -> String {
        let named = self.bounded().filter(|index| !index.name.contains("arange"));
        let items = named.map(|index| {
            let name = match index.name.contains('(') {
                true => map_name(&index.name),
                false => index.name.clone(),
            };
            format!("{} <= {name} < {}", index.lo, index.end.text())
        });
        let items: Vec<String> = items.collect();
        match items.is_empty() {
            true => String::new(),
            false => format!("{before}{}", items.join(", ")),
        }
    }
}
