//! Asynchronous operations as XLA prints them: `slice-start(..)`, `slice-update(..)` and `slice-done(..)` abbreviate
//! `async-start`, `async-update` and `async-done` of a computation that is a `slice`.
//!
//! So do `copy-start`, `all-gather-start`, .. if the result has the shape of an `async-start`, as XLA prints them since 2026; if
//! it has their earlier shape, they are opcodes of their own.
//!
//! Since 2026 an update may bind operands that the start omits: `s = ((), (), s32[]) call-start()`, then `((f32[8]), f32[8], ())
//! call-update(s, p)`. It is read as an `async-start` of the operands bound so far, since both have the same reads. If only the
//! done operation states the result, it is read as the operation itself.
//!
//! Law: each is read as the operation that it wraps. The operation has the operands as parameters, the shape of part 1 of the
//! result, and the attributes, except for those that belong to the thread or describe the instruction.

use super::attribute::{Attribute, AttributeValue, Attributes, ComputationReference};
use super::cursor::wrong;
use super::module::{Computation, ComputationId, Instruction, InstructionId, Payload};
use super::opcode::Opcode;
use super::shape::Shape;
use affinor_maps::text::Error;

/// The name of the created computation.
pub(super) const WRAPPED: &str = "async_wrapped";

/// Returns the stage and the operation of a name such as `slice-start`.
pub(super) fn stage(name: &str) -> Option<(Opcode, Opcode)> {
    let stages = [
        ("-start", Opcode::AsyncStart),
        ("-update", Opcode::AsyncUpdate),
        ("-done", Opcode::AsyncDone),
    ];
    stages.into_iter().find_map(|(suffix, stage)| {
        let wrapped = Opcode::from_name(name.strip_suffix(suffix)?);
        let is_known = !matches!(wrapped, Opcode::Other(_) | Opcode::Parameter | Opcode::Constant);
        is_known.then_some((stage, wrapped))
    })
}

/// Returns the operation that an opcode such as `copy-start` starts, if its result has the shape `((operands), result, ..)`.
pub(super) fn started(opcode: &Opcode, shape: &Shape, operands: &[&Instruction]) -> Option<Opcode> {
    let (Opcode::AsyncStart, wrapped) = stage(opcode.name())? else {
        return None;
    };
    // Earlier, these had a state of this shape for several operands, with the same meaning.
    let is_older = matches!(wrapped, Opcode::AllGather | Opcode::CollectivePermute);
    let parts = shape.at(&[0])?.as_tuple()?;
    let mut pairs = parts.iter().zip(operands);
    let is_state = parts.len() == operands.len()
        && pairs.all(|(part, operand)| part.is_compatible(&operand.shape))
        && !(is_older && operands.len() > 1);
    is_state.then_some(wrapped)
}

/// Returns whether an opcode such as `copy-done` ends an [`Opcode::AsyncStart`]: `operand` is one, or has its shape.
pub(super) fn ends(opcode: &Opcode, operand: &Instruction) -> bool {
    let is_done = matches!(stage(opcode.name()), Some((Opcode::AsyncDone, wrapped))
        if !matches!(wrapped, Opcode::Recv | Opcode::Send));
    let is_state = || operand.shape.at(&[0]).is_some_and(|part| part.as_tuple().is_some());
    is_done
        && match &operand.opcode {
            Opcode::AsyncStart | Opcode::AsyncUpdate => true,
            other => stage(other.name()).is_none() && is_state(),
        }
}

/// Returns the contradiction in a start or done instruction with an opcode of its own.
pub(super) fn contradiction(
    opcode: &Opcode,
    shape: &Shape,
    operands: &[&Instruction],
) -> Option<String> {
    let (stage, wrapped) = stage(opcode.name())?;
    let is_each = || match (operands, shape) {
        ([operand], shape) => operand.shape.is_compatible(shape),
        (operands, Shape::Tuple(parts)) if parts.len() == operands.len() => {
            operands.iter().zip(parts).all(|(operand, part)| operand.shape.is_compatible(part))
        }
        _ => false,
    };
    match (stage, wrapped) {
        (Opcode::AsyncDone, _) if operands.iter().any(|start| start.is_doubtful()) => {
            Some("its start is not understood".to_owned())
        }
        (Opcode::AsyncStart, Opcode::AllReduce) if !is_each() => {
            Some(format!("`{opcode}` gives the shapes of its operands, found `{shape}`"))
        }
        (
            Opcode::AsyncStart,
            Opcode::AllGather | Opcode::CollectivePermute | Opcode::Copy | Opcode::Send,
        ) if shape.at(&[1]).is_none() => {
            Some(format!("`{opcode}` gives a tuple of at least two parts, found `{shape}`"))
        }
        _ => None,
    }
}

/// Returns whether an attribute belongs to the instruction, not to the operation that it runs.
fn is_of_instruction(attribute: &Attribute) -> bool {
    matches!(
        attribute.name(),
        "async_execution_thread"
            | "backend_config"
            | "control-predecessors"
            | "frontend_attributes"
            | "metadata"
            | "origin"
            | "output_to_operand_aliasing"
            | "sharding"
            | "statistics"
    )
}

