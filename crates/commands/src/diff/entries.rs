//! Compares the results of two modules through all instructions: their reads first, then their values.

use super::arrays::{
    Asked, Found, changed, compare, computed_otherwise, other_devices, partitioned, rounded,
    values_unknown,
};
use super::heard::heard;
use super::side::{Side, same};
use super::steps::Steps;
use super::tally::Tally;
use crate::failure::Failure;
use crate::output::Object;
use crate::table::Call;
use affinor_compare::computed::{Computed, Runtime, Verdict};
use affinor_compare::pairing::Pairing;
use affinor_compare::{Whole, expanded, on_whole_arrays, unrolled};
use affinor_hlo::attribute::AttributeValue;
use affinor_hlo::module::Module;
use affinor_hlo::shape::Shape;
use affinor_ops::indexing::{
    Analysis, CustomCalls, Device, DeviceReads, OperandReads, Simplify, TuplePath, device_reads,
    has_collectives,
};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The maximum number of instructions of a module with inlined calls.
const INLINED: usize = 200_000;

/// The maximum number of devices for which parts of an array are recognised.
const MAX_DEVICES: i64 = 4_096;

/// The simplifier of maps, the table of custom-calls, and the remaining steps.
pub(super) type Given<'a> = (Simplify<'a>, &'a Arc<CustomCalls>, &'a Steps);

