//! A layout with named sizes and strides, and its maps.

use super::given::Condition;
use super::size::Size;
use crate::cute::algebra::Refusal;
use crate::cute::mode::Swizzle;
use crate::cute::offsets::swizzled;
use affinor::expr::IndexingMap;
use affinor::text::parse_map;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Part {
    Leaf(Size, Size),
    Nested(Vec<Part>),
}

impl Part {
    pub(super) fn leaves(&self) -> Vec<(Size, Size)> {
        match self {
            Part::Leaf(size, stride) => vec![(size.clone(), stride.clone())],
            Part::Nested(parts) => parts.iter().flat_map(Part::leaves).collect(),
        }
    }

    /// Creates a part with these leaves: a single leaf without nesting, no leaves as `1:0`.
    pub(super) fn of_leaves(leaves: Vec<(Size, Size)>) -> Part {
        let mut parts: Vec<Part> =
            leaves.into_iter().map(|(size, stride)| Part::Leaf(size, stride)).collect();
        match parts.len() {
            0 => Part::Leaf(Size::number(1), Size::number(0)),
            1 => parts.remove(0),
            _ => Part::Nested(parts),
        }
    }

    /// Replaces the leaves by the same number of others.
    fn with_leaves(&self, leaves: &mut impl Iterator<Item = (Size, Size)>) -> Part {
        match self {
            Part::Leaf(size, stride) => {
                let (size, stride) = leaves.next().unwrap_or((size.clone(), stride.clone()));
                Part::Leaf(size, stride)
            }
            Part::Nested(parts) => {
                Part::Nested(parts.iter().map(|part| part.with_leaves(leaves)).collect())
            }
        }
    }

    fn replaced(&self, by: &impl Fn(&Size) -> Option<Size>) -> Option<Part> {
        Some(match self {
            Part::Leaf(size, stride) => Part::Leaf(by(size)?, by(stride)?),
            Part::Nested(parts) => {
                let parts = parts.iter().map(|part| part.replaced(by));
                Part::Nested(parts.collect::<Option<_>>()?)
            }
        })
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, is_shape: bool) -> fmt::Result {
        match self {
            Part::Leaf(size, stride) => write!(f, "{}", if is_shape { size } else { stride }),
            Part::Nested(parts) => {
                f.write_str("(")?;
                for (number, part) in parts.iter().enumerate() {
                    if number > 0 {
                        f.write_str(",")?;
                    }
                    part.write(f, is_shape)?;
                }
                f.write_str(")")
            }
        }
    }
}

/// A layout whose sizes and strides are products of numbers, names, quotients and sums of these; each name is at least 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedLayout {
    pub(super) part: Part,
    swizzle: Option<Swizzle>,
}

impl NamedLayout {
    /// Creates a layout without a swizzle.
    pub(super) fn plain(part: Part) -> NamedLayout {
        NamedLayout { part, swizzle: None }
    }

    /// Replaces the leaves by the same number of others.
    pub(super) fn with_leaves(&self, leaves: Vec<(Size, Size)>) -> NamedLayout {
        NamedLayout { part: self.part.with_leaves(&mut leaves.into_iter()), swizzle: self.swizzle }
    }

    /// Replaces the swizzle.
    pub(super) fn under(self, swizzle: Option<Swizzle>) -> NamedLayout {
        NamedLayout { swizzle, ..self }
    }

    /// Returns the swizzle, if any.
    #[must_use]
    pub fn swizzle(&self) -> Option<Swizzle> {
        self.swizzle
    }

    /// Applies the swizzle to a map of offsets.
    pub(super) fn swizzled(&self, map: IndexingMap) -> Result<IndexingMap, Refusal> {
        let Some(swizzle) = self.swizzle else {
            return Ok(map);
        };
        let results = map.results().iter().map(|offset| swizzled(offset, swizzle));
        let results = results.collect::<Result<_, _>>().map_err(|_| Refusal::Overflow)?;
        Ok(IndexingMap::new(map.domain().clone(), results))
    }

    /// Returns the top-level modes.
    pub(super) fn modes(&self) -> Vec<Part> {
        match &self.part {
            Part::Nested(parts) => parts.clone(),
            leaf => vec![leaf.clone()],
        }
    }

