//! MLIR: an `affine_map` and the `affine_set` of its domain if these can express the map, otherwise functions of the dialects
//! `func` and `arith` on `i64`.
//!
//! Law: our own reader reads the attributes as the same map, up to names. At every point of the domain the function returns the
//! map's results. `arith.divsi` and `arith.remsi` round toward zero, so they are used on their own only if nothing is negative.

use super::function::{Emitted, Function};
use super::names::Names;
use super::powers::with_powers;
use super::values::Facts;
use affinor_maps::expr::{Divisor, Expr, ExprKind, IndexingMap, VariableId};
use affinor_maps::num::{MINUS_INFINITY, PLUS_INFINITY};
use affinor_maps::text::{Error, Style, is_mlir_name, mlir_refusal, print_map_strictly};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Writes code in MLIR.
///
/// # Errors
/// If functions are needed and a value may need more than 64 bits.
pub fn mlir(map: &IndexingMap, name: &str) -> Result<Emitted, Error> {
    let map = &with_powers(map);
    let names = named(map);
    let renamed = map.renamed(
        &names.variables.iter().map(|name| name.as_str().into()).collect::<Vec<Arc<str>>>(),
    );
    if mlir_refusal(&renamed).is_none() {
        let mut function = Function::new(map, name, &[], u32::MAX)?;
        function.names = names;
        return attributes(&function, &renamed);
    }
    let function = Function::new(map, name, &[], 64)?;
    let arguments: Vec<String> =
        function.names.variables.iter().map(|name| format!("%{name}: i64")).collect();
    let arguments = arguments.join(", ");
    let mut code = comment(&function);

    let mut body = Body::new(&function, false);
    let values: Vec<String> = map.results().iter().map(|result| body.value(result)).collect();
    let types = vec!["i64"; values.len()].join(", ");
    let (arrow, ending) = match values.len() {
        0 => (String::new(), String::new()),
        1 => (" -> i64".to_owned(), format!(" {} : i64", values.join(", "))),
        _ => (format!(" -> ({types})"), format!(" {} : {types}", values.join(", "))),
    };
    code += &format!(
        "func.func @{}({arguments}){arrow} {{\n{}  return{ending}\n}}\n",
        function.name, body.text
    );

    let mut body = Body::new(&function, true);
    let inside = body.inside();
    code += "// Whether the point is in the domain.\n";
    code += &format!(
        "func.func @{}({arguments}) -> i1 {{\n{}  return {inside} : i1\n}}\n",
        function.contains, body.text
    );
    Ok(Emitted::new(&function, code))
}

/// Renames the variables whose names MLIR does not accept.
fn named(map: &IndexingMap) -> Names {
    let variables = map.domain().variables().iter();
    let accepted = variables.map(|variable| match is_mlir_name(&variable.name) {
        true => variable.name.clone(),
        false => format!("v_{}", variable.name).into(),
    });
    let accepted: Vec<Arc<str>> = accepted.collect();
    Names::new(&map.domain().renamed(&accepted), &[], &[])
}

fn attributes(function: &Function, renamed: &IndexingMap) -> Result<Emitted, Error> {
    let text = print_map_strictly(renamed, Style::Mlir)?;
    let mut code = comment(function);
    let (map, set) = match text.split_once(", affine_set<") {
        Some((map, set)) => (map, Some(set)),
        None => (text.as_str(), None),
    };
    code += &format!("#{} = {map}\n", function.name);
    if let Some(set) = set {
        code += &format!("#{}_domain = affine_set<{set}\n", function.name);
    }
    Ok(Emitted::new(function, code))
}

fn comment(function: &Function) -> String {
    let lines = function.comment().into_iter();
    lines.map(|text| format!("// {text}\n")).collect()
}

/// A function body under construction, one operation per line.
struct Body<'f> {
    function: &'f Function<'f>,
    facts: &'f Facts,
    /// Whether this is the test of the domain.
    tests: bool,
    text: String,
    values: FxHashMap<Expr, String>,
    names: Names,
    count: usize,
}

