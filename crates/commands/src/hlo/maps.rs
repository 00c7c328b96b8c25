//! The question that `hlo` answers by default: the maps of each instruction.

use super::asked::{Asked, Wanted, is_backwards, named_sizes, threads};
use super::judgement::Checked;
use super::options::{CHECK, INSTRUCTION};
use super::output::ByComputation;
use super::overview::Overview;
use super::places::{places, with_operand};
use super::question::{Analysed, OfModule, with_analysis};
use super::summary::Summary;
use super::warnings::Lines;
use crate::failure::Failure;
use crate::table::Call;
use affinor_definition::Definitions;
use affinor_hlo::module::{ComputationId, Instruction, InstructionId};
use affinor_hlo::opcode::Opcode;
use affinor_ops::indexing::Analysis;

/// Emits the maps of the requested instructions, and the counts of all.
pub(super) fn run(call: &mut Call<'_>, given: OfModule<'_>) -> Result<(), Failure> {
    let backwards = is_backwards(call)?;
    with_analysis(call, given.module, |call, analysed| emit(call, given, analysed, backwards))
}

fn emit(
    call: &mut Call<'_>,
    OfModule { file, module, numbers }: OfModule<'_>,
    Analysed { analysis, shaper, open }: Analysed<'_>,
    backwards: bool,
) -> Result<(), Failure> {
    let interrupt = call.host.interrupt();
    // Without operands, an instruction reads nothing, unless its operation is unknown.
    let is_asked = |instruction: &Instruction| {
        let is_unknown = matches!(instruction.opcode(), Opcode::Other(name) if name.contains('.'));
        !instruction.operands().is_empty() || is_unknown
    };
    let places = places(call, module, is_asked)?;
    let places = with_operand(call, module, places)?;
    let asked = Asked {
        module,
        shaper,
        lines: Some(Lines::of(file)),
        backwards,
        wanted: Wanted::new(call),
        named: open.map(|open| named_sizes(module, &open)).unwrap_or_default(),
    };
    let threads = threads(call)?;
    let state = || {
        let definitions = Definitions::new(module).ended_by(&interrupt);
        (analysis.clone(), definitions)
    };
    let answer = |(analysis, definitions): &mut (Analysis<'_>, Definitions<'_>),
                  place: &(ComputationId, InstructionId)| {
        (*place, asked.answer(analysis, definitions, *place))
    };
    let (mut answers, mut summary) = (ByComputation::default(), Summary::default());
    let mut overview = Overview::new(call);
    let mut checked = Checked::default();
    call.each_in_order(threads, &places, &state, &answer, |call, answer| {
        let (place, answer) = answer;
        match answer {
            Err(error) => {
                summary.add_wrong();
                if let Some(overview) = &mut overview {
                    overview.count(place.0, None);
                }
                call.report(&file.blame(error));
            }
            Ok(told) => {
                if let Some(overview) = &mut overview {
                    overview.count(place.0, Some(told.known.clone()));
                }
                summary.add(told.known);
                checked = checked.plus(told.checked);
                let output = numbers.give(call.session, told.output, told.maps);
                let output = answers.below(place.0, module, output);
                match &mut overview {
                    Some(overview) => overview.hold(output),
                    None => call.emit(output),
                }
            }
        }
    })?;
    let totals = call.has(CHECK).then_some(checked);
    match overview {
        Some(overview) => overview.emit(call, module, summary.output(totals)),
        None if call.arguments.has(INSTRUCTION.switch.name) => {
            if let Some(totals) = checked.output() {
                call.emit(totals);
            }
        }
        None => call.emit(summary.output(totals)),
    }
    Ok(())
}
