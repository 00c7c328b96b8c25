//! Modules in which operations that compilers expand are rewritten as others, so that both forms can be compared.
//!
//! Law: for the same parameters, the entry has the result that XLA's *Operation semantics* specifies for each [`Opcode`].

mod collective;
mod conditional;
mod dot;
mod elementwise;
mod reduce;
mod reduced_parts;
mod scatter;
mod select_and_scatter;
mod texts;
mod topk;

use affinor_hlo::module::{Instruction, Module};
use affinor_hlo::opcode::Opcode;
use std::collections::BTreeSet;

/// Maximum number of passes: an expansion may contain further operations to expand.
const ROUNDS: usize = 3;

/// Which operations are expanded besides those that always are.
#[derive(Clone, Copy)]
struct Wanted {
    /// Scatters, to loops.
    loops: bool,
    /// Conditionals, to choices between results.
    choices: bool,
    /// Folds of several arrays, to folds of one.
    parts: bool,
    /// Dots, to folds; those of floats only if `is_rounded`.
    sums: bool,
    is_rounded: bool,
}

/// Returns the modules, which have no calls, with such operations expanded; `None` for a module without any, or with more than
/// `most` instructions afterwards. If one module has more of them than the other, scatters become loops, conditionals become
/// choices between results, folds of several arrays become folds of one, and dots become folds; dots of floats only if these may
/// be rounded differently.
#[must_use]
pub fn expanded(modules: [&Module; 2], most: usize, is_rounded: bool) -> [Option<Module>; 2] {
    let are_fewer = |opcodes: &[Opcode]| {
        let [old, new] = modules.map(|module| count(module, opcodes));
        old != new
    };
    let folds_of_many = modules.map(|module| {
        count_of(module, &|one| *one.opcode() == Opcode::Reduce && one.operands().len() > 2)
    });
    let wanted = Wanted {
        loops: are_fewer(&[Opcode::Scatter, Opcode::SelectAndScatter]),
        choices: are_fewer(&[Opcode::Conditional]),
        parts: are_fewer(&[Opcode::Reduce]) || folds_of_many[0] != folds_of_many[1],
        sums: are_fewer(&[Opcode::Dot]),
        is_rounded,
    };
    modules.map(|module| {
        let mut found: Option<Module> = None;
        for _ in 0..ROUNDS {
            let Some(next) = round(found.as_ref().unwrap_or(module), wanted) else {
                break;
            };
            found = Some(next.inlined(most)?);
        }
        found
    })
}

fn count(module: &Module, opcodes: &[Opcode]) -> usize {
    count_of(module, &|one| opcodes.contains(one.opcode()))
}

/// Returns the number of such instructions in the entry and in the computations that it calls, directly or not. Others are left
/// over from calls that were inlined.
fn count_of(module: &Module, is_counted: &dyn Fn(&Instruction) -> bool) -> usize {
    let mut called = BTreeSet::from([module.entry()]);
    let mut pending = vec![module.entry()];
    let mut counted = 0;
    while let Some(next) = pending.pop() {
        for (_, one) in module[next].instructions() {
            counted += usize::from(is_counted(one));
            let targets = one.attributes().computations().filter_map(|to| to.target());
            pending.extend(targets.filter(|to| called.insert(*to)));
        }
    }
    counted
}

fn round(module: &Module, wanted: Wanted) -> Option<Module> {
    module.replaced(&mut |computation, one| match one.opcode() {
        Opcode::AllGather
        | Opcode::AllGatherStart
        | Opcode::AllReduce
        | Opcode::AllReduceStart
        | Opcode::AllToAll
        | Opcode::CollectivePermute
        | Opcode::CollectivePermuteStart
        | Opcode::ReduceScatter => collective::text(module, computation, one),
        Opcode::AllGatherDone | Opcode::AllReduceDone | Opcode::CollectivePermuteDone => {
            collective::end(computation, one)
        }
        Opcode::Clamp => elementwise::clamp(computation, one),
        Opcode::Conditional if wanted.choices => conditional::text(module, computation, one),
        Opcode::CustomCall => topk::text_of_call(module, computation, one),
        Opcode::Divide | Opcode::Remainder => elementwise::of_bits(computation, one),
        Opcode::Dot if wanted.sums => dot::text(computation, one, wanted.is_rounded),
        Opcode::Map => elementwise::map(module, one),
        Opcode::Reduce if wanted.parts && one.operands().len() > 2 => {
            reduced_parts::text(module, computation, one)
        }
        Opcode::Reduce => reduce::text(module, computation, one, wanted.is_rounded),
        Opcode::Scatter if wanted.loops => scatter::text(computation, one),
        Opcode::Select => elementwise::select(computation, one, wanted.is_rounded),
        Opcode::SelectAndScatter => select_and_scatter::text(computation, one),
        Opcode::Topk => topk::text(computation, one),
        _ => None,
    })
}