/// Creates the computation that an `async-start` of `opcode` runs; its attributes are moved there from `instruction`.
pub(super) fn wrapped(
    instruction: &mut Instruction,
    operands: &[&Instruction],
    opcode: &Opcode,
) -> Result<Computation, Error> {
    let is_pair = instruction.shape.at(&[0]).is_some_and(|part| part.as_tuple().is_some());
    let result = instruction.shape.at(&[1]).filter(|_| is_pair);
    let Some(result) = result.cloned() else {
        let error = wrong(
            instruction.span.clone(),
            format!("expected the shape `((operands), result, ..)` of `{opcode}-start`"),
        );
        return Err(error.hint("the operands and the result of the operation, then its state"));
    };
    let list = std::mem::take(&mut instruction.attributes.list);
    let (own, of_operation) = list.into_iter().partition(is_of_instruction);
    instruction.attributes = Attributes { list: own };
    let made = |name: &str, shape: &Shape, opcode: Opcode| Instruction {
        name: name.into(),
        shape: shape.clone(),
        opcode,
        operands: Vec::new(),
        payload: Payload::None,
        attributes: Attributes::default(),
        span: instruction.span.clone(),
        name_span: instruction.name_span.clone(),
    };
    let mut instructions = Vec::new();
    for (number, operand) in operands.iter().enumerate() {
        let name = format!("async_param.{number}");
        let mut parameter = made(&name, &operand.shape, Opcode::Parameter);
        parameter.payload = Payload::ParameterNumber(number);
        instructions.push(parameter);
    }
    let parameters: Vec<InstructionId> = (0..operands.len()).map(InstructionId).collect();
    let mut root = made("async_op", &result, opcode.clone());
    root.operands = parameters.clone();
    root.attributes = Attributes { list: of_operation };
    instructions.push(root);
    Ok(Computation {
        name: WRAPPED.into(),
        signature: None,
        instructions,
        root: InstructionId(parameters.len()),
        parameters,
        attributes: Attributes::default(),
        span: instruction.span.clone(),
    })
}

/// Returns whether part 1 of a state, the result, is present: a start that leaves operands to updates has no result yet.
pub(super) fn has_result(state: &Shape) -> bool {
    state.at(&[1]).is_none_or(|result| result.as_tuple().is_none_or(|parts| !parts.is_empty()))
}

/// Makes a start without a result run the computation that a call or a fusion names; the updates determine other operations.
pub(super) fn call_as_written(instruction: &mut Instruction, wrapped: &Opcode) {
    if !matches!(wrapped, Opcode::Call | Opcode::Fusion) {
        return;
    }
    let mut attributes = instruction.attributes.list.iter_mut();
    if let Some(called) = attributes.find(|attribute| attribute.name() == "to_apply") {
        called.name = "calls".into();
    }
}

/// Reads an `async-update` that binds operands or the result as a start with all bound operands, if its start is known. Returns
/// whether it must be [`wrapped`], which is so if it names the operation itself.
pub(super) fn bind(update: &mut Instruction, earlier: &[Instruction]) -> bool {
    let Some((of, added)) = update.operands.split_first() else {
        return false;
    };
    let state = &earlier[of.0];
    let binds = !added.is_empty() || has_result(&update.shape) && !has_result(&state.shape);
    if !binds || state.opcode != Opcode::AsyncStart {
        return false;
    }
    let operands = [&state.operands[..], added].concat();
    let kept = kept(state, update);
    update.attributes.list.extend(kept);
    update.opcode = Opcode::AsyncStart;
    update.operands = operands;
    has_result(&update.shape) && update.attributes.get("calls").is_none()
}

/// Reads an `async-done`, or the equivalent for `ended`, as the operation itself if its start and updates omit the result: with
/// all bound operands, which gives the same reads.
pub(super) fn finish(done: &mut Instruction, earlier: &[Instruction], ended: &Opcode) {
    let (Opcode::AsyncDone, [of]) = (&done.opcode, &done.operands[..]) else {
        return;
    };
    let state = &earlier[of.0];
    let gives_nothing = done.shape.as_tuple().is_some_and(<[_]>::is_empty);
    if state.opcode != Opcode::AsyncStart || has_result(&state.shape) || gives_nothing {
        return;
    }
    let kept = kept(state, done);
    done.attributes.list.extend(kept);
    let mut attributes = done.attributes.list.iter_mut();
    let called = attributes.find(|each| matches!(each.name(), "calls" | "to_apply"));
    done.opcode = match (called, ended) {
        (Some(called), Opcode::Fusion) => {
            called.name = "calls".into();
            Opcode::Fusion
        }
        (Some(called), Opcode::Other(_) | Opcode::Call) => {
            called.name = "to_apply".into();
            Opcode::Call
        }
        (None, Opcode::Other(_)) => return,
        (_, ended) => ended.clone(),
    };
    done.operands = state.operands.clone();
}

/// Returns the attributes of a state that belong to the operation and that `own` lacks.
fn kept(state: &Instruction, own: &Instruction) -> Vec<Attribute> {
    let kept = state.attributes.list.iter().filter(|attribute| {
        let is_new = || own.attributes.list.iter().all(|own| own.name != attribute.name);
        let is_kept = attribute.name() == "async_execution_thread" || !is_of_instruction(attribute);
        is_kept && is_new()
    });
    kept.cloned().collect()
}

/// Makes `instruction` call `computation`.
pub(super) fn call(instruction: &mut Instruction, computation: ComputationId) {
    let span = instruction.name_span.clone();
    instruction.attributes.list.push(Attribute {
        name: "calls".into(),
        value: AttributeValue::Computation(ComputationReference {
            name: WRAPPED.into(),
            target: Some(computation),
            span: span.clone(),
        }),
        span,
    });
}
