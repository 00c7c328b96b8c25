//! Aligns maps to shared runtime variables, so that they can be compared.
//!
//! A runtime variable is a clamped element of an operand. If its index depends only on the output index, it is the same
//! element in all maps; if its index depends on range variables, it is the same element in two maps if both indices are
//! equal, which is then a further proof obligation.

use affinor::expr::{Domain, Expr, ExprError, IndexingMap, Variable, VariableId, VariableKind};
use affinor::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use affinor::prove::{Reader, split_ranges};
use affinor_definition::{Index, Relation, Source};
use affinor_ops::indexing::{
    InstructionPlace, OperandMap, Origin, RuntimeVariable, TuplePath, ValueSource,
};

/// A map with its runtime variables.
#[derive(Clone, Debug)]
pub struct Side {
    map: IndexingMap,
    values: Vec<Element>,
}

/// A runtime variable of a side.
#[derive(Clone, Debug)]
struct Element {
    variable: VariableId,
    tensor: Tensor,
    index: Vec<Expr>,
    clamp: Interval,
}

/// The tensor that a runtime variable is an element of.
#[derive(Clone, PartialEq, Debug)]
enum Tensor {
    /// A part of an operand, or of a value computed inside.
    Part(Source, TuplePath),
    /// All values of one term, by its number in [`Origins`](affinor_ops::indexing::Origins), at the indices of its elements.
    Term(usize),
}

/// The key that identifies an element across maps.
#[derive(PartialEq)]
struct Key {
    tensor: Tensor,
    /// The index, if it depends only on the output index.
    index: Option<Vec<Expr>>,
    /// Otherwise, the number of the element among such elements of the same tensor in one map.
    number: usize,
}

/// An element that occurs in some of the maps.
struct Shared {
    key: Key,
    /// The clamp, if all maps agree on it.
    clamp: Option<Interval>,
}

impl Side {
    /// Converts a relation of a definition.
    ///
    /// # Errors
    /// [`ExprError`] if it is not representable as a map.
    pub fn of_relation(relation: &Relation) -> Result<Side, ExprError> {
        let mut values = Vec::new();
        for (number, value) in relation.values().iter().enumerate() {
            let index = value.index.iter().map(|sum| relation.expr(sum));
            values.push(Element {
                variable: relation.variable(Index::Value(number)),
                tensor: Tensor::Part(value.source.clone(), value.path.clone()),
                index: index.collect::<Result<_, _>>()?,
                clamp: value.clamp,
            });
        }
        Ok(Side { map: relation.to_map()?, values })
    }

    /// Converts a map of an instruction's reads.
    #[must_use]
    pub fn of_map(map: &OperandMap) -> Side {
        Side::traced(map, &[])
    }

    /// Converts a map whose runtime variables have these origins, as far as they are known.
    #[must_use]
    pub fn traced(map: &OperandMap, origins: &[Option<Origin>]) -> Side {
        let element = |(number, runtime): (usize, &RuntimeVariable)| {
            let (tensor, index) = match origins.get(number) {
                Some(Some(origin)) => (Tensor::Term(origin.number), origin.index.clone()),
                _ => {
                    let (source, path) = source_of(&runtime.source);
                    (Tensor::Part(source, path), runtime.index.clone())
                }
            };
            Element { variable: runtime.variable, tensor, index, clamp: runtime.clamp }
        };
        let mut values: Vec<Element> = map.runtime.iter().enumerate().map(element).collect();
        let domain = map.map.domain();
        // A named size is one number in all maps.
        for id in domain.ids(VariableKind::Parameter) {
            let variable = &domain.variables()[id.index()];
            let tensor = Tensor::Part(Source::Name(variable.name.clone()), TuplePath::new());
            values.push(Element {
                variable: id,
                tensor,
                index: Vec::new(),
                clamp: variable.bounds,
            });
        }
        Side { map: map.map.clone(), values }
    }

    /// Returns whether the map depends on values that are computed inside and have unknown origins.
    #[must_use]
    pub fn has_inner_values(&self) -> bool {
        let is_inner =
            |element: &Element| matches!(element.tensor, Tensor::Part(Source::Inside { .. }, _));
        self.values.iter().any(is_inner)
    }

