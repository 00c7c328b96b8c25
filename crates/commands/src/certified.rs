//! Certificates that two maps are equal, checkable without a solver: for `equal`, and for answers about layouts.

use crate::certificate_form::{FORMAT, Form};
use crate::failure::Failure;
use crate::output::{Object, Role, Text};
use crate::table::Call;
use affinor::expr::IndexingMap;
use affinor_workshop::rocq;
use serde_json::Value;

/// Adds a certificate that two maps, which were proved equal, are equal; or a note that none was found.
///
/// # Errors
/// If a shipped rule file does not load, or the theorem would be too large.
pub fn certify(
    call: &Call<'_>,
    maps: [&IndexingMap; 2],
    (mut text, json): (Text, Object),
) -> Result<(Text, Object), Failure> {
    if let Some(found) = certified(call, maps, (text.clone(), json.clone()))? {
        return Ok(found);
    }
    let words =
        "no certificate was found: the equality relies on the prover, and `why` explains it";
    text.push(Role::Doubtful, format!("\n{words}"));
    Ok((text, json.with("certificate", Value::Null)))
}

/// Adds a certificate that two maps are equal, in the requested format; returns `None` if none is found.
///
/// # Errors
/// If a shipped rule file does not load, or the theorem would be too large.
pub fn certified(
    call: &Call<'_>,
    [left, right]: [&IndexingMap; 2],
    (text, json): (Text, Object),
) -> Result<Option<(Text, Object)>, Failure> {
    let (simplifier, options) = (call.simplifier()?, call.search_options()?);
    let found = simplifier.certify_equal(left, right, &options);
    call.go_on()?;
    let Some(claim) = found else {
        return Ok(None);
    };
    if call.value(&FORMAT)? == Some(Form::Rocq) {
        let file = rocq::file_of_claim(&claim, simplifier.rules());
        let file = file.map_err(|error| call.failed(error))?;
        let file = file.trim_end();
        return Ok(Some((Text::new().plain(file), json.with("rocq", file))));
    }
    let certificate = claim.with_rules(simplifier.rules());
    let line = Value::from(Object::nested().and(&certificate));
    Ok(Some((text.plain(format!("\n{line}")), json.with("certificate", certificate))))
}
