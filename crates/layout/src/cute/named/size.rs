//! A product of a number, names, rounded-up quotients, and sums: `2*n`, `8*ceil_div(m,4)`, `4*(n+1)`.
//!
//! Law: each name is at least 1, and so is each quotient and each term of a sum.

use std::collections::BTreeMap;
use std::fmt;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Factor {
    Name(String),
    /// A quotient, rounded up, by a size that has no factor in common with the first.
    CeilDiv(Box<Size>, Box<Size>),
    /// A sum of at least two terms, sorted, each at least 1, with different factors, and without a common factor.
    Sum(Vec<Size>),
}

/// Maximum number of terms of a sum.
const MOST_TERMS: usize = 8;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Size {
    number: i64,
    /// Sorted, with repetition. Empty if the number is 0.
    factors: Vec<Factor>,
}

impl Size {
    pub(super) fn number(number: i64) -> Size {
        Size { number, factors: Vec::new() }
    }

    pub(super) fn name(name: &str) -> Size {
        Size { number: 1, factors: vec![Factor::Name(name.to_owned())] }
    }

    pub(super) fn is_one(&self) -> bool {
        *self == Size::number(1)
    }

    pub(super) fn is_zero(&self) -> bool {
        self.number == 0
    }

    pub(super) fn is_negative(&self) -> bool {
        self.number < 0
    }

    /// Returns the names in it, possibly repeated.
    pub(super) fn names(&self) -> Vec<String> {
        let of = |factor: &Factor| match factor {
            Factor::Name(name) => vec![name.clone()],
            Factor::CeilDiv(size, divisor) => [size.names(), divisor.names()].concat(),
            Factor::Sum(terms) => terms.iter().flat_map(Size::names).collect(),
        };
        self.factors.iter().flat_map(of).collect()
    }

    /// Returns the product; `None` on overflow.
    pub(super) fn times(&self, other: &Size) -> Option<Size> {
        let number = self.number.checked_mul(other.number)?;
        let mut factors = Vec::new();
        if number != 0 {
            factors = [&*self.factors, &*other.factors].concat();
            factors.sort();
        }
        Some(Size { number, factors })
    }

    /// Substitutes values for names; `None` on overflow.
    pub(super) fn with_values(&self, values: &BTreeMap<String, i64>) -> Option<Size> {
        let sizes = values.iter().map(|(name, value)| (name.clone(), Size::number(*value)));
        self.replaced(&sizes.collect())
    }

    /// Substitutes sizes for names; `None` on overflow.
    pub(super) fn replaced(&self, sizes: &BTreeMap<String, Size>) -> Option<Size> {
        let size = |factor: &Factor| match factor {
            Factor::Name(name) => {
                Some(sizes.get(name).cloned().unwrap_or_else(|| Size::name(name)))
            }
            Factor::CeilDiv(size, divisor) => {
                size.replaced(sizes)?.ceil_div(&divisor.replaced(sizes)?)
            }
            Factor::Sum(terms) => {
                terms.iter().try_fold(Size::number(0), |all, term| all.plus(&term.replaced(sizes)?))
            }
        };
        let all = Some(Size::number(self.number));
        self.factors.iter().fold(all, |all, factor| all?.times(&size(factor)?))
    }

    /// Substitutes fractions for names; returns one product over another.
    pub(super) fn fraction(
        &self,
        fractions: &BTreeMap<String, (Size, Size)>,
    ) -> Option<(Size, Size)> {
        let mut all = (Size::number(self.number), Size::number(1));
        for factor in &self.factors {
            let (over, under) = match factor {
                Factor::Name(name) => fractions
                    .get(name)
                    .cloned()
                    .unwrap_or_else(|| (Size::name(name), Size::number(1))),
                Factor::CeilDiv(size, divisor) => {
                    let (size, divisor) = (size.fraction(fractions)?, divisor.fraction(fractions)?);
                    let quotient =
                        size.0.times(&divisor.1)?.ceil_div(&size.1.times(&divisor.0)?)?;
                    (quotient, Size::number(1))
                }
                Factor::Sum(terms) => {
                    let mut all = (Size::number(0), Size::number(1));
                    for term in terms {
                        let (over, under) = term.fraction(fractions)?;
                        let both = all.0.times(&under)?.plus(&over.times(&all.1)?)?;
                        all = both.reduced(&all.1.times(&under)?);
                    }
                    all
                }
            };
            all = (all.0.times(&over)?, all.1.times(&under)?);
        }
        Some(all)
    }