    fn dimensions(&self) -> usize {
        self.map.domain().count(VariableKind::Dimension)
    }

    fn ranges(&self) -> usize {
        self.map.domain().count(VariableKind::Range)
    }

    /// Returns the index of `element`, with variables of one value substituted; `None` if it depends on other than
    /// dimensions.
    fn plain_index(&self, element: &Element) -> Option<Vec<Expr>> {
        let variables = self.map.domain().variables();
        let places: Vec<Expr> = (0u32..)
            .map(VariableId)
            .zip(variables)
            .map(|(id, variable)| match variable.bounds.as_point() {
                Some(value) => Expr::constant(value),
                None => Expr::variable(id),
            })
            .collect();
        let plain = element.index.iter().map(|x| x.substitute(&places).ok());
        let plain: Vec<Expr> = plain.collect::<Option<_>>()?;
        let is_dimension = |id: &VariableId| id.index() < self.dimensions();
        let all = plain.iter().all(|index| index.variables().iter().all(is_dimension));
        all.then_some(plain)
    }
}

/// Maps over a common list of runtime variables.
pub struct Aligned {
    shared: Vec<Shared>,
    /// Tensors with an element in some map whose index does not depend only on the output index: their elements are always
    /// compared by index.
    indirect: Vec<Tensor>,
}

/// A side rewritten over the shared runtime variables.
pub struct Placed {
    /// The domain: dimensions, own range variables, shared runtime variables.
    pub domain: Domain,
    /// The operand's index.
    pub results: Vec<Expr>,
    /// For each shared element, this side's index of it if the element is compared by index.
    indices: Vec<Option<Vec<Expr>>>,
}

impl Aligned {
    /// Collects the runtime variables of all `sides`.
    #[must_use]
    pub fn of(sides: &[&Side]) -> Aligned {
        let mut aligned = Aligned { shared: Vec::new(), indirect: Vec::new() };
        for side in sides {
            for element in &side.values {
                if side.plain_index(element).is_none() {
                    aligned.indirect.push(element.tensor.clone());
                }
            }
        }
        for side in sides {
            for (key, element) in aligned.keys(side).into_iter().zip(&side.values) {
                match aligned.shared.iter_mut().find(|known| known.key == key) {
                    Some(known) => {
                        known.clamp = known.clamp.filter(|clamp| *clamp == element.clamp);
                    }
                    None => aligned.shared.push(Shared { key, clamp: Some(element.clamp) }),
                }
            }
        }
        aligned
    }

    fn keys(&self, side: &Side) -> Vec<Key> {
        let mut counts: Vec<(&Tensor, usize)> = Vec::new();
        let mut keys = Vec::new();
        for element in &side.values {
            let index = match self.indirect.contains(&element.tensor) {
                true => None,
                false => side.plain_index(element),
            };
            let mut number = 0;
            if index.is_none() {
                let mut own = counts.iter_mut();
                match own.find(|(tensor, _)| *tensor == &element.tensor) {
                    Some((_, count)) => {
                        *count += 1;
                        number = *count;
                    }
                    None => counts.push((&element.tensor, 0)),
                }
            }
            keys.push(Key { tensor: element.tensor.clone(), index, number });
        }
        keys
    }

