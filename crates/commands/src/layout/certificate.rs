//! `--certificate` of the operations on CuTe layouts: a proof from rules that an answer satisfies the definition of its
//! operation, as one equation of maps.

use super::operation::CERTIFICATE;
use crate::certified::certified;
use crate::failure::Failure;
use crate::output::{Object, Role, Text};
use crate::table::Call;
use affinor_layout::cute::{Claim, together};
use serde_json::Value;

/// The equations that prove an answer.
pub struct Shown<'a> {
    pub claims: &'a [Claim],
    /// The names in the equations that represent quotients of named sizes, each with the corresponding product.
    pub products: &'a [(String, String)],
}

/// Adds the certificate to an answer if it is requested, or the reason why no certificate was found.
///
/// # Errors
/// If a shipped rule file does not load, or the theorem would be too large.
pub fn with_certificate(
    call: &Call<'_>,
    shown: &Shown<'_>,
    (mut text, json): (Text, Object),
) -> Result<(Text, Object), Failure> {
    if !call.has(CERTIFICATE) {
        return Ok((text, json));
    }
    let ways = together(shown.claims);
    for (left, right) in &ways {
        let aligned = right.with_parameters_of(left.domain());
        let Ok(right) = aligned else { continue };
        let Ok(left) = left.with_parameters_of(right.domain()) else { continue };
        let mut text = text.clone();
        let products =
            shown.products.iter().map(|(name, product)| format!("{product} stands for {name}"));
        let products: Vec<String> = products.collect();
        let mut json = json.clone();
        if !products.is_empty() {
            let words = format!("\n  in the certificate, {}", products.join(", "));
            text.push(Role::Faint, words);
            json = json.with("certificate_names", products);
        }
        if let Some(found) = certified(call, [&left, &right], (text, json))? {
            return Ok(found);
        }
    }
    let why = match ways.is_empty() {
        true => "its check is not an equation of maps",
        false => "that it is right rests on the check above",
    };
    text.push(Role::Doubtful, format!("\nno certificate was found: {why}"));
    Ok((text, json.with("certificate", Value::Null).with("missing", why)))
}