    /// Returns the quotient by a size that divides it, in lowest terms.
    pub(super) fn quotient(&self, divisor: &Size) -> Option<Size> {
        if self.is_zero() {
            return Some(self.clone());
        }
        let sign = self.number.signum();
        let positive = Size { number: self.number.checked_abs()?, factors: self.factors.clone() };
        positive.ceil_div(divisor)?.times(&Size::number(sign))
    }

    /// Cancels the common factors of both. Both must be at least 1.
    pub(super) fn reduced(&self, other: &Size) -> (Size, Size) {
        let (own, others) = self.without(other);
        let (mut shared, mut rest) = (self.number, other.number);
        while rest != 0 {
            (shared, rest) = (rest, shared % rest);
        }
        let shared = shared.max(1);
        (
            Size { number: self.number / shared, factors: own },
            Size { number: other.number / shared, factors: others },
        )
    }

    /// Divides the number by that of the other, rounding up. Both must be at least 1.
    pub(super) fn divided_by_number_of(&self, other: &Size) -> Size {
        let number = (self.number - 1).div_euclid(other.number.max(1)) + 1;
        Size { number, factors: self.factors.clone() }
    }

    /// Replaces the number by 1.
    pub(super) fn names_alone(&self) -> Size {
        Size { number: 1, factors: self.factors.clone() }
    }

    pub(super) fn is_number(&self) -> bool {
        self.factors.is_empty()
    }

    pub(super) fn is_product_of_names(&self) -> bool {
        self.factors.iter().all(|factor| matches!(factor, Factor::Name(_)))
    }

    /// Returns the names that are factors, possibly repeated.
    pub(super) fn plain_names(&self) -> impl Iterator<Item = &str> {
        self.factors.iter().filter_map(|factor| match factor {
            Factor::Name(name) => Some(name.as_str()),
            Factor::CeilDiv(..) | Factor::Sum(_) => None,
        })
    }

    /// Returns the name, if the size is a single name.
    pub(super) fn as_name(&self) -> Option<&str> {
        match &*self.factors {
            [Factor::Name(name)] if self.number == 1 => Some(name),
            _ => None,
        }
    }

    pub(super) fn as_number(&self) -> Option<i64> {
        self.is_number().then_some(self.number)
    }

    /// Prints the factors that are quotients by sizes with names as expressions. Each is at least 1.
    pub(super) fn quotients_by_names(&self) -> Vec<String> {
        let quotients = |factor: &Factor| match factor {
            Factor::CeilDiv(_, divisor) if !divisor.is_number() => {
                vec![Size { number: 1, factors: vec![factor.clone()] }.expression()]
            }
            Factor::Sum(terms) => terms.iter().flat_map(Size::quotients_by_names).collect(),
            _ => Vec::new(),
        };
        self.factors.iter().flat_map(quotients).collect()
    }

    /// Returns dividend and divisor of the first factor that is a rounded-up quotient.
    pub(super) fn rounded_up(&self) -> Option<(&Size, &Size)> {
        self.factors.iter().find_map(|factor| match factor {
            Factor::Name(_) => None,
            Factor::CeilDiv(size, divisor) => Some((&**size, &**divisor)),
            Factor::Sum(terms) => terms.iter().find_map(Size::rounded_up),
        })
    }

    /// Returns the quotient if `divisor` divides it for all values of the names. Both must be at least 1.
    pub(super) fn over(&self, divisor: &Size) -> Option<Size> {
        if divisor.number < 1 || self.number % divisor.number != 0 {
            return None;
        }
        let (factors, left) = self.without(divisor);
        left.is_empty().then(|| Size { number: self.number / divisor.number, factors })
    }

    /// Returns the factors that only this size has, and those that only `other` has.
    fn without(&self, other: &Size) -> (Vec<Factor>, Vec<Factor>) {
        let (mut own, mut left) = (self.factors.clone(), Vec::new());
        for factor in &other.factors {
            match own.iter().position(|known| known == factor) {
                Some(at) => drop(own.remove(at)),
                None => left.push(factor.clone()),
            }
        }
        (own, left)
    }

    /// Returns the quotient rounded up, for sizes that are at least 1.
    pub(super) fn ceil_div(&self, divisor: &Size) -> Option<Size> {
        if self.number < 1 || divisor.number < 1 {
            return None;
        }
        let (size, divisor) = self.reduced(divisor);
        Some(match (divisor.is_one(), size.is_at_most(&divisor)) {
            (true, _) => size,
            (_, true) => Size::number(1),
            _ if size.factors.is_empty() && divisor.factors.is_empty() => {
                Size::number((size.number - 1) / divisor.number + 1)
            }
            _ => {
                let quotient = Factor::CeilDiv(Box::new(size), Box::new(divisor));
                Size { number: 1, factors: vec![quotient] }
            }
        })
    }

