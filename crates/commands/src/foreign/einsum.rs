//! `einsum('ij,jk->ik', A, B)`, as the map of each operand.
//!
//! Law: the letters of the result are its dimensions, in order; all others are summed over, as range variables. Sizes come from
//! arrays with known sizes, and are named otherwise.

use super::array::{Known, Names, array, shape, whole};
use super::einops::einops;
use super::numbers::{Given, only_call};
use crate::table::Call;
use affinor::text::{Error, ErrorKind};

impl Call<'_> {
    /// Returns the operands of an einsum or of a call of einops, each with its map as text; `None` if the text is neither.
    pub fn einsum(&self, text: &str) -> Option<Result<Vec<(String, String)>, Error>> {
        let names = |name: &str| {
            let map = self.session.map(name)?.clone();
            Some(Known { map, is_code: false, view: None })
        };
        einsum(text, &names).or_else(|| einops(text, &names))
    }
}

/// Returns the name of each operand of an einsum, with its map.
///
/// # Errors
/// [`ErrorKind::Syntax`] and [`ErrorKind::Shape`].
pub fn einsum(text: &str, names: Names) -> Option<Result<Vec<(String, String)>, Error>> {
    let (head, rest) = only_call(text)?;
    if head.rsplit('.').next()? != "einsum" {
        return None;
    }
    let rest = rest.trim_start();
    let quote = rest.chars().next().filter(|quote| matches!(quote, '\'' | '"'))?;
    let (form, arrays) = rest[1..].split_once(quote)?;
    Some(einsum_maps(&form.replace(' ', ""), &Given::of(arrays), names))
}

fn einsum_maps(form: &str, given: &Given, names: Names) -> Result<Vec<(String, String)>, Error> {
    let (inputs, output) = match form.split_once("->") {
        Some((inputs, output)) => (inputs, output.to_owned()),
        None => {
            let mut letters: Vec<char> = form.chars().filter(|c| *c != ',').collect();
            letters.sort_unstable();
            let once = |c: &char| form.matches(*c).count() == 1;
            (form, letters.iter().copied().filter(once).collect())
        }
    };
    let is_letter = |c: char| c.is_ascii_alphabetic();
    if !inputs.replace(',', "").chars().all(is_letter)
        || !output.chars().all(|c| is_letter(c) && inputs.contains(c))
    {
        return Err(Error::without_span(ErrorKind::Syntax, "expected letters, as in `ij,jk->ik`"));
    }
    let texts = given.texts();
    let operands: Vec<&str> = inputs.split(',').collect();
    if texts.len() != operands.len() {
        let message = format!("{} operands, but {} arrays", operands.len(), texts.len());
        return Err(shape(message));
    }
    // Known sizes of arrays, and names for all others.
    let mut sizes = std::collections::BTreeMap::new();
    for (letters, text) in operands.iter().zip(&texts) {
        let array = match array(text, names).or_else(|| whole(text, names)) {
            Some(array) => array?,
            None => continue,
        };
        if array.sizes.len() != letters.len() {
            return Err(shape(format!("`{letters}` for {} dimensions", array.sizes.len())));
        }
        for (letter, size) in letters.chars().zip(array.sizes) {
            if *sizes.entry(letter).or_insert(size) != size {
                return Err(shape(format!("`{letter}` has two sizes")));
            }
        }
    }
    let mut all: Vec<char> = Vec::new();
    inputs.chars().filter(|c| is_letter(*c)).for_each(|c| {
        if !all.contains(&c) {
            all.push(c)
        }
    });
    let named: Vec<String> =
        all.iter().filter(|c| !sizes.contains_key(c)).map(|c| format!("size_{c}")).collect();
    let summed: Vec<char> = all.iter().copied().filter(|c| !output.contains(*c)).collect();
    let listed = |letters: &mut dyn Iterator<Item = char>| {
        letters.map(String::from).collect::<Vec<_>>().join(", ")
    };
    let parameters =
        if named.is_empty() { String::new() } else { format!("<{}>", named.join(", ")) };
    let ranges = if summed.is_empty() {
        String::new()
    } else {
        format!("[{}]", listed(&mut summed.iter().copied()))
    };
    let bounds = named.iter().map(|name| format!("{name} in [1, inf]"));
    let bounds =
        bounds.chain(output.chars().chain(summed.iter().copied()).map(|c| match sizes.get(&c) {
            Some(size) => format!("{c} in [0, {}]", size - 1),
            None => format!("{c} in [0, size_{c} - 1]"),
        }));
    let bounds = bounds.collect::<Vec<_>>().join(", ");
    let map = |letters: &str| {
        format!(
            "{parameters}({}){ranges} -> ({}), domain: {bounds}",
            listed(&mut output.chars()),
            listed(&mut letters.chars())
        )
    };
    Ok(operands.iter().zip(texts).map(|(letters, text)| (text.to_owned(), map(letters))).collect())
}