impl<'f> Body<'f> {
    fn new(function: &'f Function<'f>, tests: bool) -> Body<'f> {
        let mut names = Names::new(function.map.domain(), &[], &[]);
        function.names.variables.iter().for_each(|name| names.take(name));
        Body {
            function,
            facts: match tests {
                true => function.facts_of_domain(),
                false => function.facts_of_results(),
            },
            tests,
            text: String::new(),
            values: FxHashMap::default(),
            names,
            count: 0,
        }
    }

    /// Appends an operation; returns the name of its result.
    fn push(&mut self, operation: &str) -> String {
        let name = format!("%{}", self.names.fresh(&format!("t{}", self.count)));
        self.count += 1;
        self.text += &format!("  {name} = {operation}\n");
        name
    }

    fn binary(&mut self, word: &str, x: &str, y: &str) -> String {
        self.push(&format!("arith.{word} {x}, {y} : i64"))
    }

    fn constant(&mut self, value: i64) -> String {
        self.value(&Expr::constant(value))
    }

    /// Returns the name of an expression's value; appends its operations on first use.
    fn value(&mut self, expr: &Expr) -> String {
        if let Some(name) = self.values.get(expr) {
            return name.clone();
        }
        let name = match expr.kind() {
            ExprKind::Constant(value) => self.push(&format!("arith.constant {value} : i64")),
            ExprKind::Variable(id) => format!("%{}", self.function.names.variables[id.index()]),
            ExprKind::Sum(sum) => {
                let mut total: Option<String> = None;
                for (coefficient, x) in sum.terms() {
                    let mut term = self.value(x);
                    if *coefficient != 1 {
                        let factor = self.constant(*coefficient);
                        term = self.binary("muli", &term, &factor);
                    }
                    total = Some(match total {
                        Some(total) => self.binary("addi", &total, &term),
                        None => term,
                    });
                }
                let total = total.unwrap_or_default(); // a sum has at least one term
                match sum.constant() {
                    0 => total,
                    constant => {
                        let constant = self.constant(constant);
                        self.binary("addi", &total, &constant)
                    }
                }
            }
            ExprKind::Product(list) => self.fold("muli", list),
            ExprKind::Min(list) => self.fold("minsi", list),
            ExprKind::Max(list) => self.fold("maxsi", list),
            ExprKind::FloorDiv(x, divisor) => self.divide(["divsi", "floordivsi"], x, divisor),
            ExprKind::CeilDiv(x, divisor) => self.divide(["ceildivsi", "ceildivsi"], x, divisor),
            ExprKind::Mod(x, divisor) => {
                let remainder = self.divide(["remsi", "remsi"], x, divisor);
                match self.is_natural(x) {
                    true => remainder,
                    false => {
                        let (zero, divisor) = (self.constant(0), self.divisor(divisor));
                        let is_negative = self.binary("cmpi slt,", &remainder, &zero);
                        let other = self.binary("addi", &remainder, &divisor);
                        self.push(&format!(
                            "arith.select {is_negative}, {other}, {remainder} : i64"
                        ))
                    }
                }
            }
        };
        self.values.insert(expr.clone(), name.clone());
        name
    }

    fn fold(&mut self, word: &str, list: &[Expr]) -> String {
        let values: Vec<String> = list.iter().map(|expr| self.value(expr)).collect();
        let folded = values.into_iter().reduce(|x, y| self.binary(word, &x, &y));
        folded.unwrap_or_default() // there are at least two operands
    }

    fn is_natural(&self, expr: &Expr) -> bool {
        self.facts.known(expr).values.lo >= 0
    }

    fn divide(&mut self, [natural, any]: [&str; 2], x: &Expr, divisor: &Divisor) -> String {
        let word = if self.is_natural(x) { natural } else { any };
        let (x, divisor) = (self.value(x), self.divisor(divisor));
        self.binary(word, &x, &divisor)
    }

    /// Returns the divisor; in a test, 1 in place of a divisor that is not positive, since all operations are computed at every
    /// point.
    fn divisor(&mut self, divisor: &Divisor) -> String {
        let expr = divisor.to_expr();
        let value = self.value(&expr);
        if divisor.as_integer().is_some() || !self.tests {
            return value;
        }
        let one = self.constant(1);
        self.binary("maxsi", &value, &one)
    }

    /// Returns whether the point is in the domain.
    fn inside(&mut self) -> String {
        let domain = self.function.map.domain();
        let mut conditions = Vec::new();
        if !domain.is_known_empty() {
            let variables = (0..).map(|id| Expr::variable(VariableId(id))).zip(domain.intervals());
            let constraints = domain.constraints().iter();
            let constraints =
                constraints.map(|constraint| (constraint.expr.clone(), constraint.bounds));
            for (expr, bounds) in variables.chain(constraints) {
                for divisor in divisors(&expr) {
                    if self.facts.known(&divisor).values.lo <= 0 {
                        let (divisor, one) = (self.value(&divisor), self.constant(1));
                        conditions.push(self.binary("cmpi sge,", &divisor, &one));
                    }
                }
                let ends = [
                    ("cmpi sge,", bounds.lo(), MINUS_INFINITY),
                    ("cmpi sle,", bounds.hi(), PLUS_INFINITY),
                ];
                for (word, end, infinity) in ends {
                    if end != infinity {
                        let (value, end) = (self.value(&expr), self.constant(end));
                        conditions.push(self.binary(word, &value, &end));
                    }
                }
            }
        }
        let all =
            conditions.into_iter().reduce(|x, y| self.push(&format!("arith.andi {x}, {y} : i1")));
        all.unwrap_or_else(|| self.push(&format!("arith.constant {}", !domain.is_known_empty())))
    }
}

/// Returns the divisors in an expression that are not integers.
fn divisors(expr: &Expr) -> Vec<Expr> {
    let (mut found, mut pending) = (Vec::new(), vec![expr]);
    let mut seen: FxHashSet<&Expr> = FxHashSet::default();
    while let Some(expr) = pending.pop() {
        if !seen.insert(expr) {
            continue;
        }
        if let ExprKind::FloorDiv(_, Divisor::Named(divisor))
        | ExprKind::CeilDiv(_, Divisor::Named(divisor))
        | ExprKind::Mod(_, Divisor::Named(divisor)) = expr.kind()
        {
            found.push(divisor.clone());
        }
        pending.extend(expr.operands());
    }
    found
}