    /// Rewrites `side` over the shared runtime variables.
    ///
    /// # Errors
    /// [`ExprError`] if an expression is not representable.
    pub fn place(&self, side: &Side) -> Result<Placed, ExprError> {
        let own = side.dimensions() + side.ranges();
        let old = side.map.domain();
        let mut variables: Vec<Variable> = old.variables().iter().take(own).cloned().collect();
        for (number, shared) in self.shared.iter().enumerate() {
            let bounds = shared.clamp.unwrap_or(Interval::ALL);
            let name = format!("rt{number}");
            variables.push(Variable::new(name, VariableKind::Runtime, bounds));
        }
        let mut images: Vec<Expr> =
            (0..own).map(|id| Expr::variable(VariableId(id as u32))).collect();
        images.resize(old.variables().len(), Expr::constant(0));
        let mut indices = vec![None; self.shared.len()];
        let mut pending = Vec::new();
        for (key, element) in self.keys(side).into_iter().zip(&side.values) {
            let Some(place) = self.shared.iter().position(|shared| shared.key == key) else {
                continue;
            };
            let raw = Expr::variable(VariableId((own + place) as u32));
            let image = match self.shared[place].clamp {
                Some(_) => raw,
                None => forced(raw, element.clamp)?,
            };
            if let Some(slot) = images.get_mut(element.variable.index()) {
                *slot = image;
            }
            if key.index.is_none() {
                pending.push((place, &element.index));
            }
        }
        for (place, index) in pending {
            let index: Result<Vec<Expr>, ExprError> =
                index.iter().map(|x| x.substitute(&images)).collect();
            indices[place] = Some(index?);
        }
        let mut domain = Domain::new(variables);
        for (variable, image) in old.variables().iter().zip(&images).skip(own) {
            domain.constrain(image, variable.bounds);
        }
        for constraint in old.constraints() {
            domain.constrain(&constraint.expr.substitute(&images)?, constraint.bounds);
        }
        if old.is_known_empty() {
            domain.make_empty();
        }
        let results = side.map.results().iter().map(|x| x.substitute(&images));
        Ok(Placed { domain, results: results.collect::<Result<_, _>>()?, indices })
    }
}

/// Converts the source of a runtime variable to that of a definition.
#[must_use]
pub fn source_of(source: &ValueSource) -> (Source, TuplePath) {
    let pair = |place: &InstructionPlace| (place.computation, place.instruction);
    match source {
        ValueSource::Operand { operand, path } => (Source::Operand(*operand), path.clone()),
        ValueSource::Instruction { at, through, path } => {
            let through = through.iter().map(pair).collect();
            let at = pair(at);
            (Source::Inside { at, through }, path.clone())
        }
    }
}

impl Placed {
    /// Splits the range variables into the digits that the expressions read.
    ///
    /// # Errors
    /// [`ExprError`] if an expression overflows.
    pub fn split(self) -> Result<Placed, ExprError> {
        let indices = self.indices.iter().flatten().flatten();
        let all: Vec<Expr> = self.results.iter().chain(indices).cloned().collect();
        let (domain, all) = split_ranges(&self.domain, &all)?;
        let mut all = all.into_iter();
        let results = all.by_ref().take(self.results.len()).collect();
        let of_element =
            |index: Option<Vec<Expr>>| index.map(|index| all.by_ref().take(index.len()).collect());
        let indices = self.indices.into_iter().map(of_element).collect();
        Ok(Placed { domain, results, indices })
    }

    /// Returns the reader for `other`, which must read the element that this side reads, or, without `same_element`, any
    /// element. Returns `None` if `other` depends on an element that this side does not have.
    #[must_use]
    pub fn reader(&self, other: &Placed, same_element: bool) -> Option<Reader> {
        let (mut results, mut wanted) = (Vec::new(), Vec::new());
        if same_element {
            results.extend(other.results.iter().cloned());
            wanted.extend(self.results.iter().cloned());
        }
        for (place, index) in other.indices.iter().enumerate() {
            if let Some(index) = index {
                results.extend(index.iter().cloned());
                wanted.extend(self.indices.get(place)?.as_ref()?.iter().cloned());
            }
        }
        Some(Reader { map: IndexingMap::new(other.domain.clone(), results), wanted })
    }
}

/// Returns `max(lo, min(hi, raw))`.
fn forced(raw: Expr, clamp: Interval) -> Result<Expr, ExprError> {
    let (lo, hi) = (clamp.lo(), clamp.hi());
    let mut forced = raw;
    if hi != PLUS_INFINITY {
        forced = Expr::min([forced, Expr::constant(hi)])?;
    }
    if lo != MINUS_INFINITY {
        forced = Expr::max([forced, Expr::constant(lo)])?;
    }
    Ok(forced)
}
