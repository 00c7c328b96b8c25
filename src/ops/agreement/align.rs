//! Maps with the same runtime variables in the same places, so that they can be compared.
//!
//! A runtime variable is an element of an operand, forced into a clamp. Where the element's index depends on
//! the output's index alone, it is the same element in all maps; where it depends on range variables, it is
//! the same in two maps if both indices are equal, which then is one more thing to show.

use crate::expr::{Domain, Expr, ExprError, IndexingMap, Variable, VariableId, VariableKind};
use crate::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use crate::ops::definition::{Index, Relation, Source};
use crate::ops::indexing::{InstructionPlace, OperandMap, RuntimeVariable, TuplePath, ValueSource};
use crate::prove::Reader;

/// A map with what its runtime variables are.
#[derive(Clone, Debug)]
pub struct Side {
    map: IndexingMap,
    values: Vec<Element>,
}

/// A runtime variable of a side.
#[derive(Clone, Debug)]
struct Element {
    variable: VariableId,
    source: Source,
    path: TuplePath,
    index: Vec<Expr>,
    clamp: Interval,
}

/// What makes an element the same in two maps.
#[derive(PartialEq)]
struct Key {
    source: Source,
    path: TuplePath,
    /// Its index, if that depends on the output's index alone.
    index: Option<Vec<Expr>>,
    /// Its number among those of the same part of an operand whose index does not.
    number: usize,
}

/// An element that occurs in some of the maps.
struct Shared {
    key: Key,
    /// The clamp, if all maps agree on it.
    clamp: Option<Interval>,
}

impl Side {
    /// A relation of a definition.
    ///
    /// # Errors
    /// [`ExprError`] if it cannot be written as a map.
    pub fn of_relation(relation: &Relation) -> Result<Side, ExprError> {
        let mut values = Vec::new();
        for (number, value) in relation.values().iter().enumerate() {
            let index = value.index.iter().map(|sum| relation.expr(sum));
            values.push(Element {
                variable: relation.variable(Index::Value(number)),
                source: value.source.clone(),
                path: value.path.clone(),
                index: index.collect::<Result<_, _>>()?,
                clamp: value.clamp,
            });
        }
        Ok(Side {
            map: relation.to_map()?,
            values,
        })
    }

    /// A map of an instruction's reads.
    #[must_use]
    pub fn of_map(map: &OperandMap) -> Side {
        let element = |runtime: &RuntimeVariable| {
            let (source, path) = source_of(&runtime.source);
            Element {
                variable: runtime.variable,
                source,
                path,
                index: runtime.index.clone(),
                clamp: runtime.clamp,
            }
        };
        Side {
            map: map.map.clone(),
            values: map.runtime.iter().map(element).collect(),
        }
    }

    fn dimensions(&self) -> usize {
        self.map.domain().count(VariableKind::Dimension)
    }

    fn ranges(&self) -> usize {
        self.map.domain().count(VariableKind::Range)
    }

    /// The index of `element` over dimensions alone, those of a single value put in.
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
        let all = plain
            .iter()
            .all(|index| index.variables().iter().all(is_dimension));
        all.then_some(plain)
    }
}

/// Maps over one list of runtime variables.
pub struct Aligned {
    shared: Vec<Shared>,
    /// Tensors of which some map has an element whose index does not depend on the output's alone: their
    /// elements are compared by indices everywhere.
    indirect: Vec<(Source, TuplePath)>,
}

/// A side with the shared runtime variables.
pub struct Placed {
    /// The domain: dimensions, own range variables, shared runtime variables.
    pub domain: Domain,
    /// The operand's index.
    pub results: Vec<Expr>,
    /// For each shared element that it has with an index of its own: that index.
    indices: Vec<Option<Vec<Expr>>>,
}

impl Aligned {
    /// The runtime variables of all `sides`.
    #[must_use]
    pub fn of(sides: &[&Side]) -> Aligned {
        let mut aligned = Aligned {
            shared: Vec::new(),
            indirect: Vec::new(),
        };
        for side in sides {
            for element in &side.values {
                if side.plain_index(element).is_none() {
                    let tensor = (element.source.clone(), element.path.clone());
                    aligned.indirect.push(tensor);
                }
            }
        }
        for side in sides {
            for (key, element) in aligned.keys(side).into_iter().zip(&side.values) {
                match aligned.shared.iter_mut().find(|known| known.key == key) {
                    Some(known) => {
                        known.clamp = known.clamp.filter(|clamp| *clamp == element.clamp);
                    }
                    None => aligned.shared.push(Shared {
                        key,
                        clamp: Some(element.clamp),
                    }),
                }
            }
        }
        aligned
    }

    fn keys(&self, side: &Side) -> Vec<Key> {
        let mut counts: Vec<(&Source, &TuplePath, usize)> = Vec::new();
        let mut keys = Vec::new();
        for element in &side.values {
            let tensor = (element.source.clone(), element.path.clone());
            let index = match self.indirect.contains(&tensor) {
                true => None,
                false => side.plain_index(element),
            };
            let mut number = 0;
            if index.is_none() {
                let mut own = counts.iter_mut();
                match own.find(|(k, path, _)| (*k, *path) == (&element.source, &element.path)) {
                    Some((_, _, count)) => {
                        *count += 1;
                        number = *count;
                    }
                    None => counts.push((&element.source, &element.path, 0)),
                }
            }
            let (source, path) = tensor;
            keys.push(Key {
                source,
                path,
                index,
                number,
            });
        }
        keys
    }

    /// `side` over the shared runtime variables.
    ///
    /// # Errors
    /// [`ExprError`] if an expression cannot be held.
    pub fn place(&self, side: &Side) -> Result<Placed, ExprError> {
        let own = side.dimensions() + side.ranges();
        let old = side.map.domain();
        let mut variables: Vec<Variable> = old.variables().iter().take(own).cloned().collect();
        for (number, shared) in self.shared.iter().enumerate() {
            let bounds = shared.clamp.unwrap_or(Interval::ALL);
            let name = format!("rt{number}");
            variables.push(Variable::new(name, VariableKind::Runtime, bounds));
        }
        let mut images: Vec<Expr> = (0..own)
            .map(|id| Expr::variable(VariableId(id as u32)))
            .collect();
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
        Ok(Placed {
            domain,
            results: results.collect::<Result<_, _>>()?,
            indices,
        })
    }
}

/// The tensor that a runtime variable is an element of, and the part of it, as definitions say it.
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
    /// `other` as a reader of what this reads, or of nothing in particular. `None` if it depends on an
    /// element that this does not know.
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
        Some(Reader {
            map: IndexingMap::new(other.domain.clone(), results),
            wanted,
        })
    }
}

/// `max(lo, min(hi, raw))`
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
