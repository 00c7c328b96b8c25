//! The header of a kernel: its name, its parameters with their types, and its pointers.

use super::kernel::Kernel;
use super::program::Reader;
use super::token::Class;
use super::types::{Type, is_type};
use affinor_maps::text::Error;
use affinor_maps::text::ast::{NodeKind, Relation};

impl<'t> Reader<'t> {
    /// Gives pointers the offset 0, so that `x_ptr + offs` is the element `offs`. A name that ends in `ptr` is a pointer if it is
    /// a parameter of the function or the first name in a load or store; any other, such as `rd_ptr` in `buf[rd_ptr + i]`, is a
    /// number.
    pub fn name_pointers(&mut self) -> Result<(), Error> {
        let tokens = self.tokens().clone();
        let is_pointer = |name: &str| {
            let bare = name.trim_end_matches(|c: char| c.is_ascii_digit());
            bare.ends_with("ptr") || bare.ends_with("Ptr") || bare.ends_with("_PTR")
        };
        let (mut in_head, mut is_first) = (false, false);
        for at in 0..tokens.len() {
            let token = tokens.ahead(at);
            in_head = match token.text {
                "def" => true,
                ":" if tokens.ahead(at + 1).indent.is_some() => false,
                _ => in_head,
            };
            if matches!(token.text, "tl.load" | "tl.store") || token.text.starts_with("tl.atomic_")
            {
                is_first = true;
            } else if token.class == Class::Name {
                let is_base = in_head || std::mem::take(&mut is_first);
                if is_base && is_pointer(token.text) {
                    let zero = self.parser.push(NodeKind::Integer(0), token.span.clone())?;
                    self.parser.locals.insert(token.text, zero);
                    self.parser.memory().bases.insert(zero);
                }
            }
        }
        Ok(())
    }

    /// Parses the header of a lambda, or only the parameters of any other function.
    pub fn head(&mut self, kernel: &mut Kernel<'t>) -> Result<(), Error> {
        let tokens = self.tokens();
        while tokens.is("@") {
            tokens.advance();
            while tokens.current().indent.is_none() && tokens.current().class != Class::End {
                tokens.advance();
            }
        }
        let word = tokens.current().text;
        if word == "def" {
            tokens.depth += 1; // the parameters may span several lines
            let mut parameters = Vec::new();
            while tokens.current().text != ")" && tokens.current().class != Class::End {
                if matches!(tokens.current().text, "(" | ",") {
                    parameters.push(tokens.ahead(1).text);
                }
                tokens.advance();
            }
            while tokens.current().text != ":" && tokens.current().class != Class::End {
                tokens.advance();
            }
            tokens.depth -= 1;
            tokens.eat(":");
            self.parser.memory().parameters.extend(parameters);
            return Ok(());
        }
        let is_compute = word.rsplit('.').next() == Some("compute") && tokens.ahead(1).text == "(";
        let mut ends = Vec::new();
        if is_compute {
            (0..2).for_each(|_| tokens.advance());
            tokens.depth += 1;
            ends = self.listed()?.into_iter().flatten().collect();
            self.tokens().take(",")?;
        }
        if self.tokens().eat("lambda") {
            self.parser.is_python = true;
            self.names(":")?;
            for (name, end) in self.arguments.clone().into_iter().zip(ends) {
                let span = self.parser.terms.span(end);
                let name = self.parser.push(NodeKind::Name(name), span.clone())?;
                let zero = self.parser.push(NodeKind::Integer(0), span)?;
                self.compared(zero, Relation::LessEqual, name)?;
                self.compared(name, Relation::Less, end)?;
            }
            return self.plain_statement(kernel);
        }
        self.function_of_c();
        Ok(())
    }

    /// Parses the types of the parameters in `__global__ void f(float* x, int n) {`.
    fn function_of_c(&mut self) {
        let tokens = self.tokens().clone();
        let mut open = 0;
        while !matches!(tokens.ahead(open).text, "{" | ";" | "=") && open < tokens.len() {
            open += 1;
        }
        let is_head = tokens.ahead(open).text == "{" && open > 2;
        let word = tokens.current();
        let is_statement = matches!(word.text, "for" | "if" | "while" | "else" | "with");
        if !is_head || is_statement || tokens.ahead(open - 1).text != ")" {
            return;
        }
        let mut first = open - 1;
        while first > 0 && tokens.ahead(first).text != "(" {
            first -= 1;
        }
        let texts = (first + 1..open - 1).map(|at| tokens.ahead(at));
        let list: Vec<_> = texts.collect();
        for parameter in list.split(|token| token.text == ",") {
            let Some(name) = parameter.iter().rfind(|token| token.class == Class::Name) else {
                continue;
            };
            let words = parameter.iter().map(|token| token.text);
            let words: Vec<&str> = words.filter(|word| *word != name.text).collect();
            let is_pointer = words.iter().any(|word| matches!(*word, "*" | "["));
            let is_integer =
                words.iter().any(|word| is_type(word) && !matches!(*word, "const" | "auto"));
            match (is_pointer, is_integer) {
                (true, _) => {
                    self.parser.memory().pointers.insert(name.text, name.text);
                }
                (false, true) => {
                    let of = Type::of_words(words.iter().copied().filter(|word| is_type(word)));
                    self.types.insert(name.text, of);
                }
                (false, false) => {
                    self.parser.memory().unknown.insert(name.text);
                }
            }
        }
        self.parser.is_c();
        (0..=open).for_each(|_| self.tokens().advance());
    }
}
