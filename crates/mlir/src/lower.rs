//! Lowers ops and regions to instructions and computations.
//!
//! A region becomes a computation, which has no access to values around it: captured values become parameters, and constants
//! are repeated inside. An op that no rule handles, or whose attributes are not understood, becomes an instruction of unknown
//! operation, with its operands and the values captured by its regions: nothing is claimed about it, and a note gives the
//! reason.

use crate::body::{Body, Stop, Value};
use crate::emit::{Computation, Names};
use crate::parse::Text;
use crate::tree::{Op, Region, Use};
use crate::types::Type;
use affinor_maps::text::{Error, ErrorKind};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// The state of lowering a module.
pub(crate) struct Lowering<'t, 'a> {
    pub(crate) text: &'t Text<'a>,
    /// The function that lowers an op.
    pub(crate) rule: Rule,
    /// The computations of functions, by function name.
    pub(crate) functions: FxHashMap<&'a str, String>,
    pub(crate) done: Vec<Computation>,
    pub(crate) names: Names,
    pub(crate) notes: Vec<Error>,
    /// Reducers that are named by an op, by op and shape.
    pub(crate) reducers: FxHashMap<(String, String), String>,
    /// The number of ops that were repeated inside regions.
    pub(crate) repeated: usize,
}

/// Lowers an op.
pub(crate) type Rule = fn(&mut Site<'_, '_, '_>) -> Result<(), Stop>;

/// An op, and the body that it is lowered into.
pub(crate) struct Site<'s, 't, 'a> {
    pub(crate) lowering: &'s mut Lowering<'t, 'a>,
    pub(crate) body: &'s mut Body<'t, 'a>,
    pub(crate) op: &'t Op<'a>,
    pub(crate) operands: Vec<Value<'t, 'a>>,
}

/// Maximum number of ops that are repeated inside regions, in total; texts with more of them are rejected.
const MAX_REPEATED: usize = 1 << 20;

impl<'t, 'a> Lowering<'t, 'a> {
    /// Lowers all ops of a block; returns the line of its result.
    pub(crate) fn ops(
        &mut self,
        body: &mut Body<'t, 'a>,
        ops: &'t [Op<'a>],
        owner: &'t Op<'a>,
    ) -> Result<usize, Error> {
        for op in ops {
            if op.is_return() && op.regions.is_empty() {
                let mut values = body.uses(&op.operands, op)?;
                let handed_on = body.handed_on.iter();
                values.extend(handed_on.filter_map(|name| body.values.get(name).cloned()));
                return Ok(body.joined(&values, op));
            }
            self.op(body, op)?;
        }
        match body.lines.len().checked_sub(1) {
            // A query about a snippet is about its last op.
            Some(last) if body.is_snippet => Ok(last),
            _ => Ok(body.joined(&[], owner)),
        }
    }

    pub(crate) fn finish(&mut self, body: Body<'t, 'a>, root: usize, owner: &Op<'a>) {
        let Body { name, lines, notes, .. } = body;
        self.notes.extend(notes);
        self.done.push(Computation { name, lines, root, span: owner.name_span.clone() });
    }

    /// Lowers one op.
    pub(crate) fn op(&mut self, body: &mut Body<'t, 'a>, op: &'t Op<'a>) -> Result<(), Error> {
        let operands = body.uses(&op.operands, op)?;
        let mut site = Site { lowering: self, body, op, operands };
        match (site.lowering.rule)(&mut site) {
            Ok(()) => {
                body.report_assumed(op);
                // Ops that write to buffers have no results.
                let writes = op.destinations > 0 || op.short() == "call";
                body.is_written |= writes && has_buffer(op);
                Ok(())
            }
            Err(Stop::Wrong(error)) => Err(*error),
            Err(Stop::Unknown(reason)) => {
                site.lowering.note(op, &reason);
                self.unknown(body, op)
            }
        }
    }

    /// Records why `op` was not understood.
    pub(crate) fn note(&mut self, op: &Op<'a>, reason: &str) {
        self.notes.push(op.error(format!("`{}`: {reason}", op.name)));
    }

    /// Adds an instruction of unknown operation.
    fn unknown(&mut self, body: &mut Body<'t, 'a>, op: &'t Op<'a>) -> Result<(), Error> {
        let mut operands = body.uses(&op.operands, op)?;
        for used in captures(op.regions.iter()) {
            // Values bound by the op's own loops are not among those of the body.
            operands.extend(body.values.get(used.name).cloned());
        }
        body.is_written |= operands.iter().any(|value| value.ty.is_buffer());
        let mut operands: Vec<usize> = operands.iter().map(|value| value.line).collect();
        let mut seen = FxHashSet::default();
        operands.retain(|line| seen.insert(*line));
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
        let opcode: String = op.name.chars().map(|c| if is_part(c) { c } else { '_' }).collect();
        // HLO opcodes never contain a dot.
        let opcode = match op.name.contains('.') {
            true => opcode,
            false => format!("builtin.{opcode}"),
        };
        // A pretty form of another dialect may state no types, or in its own syntax.
        let unstated = |_| (0..op.result_count()).map(|_| Rc::new(Type::unstated())).collect();
        let types = op.result_types().unwrap_or_else(unstated);
        body.results_of(op, &types, &opcode, &operands, "");
        Ok(())
    }

    /// Lowers a region to a computation, whose parameters are the region's arguments; returns its name.
    ///
    /// `captured` lists values from around the region that become further parameters.
    pub(crate) fn region(
        &mut self,
        outer: &Body<'t, 'a>,
        op: &'t Op<'a>,
        region: &'t Region<'a>,
        role: &str,
        start: impl FnOnce(&mut Body<'t, 'a>),
    ) -> Result<String, Error> {
        let owner = op.results.first().map_or(op.short(), |result| result.name);
        let name = self.names.take(&format!("{}.{owner}.{role}", outer.name));
        let mut body = Body { name: name.clone(), ..Body::default() };
        start(&mut body);
        for used in captures([region]) {
            if body.values.contains_key(used.name) {
                continue;
            }
            if let Some(value) = outer.values.get(used.name) {
                self.repeat(outer, &mut body, used.name, value)?;
            }
        }
        let root = self.ops(&mut body, &region.ops, op)?;
        self.finish(body, root, op);
        Ok(name)
    }

    /// Repeats a constant of `outer` in `body`.
    fn repeat(
        &mut self,
        outer: &Body<'t, 'a>,
        body: &mut Body<'t, 'a>,
        name: &str,
        value: &Value<'t, 'a>,
    ) -> Result<(), Error> {
        let mut pending = vec![(name.to_owned(), value.clone(), false)];
        while let Some((name, value, is_ready)) = pending.pop() {
            if body.values.contains_key(&name) {
                continue;
            }
            let Some(op) = value.source.filter(|_| is_repeatable(outer, &value)) else { continue };
            self.repeated += 1;
            if self.repeated > MAX_REPEATED {
                let error = op.error("regions use too many constants from around them");
                return Err(Error { kind: ErrorKind::TooLarge, ..error });
            }
            if is_ready {
                self.op(body, op)?;
                continue;
            }
            pending.push((name, value, true));
            for operand in &op.operands {
                if let Some(value) = outer.values.get(operand.name) {
                    pending.push((operand.name.to_owned(), value.clone(), false));
                }
            }
        }
        Ok(())
    }

    /// Returns the values that `region` captures, except constants.
    pub(crate) fn captured(
        &self,
        outer: &Body<'t, 'a>,
        regions: &'t [Region<'a>],
    ) -> Vec<(&'a str, Value<'t, 'a>)> {
        let uses = captures(regions).into_iter();
        let values =
            uses.filter_map(|used| Some((used.name, outer.values.get(used.name)?.clone())));
        values.filter(|(_, value)| !is_repeatable(outer, value)).collect()
    }
}

