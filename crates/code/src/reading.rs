//! A text of code with its tree, and the maps of its values.

use super::cases::{
    Case, Limits, MAX_CASES, Region, both, everywhere, intersected, limit, truth_of,
};
use super::kinds::{Kinds, reachable};
use super::lower::Lowering;
use super::program::{Program, of_tokens, program};
use super::tokens::Tokens;
use super::types::{Type, is_wide};
use super::unsigned::check;
use super::value::{Assumed, Comparison, Known, Value};
use super::variables::{Found, Variables};
use affinor_maps::expr::{Domain, Expr, IndexingMap, Variable, VariableId, VariableKind};
use affinor_maps::num::{Interval, MINUS_INFINITY};
use affinor_maps::text::ast::{Node, NodeId, NodeKind};
use affinor_maps::text::token::excerpt;
use affinor_maps::text::{Error, ErrorKind, Span};

/// The message for code whose bounds exclude every point.
pub const NO_POINT: &str = "the bounds exclude every point";

/// A text with its tree.
pub struct Text<'t> {
    pub text: &'t str,
    pub program: Program<'t>,
    /// The values at its end; for a comparison, its two sides.
    pub results: Vec<NodeId>,
    pub relation: Option<Comparison>,
    truncates: bool,
}

impl<'t> Text<'t> {
    pub fn parse(text: &'t str, truncates: bool, known: Known) -> Result<Text<'t>, Error> {
        let program = program(text, truncates, known).map_err(|error| match foreign(text) {
            Some(hint) if error.kind == ErrorKind::Syntax => error.hint(hint),
            _ => error,
        })?;
        Text::of(text, program, truncates)
    }

    /// Parses the text again with the parameters of `other`, if both are functions of equally many parameters, since functions
    /// are called by position. Returns `None` if the parameters already agree, or if one would collide with another name.
    pub fn with_parameters_of(
        &self,
        other: &Text<'t>,
        known: Known,
    ) -> Result<Option<Text<'t>>, Error> {
        let (own, wanted) = (&self.program.arguments, &other.program.arguments);
        let mut tokens = Tokens::new(self.text)?;
        let is_taken = |name: &&str| !own.contains(name) && tokens.has_name(name);
        if own == wanted || own.len() != wanted.len() || wanted.iter().any(is_taken) {
            return Ok(None);
        }
        tokens.truncates = self.truncates;
        let names: Vec<_> = own.iter().copied().zip(wanted.iter().copied()).collect();
        tokens.rename(&names);
        Text::of(self.text, of_tokens(tokens, known)?, self.truncates).map(Some)
    }

