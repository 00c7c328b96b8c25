//! Maps as trees in JSON, for programs that do not parse maps.
//!
//! ```json
//! {"variables": [{"name": "d0", "kind": "dimension", "bounds": [0, 9]}],
//!  "constraints": [{"expr": ["add", "d0", ["mul", 2, "s0"]], "bounds": [0, null]}],
//!  "results": [["floordiv", "d0", 4], 7]}
//! ```
//!
//! An expression is an integer, the name of a variable, or an operation and its operands. Variables are in the order of points:
//! dimensions, range variables, runtime variables, parameters. `docs/answers.schema.json` is the schema.
//!
//! Law: reading the tree of a map gives the same map. A map whose tree would be nested more than [`MAX_NESTED`] deep has no tree:
//! many JSON readers reject greater depths.

use super::print::Style;
use super::token::{excerpt, is_name};
use super::{Error, ErrorKind, print_expr, variable_names};
use crate::expr::{
    Divisor, Domain, Expr, ExprError, ExprKind, IndexingMap, Variable, VariableId, VariableKind,
};
use crate::num::Interval;
use rustc_hash::FxHashMap;
use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, json};

/// Maximum nesting of brackets in a tree.
pub const MAX_NESTED: usize = 100;

/// A map that serde writes and reads as a tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tree(pub IndexingMap);

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct VariableTree {
    name: String,
    kind: String,
    bounds: Interval,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ConstraintTree {
    expr: Value,
    bounds: Interval,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MapTree {
    variables: Vec<VariableTree>,
    /// Whether the map is defined nowhere; then the bounds of its variables are meaningless.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    empty: bool,
    constraints: Vec<ConstraintTree>,
    results: Vec<Value>,
}

impl Tree {
    /// Returns the tree of `map`; `None` if it would be nested too deeply.
    #[must_use]
    pub fn of(map: &IndexingMap) -> Option<Value> {
        let domain = map.domain();
        let variables = domain.variables().iter().map(|variable| VariableTree {
            name: variable.name.to_string(),
            kind: variable.kind.word().to_owned(),
            bounds: variable.bounds,
        });
        let constraints = domain.constraints().iter().map(|constraint| {
            let expr = tree_of(&constraint.expr, domain, MAX_NESTED - 3)?;
            let bounds = constraint.bounds;
            Some(ConstraintTree { expr, bounds })
        });
        let results = map.results().iter().map(|result| tree_of(result, domain, MAX_NESTED - 2));
        let tree = MapTree {
            variables: variables.collect(),
            empty: domain.is_known_empty(),
            constraints: constraints.collect::<Option<_>>()?,
            results: results.collect::<Option<_>>()?,
        };
        serde_json::to_value(tree).ok()
    }

    /// Reads a tree.
    ///
    /// # Errors
    /// [`ErrorKind::Encoding`] if the value is not a tree, and the errors of a text: an unknown variable, a divisor that is not
    /// positive, a number that does not fit.
    pub fn read(value: &Value) -> Result<IndexingMap, Error> {
        let tree = MapTree::deserialize(value).map_err(|error| wrong(error.to_string()))?;
        let mut ids = FxHashMap::default();
        let mut variables = Vec::with_capacity(tree.variables.len());
        let mut last = VariableKind::Dimension;
        for (id, variable) in (0..).map(VariableId).zip(tree.variables) {
            let found = VariableKind::ALL.into_iter().find(|kind| kind.word() == variable.kind);
            let Some(kind) = found else {
                return Err(wrong(format!(
                    "unknown kind of variable `{}`",
                    excerpt(&variable.kind)
                )));
            };
            if !is_name(&variable.name) || ids.insert(variable.name.clone(), id).is_some() {
                let message =
                    format!("`{}` is not a name, or is already taken", excerpt(&variable.name));
                return Err(Error::without_span(ErrorKind::Name, message));
            }
            if kind < last {
                return Err(wrong(format!(
                    "`{}` comes after a variable of a later kind",
                    excerpt(&variable.name)
                )));
            }
            last = kind;
            variables.push(Variable::new(variable.name, kind, variable.bounds));
        }
        let mut domain = Domain::new(variables);
        for constraint in &tree.constraints {
            domain.constrain(&expr_of(&constraint.expr, &ids, 0)?, constraint.bounds);
        }
        if tree.empty {
            domain.make_empty();
        }
        let results = tree.results.iter().map(|result| expr_of(result, &ids, 0));
        let results = results.collect::<Result<Vec<Expr>, Error>>()?;
        let mut exprs =
            results.iter().chain(domain.constraints().iter().map(|constraint| &constraint.expr));
        if let Some(divisor) = exprs.find_map(|expr| domain.unknown_divisor(expr)) {
            let shown = print_expr(&divisor, &variable_names(&domain), Style::Plain);
            let message = format!("the divisor `{}` is not known to be positive", excerpt(&shown));
            return Err(Error::without_span(ErrorKind::Division, message));
        }
        Ok(IndexingMap::new(domain, results))
    }
}

impl Serialize for Tree {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let tree = Tree::of(&self.0)
            .ok_or_else(|| S::Error::custom("the map is nested too deeply for a tree"))?;
        tree.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Tree, D::Error> {
        let value = Value::deserialize(deserializer)?;
        Tree::read(&value).map(Tree).map_err(D::Error::custom)
    }
}

fn wrong(message: String) -> Error {
    Error::without_span(ErrorKind::Encoding, message)
}

/// Builds the tree of an expression, with brackets nested at most `depth` deep.
fn tree_of(expr: &Expr, domain: &Domain, depth: usize) -> Option<Value> {
    let below = depth.checked_sub(1);
    let node = |word: &str, operands: Vec<Value>| {
        let list = std::iter::once(Value::from(word)).chain(operands);
        Value::Array(list.collect())
    };
    let of = |x: &Expr| tree_of(x, domain, below?);
    let all = |list: &[Expr]| list.iter().map(of).collect::<Option<Vec<Value>>>();
    let divided = |word: &str, x: &Expr, divisor: &Divisor| {
        let divisor = of(&divisor.to_expr())?;
        Some(node(word, vec![of(x)?, divisor]))
    };
    match expr.kind() {
        ExprKind::Constant(value) => Some(json!(value)),
        ExprKind::Variable(id) => {
            let variable = domain.variables().get(id.index())?;
            Some(Value::from(&*variable.name))
        }
        ExprKind::Sum(sum) => {
            let is_product = sum.constant() == 0 && sum.terms().len() == 1;
            let inner = if is_product { below } else { below?.checked_sub(1) };
            let mut operands = Vec::new();
            for (coefficient, x) in sum.terms() {
                operands.push(match coefficient {
                    1 => of(x)?,
                    coefficient => {
                        node("mul", vec![json!(coefficient), tree_of(x, domain, inner?)?])
                    }
                });
            }
            if is_product {
                return operands.pop();
            }
            if sum.constant() != 0 {
                operands.push(json!(sum.constant()));
            }
            Some(node("add", operands))
        }
        ExprKind::Product(list) => Some(node("mul", all(list)?)),
        ExprKind::Min(list) => Some(node("min", all(list)?)),
        ExprKind::Max(list) => Some(node("max", all(list)?)),
        ExprKind::FloorDiv(x, divisor) => divided("floordiv", x, divisor),
        ExprKind::CeilDiv(x, divisor) => divided("ceildiv", x, divisor),
        ExprKind::Mod(x, divisor) => divided("mod", x, divisor),
    }
}

fn expr_of(tree: &Value, ids: &FxHashMap<String, VariableId>, depth: usize) -> Result<Expr, Error> {
    if depth > MAX_NESTED {
        return Err(Error::without_span(ErrorKind::TooLarge, "the tree is nested too deeply"));
    }
    let list = match tree {
        Value::Number(number) => {
            let value =
                number.as_i64().ok_or_else(|| wrong(format!("`{number}` is no 64-bit integer")))?;
            return Ok(Expr::constant(value));
        }
        Value::String(name) => {
            let message = || format!("unknown variable `{}`", excerpt(name));
            let id =
                ids.get(name).ok_or_else(|| Error::without_span(ErrorKind::Name, message()))?;
            return Ok(Expr::variable(*id));
        }
        Value::Array(list) => list,
        _ => {
            return Err(wrong("an expression is an integer, a name or a list".to_owned()));
        }
    };
    let (word, operands) = match list.split_first() {
        Some((Value::String(word), operands)) if !operands.is_empty() => (word.as_str(), operands),
        _ => return Err(wrong("a list is an operation and its operands".to_owned())),
    };
    let operands = operands.iter().map(|operand| expr_of(operand, ids, depth + 1));
    let operands = operands.collect::<Result<Vec<Expr>, Error>>()?;
    let built = match (word, operands.as_slice()) {
        ("add", _) => Expr::sum(0, operands.into_iter().map(|operand| (1, operand))),
        ("mul", _) => Expr::product(operands),
        ("min", _) => Expr::min(operands),
        ("max", _) => Expr::max(operands),
        ("floordiv", [x, divisor]) => x.floordiv_by(divisor),
        ("ceildiv", [x, divisor]) => x.ceildiv_by(divisor),
        ("mod", [x, divisor]) => x.modulo_by(divisor),
        (word, operands) => {
            let message =
                format!("there is no operation `{}` of {} operands", excerpt(word), operands.len());
            return Err(wrong(message));
        }
    };
    built.map_err(|error| {
        let kind = match error {
            ExprError::Overflow => ErrorKind::Overflow,
            ExprError::Divisor(_) => ErrorKind::Division,
            ExprError::TooDeep | ExprError::TooLarge | ExprError::Stopped(_) => ErrorKind::TooLarge,
        };
        Error::without_span(kind, error.to_string())
    })
}
