//! Conversions between linear layouts and index maps.
//!
//! Law: bit `k` of an output is the sum modulo 2 of the input bits whose basis has this bit. A map has at most three operations
//! for each 1 in the matrix if such a short form is known; if the readable form has more, digits are joined.

use super::layout::{Input, LinearLayout, MOST_BITS, NotLinear, Output};
use affinor::expr::{
    BitForm, Domain, Expr, ExprError, IndexingMap, Parity, Source, Variable, VariableId,
    VariableKind,
};
use affinor::num::Interval;

/// Maximum number of operations for each 1 in the matrix in the readable form; beyond it, a shorter form is used.
const MOST_FOR_A_ONE: u64 = 3;

impl LinearLayout {
    /// Returns `(register, lane, ..) -> (dim0, ..)`.
    ///
    /// # Errors
    /// If an expression is too large.
    pub fn map(&self) -> Result<IndexingMap, ExprError> {
        let mut variables = Vec::new();
        let mut sources = Vec::new();
        for (number, input) in self.inputs().iter().enumerate() {
            let bits = input.bases.len() as u32;
            let last = Interval::of_size(1 << bits);
            variables.push(Variable::new(&*input.name, VariableKind::Dimension, last));
            let value = Expr::variable(VariableId(number as u32));
            sources.push(Source { value, width: Some(bits) });
        }
        let mut below = self.output_bits();
        let mut forms = Vec::new();
        for output in self.outputs() {
            below -= output.bits;
            let bits = (below..below + output.bits).map(|place| self.parity(place)).collect();
            forms.push(BitForm::new(sources.clone(), bits));
        }
        let mut results = forms.iter().map(BitForm::to_expr).collect::<Result<Vec<Expr>, _>>()?;
        let operations: u64 = results.iter().map(|result| result.cost().ops).sum();
        if operations > MOST_FOR_A_ONE * u64::from(self.ones()) {
            results = forms.iter().map(BitForm::to_shorter_expr).collect::<Result<_, _>>()?;
        }
        Ok(IndexingMap::new(Domain::new(variables), results))
    }

    /// Returns the input bits whose sum is bit `place` of an element.
    fn parity(&self, place: u32) -> Parity {
        let inputs = self.inputs().iter().enumerate();
        let ones = inputs.flat_map(|(number, input)| {
            let bases = input.bases.iter().enumerate();
            let with_it = bases.filter(move |(_, basis)| *basis >> place & 1 == 1);
            with_it.map(move |(bit, _)| Parity::bit(number, bit as u32))
        });
        ones.fold(Parity::default(), |sum, bit| sum.xor(&bit))
    }

    /// Returns the number of 1s in its matrix.
    #[must_use]
    pub fn ones(&self) -> u32 {
        self.bases().iter().map(|basis| basis.count_ones()).sum()
    }
}

/// Recognises the linear layout of a map: dimensions with sizes that are powers of two, and results whose bits are sums modulo 2
/// of bits of the dimensions.
///
/// # Errors
/// [`NotLinear::Map`] with the reason if no layout was found; [`NotLinear::TooLarge`].
pub fn recognised(map: &IndexingMap) -> Result<LinearLayout, NotLinear> {
    let not = |reason: String| NotLinear::Map(reason);
    let domain = map.domain();
    if !domain.constraints().is_empty() || domain.is_known_empty() {
        return Err(not("the domain of a linear layout is a box".to_owned()));
    }
    let mut inputs = Vec::new();
    for (variable, bounds) in domain.variables().iter().zip(domain.intervals()) {
        let size = bounds.hi().checked_add(1).filter(|_| bounds.lo() == 0 && bounds.is_bounded());
        let Some(size) = size.filter(|size| size.count_ones() == 1) else {
            let message = format!("the size of {} is not a power of two", variable.name);
            return Err(not(message));
        };
        if variable.kind != VariableKind::Dimension {
            return Err(not(format!("{} is not a dimension", variable.name)));
        }
        inputs.push(Input {
            name: variable.name.to_string(),
            bases: vec![0; size.trailing_zeros() as usize],
        });
    }
    let mut outputs = Vec::new();
    for (number, result) in map.results().iter().enumerate() {
        let form = BitForm::of(result, &|expr| domain.range_of(expr));
        let unknown = || not(format!("result {number} is not a sum of bits modulo 2"));
        let bits = form.bits().ok_or_else(unknown)?;
        let used = bits.len() - bits.iter().rev().take_while(|bit| bit.is_zero()).count();
        outputs.push(Output { name: format!("dim{number}"), bits: used as u32 });
        if outputs.iter().map(|output| output.bits).sum::<u32>() > MOST_BITS {
            return Err(NotLinear::TooLarge);
        }
        for basis in inputs.iter_mut().flat_map(|input| &mut input.bases) {
            *basis <<= used;
        }
        for (place, bit) in bits[..used].iter().enumerate() {
            if bit.flipped {
                return Err(not(format!("result {number} is not 0 at 0")));
            }
            for (source, at) in bit.ones() {
                let variable = form.sources()[source].value.as_variable().ok_or_else(unknown)?;
                let basis = inputs.get_mut(variable.index());
                let basis = basis.and_then(|input| input.bases.get_mut(at as usize));
                *basis.ok_or_else(unknown)? ^= 1 << place;
            }
        }
    }
    LinearLayout::new(inputs, outputs)
}