    fn of(text: &'t str, program: Program<'t>, truncates: bool) -> Result<Text<'t>, Error> {
        if let (Some(span), true) = (&program.chain, truncates || program.c.is_some()) {
            let message = "C reads a chain of comparisons differently";
            let error = Error::new(ErrorKind::Syntax, span.clone(), message);
            return Err(error.hint("write `a < b && b < c`"));
        }
        let (results, relation) = match &program.results[..] {
            [only] => compared(&program.term.node(*only).kind, *only),
            list => (list.to_vec(), None),
        };
        Ok(Text { text, program, results, relation, truncates })
    }

    /// Removes each Triton mask that is an undefined name: it only makes its access an upper bound.
    pub fn forget_masks(&mut self, known: Known) {
        if !self.program.is_triton {
            return;
        }
        let ranges = self.program.ranges.iter().enumerate();
        let masks: Vec<(usize, NodeId, NodeId)> = ranges
            .flat_map(|(at, (of, conditions))| conditions.iter().map(move |mask| (at, *of, *mask)))
            .filter(|(_, _, mask)| match self.program.term.node(*mask).kind {
                NodeKind::Name(name) => {
                    known(name).is_none() && !self.program.bound.iter().any(|bound| bound == name)
                }
                _ => false,
            })
            .collect();
        for (at, of, mask) in masks {
            let mut accesses = self.program.accesses.iter_mut();
            if let Some(access) = accesses.find(|access| access.indices.contains(&of)) {
                access.is_bound = true;
                self.program.ranges[at].1.retain(|condition| *condition != mask);
            }
        }
    }

    /// Returns whether a value is a name that has neither a value nor bounds.
    pub fn is_free_name(&self, value: NodeId, known: Known) -> bool {
        let node = self.program.term.node(value);
        let is_free = matches!(node.kind, NodeKind::Name(name) if known(name).is_none());
        is_free && self.program.conditions.is_empty()
    }

    /// Returns whether conditions or the indices of vectors bound names.
    pub fn has_bounds(&self) -> bool {
        !self.program.conditions.is_empty() || !self.program.ranges.is_empty()
    }

    /// Returns which nodes are parts of some values, or of the conditions that bound them.
    pub fn used(&self, values: &[NodeId]) -> Vec<bool> {
        let conditions = self.conditions(values);
        let roots = values.iter().chain(&conditions).copied();
        reachable(&self.program.term, roots)
    }

    /// Returns the conditions of the bounds, and those of each `arange` in the values.
    fn conditions(&self, values: &[NodeId]) -> Vec<NodeId> {
        let program = &self.program;
        let mut conditions = program.conditions.clone();
        let roots = values.iter().chain(&program.conditions).copied();
        let used = reachable(&program.term, roots);
        let own = program.ranges.iter().filter(|(index, _)| used[index.index()]);
        conditions.extend(own.flat_map(|(_, conditions)| conditions));
        conditions
    }

    /// Rejects a condition that C evaluates in another way. The bounds of names are those in comparisons without operations.
    fn check_unsigned(&self, conditions: &[NodeId], variables: &Variables) -> Result<(), Error> {
        let program = &self.program;
        if !(self.truncates || program.c.is_some()) {
            return Ok(());
        }
        let is_bare = |id: &NodeId| {
            let has_operation = |(_, node): (NodeId, &Node<'_>)| {
                let is_sign = matches!(&node.kind, NodeKind::Negate(of)
                    if matches!(program.term.node(*of).kind, NodeKind::Integer(_)));
                !is_sign
                    && !matches!(
                        node.kind,
                        NodeKind::Integer(_)
                            | NodeKind::Name(_)
                            | NodeKind::Compare(..)
                            | NodeKind::And(_)
                    )
            };
            let used = reachable(&program.term, std::iter::once(*id));
            let mut nodes = program.term.nodes().filter(|(id, _)| used[id.index()]);
            !nodes.any(has_operation)
        };
        let bare: Vec<NodeId> = conditions.iter().copied().filter(is_bare).collect();
        let mut lowering = Lowering::new(&program.term, self.text, variables);
        lowering.truncates = true;
        lowering.is_typed = false;
        lowering.run(&reachable(&program.term, bare.iter().copied()))?;
        if let [limits] = &domain(&bare, &mut lowering)?[..] {
            lowering.narrow(limits);
        }
        check(&program.term, conditions, &mut lowering)
    }

    pub fn variables(&self, values: &[NodeId], kinds: &Kinds, known: Known) -> Variables {
        Variables::of(&[(&self.program, &self.used(values))], kinds, known)
    }

    /// Returns the maps of some values. For values that are only named, later lines may bound the indices of threads differently.
    pub fn value(
        &self,
        values: &[NodeId],
        variables: &Variables,
        is_end: bool,
    ) -> Result<Value, Error> {
        let program = &self.program;
        let mut lowering = Lowering::new(&program.term, self.text, variables);
        lowering.truncates = self.truncates || program.c.is_some();
        lowering.is_triton = program.is_triton;
        // The bounds come first, since bitwise operations depend on them. They are about mathematical integers, whatever the
        // types are.
        let conditions = self.conditions(values);
        self.check_unsigned(&conditions, variables)?;
        lowering.is_typed = false;
        lowering.run(&reachable(&program.term, conditions.iter().copied()))?;
        let mut region = domain(&conditions, &mut lowering)?;
        if is_end {
            lowering.launched = variables.launched(&program.conditions, &program.term);
        }
        for [index, size] in lowering.launched.clone() {
            let below = Expr::variable(index).sub(&Expr::variable(size));
            if let Some(below) =
                below.ok().and_then(|below| limit(&below, Interval::new(MINUS_INFINITY, -1)).ok())
            {
                region.iter_mut().for_each(|limits| limits.push(below.clone()));
            }
        }
        let assumes = lowering.take_positive();
        if let [limits] = &region[..] {
            lowering.narrow(limits);
        }
        let base = region.clone();
        (lowering.rounded, lowering.is_typed) = (None, true);
        lowering.run(&reachable(&program.term, values.iter().copied()))?;
        let mut combined: Vec<(Limits, Vec<Expr>)> =
            region.into_iter().map(|limits| (limits, Vec::new())).collect();
        let of = match self.relation {
            Some(Comparison::Is(_) | Comparison::Differs) => lowering.common_type(values),
            _ => Type::Plain,
        };
        for id in values {
            combined = with(&combined, &lowering.operand(*id, of)?, &lowering);
            if combined.len() > MAX_CASES {
                let span = program.term.node(*id).span.clone();
                let message = format!("the code has more than {MAX_CASES} cases");
                return Err(Error::new(ErrorKind::TooLarge, span, message));
            }
        }
        let whole = match &base[..] {
            [base] if combined.len() > 1 => self.whole(&lowering, variables, base, &combined),
            _ => None,
        };
        let (mut maps, mut assumed) = (Vec::new(), Vec::new());
        for (limits, values) in combined {
            let (map, own) = map(&lowering, variables, &limits, values);
            if !own.is_empty() && map.domain().is_known_empty() {
                let message = "a divisor is never positive";
                return Err(Error::new(ErrorKind::Division, 0..self.text.len(), message));
            }
            assumed.extend(own);
            if !map.domain().is_known_empty() {
                maps.push(map);
            }
        }
        if maps.is_empty() {
            let span = 0..self.text.len();
            let message = NO_POINT.to_owned();
            return Err(Error::new(ErrorKind::Domain, span, message));
        }
        Ok(Value {
            name: None,
            access: None,
            of: match values {
                [only] => lowering.types[only.index()],
                _ => Type::Plain,
            },
            free: {
                let free = variables.list.iter().filter(|found| found.is_free);
                free.map(|found| found.name.clone()).collect()
            },
            axes: Vec::new(),
            unbounded: unbounded(&maps),
            whole: whole.or_else(|| (maps.len() == 1).then(|| maps[0].clone())),
            maps,
            assumed,
            assumes: !assumes.is_empty() || program.c.is_some(),
            notes: self.notes(variables, &lowering, &assumes),
            wraps: lowering.wraps.borrow().is_some(),
            taken: lowering.taken.take().into_iter().map(|(.., taken)| taken).collect(),
        })
    }

    /// Returns the cases as one map over the limits of the bounds, unless a divisor is positive in some cases only.
    fn whole(
        &self,
        lowering: &Lowering,
        variables: &Variables,
        base: &Limits,
        cases: &[(Limits, Vec<Expr>)],
    ) -> Option<IndexingMap> {
        let count = cases.first()?.1.len();
        let mut totals = vec![Expr::constant(0); count];
        for (limits, values) in cases {
            let own = limits.iter().filter(|limit| !base.contains(limit));
            let truth = truth_of(own).ok()?;
            for (total, value) in totals.iter_mut().zip(values) {
                *total = total.add(&truth.times(value).ok()?).ok()?;
            }
        }
        let (whole, assumed) = map(lowering, variables, base, totals);
        assumed.is_empty().then_some(whole)
    }

    /// Describes the readings of the text that are not literal.
    fn notes(
        &self,
        variables: &Variables,
        lowering: &Lowering,
        positive: &[VariableId],
    ) -> Vec<String> {
        let mut notes = variables.notes();
        notes.extend(sizes(variables, lowering, positive));
        let names = |id: VariableId| variables.list[id.index()].name.as_str();
        let launched = lowering.launched.iter();
        let launched: Vec<String> = launched.map(|pair| pair.map(names).join(" < ")).collect();
        if !launched.is_empty() {
            notes.push(format!("{}, as threads and blocks are numbered", launched.join(", ")));
        }
        let excerpt = |span: &Span| excerpt(self.text.get(span.clone()).unwrap_or(""));
        let is_c = self.program.c.is_some();
        if let (Some(span), true, false) = (&lowering.slash, self.program.is_python, self.truncates)
        {
            notes.push(format!("the `/` of `{}` is read as `//`", excerpt(span)));
        }
        if let (Some(span), None) = (&self.program.mixed, &self.program.c) {
            let shown = excerpt(span);
            notes.push(format!(
                "`{shown}` is a chain of comparisons, all of which must hold, as in Python"
            ));
        }
        if let Some(call) =
            ["tl.multiple_of", "tl.max_contiguous"].iter().find(|call| self.text.contains(*call))
        {
            notes.push(format!(
                "`{call}` is a promise to the compiler, not a condition: add `where x % 128 == 0`"
            ));
        }
        if let Some(span) = &lowering.inverted {
            let shown = excerpt(span);
            notes.push(format!(
                "`{shown}` is read as `not`, as of masks; of a bool of Python or C it is -1 or -2"
            ));
        }
        match &lowering.rounded {
            Some(span) if is_c && !self.truncates => {
                notes.push(format!("`{}` rounds toward zero, as in C", excerpt(span)));
            }
            Some(span) if self.program.is_triton => {
                let shown = excerpt(span);
                notes.push(format!("`{shown}` rounds down here, and may be of a negative value: of tensors Triton rounds toward zero"));
            }
            Some(span) if !self.program.is_python && !self.truncates => {
                let shown = excerpt(span);
                notes.push(format!("`{shown}` rounds down here, and may be of a negative value: in C it rounds toward zero, `--c`"));
            }
            _ => {}
        }
        // Signed overflow has no value in C, which needs no note.
        let taken = lowering.taken.borrow();
        let unsigned = taken.iter().find(|(_, of, _)| matches!(of, Type::Unsigned(_)));
        if let Some((span, of, _)) = unsigned {
            let (shown, of) = (excerpt(span), of.name());
            notes.push(format!(
                "`{shown}` is taken to fit in its type, {of}, since names in it have no bounds"
            ));
        }
        if let Some((span, of)) = &*lowering.wraps.borrow() {
            let (shown, of) = (excerpt(span), of.name());
            notes.push(format!("`{shown}` may leave its type, {of}: it is taken modulo 2^32"));
        }
        notes
    }
}