fn has_buffer(op: &Op<'_>) -> bool {
    op.operand_types.iter().any(|ty| ty.is_buffer())
}

/// Prints `, sharding={..}` for a text that HLO can parse.
pub(crate) fn sharding_of(text: &str) -> Option<String> {
    let is_plain =
        text.starts_with('{') && text.ends_with('}') && !text.contains(['"', '\\', '\n']);
    let tokens = crate::token::Tokens::of(text).ok()?;
    let is_whole = tokens.partner(0) + 1 == tokens.len();
    (is_plain && is_whole).then(|| format!(", sharding={text}"))
}

/// Returns whether the value depends on constants only, so that a region can repeat it instead of capturing it.
fn is_repeatable<'t, 'a>(outer: &Body<'t, 'a>, value: &Value<'t, 'a>) -> bool {
    // The maximum number of ops; longer chains are better passed in.
    const MAX_OPS: usize = 16;
    let mut pending = vec![value.source];
    let mut seen = 0;
    while let Some(source) = pending.pop() {
        seen += 1;
        let Some(op) = source.filter(|_| seen <= MAX_OPS) else { return false };
        let is_constant = matches!(op.short(), "constant" | "iota");
        let is_pure = is_constant
            || matches!(op.short(), "broadcast_in_dim" | "convert" | "reshape" | "negate");
        if !is_pure {
            return false;
        }
        for operand in &op.operands {
            pending.push(outer.values.get(operand.name).and_then(|value| value.source));
        }
    }
    true
}

/// Returns the values that regions use but do not define, each once, in the order of their first use.
pub(crate) fn captures<'t, 'a: 't>(
    regions: impl IntoIterator<Item = &'t Region<'a>>,
) -> Vec<Use<'a>> {
    let mut uses: Vec<Use<'a>> = Vec::new();
    let mut seen = FxHashSet::default();
    for region in regions {
        let mut used = Vec::new();
        let mut defined: FxHashSet<&str> = FxHashSet::default();
        collect(region, &mut used, &mut defined);
        let is_free = |used: &&Use<'a>| {
            let base = used.name.split('#').next().unwrap_or(used.name);
            !defined.contains(base)
        };
        uses.extend(
            used.into_iter().filter(is_free).filter(|used| seen.insert(used.name)).cloned(),
        );
    }
    uses
}

fn collect<'t, 'a>(
    region: &'t Region<'a>,
    used: &mut Vec<&'t Use<'a>>,
    defined: &mut FxHashSet<&'a str>,
) {
    defined.extend(region.arguments.iter().map(|argument| argument.name));
    for op in &region.ops {
        used.extend(&op.operands);
        op.regions.iter().for_each(|region| collect(region, used, defined));
        defined.extend(op.results.iter().map(|result| result.name));
    }
}
