//! Proves the maps of a loop with a known trip count, by induction over its iterations.
//!
//! Law: after no iteration, a part of the state reads itself in the initial state; after one more iteration, it reads the
//! composition of the body's reads with the reads before that iteration. Both are equalities of unions of maps, for all
//! elements and times at once. The maps of the loop are those after its last iteration. The reads of the body and of the
//! condition are proved by their definitions; the trip count, and the values of counters, are taken as given. So an unknown
//! trip count is never the reason for an unknown verdict.

use super::{Change, Defined, Judgement, change, judge};
use affinor::prove::Budget;
use affinor_definition::MANY;
use affinor_ops::indexing::{LoopClaims, OperandReads};
use std::sync::Arc;

/// The reason for maps that are not proved.
const NOT_SHOWN: &str = "the trip count is known, but the reads between iterations are not proved";

/// Proves those maps in `reads` of a loop that are unknown in `judgements`; `inside` has the definitions and the reads of its
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
        // The trip count is not known in the definition; here it is.
        if reason.contains(MANY) {
            *reason = NOT_SHOWN.to_owned();
        }
        let (Some((needed, maps)), Some(own)) = (claims.claims.get(&pair), entry.reads.maps())
        else {
            continue;
        };
        if !is_given {
            *reason = "the reads of its body or its condition are not proved".to_owned();
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