/// Returns the hint for a text in an unsupported language: how to ask it here instead.
fn foreign(text: &str) -> Option<&'static str> {
    const SMT: [&str; 7] =
        ["(declare-", "(define-", "(set-", "(assert", "(check-sat", "(= (", "(simplify ("];
    let text = text.trim_start();
    let is_smt = SMT.iter().any(|start| text.starts_with(start));
    let is_jaxpr = text.starts_with("{ lambda");
    match (is_smt, is_jaxpr) {
        (true, _) => Some(
            "operators are between their operands here, not before them as in SMT-LIB: `prove (4*x + y) floordiv 4 = x where 0 <= y, y < 4`",
        ),
        (_, true) => {
            Some("a jaxpr is not supported, but its StableHLO is: `jax.jit(f).lower(x).as_text()`")
        }
        _ => None,
    }
}

/// Returns the two sides of a comparison, and its relation.
fn compared(kind: &NodeKind, id: NodeId) -> (Vec<NodeId>, Option<Comparison>) {
    match kind {
        NodeKind::Compare(sides, relations) => {
            let relation = relations.first().copied();
            (sides.clone(), relation.map(Comparison::Is))
        }
        NodeKind::Call("!=", sides) => (sides.clone(), Some(Comparison::Differs)),
        NodeKind::And(parts) | NodeKind::Or(parts) if !parts.is_empty() => {
            (vec![id], Some(Comparison::Holds))
        }
        NodeKind::Not(_) => (vec![id], Some(Comparison::Holds)),
        _ => (vec![id], None),
    }
}

