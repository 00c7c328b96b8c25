//! Proves the maps of a loop of which it is known how often its body runs, by induction over its iterations.
//!
//! Law: what a part of the state reads of the state before the loop, after no iteration, is itself; after one more iteration it
//! is what the body reads, of what is read of that before. Both are equalities of unions of maps, for all elements and
//! times at once. The maps of the loop are those after its last iteration. What the body and the condition read is proved
//! by their definitions; how often the body runs, and the values of counters, are taken as given. So what stays open is never
//! so because the number of iterations would not be known.

use super::{Change, Defined, Judgement, change, judge};
use affinor::prove::Budget;
use affinor_definition::MANY;
use affinor_ops::indexing::{LoopClaims, OperandReads};
use std::sync::Arc;

/// Why maps stay open.
const NOT_SHOWN: &str =
    "how often the body runs is known, but what its iterations read of each other is not shown";

/// Proves what `judgements` leave open of the maps `reads` of a loop; `inside` are the definitions and the reads of its
/// body and its condition.
pub fn judge_counted(
    claims: &LoopClaims,
    inside: &[(Defined, Arc<[OperandReads]>)],
    reads: &[OperandReads],
    judgements: &mut [Option<Judgement>],
    budget: &Budget,
) {
    let is_proved = |(defined, reads): &(Defined, Arc<[OperandReads]>)| {
        let mut judgements = judge(defined, reads, budget).into_iter();
        judgements.all(|judgement| judgement.is_none_or(|one| one == Judgement::Proved))
    };
    let is_given = inside.iter().all(is_proved);
    let mut shown: Vec<Option<bool>> = vec![None; claims.equalities.len()];
    let same = |lhs: &[_], rhs: &[_]| change((lhs, &[]), (rhs, &[]), budget) == Change::None;
    for (entry, judgement) in reads.iter().zip(judgements) {
        let pair = (entry.output.clone(), entry.operand_path.clone());
        let Some(Judgement::Unknown(reason)) = &mut *judgement else {
            continue;
        };
        // The definition does not know how often the body runs; here it is known.
        if reason.contains(MANY) {
            *reason = NOT_SHOWN.to_owned();
        }
        let (Some((needed, maps)), Some(own)) = (claims.claims.get(&pair), entry.reads.maps())
        else {
            continue;
        };
        if !is_given {
            *reason = "what its body or its condition reads is not proved".to_owned();
            continue;
        }
        let is_shown = needed.iter().all(|number| {
            let known = shown.get(*number).copied().flatten();
            let holds = known.unwrap_or_else(|| {
                let (lhs, rhs) = &claims.equalities[*number];
                same(lhs, rhs)
            });
            shown[*number] = Some(holds);
            holds
        });
        if is_shown && entry.reads.is_exact() && same(own, maps) {
            *judgement = Some(Judgement::Proved);
        }
    }
}
