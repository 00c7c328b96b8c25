//! Module text to [`Module`]: header, tables, computations, and the bare instructions of a snippet.
//!
//! ```text
//! module      := ["HloModule" name attributes] (table | computation | instruction)*     a name may end in a colon
//! table       := name (integer value)*                       FileNames, StackFrames, ..
//! computation := ["ENTRY"] name [signature] "{" instruction* "}" attributes
//! attributes  := ("," name "=" value)*
//! ```
//!
//! Instructions outside of computations make up one computation called `entry`.

use super::attribute::{Attribute, AttributeValue, Attributes, ComputationReference, Signature};
use super::call_graph;
use super::cursor::{Cursor, quoted, wrong};
use super::free_names::FreeNames;
use super::module::{Computation, ComputationId, Module, Table};
use super::parse_attribute;
use super::parse_computation::Body;
use super::shape::Shape;
use super::token::Token;
use affinor_maps::text::{Error, ErrorKind, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Parses a module or a snippet.
pub(super) fn module(text: &str) -> Result<Module, Error> {
    let mut reader = Reader {
        cursor: Cursor::new(text, ErrorKind::Hlo),
        computations: Vec::new(),
        names: FxHashMap::default(),
        inline_names: Vec::new(),
        notes: Vec::new(),
        doubt: None,
        made_parts: 0,
        marked_entry: None,
        bare: None,
    };
    let (name, attributes) = reader.header()?;
    let mut tables = Vec::new();
    while !reader.cursor.at_end() {
        reader.item(&mut tables)?;
    }
    let entry = reader.entry()?;
    reader.name_inline_computations();
    reader.resolve();
    let cut = call_graph::cut(&mut reader.computations);
    reader.notes.extend(cut);
    // Contradictions of an operation are found once it is complete, after those of its operands.
    reader.notes.sort_by_key(|note| note.span.as_ref().map_or(0, |span| span.start));
    Ok(Module {
        name,
        attributes,
        computations: reader.computations,
        entry,
        tables,
        notes: reader.notes,
    })
}

/// Maximum total number of parts of shapes that are not in the text: more than modules have, and a few hundred megabytes.
const MAX_MADE_PARTS: usize = 2_000_000;

/// The part of a module that has been read so far.
pub(super) struct Reader<'a> {
    pub(super) cursor: Cursor<'a>,
    computations: Vec<Computation>,
    names: FxHashMap<&'a str, ComputationId>,
    /// Computations written in place of a name, with their proposed names.
    inline_names: Vec<(ComputationId, String)>,
    /// Warnings about parts whose interpretation differs from the text.
    pub(super) notes: Vec<Error>,
    /// The contradiction in the operation being parsed, if any.
    pub(super) doubt: Option<Error>,
    /// The number of parts of shapes that are not in the text.
    made_parts: usize,
    marked_entry: Option<ComputationId>,
    /// The computation that collects the instructions outside computations.
    bare: Option<ComputationId>,
}

impl<'a> Reader<'a> {
    fn header(&mut self) -> Result<(Option<Arc<str>>, Attributes), Error> {
        let is_header = self.cursor.peek() == Some(Token::Name)
            && self.cursor.peek_text() == "HloModule"
            && self.cursor.peek_second() == Some(Token::Name);
        if !is_header {
            return Ok((None, Attributes::default()));
        }
        self.cursor.advance();
        let (name, _) = self.cursor.expect_label("the name of the module")?;
        Ok((Some(name.into()), self.attributes("module")?))
    }

    fn item(&mut self, tables: &mut Vec<Table>) -> Result<(), Error> {
        if self.cursor.peek() != Some(Token::Name) {
            return Err(self
                .cursor
                .expected("a computation or an instruction")
                .hint("an instruction is `name = shape opcode(operands), attributes`"));
        }
        let text = self.cursor.peek_text();
        match self.cursor.peek_second() {
            Some(Token::Equals) => self.bare_instructions(),
            Some(Token::Name) if text == "ROOT" => self.bare_instructions(),
            Some(Token::Name) if text == "ENTRY" => self.computation(),
            Some(Token::OpenBrace | Token::OpenParenthesis | Token::Colon) => self.computation(),
            Some(Token::Integer) => {
                tables.push(self.table()?);
                Ok(())
            }
            _ if is_table_name(text) => {
                tables.push(self.table()?);
                Ok(())
            }
            _ => {
                let (_, span) = self.cursor.expect_name("a name")?;
                let found = quoted(self.cursor.slice(span.clone()));
                Err(wrong(span, format!("expected a computation or an instruction, found {found}"))
                    .hint("a computation is `name { .. }`, an instruction `name = ..`"))
            }
        }
    }

    fn table(&mut self) -> Result<Table, Error> {
        let (name, _) = self.cursor.expect_name("the name of a table")?;
        let mut rows = Vec::new();
        while self.cursor.peek() == Some(Token::Integer) {
            let (number, _) = self.cursor.expect_integer()?;
            let span = self.cursor.raw_value()?;
            let value = parse_attribute::record(&self.cursor, &span)
                .or_else(|| parse_attribute::plain(&self.cursor, &span))
                .unwrap_or_else(|| AttributeValue::Text(self.cursor.slice(span).into()));
            rows.push((number, value));
        }
        Ok(Table { name: name.into(), rows })
    }

