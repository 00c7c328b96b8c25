//! Two modules, the second of which is compiled for several devices, as programs on whole arrays.

use super::lines::Id;
use super::mesh::shardings;
use super::parts::{part, whole};
use super::program::{Program, sharding_text, target};
use super::sharding::{Sharding, of_elements};
use affinor_hlo::module::{Instruction, Module};
use affinor_hlo::opcode::Opcode;
use affinor_hlo::shape::{ArrayShape, Shape};

/// The maximum number of devices.
const DEVICES: i64 = 64;

/// Programs on whole arrays.
pub struct Whole {
    /// The programs.
    pub modules: [Module; 2],
    /// Whether the text states which device holds which part of the results. Otherwise a compiler may have chosen other parts
    /// than are assumed, so that a difference means nothing.
    pub is_stated: bool,
}

/// Returns the modules as programs on whole arrays; `None` if shardings are unknown, arrays are not divided evenly, or operations
/// are not followed.
#[must_use]
pub fn on_whole_arrays(modules: [&Module; 2]) -> Option<Whole> {
    let [old, new] = modules;
    let devices = new.partitions().filter(|count| (2..=DEVICES).contains(count))?;
    let is_alone = |module: &Module| module.replicas().is_none_or(|count| count == 1);
    let is_for_all = old.partitions().is_none_or(|count| count == devices || count == 1);
    (modules.into_iter().all(is_alone) && is_for_all).then_some(())?;
    let devices = usize::try_from(devices).ok()?;
    let mut programs = modules.map(|module| Program::new(module, devices));
    let mut arguments = [Vec::new(), Vec::new()];
    let entries = modules.map(|module| &module[module.entry()]);
    let [old_parameters, new_parameters] = entries.map(|entry| entry.parameters());
    (old_parameters.len() == new_parameters.len()).then_some(())?;
    for (number, (of_old, of_new)) in old_parameters.iter().zip(new_parameters).enumerate() {
        let both = [&entries[0][*of_old], &entries[1][*of_new]];
        let [array, local] = both.map(|one| one.shape().as_array());
        let (array, local) = (array?, local?);
        let texts = both.map(sharding_text);
        let sharding = agreed(texts, [array, local], devices)?;
        let shape = both[0].shape().to_string();
        let given =
            [0, 1].map(|side| programs[side].lines.leaf(&shape, "parameter", &number.to_string()));
        let [Some(given_old), Some(given_new)] = given else {
            return None;
        };
        let sizes = array.fixed_sizes()?;
        let shape = both[1].shape().to_string();
        let parts = (0..devices).map(|device| {
            part(&mut programs[1].lines, given_new, &sizes, (&sharding, device), &shape)
        });
        arguments[1].push(parts.collect::<Option<Vec<Id>>>()?);
        arguments[0].push(vec![given_old; devices]);
    }
    let mut roots = Vec::new();
    for (side, program) in programs.iter_mut().enumerate() {
        roots.push(program.computation(modules[side].entry(), &arguments[side])?);
    }
    let root = &entries[0][entries[0].root()];
    let stated = stated_result(old, root, devices);
    let shapes = [0, 1].map(|side| entries[side][entries[side].root()].shape());
    let [old_leaves, new_leaves] = shapes.map(leaves);
    let (old_leaves, new_leaves) = (old_leaves?, new_leaves?);
    (old_leaves.len() == new_leaves.len()).then_some(())?;
    let mut results: [Vec<Vec<Id>>; 2] = Default::default();
    for (number, (array, local)) in old_leaves.iter().zip(&new_leaves).enumerate() {
        let is_tuple = shapes[0].as_tuple().is_some();
        let own = stated.get(number).cloned().flatten();
        let sharding = own.or_else(|| undivided([array, local], devices))?;
        (local.element_type() == array.element_type()).then_some(())?;
        let sizes = array.fixed_sizes()?;
        (sharding.sizes(&sizes)? == local.fixed_sizes()?).then_some(())?;
        let texts = [array, local].map(|array| array.to_string());
        let mut parts = Vec::new();
        for side in [0, 1] {
            let on_devices = roots[side].iter().map(|root| match is_tuple {
                true => programs[side].element(*root, number, &texts[side]),
                false => Some(*root),
            });
            parts.push(on_devices.collect::<Option<Vec<Id>>>()?);
        }
        let first = *parts[0].first()?;
        // The results of the old module are whole arrays.
        parts[0].iter().all(|part| *part == first).then_some(())?;
        results[0].push(vec![first]);
        let of = local.element_type().name();
        results[1].push(whole(&mut programs[1].lines, &parts[1], &sizes, of, &sharding)?);
    }
    let copies = results[1].iter().map(Vec::len).max().unwrap_or(1);
    let mut made = Vec::new();
    for (program, results) in programs.into_iter().zip(&results) {
        made.push(finished(program, results, &old_leaves, copies)?);
    }
    let [old_made, new_made] = <[Module; 2]>::try_from(made).ok()?;
    let may_differ = old.attributes().get("allow_spmd_sharding_propagation_to_output");
    let is_kept = may_differ.is_none_or(|flags| !flags.to_string().contains("true"));
    let is_stated = is_kept && sharding_text(root).is_some();
    Some(Whole { modules: [old_made, new_made], is_stated })
}

