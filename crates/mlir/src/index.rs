//! Values of type `index` as expressions over the counters of loops, and over symbols: unknown values from outside of the
//! loops.
//!
//! Law: an expression is equal to the value, in mathematical integers. Source: MLIR, *affine dialect*, *arith dialect*.

use crate::arithmetic::{arithmetic, bits, delinearized, linearized};
use crate::body::{OrUnknown, Stop, Value, unknown};
use crate::exprs::{Known, SYMBOLS, checked, of_count, of_map};
use crate::geometry::known;
use crate::lower::Site;
use crate::token::{Range, Token};
use crate::tree::{Op, Use};
use crate::types::{self, Type};
use crate::view::View;
use affinor_maps::expr::{Expr, VariableId, interval_of};
use affinor_maps::num::{Interval, MINUS_INFINITY};
use affinor_maps::text::parse_expr;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Maximum length of a chain of values outside of loops, and of a conjunction.
pub(crate) const MAX_DEPTH: usize = 64;
/// Expressions that are all in their intervals.
pub(crate) type Constraints = Vec<(Expr, Interval)>;

/// The constraints under which a condition holds, and those under which it does not; `None` if there is no list of them.
pub(crate) type Test = [Option<Constraints>; 2];

/// The known index values of a function.
#[derive(Default)]
pub(crate) struct Index {
    values: FxHashMap<String, Expr>,
    /// Values defined inside loops that are unknown.
    hidden: FxHashSet<String>,
    /// The lines of the instructions that are symbols.
    symbols: Vec<usize>,
    /// The least value of each symbol, if it is known.
    least: Vec<i64>,
    /// The maximum trip counts of the loops around the current op.
    pub(crate) counts: Vec<Option<i64>>,
    /// Whether threads are among the loops.
    pub(crate) is_by_thread: bool,
    /// Arrays inside loops that are parts of arrays outside.
    pub(crate) views: FxHashMap<String, View>,
    /// Comparisons inside loops.
    pub(crate) tests: FxHashMap<String, Test>,
    /// The depth of the value that is being computed.
    depth: usize,
}

impl Index {
    pub(crate) fn set(&mut self, name: &str, value: Expr) {
        self.hidden.remove(name);
        self.values.insert(name.to_owned(), value);
    }

    /// Makes the results of an op inside a loop, and the arguments of its regions, unknown.
    pub(crate) fn hide(&mut self, op: &Op<'_>) {
        let bound = op.regions.iter().flat_map(|region| &region.arguments);
        let names = op.results.iter().map(|result| result.name).chain(bound.map(|x| x.name));
        for name in names {
            // Another value may have had this name in an earlier loop.
            self.values.retain(|known, _| known.split('#').next() != Some(name));
            self.views.remove(name);
            self.tests.remove(name);
            self.hidden.insert(name.to_owned());
        }
    }

    pub(crate) fn is_hidden(&self, name: &str) -> bool {
        self.hidden.contains(name.split('#').next().unwrap_or(name))
    }

    /// Returns whether the value is defined inside the loops.
    pub(crate) fn knows(&self, name: &str) -> bool {
        self.values.contains_key(name)
            || self.is_hidden(name)
            || self.views.contains_key(name)
            || self.tests.contains_key(name)
    }

    /// Returns the value of `%name` from outside of the loops; in a snippet it may be undefined.
    pub(crate) fn outside<'t, 'a>(
        &self,
        site: &mut Site<'_, 't, 'a>,
        used: &Use<'a>,
        ty: Option<Rc<Type>>,
    ) -> Result<Value<'t, 'a>, Stop> {
        if self.is_hidden(used.name) {
            return unknown(format!("`%{}` is made inside of the loop", used.name));
        }
        if !site.body.values.contains_key(used.name) && site.body.is_snippet {
            site.body.undefined(used, ty.or_unknown(|| "its type is not stated")?);
        }
        let value = site.body.values.get(used.name).cloned();
        value.or_unknown(|| format!("`%{}` is not a value outside of the loops", used.name))
    }

    /// Returns the interval of a value in loops with at most these trip counts.
    pub(crate) fn range(&self, counts: &[Option<i64>], expr: &Expr) -> Interval {
        let symbol = |id: VariableId| self.least.get(id.index().checked_sub(SYMBOLS as usize)?);
        let of_symbol = |id| symbol(id).map_or(Interval::ALL, |least| Interval::at_least(*least));
        let bounds = |id: VariableId| counts.get(id.index()).copied().map(of_count);
        interval_of(expr, &|id| bounds(id).unwrap_or_else(|| of_symbol(id)))
    }