    fn bare_instructions(&mut self) -> Result<(), Error> {
        let span = self.cursor.peek_span();
        if self.bare.is_some() {
            return Err(wrong(span, "a second group of instructions outside of a computation")
                .hint("put them into a computation, `name { .. }`"));
        }
        let mut body = Body::of_snippet();
        while self.at_instruction() {
            self.instruction(&mut body)?;
        }
        let span = span.start..self.cursor.end();
        let computation = body.finish("entry".into(), None, span)?;
        self.bare = Some(self.push(computation));
        Ok(())
    }

    fn at_instruction(&mut self) -> bool {
        self.cursor.peek() == Some(Token::Name)
            && match self.cursor.peek_second() {
                Some(Token::Equals) => true,
                Some(Token::Name) => self.cursor.peek_text() == "ROOT",
                _ => false,
            }
    }

    fn computation(&mut self) -> Result<(), Error> {
        let start = self.cursor.peek_span();
        let is_entry =
            self.cursor.peek_text() == "ENTRY" && self.cursor.peek_second() == Some(Token::Name);
        if is_entry {
            self.cursor.advance();
            if self.marked_entry.is_some() {
                return Err(wrong(start, "a second computation is marked `ENTRY`")
                    .hint("a module has one entry computation"));
            }
        }
        let (name, name_span) = self.cursor.expect_label("the name of a computation")?;
        if self.names.contains_key(name) {
            return Err(wrong(
                name_span,
                format!("a computation named {} is already defined", quoted(name)),
            )
            .hint("rename one of them"));
        }
        let signature = self.signature()?;
        let body = self.body()?;
        let span = start.start..self.cursor.end();
        let mut computation = body.finish(name.into(), signature, span)?;
        computation.attributes = self.attributes(name)?;
        let id = self.push(computation);
        self.names.insert(name, id);
        if is_entry {
            self.marked_entry = Some(id);
        }
        Ok(())
    }

    fn signature(&mut self) -> Result<Option<(Signature, Span)>, Error> {
        if self.cursor.peek() != Some(Token::OpenParenthesis) {
            return Ok(None);
        }
        let start = self.cursor.peek_span().start;
        let signature = parse_attribute::signature(&mut self.cursor)?;
        Ok(Some((signature, start..self.cursor.end())))
    }