/// Returns the points at which the conditions hold. Conditions on single variables become their bounds.
fn domain(conditions: &[NodeId], lowering: &mut Lowering) -> Result<Region, Error> {
    let mut region = everywhere();
    for condition in conditions {
        let truth = lowering.truth(*condition)?;
        let joint = intersected(&region, &truth, &lowering.within());
        region = joint.ok_or_else(|| {
            let span = lowering.term.node(*condition).span.clone();
            Error::new(
                ErrorKind::TooLarge,
                span,
                format!("the bounds have more than {MAX_CASES} cases"),
            )
        })?;
    }
    if let [limits] = &mut region[..] {
        limits.retain(|limit| match limit.expr.as_variable() {
            Some(id) => {
                let bounds = &mut lowering.bounds[id.index()];
                *bounds = bounds.intersect(limit.bounds);
                false
            }
            None => true,
        });
    }
    Ok(region)
}

/// Returns the combinations of the values so far with the cases of another value.
fn with(
    combined: &[(Limits, Vec<Expr>)],
    cases: &[Case],
    lowering: &Lowering,
) -> Vec<(Limits, Vec<Expr>)> {
    let pairs = combined.iter().flat_map(|one| cases.iter().map(move |case| (one, case)));
    let joined = pairs.filter_map(|((limits, values), case)| {
        let limits = both(limits, &case.limits, &lowering.within())?;
        let values = values.iter().chain([&case.value]).cloned().collect();
        Some((limits, values))
    });
    joined.take(MAX_CASES + 1).collect()
}