    /// Returns the interval of a value at the current op.
    pub(crate) fn range_here(&self, expr: &Expr) -> Interval {
        self.range(&self.counts, expr)
    }

    /// Returns the value of `%name`.
    pub(crate) fn value<'a>(&mut self, site: &mut Site<'_, '_, 'a>, used: &Use<'a>) -> Known {
        if let Some(known) = self.values.get(used.name) {
            return Ok(known.clone());
        }
        let value = self.outside(site, used, types::of("index").map(Rc::new))?;
        if let Some(number) = known(&value, site) {
            return Ok(Expr::constant(number));
        }
        // Arithmetic outside of the loops is part of the expression.
        if let Some(op) = value.source.filter(|_| self.depth < MAX_DEPTH) {
            self.depth += 1;
            let computed = self.computed(site, op);
            self.depth -= 1;
            let keys = op.result_names().map(|(_, key, _)| key);
            self.values.extend(keys.zip(computed.ok().into_iter().flatten()));
            if let Some(known) = self.values.get(used.name) {
                return Ok(known.clone());
            }
        }
        if self.is_by_thread && varies(site, &value) {
            return unknown(format!("`%{}` differs by thread", used.name));
        }
        let at = self.symbols.iter().position(|symbol| *symbol == value.line);
        let at = at.unwrap_or(self.symbols.len());
        if at == self.symbols.len() {
            self.symbols.push(value.line);
            let is_natural = value.source.is_some_and(|op| {
                op.short() == "dim" || op.dialect() == "gpu" && op.operand_types.is_empty()
            });
            self.least.push(if is_natural { 0 } else { MINUS_INFINITY });
        }
        let at = u32::try_from(at).unwrap_or(u32::MAX / 2);
        let symbol = Expr::variable(VariableId(at + SYMBOLS));
        // The same op is not tried again: a chain of products would be tried for each path through it.
        self.values.insert(used.name.to_owned(), symbol.clone());
        Ok(symbol)
    }

    /// Parses an expression within an op: `%i + 4`, `symbol(%n) floordiv 2`.
    pub(crate) fn inline(&mut self, site: &mut Site<'_, '_, '_>, range: Range) -> Known {
        let (mut text, mut names, mut places) = (String::new(), Vec::new(), Vec::new());
        let tokens = &site.lowering.text.tokens;
        for at in range {
            if tokens.get(at) == Some(Token::Value) {
                let name = crate::cursor::value_name(tokens.word(at));
                let used = Use { name, span: tokens.span(at) };
                places.push(self.value(site, &used)?);
                names.push(format!("v{}", names.len()));
                text.push_str(names.last().map_or("", String::as_str));
            } else if !tokens.is(at, "symbol") {
                text.push_str(tokens.word(at));
            }
            text.push(' ');
        }
        match parse_expr(&text, &names) {
            Ok(expr) => checked(expr.substitute(&places)),
            Err(error) => unknown(format!("its indices are not affine: {}", error.message)),
        }
    }

    /// Returns the values of the list in brackets at `at`, each known or not.
    pub(crate) fn each(&mut self, site: &mut Site<'_, '_, '_>, at: usize) -> Vec<Known> {
        let tokens = &site.lowering.text.tokens;
        let items = tokens.list(tokens.inside(at));
        items.into_iter().map(|item| self.inline(site, item)).collect()
    }

    /// Returns the values of the list in brackets at `at`, if all are known.
    fn list(&mut self, site: &mut Site<'_, '_, '_>, at: usize) -> Result<Vec<Expr>, Stop> {
        self.each(site, at).into_iter().collect()
    }

    /// Returns the results of the map at `start`, applied to the operands after it.
    pub(crate) fn applied(
        &mut self,
        site: &mut Site<'_, '_, '_>,
        start: usize,
    ) -> Result<Vec<Expr>, Stop> {
        let (map, operands) = self.with_operands(site, start)?;
        of_map(&site.map_of(&map)?, &operands)
    }

    /// Returns the range of the map or the set at `start`, and the operands after it.
    pub(crate) fn with_operands(
        &mut self,
        site: &mut Site<'_, '_, '_>,
        start: usize,
    ) -> Result<(Range, Vec<Expr>), Stop> {
        let tokens = &site.lowering.text.tokens;
        let attribute = tokens.attribute(start);
        let (mut operands, mut at) = (Vec::new(), attribute.end);
        while matches!(tokens.get(at), Some(Token::OpenParenthesis | Token::OpenBracket)) {
            operands.extend(self.list(site, at)?);
            at = tokens.behind(at);
        }
        Ok((attribute, operands))
    }

    /// Returns the results of the map of an op of index arithmetic, which comes after its name or is an attribute.
    fn of_op<'a>(&mut self, site: &mut Site<'_, '_, 'a>, op: &Op<'a>) -> Result<Vec<Expr>, Stop> {
        let Some(range) = op.named(&["map"]) else { return self.applied(site, op.tokens.start) };
        let map = site.map_of(&range)?;
        let operands = op.operands.iter().map(|used| self.value(site, used));
        of_map(&map, &operands.collect::<Result<Vec<_>, _>>()?)
    }

    /// Makes the undefined operands of an op in a snippet parameters, with the types that the op states.
    pub(crate) fn declare<'a>(&self, site: &mut Site<'_, '_, 'a>, op: &Op<'a>) {
        for (k, used) in op.operands.iter().enumerate() {
            let is_defined = self.knows(used.name) || site.body.values.contains_key(used.name);
            if let (true, false, Some(ty)) = (site.body.is_snippet, is_defined, op.operand_type(k))
            {
                site.body.undefined(used, ty);
            }
        }
    }

    /// Defines the results of an op of index arithmetic or a test of indices; returns `false` for other ops.
    pub(crate) fn define<'a>(&mut self, site: &mut Site<'_, '_, 'a>, op: &Op<'a>) -> bool {
        if let (Some(test), Some(result)) = (self.test(site, op), op.results.first()) {
            self.tests.insert(result.name.to_owned(), test);
            return true;
        }
        let Ok(computed) = self.computed(site, op) else { return false };
        self.values.extend(op.result_names().map(|(_, key, _)| key).zip(computed));
        true
    }

    pub(crate) fn computed<'a>(
        &mut self,
        site: &mut Site<'_, '_, 'a>,
        op: &Op<'a>,
    ) -> Result<Vec<Expr>, Stop> {
        match op.name {
            "affine.apply" | "xla.apply_indexing" => return self.of_op(site, op),
            "affine.min" | "affine.max" => {
                let results = self.of_op(site, op)?;
                if results.is_empty() {
                    return unknown("its map has no results");
                }
                let is_min = op.name == "affine.min";
                let value = if is_min { Expr::min(results) } else { Expr::max(results) };
                return Ok(vec![checked(value)?]);
            }
            "affine.delinearize_index" | "affine.linearize_index" => return self.basis(site, op),
            _ if op
                .operand_types
                .iter()
                // The generic form of a `select` states the type of its condition, too.
                .skip(usize::from(op.name == "arith.select" && op.operand_types.len() > 1))
                .chain(op.arrow_types.iter().flatten())
                .any(is_no_integer) =>
            {
                return unknown("it is not an integer");
            }
            "arith.constant" | "index.constant" => {
                let group = op.named_or_group(&["value"]);
                let number = group.and_then(|group| site.lowering.text.integer(&group));
                let number = number.map(|number| vec![Expr::constant(number)]);
                return number.map_or_else(|| unknown("its value is not supported"), Ok);
            }
            _ => {}
        }
        self.declare(site, op);
        if let ("arith.select", [test, a, b]) = (op.name, &*op.operands) {
            let test = self.test_of(site, test)?;
            let (a, b) = (self.value(site, a)?, self.value(site, b)?);
            return Ok(vec![self.select(&test, &a, &b)?]);
        }
        let uses = op.operands.iter();
        let operands: Vec<Expr> =
            uses.map(|used| self.value(site, used)).collect::<Result<_, _>>()?;
        let range = |expr: &Expr| self.range_here(expr);
        let value = match (op.short(), &*operands) {
            ("index_cast" | "extsi" | "trunci" | "casts", [value]) => Ok(value.clone()),
            ("index_castui" | "extui" | "castu", [value]) if range(value).lo() >= 0 => {
                Ok(value.clone())
            }
            _ => arithmetic(op.name, &operands)
                .or_else(|| bits(op.name, &operands, &range))
                .or_unknown(|| "it is not affine arithmetic on indices")?,
        };
        let value = checked(value)?;
        // Integers of a fixed width may wrap.
        let ty = op.arrow_types.as_ref().unwrap_or(&op.operand_types).last();
        let width = ty.and_then(|ty| ty.text.strip_prefix('i')?.parse::<u32>().ok());
        let fits = |width: u32| {
            let half = 1_i64.checked_shl(width.saturating_sub(1)).filter(|half| *half > 0);
            let all = half.map_or(Interval::ALL, |half| Interval::new(-half, half - 1));
            let range = range(&value);
            range.is_bounded() && all.contains_all(range)
        };
        match width.is_none_or(fits) {
            true => Ok(vec![value]),
            false => unknown("it may wrap"),
        }
    }

    /// Computes `affine.delinearize_index %i into (2, 3)`, `affine.linearize_index [%i, %j] by (2, 3)`.
    fn basis<'a>(&mut self, site: &mut Site<'_, '_, 'a>, op: &Op<'a>) -> Result<Vec<Expr>, Stop> {
        let tokens = &site.lowering.text.tokens;
        let numbers =
            |names: &[&str]| op.named(names).and_then(|range| site.lowering.text.integers(&range));
        let at = op.tokens.clone().find(|at| tokens.is(*at, "into") || tokens.is(*at, "by"));
        let sizes: Option<Vec<i64>> = match (numbers(&["static_basis"]), at) {
            (Some(sizes), _) => Some(sizes).filter(|sizes| !sizes.contains(&i64::MIN)),
            (None, Some(at)) => self.list(site, at + 1)?.iter().map(Expr::as_constant).collect(),
            (None, None) => return unknown("its basis is missing"),
        };
        let sizes = sizes.or_unknown(|| "its basis is not a list of numbers")?;
        let fits = || "its basis and its indices differ in number";
        if op.short() == "delinearize_index" {
            let used = op.operands.first().or_unknown(|| "its operand is missing")?;
            let value = self.value(site, used)?;
            let digits = delinearized(&value, &sizes, op.result_count()).or_unknown(fits)?;
            return digits.map_or_else(|error| unknown(error.to_string()), Ok);
        }
        let digits = match op.groups.first().filter(|_| at.is_some()) {
            Some(group) => self.list(site, group.start)?,
            None => {
                op.operands.iter().map(|used| self.value(site, used)).collect::<Result<_, _>>()?
            }
        };
        Ok(vec![checked(linearized(&digits, &sizes).or_unknown(fits)?)?])
    }

    /// Returns the symbols in expressions, in their order.
    pub(crate) fn symbols_of<'e>(&self, exprs: impl IntoIterator<Item = &'e Expr>) -> Vec<usize> {
        let mut used = std::collections::BTreeSet::new();
        exprs.into_iter().for_each(|expr| expr.collect_variables(&mut used));
        used.iter().filter_map(|id| id.index().checked_sub(SYMBOLS as usize)).collect()
    }

    /// Returns the instructions of symbols.
    pub(crate) fn lines(&self, symbols: &[usize]) -> Vec<usize> {
        symbols.iter().filter_map(|symbol| self.symbols.get(*symbol).copied()).collect()
    }
}

/// Returns whether a type is neither `index` nor a signless integer of several bits.
pub(crate) fn is_no_integer(ty: &Rc<Type>) -> bool {
    let bits = ty.text.strip_prefix('i').and_then(|bits| bits.parse::<u32>().ok());
    ty.text != "index" && bits.is_none_or(|bits| !(2..=64).contains(&bits))
}

/// Returns whether a value may depend on the ids of threads that are loops.
fn varies(site: &Site<'_, '_, '_>, value: &Value<'_, '_>) -> bool {
    let (mut pending, mut seen) = (vec![value], FxHashSet::default());
    while let Some(value) = pending.pop() {
        if !seen.insert(value.line) {
            continue;
        }
        let Some(op) = value.source else {
            let line = site.body.lines.get(value.line);
            match line.is_some_and(|line| line.code.contains(" parameter(")) {
                true => continue,
                false => return true,
            }
        };
        if site.body.threads.iter().any(|(name, _)| op.results.iter().any(|of| of.name == name)) {
            return true;
        }
        pending.extend(op.operands.iter().filter_map(|used| site.body.values.get(used.name)));
    }
    false
}
