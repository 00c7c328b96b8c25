//! Parses the wrappers that libraries put around index functions: `BlockSpec` of Pallas, `T.axis.remap` of TVM.
//!
//! Law: a block spec is the map from a point of the grid and an element `e0, e1, ..` of the block to an element of the array: the
//! block's index times its size, plus the element's index. A dimension of size `None` has no element variable.

use super::program::Reader;
use super::token::Class;
use affinor_maps::text::ast::{NodeId, NodeKind, Relation, Sign};
use affinor_maps::text::{Error, ErrorKind};

/// The names of the variables for the elements of a block, by dimension.
const ELEMENTS: [&str; 8] = ["e0", "e1", "e2", "e3", "e4", "e5", "e6", "e7"];

impl<'t> Reader<'t> {
    pub fn is_block_spec(&mut self) -> bool {
        let name = self.tokens().current().text;
        name.rsplit('.').next() == Some("BlockSpec") && self.tokens().ahead(1).text == "("
    }

    /// Parses `BlockSpec((8, 128), lambda i, j: (i, j))`, with the arguments in either order, or by name.
    pub fn block_spec(&mut self) -> Result<Vec<NodeId>, Error> {
        self.parser.is_python = true;
        let start = self.tokens().current().span.start;
        self.tokens().advance();
        self.tokens().take("(")?;
        self.tokens().depth += 1;
        let (mut sizes, mut blocks) = (None, None);
        while !self.tokens().is(")") {
            if self.tokens().ahead(1).text == "=" {
                let (name, span) = self.tokens().name()?;
                if !matches!(name, "block_shape" | "index_map") {
                    let message =
                        format!("the parameter `{name}` of a block spec is not supported");
                    let error = Error::new(ErrorKind::Unsupported, span, message);
                    return Err(error.hint("`BlockSpec(block_shape, index_map)`"));
                }
                self.tokens().advance();
            }
            if self.tokens().eat("lambda") {
                self.names(":")?;
                blocks = Some(self.listed()?.into_iter().flatten().collect::<Vec<_>>());
            } else {
                sizes = Some(self.listed()?);
            }
            if !self.tokens().eat(",") {
                break;
            }
        }
        self.tokens().depth -= 1;
        self.tokens().take(")")?;
        let span = start..self.tokens().previous_end();
        let (Some(sizes), Some(blocks)) = (sizes, blocks) else {
            let message = "a block spec needs the sizes of a block and a lambda";
            let error = Error::new(ErrorKind::Unsupported, span, message);
            return Err(error.hint("`BlockSpec((8, 128), lambda i, j: (i, j))`"));
        };
        if sizes.len() != blocks.len() || sizes.len() > ELEMENTS.len() {
            let message = format!("{} sizes for {} indices", sizes.len(), blocks.len());
            return Err(Error::new(ErrorKind::Arity, span, message));
        }
        let parts = blocks.into_iter().zip(sizes).zip(ELEMENTS);
        parts.map(|((block, size), name)| self.element(block, size, name)).collect()
    }

    /// Returns the index in one dimension: the element called `name` of the block number `block`.
    fn element(
        &mut self,
        block: NodeId,
        size: Option<NodeId>,
        name: &'static str,
    ) -> Result<NodeId, Error> {
        let Some(size) = size else {
            return Ok(block);
        };
        let span = self.parser.terms.span(size);
        if self.arguments.contains(&name) {
            let message = format!("`{name}` is the name of an element of the block");
            let error = Error::new(ErrorKind::Name, span, message);
            return Err(error.hint("give the index of the grid another name"));
        }
        let element = self.parser.push(NodeKind::Name(name), span.clone())?;
        let zero = self.parser.push(NodeKind::Integer(0), span.clone())?;
        self.parser.bound.push(name.to_owned());
        self.compared(zero, Relation::LessEqual, element)?;
        self.compared(element, Relation::Less, size)?;
        let first = self.parser.push(NodeKind::Multiply(block, size), span.clone())?;
        let sum = vec![(Sign::Plus, first), (Sign::Plus, element)];
        self.parser.push(NodeKind::Sum(sum), span)
    }

    /// Parses a value, or several in brackets, where `None` is a missing value.
    pub fn listed(&mut self) -> Result<Vec<Option<NodeId>>, Error> {
        let close = match self.tokens().current().text {
            "(" => ")",
            "[" => "]",
            _ => return Ok(vec![Some(self.parser.choice()?)]),
        };
        let open = self.tokens().current().clone();
        self.tokens().advance();
        self.tokens().depth += 1;
        let mut items = Vec::new();
        while !self.tokens().is(close) {
            items.push(match self.tokens().eat("None") {
                true => None,
                false => Some(self.parser.choice()?),
            });
            if !self.tokens().eat(",") {
                break;
            }
        }
        self.parser.close_bracket(&open, open.text, close)?;
        Ok(items)
    }

    /// Parses `T.axis.remap("SS", [i, j])`, and returns the values in the brackets.
    pub fn remap(&mut self) -> Result<Vec<NodeId>, Error> {
        self.tokens().advance();
        self.tokens().take("(")?;
        self.tokens().depth += 1;
        if self.tokens().current().class != Class::Text {
            return Err(self.tokens().unexpected("the kinds of the axes, as in `\"SR\"`"));
        }
        self.tokens().advance();
        self.tokens().take(",")?;
        let span = self.tokens().current().span.clone();
        let values = self.listed()?;
        self.tokens().depth -= 1;
        self.tokens().take(")")?;
        let message = "an axis has no value";
        let values: Option<Vec<NodeId>> = values.into_iter().collect();
        values.ok_or_else(|| Error::new(ErrorKind::Syntax, span, message))
    }
}
