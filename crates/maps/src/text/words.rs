//! Numbers with the nouns that they count.

/// Returns a number with its noun: `1 pass`, `2 passes`, `0 results`.
pub fn count(number: impl TryInto<i128>, noun: &str) -> String {
    let number: i128 = number.try_into().unwrap_or(i128::MAX);
    let ending = match noun {
        _ if number == 1 => "",
        _ if noun.ends_with('s') => "es",
        _ => "s",
    };
    format!("{number} {noun}{ending}")
}