    pub(super) fn leaves(&self) -> Vec<(Size, Size)> {
        self.part.leaves()
    }

    /// Returns the number of elements.
    pub(super) fn size(&self) -> Result<Size, Refusal> {
        product_of(&self.leaves())
    }

    /// Returns the sizes of the top-level modes, products as text.
    ///
    /// # Errors
    /// [`Refusal::Overflow`] if a number does not fit.
    pub fn sizes(&self) -> Result<Vec<String>, Refusal> {
        let modes = self.modes();
        modes.iter().map(|mode| Ok(product_of(&mode.leaves())?.to_string())).collect()
    }

    /// Returns the map from the names to the number of elements.
    ///
    /// # Errors
    /// [`Refusal::Overflow`] if a number does not fit.
    pub fn elements(&self) -> Result<IndexingMap, Refusal> {
        map_of(&self.names(), &[], &self.size()?.expression(), &[])
    }

    /// Returns the map from the names to the end of the offsets, one more than the last.
    ///
    /// # Errors
    /// [`Refusal::Overflow`] if a number does not fit; [`Refusal::Unknown`] under a swizzle.
    pub fn end(&self) -> Result<IndexingMap, Refusal> {
        if self.swizzle.is_some() {
            let message =
                "the last offset under a swizzle is not looked for where sizes have names";
            return Err(Refusal::Unknown(message.to_owned()));
        }
        let last = |(size, stride): &(Size, Size)| {
            format!(" + ({} - 1) * ({})", size.expression(), stride.expression())
        };
        let lasts: String = self.leaves().iter().map(last).collect();
        map_of(&self.names(), &[], &format!("1{lasts}"), &[])
    }

    /// Substitutes values for names. Each value must be at least 1, as a name is.
    ///
    /// # Errors
    /// [`Refusal::None`] for a value below 1; [`Refusal::Overflow`] if a number does not fit.
    pub fn with_values(&self, values: &BTreeMap<String, i64>) -> Result<NamedLayout, Refusal> {
        if let Some((name, value)) = values.iter().find(|(_, value)| **value < 1) {
            return Err(Refusal::None(format!("{name} is at least 1, not {value}")));
        }
        self.replaced(|size| size.with_values(values)).ok_or(Refusal::Overflow)
    }

    /// Replaces all sizes and strides; `None` if one of these overflows.
    pub(super) fn replaced(&self, by: impl Fn(&Size) -> Option<Size>) -> Option<NamedLayout> {
        Some(NamedLayout { part: self.part.replaced(&by)?, swizzle: self.swizzle })
    }

    /// Returns the names in it, sorted.
    #[must_use]
    pub fn names(&self) -> BTreeSet<String> {
        let leaves = self.leaves();
        let sizes = leaves.iter().flat_map(|(size, stride)| [size, stride]);
        sizes.flat_map(Size::names).collect()
    }

    /// Returns its map over the top-level modes, with the names as parameters from 1 on.
    ///
    /// # Errors
    /// [`Refusal::Overflow`] if a number does not fit.
    pub fn map(&self) -> Result<IndexingMap, Refusal> {
        self.map_where(&[])
    }

    /// Returns its map for the values that satisfy the conditions.
    ///
    /// # Errors
    /// [`Refusal::Overflow`] if a number does not fit.
    pub fn map_where(&self, conditions: &[Condition]) -> Result<IndexingMap, Refusal> {
        let mut results = Vec::new();
        let mut sizes = Vec::new();
        for (number, mode) in self.modes().iter().enumerate() {
            let leaves = mode.leaves();
            sizes.push(product_of(&leaves)?);
            results.push(offset_at(&leaves, &format!("d{number}"))?);
        }
        let offset = if results.is_empty() { "0".to_owned() } else { results.join(" + ") };
        self.swizzled(map_of(&self.names(), &sizes, &offset, conditions)?)
    }

    /// Returns its map over element numbers, with these names as parameters, without a swizzle.
    pub(super) fn line(
        &self,
        names: &BTreeSet<String>,
        conditions: &[Condition],
    ) -> Result<IndexingMap, Refusal> {
        map_of(names, &[self.size()?], &offset_at(&self.leaves(), "d0")?, conditions)
    }