    /// Parses `{ instructions }`.
    fn body(&mut self) -> Result<Body<'a>, Error> {
        self.cursor.expect(Token::OpenBrace)?;
        self.cursor.enter()?;
        let mut body = Body::default();
        while self.cursor.peek() == Some(Token::Name) {
            self.instruction(&mut body)?;
        }
        if self.cursor.peek() != Some(Token::CloseBrace) {
            let error = self.cursor.expected("an instruction or `}`");
            return Err(if self.cursor.at_end() {
                error.hint("the text may be truncated")
            } else {
                error
            });
        }
        self.cursor.advance();
        self.cursor.leave();
        Ok(body)
    }

    fn push(&mut self, computation: Computation) -> ComputationId {
        self.computations.push(computation);
        ComputationId(self.computations.len() - 1)
    }

    /// Adds a computation without a name in the text; it is called `name`, or a similar unused name.
    pub(super) fn push_unnamed(&mut self, computation: Computation, name: String) -> ComputationId {
        let id = self.push(computation);
        self.inline_names.push((id, name));
        id
    }

    /// Counts shapes that are not in the text: nested tuples can double with each instruction.
    pub(super) fn make<'s>(
        &mut self,
        shapes: impl IntoIterator<Item = &'s Shape>,
        span: &Span,
    ) -> Result<(), Error> {
        for shape in shapes {
            self.made_parts += shape.part_count(MAX_MADE_PARTS);
            if self.made_parts >= MAX_MADE_PARTS {
                let message = "the shapes that are not in the text have too many parts";
                let error = Error::new(ErrorKind::TooLarge, span.clone(), message);
                return Err(error.hint("state the shapes of tuples"));
            }
        }
        Ok(())
    }

    /// Returns the computation that `reference` names, if it has been parsed.
    pub(super) fn computation_of(&self, reference: &ComputationReference) -> Option<&Computation> {
        let by_name = || self.names.get(&*reference.name).copied();
        let id = reference.target.or_else(by_name)?;
        self.computations.get(id.0)
    }

    /// Parses any number of `, name=value`, which belong to `owner`.
    pub(super) fn attributes(&mut self, owner: &str) -> Result<Attributes, Error> {
        let mut list: Vec<Attribute> = Vec::new();
        let mut names = FxHashSet::default();
        while self.cursor.take(Token::Comma) {
            let (name, span) = self.cursor.expect_name("the name of an attribute")?;
            if !names.insert(name) {
                return Err(wrong(span, format!("the attribute {} is given twice", quoted(name))));
            }
            self.cursor.expect(Token::Equals)?;
            let value = match name {
                "to_apply" | "calls" | "condition" | "body" | "true_computation"
                | "false_computation" | "select" | "scatter"
                    if self.at_computation() =>
                {
                    self.computations(owner, name)?
                }
                "branch_computations" | "called_computations" if self.at_computations() => {
                    self.cursor.advance();
                    self.computation_list(owner, name)?
                }
                _ => parse_attribute::value(&mut self.cursor, name)?,
            };
            list.push(Attribute { name: name.into(), value, span: span.start..self.cursor.end() });
        }
        Ok(Attributes { list })
    }

    /// Returns whether a computation comes next, by name or in braces. Any other value is kept like any other attribute.
    fn at_computation(&mut self) -> bool {
        match self.cursor.peek() {
            Some(Token::OpenBrace) => self.cursor.peek_second() == Some(Token::Name),
            token => token == Some(Token::Name),
        }
    }

    /// Returns whether a list of computations comes next.
    fn at_computations(&mut self) -> bool {
        self.cursor.peek() == Some(Token::OpenBrace)
            && match self.cursor.peek_second() {
                Some(Token::OpenBrace) => self.cursor.peek_third() == Some(Token::Name),
                second => matches!(second, Some(Token::Name | Token::CloseBrace)),
            }
    }

    /// Parses `%add`, `{%a, %b}`, or the instructions of a computation in braces.
    fn computations(&mut self, owner: &str, name: &str) -> Result<AttributeValue, Error> {
        if self.cursor.peek() == Some(Token::OpenBrace) {
            let is_list = match self.cursor.peek_second() {
                Some(Token::Name) => {
                    matches!(self.cursor.peek_third(), Some(Token::Comma | Token::CloseBrace))
                }
                _ => false,
            };
            if is_list {
                self.cursor.advance();
                return self.computation_list(owner, name);
            }
        }
        self.reference(owner, name).map(AttributeValue::Computation)
    }

    fn computation_list(&mut self, owner: &str, name: &str) -> Result<AttributeValue, Error> {
        let mut references = Vec::new();
        while self.cursor.peek() != Some(Token::CloseBrace) {
            references.push(self.reference(owner, name)?);
            if !self.cursor.take(Token::Comma) {
                break;
            }
        }
        self.cursor.expect(Token::CloseBrace)?;
        Ok(AttributeValue::Computations(references))
    }

    fn reference(&mut self, owner: &str, attribute: &str) -> Result<ComputationReference, Error> {
        if self.cursor.peek() != Some(Token::OpenBrace) {
            let (name, span) = self.cursor.expect_name("the name of a computation")?;
            return Ok(ComputationReference { name: name.into(), target: None, span });
        }
        let start = self.cursor.peek_span().start;
        let body = self.body()?;
        let span = start..self.cursor.end();
        let computation = body.finish("".into(), None, span.clone())?;
        let id = self.push_unnamed(computation, format!("{owner}.{attribute}"));
        Ok(ComputationReference { name: "".into(), target: Some(id), span })
    }

    fn entry(&mut self) -> Result<ComputationId, Error> {
        if let (Some(bare), Some(_)) = (self.bare, self.marked_entry) {
            return Err(wrong(
                self.computations[bare.0].span(),
                "instructions outside of a computation, beside an `ENTRY`",
            )
            .hint("move them into a computation"));
        }
        let last = self.computations.len().checked_sub(1).map(ComputationId);
        self.marked_entry.or(self.bare).or(last).ok_or_else(|| {
            self.cursor
                .expected("a computation or an instruction")
                .hint("an instruction is `name = shape opcode(operands), attributes`")
        })
    }

    /// Assigns unused names to the snippet, and to the computations written in place.
    fn name_inline_computations(&mut self) {
        let mut free = FreeNames::all_but(self.names.keys().copied());
        let snippet = self.bare.map(|bare| (bare, "entry".to_owned()));
        let inline = std::mem::take(&mut self.inline_names);
        let mut renamed: FxHashMap<ComputationId, Arc<str>> = FxHashMap::default();
        for (id, base) in snippet.into_iter().chain(inline) {
            let name = free.take(&base);
            self.computations[id.0].name = name.clone();
            renamed.insert(id, name);
        }
        self.for_each_reference(|reference| {
            if let Some(name) = reference.target.and_then(|target| renamed.get(&target)) {
                reference.name = name.clone();
            }
        });
    }

    /// Resolves references by name, wherever their computations are.
    fn resolve(&mut self) {
        let names = std::mem::take(&mut self.names);
        self.for_each_reference(|reference| {
            if reference.target.is_none() {
                reference.target = names.get(&*reference.name).copied();
            }
        });
    }

    fn for_each_reference(&mut self, mut change: impl FnMut(&mut ComputationReference)) {
        let instructions =
            self.computations.iter_mut().flat_map(|computation| &mut computation.instructions);
        instructions
            .flat_map(|instruction| instruction.attributes.computations_mut())
            .for_each(&mut change);
    }
}

fn is_table_name(name: &str) -> bool {
    matches!(name, "FileNames" | "FunctionNames" | "FileLocations" | "StackFrames")
}