/// Returns the sharding of a parameter that the texts state; all devices hold an array of the same sizes in both.
fn agreed(
    texts: [Option<String>; 2],
    arrays: [&ArrayShape; 2],
    devices: usize,
) -> Option<Sharding> {
    let [array, local] = arrays;
    (array.element_type() == local.element_type()).then_some(())?;
    let sizes = array.fixed_sizes()?;
    let mut found: Option<Sharding> = None;
    for text in texts.into_iter().flatten() {
        let own = Sharding::read(&text, array.rank(), devices)?;
        found.as_ref().is_none_or(|other| *other == own).then_some(())?;
        found = Some(own);
    }
    let found = found.or_else(|| undivided(arrays, devices))?;
    (found.sizes(&sizes)? == local.fixed_sizes()?).then_some(found)
}

fn undivided([array, local]: [&ArrayShape; 2], devices: usize) -> Option<Sharding> {
    let is_whole = array.fixed_sizes()? == local.fixed_sizes()?;
    is_whole.then(|| Sharding::replicated(array.rank(), devices))
}

/// Returns the arrays of a shape: of an array, or of a tuple of arrays.
fn leaves(shape: &Shape) -> Option<Vec<&ArrayShape>> {
    match shape.as_tuple() {
        Some(shapes) => shapes.iter().map(Shape::as_array).collect(),
        None => Some(vec![shape.as_array()?]),
    }
}

/// Returns the shardings that the text states for the arrays of a result.
fn stated_result(module: &Module, root: &Instruction, devices: usize) -> Vec<Option<Sharding>> {
    let Some(arrays) = leaves(root.shape()) else {
        return Vec::new();
    };
    let is_shardy =
        *root.opcode() == Opcode::CustomCall && target(root) == Some("xla.sdy.LocalToGlobalShape");
    if let (true, Some(found)) =
        (is_shardy, shardings(module, root, "xla.sdy.out_shardings", devices))
    {
        return found.into_iter().map(Some).collect();
    }
    let read = |text: &str, array: &ArrayShape| Sharding::read(text, array.rank(), devices);
    let Some(text) = sharding_text(root) else {
        let entry = &module[module.entry()];
        let operands = entry.operands(root).zip(&arrays);
        return match root.opcode() {
            Opcode::Tuple => {
                operands.map(|(one, array)| read(&sharding_text(one)?, array)).collect()
            }
            _ => Vec::new(),
        };
    };
    match (root.shape().as_tuple(), of_elements(&text)) {
        (None, _) => arrays.iter().map(|array| read(&text, array)).collect(),
        (Some(_), Some(texts)) => {
            texts.iter().zip(&arrays).map(|(text, array)| read(text, array)).collect()
        }
        (Some(_), None) => arrays.iter().map(|array| read(&text, array)).collect(),
    }
}

/// Returns a program whose results are the given arrays, `copies` times.
fn finished(
    mut program: Program<'_>,
    results: &[Vec<Id>],
    arrays: &[&ArrayShape],
    copies: usize,
) -> Option<Module> {
    let mut all = Vec::new();
    let mut shapes = Vec::new();
    for copy in 0..copies {
        for (result, array) in results.iter().zip(arrays) {
            all.push(*result.get(copy).or(result.last())?);
            shapes.push(array.to_string());
        }
    }
    let root = match (&all[..], &shapes[..]) {
        ([only], [shape]) => program.lines.made(shape, "copy", &[*only], "")?,
        _ => program.lines.made(&format!("({})", shapes.join(", ")), "tuple", &all, "")?,
    };
    let mut text = "HloModule whole\n\n".to_owned();
    for (id, computation) in program.module.computations() {
        if program.called.contains(&id) {
            text.push_str(&format!("{computation}\n\n"));
        }
    }
    for made in &program.made {
        text.push_str(made);
        text.push('\n');
    }
    text.push_str(&program.lines.text("ENTRY whole", root));
    affinor_hlo::read_text(&text).ok()
}
