//! Completion after `op`: the names of operations in HLO, and the attributes of each.

use super::forms::form;
use affinor_hlo::opcode::Opcode;

/// Returns the words that may follow `before`, the text after `op`.
pub fn words_of_op(before: &str) -> Vec<String> {
    let stage = before.rsplit('|').next().unwrap_or(before);
    let Some(name) = stage.split_whitespace().next() else {
        let listed = Opcode::LISTED.iter();
        return listed.map(|opcode| opcode.name().to_owned()).collect();
    };
    let form = form(&Opcode::from_name(name));
    let attributes = form.iter().flat_map(|form| form.attributes());
    let mut words: Vec<String> = attributes.map(|name| format!("{name}=")).collect();
    words.retain(|word| !stage.contains(word));
    words.sort_unstable();
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_comes_first_and_its_attributes_then() {
        assert!(words_of_op(" ").contains(&"dynamic-slice".to_owned()));
        assert!(words_of_op(" reshape f32[4] -> f32[2,2] | ").contains(&"transpose".to_owned()));
        assert_eq!(words_of_op(" transpose f32[2,3] "), ["dimensions="]);
        let given = " dot f32[4,8] f32[8,4] lhs_contracting_dims={1} ";
        let left = ["lhs_batch_dims=", "rhs_batch_dims=", "rhs_contracting_dims="];
        assert_eq!(words_of_op(given), left);
        assert!(words_of_op(" nothing ").is_empty());
    }
}