    /// Returns whether it is syntactically at most `other` for all values of the names. Both must be at least 1.
    pub(super) fn is_at_most(&self, other: &Size) -> bool {
        self.number <= other.number && other.without(self).1.is_empty()
    }

    /// Returns the sum, unless a number overflows, a term is below 1, or it has too many terms.
    pub(super) fn plus(&self, other: &Size) -> Option<Size> {
        match (self.is_zero(), other.is_zero()) {
            (true, _) => Some(other.clone()),
            (_, true) => Some(self.clone()),
            _ => Size::of_terms([self.terms()?, other.terms()?].concat()),
        }
    }

    /// Returns the terms of a product with one factor that is a sum; any other size is a single term.
    pub(super) fn terms(&self) -> Option<Vec<Size>> {
        let is_sum = |factor: &&Factor| matches!(factor, Factor::Sum(_));
        let mut sums = self.factors.iter().filter(is_sum);
        match (sums.next(), sums.next()) {
            (Some(Factor::Sum(terms)), None) => {
                let others = self.factors.iter().filter(|factor| !is_sum(factor));
                let rest = Size { number: self.number, factors: others.cloned().collect() };
                terms.iter().map(|term| term.times(&rest)).collect()
            }
            _ => Some(vec![self.clone()]),
        }
    }

    fn of_terms(terms: Vec<Size>) -> Option<Size> {
        let mut alike: BTreeMap<Vec<Factor>, i64> = BTreeMap::new();
        for Size { number, factors } in terms {
            if number < 1 {
                return None;
            }
            let known = alike.entry(factors).or_insert(0);
            *known = known.checked_add(number)?;
        }
        let mut terms: Vec<Size> =
            alike.into_iter().map(|(factors, number)| Size { number, factors }).collect();
        if terms.len() > MOST_TERMS {
            return None;
        }
        let common = terms.iter().cloned().reduce(|common, term| {
            // Removes from one term the part that the quotient of both in lowest terms leaves.
            let (rest, _) = common.reduced(&term);
            common.over(&rest).unwrap_or_else(|| Size::number(1))
        })?;
        if let [only] = &*terms {
            return Some(only.clone());
        }
        terms = terms.iter().map(|term| term.over(&common)).collect::<Option<_>>()?;
        // A number comes last.
        terms.sort_by(|x, y| (x.is_number(), x).cmp(&(y.is_number(), y)));
        common.times(&Size { number: 1, factors: vec![Factor::Sum(terms)] })
    }

    /// Returns the size as a multiple of another and a remainder, if both are at least 1.
    pub(super) fn split_by(&self, unit: &Size) -> Option<(Size, Size)> {
        let (mut multiple, mut rest) = (Size::number(0), Size::number(0));
        for term in self.terms()? {
            let (whole, left) = match (term.over(unit), term.as_number(), unit.as_number()) {
                (Some(quotient), ..) => (quotient, Size::number(0)),
                (None, Some(term), Some(unit)) => {
                    (Size::number(term.div_euclid(unit)), Size::number(term.rem_euclid(unit)))
                }
                _ => (Size::number(0), term),
            };
            (multiple, rest) = (multiple.plus(&whole)?, rest.plus(&left)?);
        }
        (!multiple.is_zero() && !rest.is_zero()).then_some((multiple, rest))
    }

    /// Prints the size as an expression.
    pub(super) fn expression(&self) -> String {
        self.text(&|size, divisor| {
            let (size, divisor) = (size.expression(), divisor.expression());
            format!("(({size} + {divisor} - 1) floordiv ({divisor}))")
        })
    }

    fn text(&self, quotient: &dyn Fn(&Size, &Size) -> String) -> String {
        let mut factors: Vec<String> = Vec::new();
        if self.number != 1 || self.factors.is_empty() {
            factors.push(self.number.to_string());
        }
        factors.extend(self.factors.iter().map(|factor| match factor {
            Factor::Name(name) => name.clone(),
            Factor::CeilDiv(size, divisor) => quotient(size, divisor),
            Factor::Sum(terms) => {
                let terms: Vec<String> = terms.iter().map(|term| term.text(quotient)).collect();
                format!("({})", terms.join("+"))
            }
        }));
        factors.join("*")
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.text(&|size, divisor| format!("ceil_div({size},{divisor})"));
        match &*self.factors {
            [Factor::Sum(_)] if self.number == 1 => f.write_str(&text[1..text.len() - 1]),
            // A leading parenthesis would begin a mode.
            [Factor::Sum(_), ..] if self.number == 1 => write!(f, "1*{text}"),
            _ => f.write_str(&text),
        }
    }
}