    /// Returns the map of this layout at the offsets of `inner`, over the modes of `inner`, or its element numbers; it continues
    /// beyond the last element. Applies no swizzle.
    pub(super) fn at(
        &self,
        inner: &NamedLayout,
        by_number: bool,
        conditions: &[Condition],
    ) -> Result<IndexingMap, Refusal> {
        let names: BTreeSet<String> = self.names().union(&inner.names()).cloned().collect();
        let (mut sizes, mut terms) = (Vec::new(), Vec::new());
        if by_number {
            sizes.push(inner.size()?);
            terms.push(offset_at(&inner.leaves(), "d0")?);
        } else {
            for (number, mode) in inner.modes().iter().enumerate() {
                sizes.push(product_of(&mode.leaves())?);
                terms.push(offset_at(&mode.leaves(), &format!("d{number}"))?);
            }
        }
        let reached = format!("({})", terms.join(" + "));
        map_of(&names, &sizes, &offset_at(&self.leaves(), &reached)?, conditions)
    }
}

/// Returns the product of the sizes.
pub(super) fn product_of(leaves: &[(Size, Size)]) -> Result<Size, Refusal> {
    let all = leaves.iter().try_fold(Size::number(1), |all, (size, _)| all.times(size));
    all.ok_or(Refusal::Overflow)
}

/// Prints the offset of an index: the sum of strides times digits.
pub(super) fn offset_at(leaves: &[(Size, Size)], index: &str) -> Result<String, Refusal> {
    let mut unit = Size::number(1);
    let mut terms = Vec::new();
    for (number, (size, stride)) in leaves.iter().enumerate() {
        let quotient = match unit.is_one() {
            true => index.to_owned(),
            false => format!("({index} floordiv ({}))", unit.expression()),
        };
        let digit = match number + 1 == leaves.len() {
            true => quotient,
            false => format!("({quotient} mod ({}))", size.expression()),
        };
        terms.push(format!("{digit} * ({})", stride.expression()));
        unit = unit.times(size).ok_or(Refusal::Overflow)?;
    }
    Ok(if terms.is_empty() { "0".to_owned() } else { terms.join(" + ") })
}

/// Builds a map of indices below these sizes, for the values that satisfy the conditions, from its text.
pub(super) fn map_of(
    names: &BTreeSet<String>,
    sizes: &[Size],
    result: &str,
    conditions: &[Condition],
) -> Result<IndexingMap, Refusal> {
    let mut names = names.clone();
    names.extend(conditions.iter().flat_map(Condition::names));
    let list = |items: Vec<String>| items.join(", ");
    let least = |name: &String| {
        let bounds = conditions.iter().filter_map(|condition| condition.least(name));
        format!("{name} in [{}, inf]", bounds.max().unwrap_or(1))
    };
    let mut bounds: Vec<String> = names.iter().map(least).collect();
    let indices: Vec<String> = (0..sizes.len()).map(|number| format!("d{number}")).collect();
    let bound = |(d, size): (&String, &Size)| format!("{d} in [0, {} - 1]", size.expression());
    bounds.extend(indices.iter().zip(sizes).map(bound));
    bounds.extend(conditions.iter().filter_map(Condition::constraint));
    let mut quotients: Vec<String> = sizes.iter().flat_map(Size::quotients_by_names).collect();
    quotients.sort();
    quotients.dedup();
    bounds.extend(quotients.iter().map(|quotient| format!("{quotient} in [1, inf]")));
    let head = match names.is_empty() {
        true => String::new(),
        false => format!("<{}>", list(names.iter().cloned().collect())),
    };
    let domain =
        if bounds.is_empty() { String::new() } else { format!(", domain: {}", list(bounds)) };
    let text = format!("{head}({}) -> ({result}){domain}", list(indices));
    parse_map(&text).map_err(|error| Refusal::Unknown(error.message))
}

impl fmt::Display for NamedLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(Swizzle { bits, base, shift }) = self.swizzle {
            write!(f, "Swizzle<{bits},{base},{shift}> o ")?;
        }
        self.part.write(f, true)?;
        f.write_str(":")?;
        self.part.write(f, false)
    }
}