/// Compares the results of two modules; with `pass`, those of the pass with this name.
pub(super) fn compare_entries(
    call: &mut Call<'_>,
    sides: &mut [Side<'_>; 2],
    pass: Option<&str>,
    given: Given<'_>,
    tally: &mut Tally,
) -> Result<(), Failure> {
    let (simplify, custom_calls, steps) = given;
    let name = pass.unwrap_or("the result");
    let entries = sides.each_ref().map(|side| side.module.entry());
    tally.compared += 1;
    if same(sides).computations(entries) {
        tally.same += 1;
        return Ok(());
    }
    let object = Object::nested().with("computation", sides[0].module[entries[0]].name());
    if let Some(what) = other_signature(sides) {
        if let Some(devices) = is_partitioned(sides) {
            if let Some(whole) = on_whole_arrays(sides.each_ref().map(|side| side.module))
                && compare_on_whole_arrays(call, sides, &whole, pass, given, tally)?
            {
                return Ok(());
            }
            tally.unknown += 1;
            call.emit(partitioned(name, object, devices));
            return Ok(());
        }
        tally.changed += 1;
        call.emit(changed(name, object, &what, None));
        return Ok(());
    }
    let inlined = sides.each_ref().map(|side| side.module.inlined(INLINED));
    let (shown, values) = match &inlined {
        [Some(old), Some(new)] => {
            let (mut values, is_strict) = values(call, [old, new], given, false);
            let mut shown = shown_by(&values, is_strict);
            if shown.len() < values.len() {
                let expanded = forms(call, [old, new], false, false);
                let found = written_out(call, [old, new], expanded.as_ref(), &mut values, given);
                shown.extend(found);
                let expanded = expanded.as_ref().map(|forms| of_forms(forms, [old, new]));
                for both in [Some([old, new]), expanded].into_iter().flatten() {
                    if shown.len() < values.len() && !steps.are_spent() {
                        shown.append(&mut same_reads(call, both, given));
                    }
                }
            }
            (shown, values)
        }
        _ => (BTreeSet::new(), Vec::new()),
    };
    let roots = sides.each_ref().map(|side| {
        let entry = &side.module[side.module.entry()];
        entry[entry.root()].shape()
    });
    let mut arrays = roots.iter().flat_map(|root| root.arrays());
    if !arrays.all(|(path, _)| shown.contains(&path)) {
        // Values that are computed in the same way read the same data.
        let same_values = values.iter().filter(|(_, found)| *found == Verdict::Same);
        let same_values = same_values.map(|(path, _)| path.clone()).collect();
        let known = [&shown, &same_values];
        let found = compare_reads(call, sides, (name, &object), known, given)?;
        tally.changed += usize::from(found.is_changed);
        tally.unknown += usize::from(found.is_unknown && !found.is_changed);
        tally.found_otherwise += usize::from(found.by_other_index);
        if found.is_changed || found.is_unknown {
            return Ok(());
        }
    }
    let is_same = |found: &Verdict| matches!(found, Verdict::Same | Verdict::Rounded);
    let all_same = !values.is_empty() && values.iter().all(|(_, found)| is_same(found));
    let has_devices = sides.iter().any(|side| has_collectives(side.module));
    if has_devices && !all_same && !on_same_devices(call, &inlined, simplify, custom_calls) {
        tally.unknown += 1;
        call.emit(other_devices(name, object));
        return Ok(());
    }
    let mut differ = false;
    for (path, found) in &values {
        if let Verdict::Differs(difference) = found {
            differ = true;
            let object = object.clone().with("output", path.clone());
            call.emit(computed_otherwise(name, object, difference));
        }
    }
    let open = values.iter().find_map(|(path, found)| match found {
        Verdict::Open(reason) => Some((path.clone(), reason.as_str())),
        _ => None,
    });
    let too_large = (TuplePath::new(), "the modules are too large to write out");
    let too_large = inlined.iter().any(Option::is_none).then_some(too_large);
    let is_rounded = values.iter().any(|(_, found)| *found == Verdict::Rounded);
    match (differ, open.or(too_large)) {
        (true, _) => tally.recomputed += 1,
        (false, None) if is_rounded => {
            tally.rounded += 1;
            call.emit(rounded(name, object));
        }
        (false, None) => tally.same += 1,
        (false, Some((path, reason))) => {
            let object = object.with("output", path);
            call.emit(values_unknown(name, object, reason));
        }
    }
    Ok(())
}

/// Compares two modules as programs on whole arrays; returns whether this decides. A difference does not if it may be due to
/// parts of the results that are on other devices than the text says.
fn compare_on_whole_arrays(
    call: &mut Call<'_>,
    sides: &[Side<'_>; 2],
    whole: &Whole,
    pass: Option<&str>,
    given: Given<'_>,
    tally: &mut Tally,
) -> Result<bool, Failure> {
    let interrupt = call.host.interrupt();
    let (simplify, custom_calls, _) = given;
    let mut own = [0, 1].map(|number| {
        let module = &whole.modules[number];
        let analysis =
            || Analysis::new(module, simplify).with_custom_calls(custom_calls).ended_by(&interrupt);
        let file = sides[number].file;
        Side { module, file, analysis: analysis(), data: analysis().only_data() }
    });
    let mut found = Tally::default();
    let (answers, compared) =
        heard(call, |call| compare_entries(call, &mut own, pass, given, &mut found));
    compared?;
    let is_change = found.changed + found.recomputed > 0;
    if found.unknown > 0 || is_change && !whole.is_stated {
        return Ok(false);
    }
    answers.into_iter().for_each(|answer| call.emit(answer));
    tally.add(&found);
    Ok(true)
}

/// Returns the arrays of the results that are the same and therefore have the same reads; including reads of indices only if
/// `is_strict`.
fn shown_by(values: &[(TuplePath, Verdict)], is_strict: bool) -> BTreeSet<TuplePath> {
    let is_shown = |found: &Verdict| match found {
        Verdict::Same => is_strict,
        found => *found == Verdict::Rounded,
    };
    let same = values.iter().filter(|(_, found)| is_shown(found));
    same.map(|(path, _)| path.clone()).collect()
}

/// Compares the values again: first with operations `expanded` as compilers do, then with loops of known trip count unrolled as
/// well, and finally both again as if floats were real numbers. Adds the verdicts that this decides, and returns the arrays that
/// are shown to have the same reads.
fn written_out(
    call: &Call<'_>,
    modules: [&Module; 2],
    expanded: Option<&[Option<Module>; 2]>,
    known: &mut [(TuplePath, Verdict)],
    given: Given<'_>,
) -> BTreeSet<TuplePath> {
    let mut shown = BTreeSet::new();
    for (is_rounded, is_flat) in [(false, false), (false, true), (true, false), (true, true)] {
        let open = known.iter().filter(|(_, found)| matches!(found, Verdict::Open(_)));
        let open: BTreeSet<TuplePath> = open.map(|(path, _)| path.clone()).collect();
        if shown.len() == known.len() || is_rounded && open.is_empty() {
            break;
        }
        let made;
        let forms = match (is_rounded, is_flat) {
            (false, false) => expanded,
            _ => {
                made = forms(call, modules, is_rounded, is_flat);
                made.as_ref()
            }
        };
        let both = match forms {
            Some(forms) => of_forms(forms, modules),
            None if is_rounded && !is_flat => modules,
            None => continue,
        };
        let (again, is_strict) = values(call, both, given, is_rounded);
        let found = shown_by(&again, is_strict).into_iter();
        shown.extend(found.filter(|path| !is_rounded || open.contains(path)));
        for ((_, found), (_, again)) in known.iter_mut().zip(again) {
            if matches!(found, Verdict::Open(_)) && !matches!(again, Verdict::Open(_)) {
                *found = again;
            }
        }
    }
    let open = known.iter_mut().filter(|(_, found)| matches!(found, Verdict::Open(_)));
    let mut open = open.peekable();
    if open.peek().is_some() {
        let flat = forms(call, modules, false, true);
        let flat = flat.as_ref().or(expanded).map_or(modules, |forms| of_forms(forms, modules));
        let mut computed = computed(call, flat, given);
        for (path, found) in open {
            if let Some(difference) = computed.different_values(path) {
                *found = Verdict::Differs(difference);
            }
        }
    }
    shown
}

/// Returns the forms of modules, or the modules where they have none.
fn of_forms<'m>(forms: &'m [Option<Module>; 2], modules: [&'m Module; 2]) -> [&'m Module; 2] {
    [0, 1].map(|side| forms[side].as_ref().unwrap_or(modules[side]))
}

/// Returns the modules with operations expanded and, if `is_flat`, loops unrolled; `None` for a module without any, and if there
/// are none to expand or, with `is_flat`, none to unroll.
fn forms(
    call: &Call<'_>,
    modules: [&Module; 2],
    is_rounded: bool,
    is_flat: bool,
) -> Option<[Option<Module>; 2]> {
    let interrupt = call.host.interrupt();
    let apart = expanded(modules, INLINED, is_rounded);
    if !is_flat {
        return apart.iter().any(Option::is_some).then_some(apart);
    }
    let both = [0, 1].map(|side| apart[side].as_ref().unwrap_or(modules[side]));
    let flat = both.map(|module| unrolled(module, &interrupt));
    flat.iter().any(Option::is_some).then(|| {
        let [old, new] = apart;
        let [flat_old, flat_new] = flat;
        [flat_old.or(old), flat_new.or(new)]
    })
}

/// Describes a difference between the shapes of the parameters or of the result, which makes a comparison impossible.
fn other_signature(sides: &[Side<'_>; 2]) -> Option<String> {
    let [old, new] = sides.each_ref().map(|side| &side.module[side.module.entry()]);
    let (was, is) = (old.parameters().len(), new.parameters().len());
    if was != is {
        return Some(format!("it had {was} parameters, and has {is}"));
    }
    let parameters = old.parameters().iter().zip(new.parameters()).enumerate();
    let parameters = parameters.map(|(number, (old_id, new_id))| {
        let shapes = [old[*old_id].shape(), new[*new_id].shape()];
        (format!("the shape of parameter {number}"), shapes)
    });
    let root = [old[old.root()].shape(), new[new.root()].shape()];
    let mut all = parameters.chain([("its shape".to_owned(), root)]);
    all.find_map(|(what, [was, is])| {
        let sizes = |shape: &Shape| -> Vec<_> {
            let arrays = shape.arrays().into_iter();
            arrays.map(|(path, array)| (path, array.sizes())).collect()
        };
        (sizes(was) != sizes(is)).then(|| format!("{what} was {was}, and is {is}"))
    })
}

/// Returns the number of devices for which the new module is compiled, if its parameters and results may be parts of the old
/// module's.
fn is_partitioned(sides: &[Side<'_>; 2]) -> Option<i64> {
    let attribute = sides[1].module.attributes().get("num_partitions")?.value();
    let AttributeValue::Integer(devices) = attribute else {
        return None;
    };
    (2..=MAX_DEVICES).contains(devices).then_some(())?;
    let arrays = sides.each_ref().map(|side| {
        let entry = &side.module[side.module.entry()];
        let ends = entry.parameters().iter().copied().chain([entry.root()]);
        ends.flat_map(|id| entry[id].shape().arrays()).map(|(_, array)| array).collect::<Vec<_>>()
    });
    let is_part = |old: i64, new: i64| {
        let mut numbers = 1..=*devices;
        numbers.any(|number| {
            let rounded_up = old.checked_add(number - 1).map(|most| most / number);
            devices % number == 0 && rounded_up == Some(new)
        })
    };
    let [old, new] = &arrays;
    let mut pairs = old.iter().zip(new);
    let are_parts = old.len() == new.len()
        && pairs.all(|(old, new)| match (old.fixed_sizes(), new.fixed_sizes()) {
            (Some(was), Some(is)) => {
                let mut sizes = was.iter().zip(&is);
                old.element_type() == new.element_type()
                    && was.len() == is.len()
                    && sizes.all(|(was, is)| is_part(*was, *is))
            }
            _ => false,
        });
    are_parts.then_some(*devices)
}

/// Compares the reads of the results, except for the arrays that are known to have the same reads (the first set), or to be
/// computed in the same way (the second).
fn compare_reads(
    call: &mut Call<'_>,
    sides: &mut [Side<'_>; 2],
    (name, object): (&str, &Object),
    [shown, same_values]: [&BTreeSet<TuplePath>; 2],
    (simplify, _, steps): Given<'_>,
) -> Result<Found, Failure> {
    let mut all = Vec::new();
    let mut data = Vec::new();
    for side in sides.iter_mut() {
        let entry = side.module.entry();
        let open = |entry: &&OperandReads| !shown.contains(&entry.output);
        for (analysis, list) in [(&mut side.analysis, &mut all), (&mut side.data, &mut data)] {
            let reads = analysis.computation(entry).map_err(|error| side.file.blame(error))?;
            list.push(reads.iter().filter(open).cloned().collect::<Vec<_>>());
        }
    }
    let modules = sides.each_ref().map(|side| side.module);
    let mut runtime = Runtime::new(modules, simplify, &call.host.interrupt());
    let asked = Asked {
        name,
        object: object.clone(),
        reads: [&all[0], &all[1]],
        data: Some([&data[0], &data[1]]),
        same_values,
        points: Some(steps.points.clone()),
    };
    compare(call, asked, &mut |maps, budget| runtime.change(maps, budget))
}

/// Returns whether the maps through the collectives of both are written in the same way, so that the same devices are read.
fn on_same_devices(
    call: &Call<'_>,
    inlined: &[Option<Module>; 2],
    simplify: Simplify<'_>,
    custom_calls: &Arc<CustomCalls>,
) -> bool {
    let rows = inlined.each_ref().map(|module| {
        let module = module.as_ref()?;
        let mut analysis = analysis(call, module, simplify, custom_calls).only_data();
        let rows = device_reads(&mut analysis, module).ok()??;
        let of_row = |row: &DeviceReads| {
            let devices: Vec<Device> = row.hops.iter().map(|hop| hop.to.clone()).collect();
            let is_known = !devices.iter().any(|to| matches!(to, Device::Unknown(_)));
            let maps = row.reads.reads.maps()?.iter();
            let maps = maps.map(|map| (map.map.clone(), map.runtime.clone()));
            let place =
                (row.reads.output.clone(), row.reads.operand, row.reads.operand_path.clone());
            is_known.then(|| (place, devices, maps.collect::<Vec<_>>(), row.members.clone()))
        };
        rows.iter().map(of_row).collect::<Option<Vec<_>>>()
    });
    let [old, new] = rows;
    old.is_some() && old == new
}

/// Returns the arrays of the results that are shown to have the same reads, step by step.
fn same_reads(call: &Call<'_>, modules: [&Module; 2], given: Given<'_>) -> BTreeSet<TuplePath> {
    let (simplify, custom_calls, _) = given;
    let analyses = modules.map(|module| analysis(call, module, simplify, custom_calls));
    let pairing = Pairing::new(modules, analyses, simplify, &call.proof_budget());
    pairing.with_values(computed(call, modules, given)).same_results()
}

/// Compares the values of each array of the result; also returns whether the arrays that are the same have the same reads as
/// indices. With `is_rounded`, floats are treated as real numbers.
fn values(
    call: &Call<'_>,
    modules: [&Module; 2],
    given: Given<'_>,
    is_rounded: bool,
) -> (Vec<(TuplePath, Verdict)>, bool) {
    let mut computed = computed(call, modules, given);
    if is_rounded {
        computed = computed.but_for_rounding();
    }
    let entry = &modules[0][modules[0].entry()];
    let arrays = entry[entry.root()].shape().arrays().into_iter();
    let verdicts = arrays.map(|(path, _)| {
        let verdict = computed.result(&path);
        (path, verdict)
    });
    let verdicts = verdicts.collect();
    (verdicts, computed.is_strict())
}

fn computed<'m>(
    call: &Call<'_>,
    modules: [&'m Module; 2],
    (simplify, custom_calls, steps): Given<'m>,
) -> Computed<'m> {
    let analyses = modules.map(|module| analysis(call, module, simplify, custom_calls).only_data());
    let computed = Computed::new(modules, analyses, simplify, &call.proof_budget());
    computed.within(&steps.comparisons)
}

fn analysis<'m>(
    call: &Call<'_>,
    module: &'m Module,
    simplify: Simplify<'m>,
    custom_calls: &Arc<CustomCalls>,
) -> Analysis<'m> {
    Analysis::new(module, simplify).with_custom_calls(custom_calls).ended_by(&call.host.interrupt())
}
