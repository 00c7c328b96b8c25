//! `paste`: a line that does not begin with a command is the input itself: a map, code of a kernel, an attribute of MLIR, HLO, a
//! shape, a statement, or `name = ..`. Each kind is passed on to its command.

pub mod code;
mod index_loops;
mod index_ops;
pub mod mlir;

use super::answered::answered;
use super::arguments::Argument;
use super::bare::{
    assignment, is_arrow_function, is_block, is_hlo, is_map, is_nameless_instruction, is_shape,
    is_triton,
};
use super::failure::{Failure, Place};
use super::forall::{alternates, is_quantified};
use super::foreign::{self, Declared, declared};
use super::hlo;
use super::option::C;
use super::output::{Output, Role, Status, Text};
use super::table::{Call, Command, Kind, Parameter};
use super::width::{BITS, UNSIGNED};
use affinor::rule::read_rule;
use affinor::text::ErrorKind;
use affinor_code::is_evidently_c;

pub const PASTE: Command = Command {
    name: "paste",
    parameters: &[Parameter::required("TEXT", Kind::Rest)],
    options: &[C.switch, BITS.switch, UNSIGNED.switch],
    summary: "answer a map, code, MLIR, HLO or a shape; a line without a command is taken for one",
    details: "TEXT is one of\n\
              a map, which is simplified;\n\
              an expression of Python, C, CUDA or Triton, a lambda or a function, which is read as maps and simplified:\n\
              \x20 // floordiv mod % / >> << & | ^ ~ min max abs cdiv where clamp, comparisons, a if c else b, c ? a : b\n\
              \x20 bounds come after it: `, i in [0, 9]`, `for i in range(10)`, or `where 0 <= i < 10`\n\
              \x20 / and % round down; with --c they round toward zero, as in C;\n\
              a comparison of expressions (=, ==, !=, <, <=), which is proved or refuted;\n\
              NAME = .., which is `let NAME = ..`;\n\
              affine_map, affine_set, memref, #xla.indexing_map, the indexing_maps of a linalg.generic, or lines of affine.apply;\n\
              ops of StableHLO, linalg, tensor, memref and vector, and loops of affine;\n\
              instructions or a module of HLO, and a shape of HLO or CuTe.",
    example: &[
        "paste (i >> 2) * 4 + (i & 3)",
        "paste affine_set<(d0) : (d0 - 3 >= 0, 1 - d0 >= 0)>",
    ],
    makes_map: true,
    keys: "",
    run,
};

fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let argument = call.argument(0)?.clone();
    let text = argument.text.as_str();
    if foreign::is_barrier(text) {
        call.host.emit(foreign::said("a barrier, which accesses no element".to_owned()));
        return Ok(());
    }
    if let Some((name, definition)) = foreign::made_block(text) {
        call.session.arrays.insert(name, definition);
    }
    if let Some(text) = foreign::entry(text) {
        return hlo::of_text(call, &text);
    }
    if alternates(text) {
        let message = "`forall` and `exists` in one statement are not supported";
        let hint = "ask for one value at a time: `exists y in [0, 5]: 3 + y == 9`";
        return Err(argument.wrong(ErrorKind::Unsupported, message).hint(hint));
    }
    if foreign::is_foreign(call.session, text) {
        return foreign::answer(call, &argument);
    }
    if let Some(result) = foreign::answer_array(call, &argument) {
        return result;
    }
    if let Some(error) = foreign::unread(text) {
        return Err(argument.blame(error));
    }
    if let Some(Declared { name, sizes, .. }) = declared(text) {
        call.session.arrays.insert(name.to_owned(), text.to_owned());
        let sizes = sizes.join(" x ");
        let text = format!("`{name}` is an array of {sizes}; an element is read as its index");
        call.emit(Output {
            text: Text::of(Role::Faint, text),
            json: None,
            status: Status::Done,
            is_echo: false,
            number: None,
        });
        return Ok(());
    }
    call.session.see(text);
    // A whole op is answered by its reads; a `linalg.generic` without its region, by its maps alone.
    let is_part = text.contains("linalg.generic") && !text.contains("linalg.yield");
    let is_op = is_hlo(text) && text.contains('%') && !is_part;
    if text.contains("indexing_maps") && !is_op {
        return mlir::indexing_maps(call, &argument);
    }
    if index_ops::is_index_ops(text) {
        return index_ops::answer(call, &argument);
    }
    if is_quantified(text) {
        return passed_on(call, "prove", &argument);
    }
    if is_hlo(text) {
        let text = match is_nameless_instruction(text) {
            true => format!("unnamed = {text}"),
            false => mlir::with_aliases(call, text),
        };
        return hlo::of_text(call, &text);
    }
    if is_shape(text) {
        return passed_on(call, "layout", &argument);
    }
    if text.starts_with("affine_set") {
        return mlir::set(call, &argument);
    }
    if let Some((name, value)) = assignment(text)
        && value.trim_start().starts_with("tl.load(")
    {
        call.session.forget_name(name); // it is now a loaded value, which no map represents
        return code::answer(call, &argument);
    }
    if assignment(text).is_some() && !is_block(text) {
        return passed_on(call, "let", &argument);
    }
    if text.starts_with("memref") {
        return mlir::buffer(call, &argument);
    }
    if is_map(text) {
        let map = call.map(&argument)?;
        let output = answered(call, &map)?;
        call.emit(output);
        return Ok(());
    }
    // A statement of the rule language is decided as such: for all integers.
    let truncates = call.has(C);
    let is_code = truncates || call.names_a_value(text) || is_evidently_c(text);
    let is_statement = !is_code && read_rule(text).is_ok();
    if is_arrow_function(text) {
        return code::answer(call, &argument);
    }
    if text.contains("=>") || is_statement && !is_about_code(call, &argument) {
        return passed_on(call, "prove", &argument);
    }
    code::answer(call, &argument)
}

/// Returns whether a statement that could also be one of the rule language depends on assumptions of code: divisors of at least
/// 1, types, or the division of C.
fn is_about_code(call: &Call<'_>, argument: &Argument) -> bool {
    let code = call.code(argument, false);
    code.is_ok_and(|code| code.values.iter().any(|value| value.assumes))
}

/// Runs `command` on the text.
fn passed_on(call: &mut Call<'_>, command: &str, argument: &Argument) -> Result<(), Failure> {
    let text = match is_triton(&argument.text) {
        true => argument.text.as_str(),
        false => argument.text.trim_start_matches('#'),
    };
    // `#set` names a map as `set_`, since the names of commands are reserved.
    let name = text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
    let is_taken = text.len() < argument.text.len() && call.commands.named(name).is_some();
    let line = match is_taken {
        true => format!("{command} {name}_{}", &text[name.len()..]),
        false => format!("{command} {text}"),
    };
    let line = if call.has(C) { line + " --c" } else { line };
    let added = command.len() + 1 + usize::from(is_taken);
    let removed = argument.text.len() - text.len();
    let status = call.commands.run(call.session, &line, &mut *call.host);
    let status = status.map_err(|mut failure| match failure.place {
        Place::Command => {
            let moved = |at: usize| at.saturating_sub(added) + removed;
            let span = failure.error.span.take();
            failure.error.span = span.map(|span| moved(span.start)..moved(span.end));
            argument.blame(failure.error)
        }
        _ => failure,
    })?;
    call.status = call.status.and(status);
    Ok(())
}