/// Describes which names are sizes, and which of them are assumed to be at least 1.
fn sizes(variables: &Variables, lowering: &Lowering, positive: &[VariableId]) -> Option<String> {
    let numbered = (0..).map(VariableId).zip(&variables.list);
    let sizes = numbered.filter(|(_, found)| found.size.is_some());
    let (taken, others): (Vec<_>, Vec<_>) = sizes.partition(|(id, _)| positive.contains(id));
    let (free, stated): (Vec<_>, Vec<_>) =
        others.into_iter().partition(|(id, _)| lowering.bounds[id.index()] == Interval::ALL);
    let group = |list: Vec<(VariableId, &Found)>, [one, several]: [&str; 2]| {
        let names: Vec<&str> = list.iter().map(|(_, found)| &*found.name).collect();
        let said = if names.len() == 1 { one } else { several };
        (!names.is_empty()).then(|| format!("{}{said}", names.join(", ")))
    };
    let count = taken.len() + free.len() + stated.len();
    let groups = [
        group(stated, ["", ""]),
        group(taken, [", at least 1", ", each at least 1"]),
        group(free, [", any integer", ", any integers"]),
    ];
    let groups: Vec<String> = groups.into_iter().flatten().collect();
    let word = if count == 1 { "size" } else { "sizes" };
    (!groups.is_empty()).then(|| format!("{word}: {}", groups.join("; ")))
}

/// Returns the map of a case, and the divisors that its domain does not show to be at least 1.
fn map(
    lowering: &Lowering,
    variables: &Variables,
    limits: &Limits,
    values: Vec<Expr>,
) -> (IndexingMap, Vec<Assumed>) {
    let found = variables.list.iter().zip(&lowering.bounds);
    let list = found.map(|(found, bounds)| Variable::new(found.name.as_str(), found.kind, *bounds));
    let mut domain = Domain::new(list.collect());
    for limit in limits {
        domain.constrain(&limit.expr, limit.bounds);
    }
    let map = IndexingMap::new(domain.clone(), values);
    let bounds = domain.variables().iter().zip(map.domain().variables());
    let tightened = bounds.enumerate().filter(|(_, (before, after))| before.bounds != after.bounds);
    let mut assumed: Vec<Expr> =
        tightened.map(|(number, _)| Expr::variable(VariableId(number as u32))).collect();
    let added = map.domain().constraints().iter().filter(|c| !domain.constraints().contains(c));
    assumed.extend(added.map(|constraint| constraint.expr.clone()));
    let assumed = assumed.into_iter().map(|divisor| Assumed { domain: domain.clone(), divisor });
    (map, assumed.collect())
}

/// Returns the indices that have neither bounds on both sides nor a constraint.
fn unbounded(maps: &[IndexingMap]) -> Vec<String> {
    let Some(domain) = maps.first().map(IndexingMap::domain) else {
        return Vec::new();
    };
    let is_bounded = |map: &IndexingMap, id: VariableId| {
        let mut constraints = map.domain().constraints().iter();
        !is_wide(map.domain().bounds(id))
            || constraints.any(|constraint| constraint.expr.variables().contains(&id))
    };
    let numbered = (0..).map(VariableId).zip(domain.variables());
    let free = numbered.filter(|(id, variable)| {
        variable.kind == VariableKind::Dimension && !maps.iter().all(|map| is_bounded(map, *id))
    });
    free.map(|(_, variable)| variable.name.to_string()).collect()
}
