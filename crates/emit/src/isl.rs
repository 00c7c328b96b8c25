//! isl: the relation of a map, `[n] -> { [d0] -> [..] : .. }`.
//!
//! Dimensions are the tuple on the left, range variables are existentially quantified, parameters and runtime variables are
//! parameters. So it is the relation of the elements that are read, for each value of the latter. isl has integers of any size,
//! and neither products nor quotients by names.

use super::function::{Emitted, Function};
use super::names::ISL;
use super::values::Facts;
use super::write::{About, Division, Level, Notation, Writer, Written};
use affinor_maps::expr::{IndexingMap, VariableKind};
use affinor_maps::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use affinor_maps::text::{Error, ErrorKind, Style, print_expr, variable_names};
use rustc_hash::FxHashMap;

/// Writes a relation of isl.
///
/// # Errors
/// If the map multiplies or divides by names.
pub fn isl(map: &IndexingMap, name: &str) -> Result<Emitted, Error> {
    let domain = map.domain();
    let constraints = domain.constraints().iter();
    let mut exprs =
        map.results().iter().chain(constraints.clone().map(|constraint| &constraint.expr));
    if let Some(expr) = exprs.find(|expr| expr.is_symbolic()) {
        let shown: String =
            print_expr(expr, &variable_names(domain), Style::Plain).chars().take(200).collect();
        let message = format!("isl has neither products nor quotients by names, as in `{shown}`");
        return Err(Error::without_span(ErrorKind::Unsupported, message)
            .hint("give each factor and divisor a value, as in `bind n = 8 in MAP`"));
    }
    let mut function = Function::new(map, name, &[ISL], u32::MAX)?;
    let facts = Facts::default();
    let variables = function.names.variables.clone();
    let writer = Writer {
        notation: &Syntax,
        names: &variables,
        facts: &facts,
        locals: FxHashMap::default(),
    };
    let of_kind = |kinds: &[VariableKind]| -> Vec<&str> {
        let ids = kinds.iter().flat_map(|kind| domain.ids(*kind));
        ids.map(|id| variables[id.index()].as_str()).collect()
    };
    let parameters = of_kind(&[VariableKind::Parameter, VariableKind::Runtime]);
    let ranges = of_kind(&[VariableKind::Range]);
    let mut results: Vec<String> =
        map.results().iter().map(|result| writer.write(result).text).collect();
    let mut conditions = Vec::new();
    if domain.is_known_empty() {
        conditions.push("false".to_owned());
    }
    if !ranges.is_empty() {
        for result in &mut results {
            let output = function.names.fresh(&format!("o{}", conditions.len()));
            conditions.push(format!("{output} = {}", std::mem::replace(result, output.clone())));
        }
    }
    let bounds = domain.intervals().zip(&variables).map(|(bounds, name)| (name.clone(), bounds));
    let constraints =
        constraints.map(|constraint| (writer.write(&constraint.expr).text, constraint.bounds));
    if !domain.is_known_empty() {
        conditions
            .extend(bounds.chain(constraints).filter_map(|(text, bounds)| within(&text, bounds)));
    }
    let mut condition = conditions.join(" and ");
    if !ranges.is_empty() {
        condition = format!("exists {} : {condition}", ranges.join(", "));
    }
    let mut code: String =
        function.comment().into_iter().skip(1).map(|text| format!("# {text}\n")).collect();
    if !parameters.is_empty() {
        code += &format!("[{}] -> ", parameters.join(", "));
    }
    let inputs = of_kind(&[VariableKind::Dimension]).join(", ");
    code += &format!("{{ [{inputs}] -> [{}]", results.join(", "));
    if !condition.is_empty() {
        code += &format!(" : {condition}");
    }
    code += " }\n";
    Ok(Emitted::new(&function, code))
}

fn within(text: &str, bounds: Interval) -> Option<String> {
    match (bounds.lo(), bounds.hi()) {
        (MINUS_INFINITY, PLUS_INFINITY) => None,
        (MINUS_INFINITY, hi) => Some(format!("{text} <= {hi}")),
        (lo, PLUS_INFINITY) => Some(format!("{text} >= {lo}")),
        (lo, hi) if lo == hi => Some(format!("{text} = {lo}")),
        (lo, hi) => Some(format!("{lo} <= {text} <= {hi}")),
    }
}

struct Syntax;

impl Notation for Syntax {
    /// isl accepts `x * -3`, but no brackets around a factor.
    fn number(&self, value: i64) -> Written {
        Written::atom(value.to_string())
    }

    fn divide(&self, division: Division, x: Written, divisor: Written, _: About) -> Written {
        let divisor = divisor.text;
        let quotient = |word: &str| Written::atom(format!("{word}(({})/{divisor})", x.text));
        match division {
            Division::Floor => quotient("floor"),
            Division::Ceil => quotient("ceil"),
            Division::Mod => Written::atom(format!("(({}) mod {divisor})", x.text)),
        }
    }

    fn choose(&self, word: &'static str, operands: Vec<Written>, _: About) -> Written {
        let operands: Vec<String> =
            operands.into_iter().map(|operand| operand.at(Level::Sum)).collect();
        Written::atom(format!("{word}({})", operands.join(", ")))
    }
}
