//! The maps of ops whose sizes have names, for all sizes.

use super::module::Written;
use super::sizes::{NamedShape, SizedOp, read};
use crate::arguments::Argument;
use crate::failure::Failure;
use crate::hlo::asked::{Shaper, is_backwards};
use crate::hlo::options::CHECK;
use crate::option::Flag;
use crate::output::{Object, Output, Role, Status, Text};
use crate::table::Call;
use affinor::expr::{Expr, IndexingMap};
use affinor::simplify::{Effort, Options};
use affinor::text::{Error, ErrorKind, Style, print_expr, print_map, variable_names};
use affinor_hlo::element_type::ElementType;
use affinor_ops::named::{Facts, NamedOp, NamedReads, is_pointwise, reads};
use serde_json::Value;

/// Returns the answer, and the map to the first operand, if there is exactly one map.
pub fn answer(
    call: &Call<'_>,
    argument: &Argument,
    explain: &Flag,
) -> Result<(Output, Option<IndexingMap>), Failure> {
    refuse_options(call, explain)?;
    let shaper = Shaper::new(call)?;
    let simplifier = call.simplifier()?;
    let options = Options {
        effort: Effort::Strategy,
        interrupt: call.host.interrupt(),
        ..Options::default()
    };
    let simplify = |map: &IndexingMap| simplifier.simplify(map, &options).map;
    let chain = Chain::new(&argument.text, &simplify);
    let chain = chain.map_err(|error| argument.blame(error))?;
    call.go_on()?;
    Ok(chain.answer(&shaper, call.session.style))
}

fn refuse_options(call: &Call<'_>, explain: &Flag) -> Result<(), Failure> {
    if is_backwards(call)? {
        let message = "maps from the operands to the output have numbers as sizes";
        return Err(call.wrong_usage(message));
    }
    for (option, does) in [(&CHECK, "judges"), (explain, "explains")] {
        if call.has(*option) {
            let name = option.switch.name;
            let message = format!("`--{name}` {does} maps with numbers as sizes");
            return Err(call.wrong_usage(message));
        }
    }
    Ok(())
}

/// One op of the chain.
struct Stage {
    /// The name of the stage; `operands` has the names of its operands.
    name: String,
    opcode: String,
    shape: String,
    operands: Vec<String>,
    reads: NamedReads,
}

/// The ops of a chain, and their composed reads.
struct Chain {
    stages: Vec<Stage>,
    /// The composed maps, each with the number of its input; an input may have several maps.
    together: Vec<(usize, IndexingMap)>,
}

impl Chain {
    fn new(text: &str, simplify: &dyn Fn(&IndexingMap) -> IndexingMap) -> Result<Chain, Error> {
        let (domain, ops) = read(text)?;
        let mut facts = Facts::new(domain, simplify);
        let mut chain = Chain { stages: Vec::new(), together: Vec::new() };
        let mut inputs = 0;
        let mut before: Option<(ElementType, Vec<Expr>)> = None;
        for op in &ops {
            let at_op =
                |error: Error| Error { span: error.span.or(Some(op.text.span.clone())), ..error };
            let types = op.text.operands.iter().map(|(shape, _)| shape.element);
            let mut types: Vec<ElementType> = types.collect();
            let mut operands = op.operands.clone();
            let mut names = Vec::new();
            if let (Some((element, sizes)), Some(stage)) = (&before, chain.stages.last()) {
                types.insert(0, *element);
                operands.insert(0, sizes.clone());
                names.push(stage.name.clone());
            }
            if op.text.form().is_some_and(|form| form.completes(operands.len())) {
                operands.push(Vec::new()); // a padding value or an initial value: any other op is rejected
                types.push(types.first().copied().unwrap_or(ElementType::F32));
            }
            let first = inputs;
            inputs += operands.len() - names.len();
            names.extend((first..inputs).map(|number| format!("p{number}")));
            let (reads, element) =
                reads_of(op, &operands, &types, text, &mut facts).map_err(at_op)?;
            let sizes: Vec<String> = reads.sizes.iter().map(|size| shown(size, &facts)).collect();
            let earlier = ops.iter().take(chain.stages.len());
            let earlier = earlier.filter(|o| o.text.opcode == op.text.opcode).count();
            chain.stages.push(Stage {
                name: match earlier {
                    0 => op.text.opcode.to_string(),
                    _ => format!("{}.{earlier}", op.text.opcode),
                },
                opcode: op.text.opcode.to_string(),
                shape: format!("{}[{}]", element.name(), sizes.join(",")),
                operands: names,
                reads,
            });
            chain.compose(before.is_some(), first).map_err(at_op)?;
            before = chain.stages.last().map(|stage| (element, stage.reads.sizes.clone()));
        }
        Ok(chain)
    }

    /// Composes the maps of the last stage with the maps to inputs; inputs that this stage adds are numbered from `first`.
    fn compose(&mut self, has_before: bool, first: usize) -> Result<(), Error> {
        let Some(stage) = self.stages.last() else {
            return Ok(());
        };
        let mut together = Vec::new();
        for (operand, map) in &stage.reads.maps {
            match (has_before, operand) {
                (true, 0) => {
                    for (input, path) in &self.together {
                        let composed = map.then(path);
                        let composed = composed.map_err(|error| {
                            Error::without_span(ErrorKind::Overflow, error.to_string())
                        })?;
                        together.push((*input, composed));
                    }
                }
                _ => together.push((first + operand - usize::from(has_before), map.clone())),
            }
        }
        together.sort_by_key(|(input, _)| *input);
        self.together = together;
        Ok(())
    }

    fn answer(&self, shaper: &Shaper, style: Style) -> (Output, Option<IndexingMap>) {
        let shape = |maps: &[(usize, IndexingMap)]| -> Vec<(usize, IndexingMap)> {
            let maps = maps.iter().map(|(operand, map)| (*operand, shaper.apply(map)));
            maps.filter(|(_, map)| !map.domain().is_known_empty()).collect()
        };
        let mut text = Text::new();
        let mut objects: Vec<Object> = Vec::new();
        let is_chain = self.stages.len() > 1;
        let mut shown = Vec::new();
        for stage in &self.stages {
            text.new_line();
            text.push(Role::Plain, "  ");
            let heading = format!(" = {} {}", stage.shape, stage.opcode);
            text.append(Text::of(Role::Name, &*stage.name).with(Role::Faint, heading));
            let maps = shape(&stage.reads.maps);
            let results = entries(&mut text, &maps, &stage.operands, "operand", shaper, style);
            objects.push(
                Object::nested()
                    .with("instruction", &*stage.name)
                    .with("opcode", &*stage.opcode)
                    .with("shape", &*stage.shape)
                    .with("direction", "output-to-input")
                    .with("results", results),
            );
            shown = maps;
        }
        if is_chain {
            shown = shape(&self.together);
        }
        let first = match shown.iter().filter(|(operand, _)| *operand == 0).collect::<Vec<_>>()[..]
        {
            [(_, map)] => Some(map.clone()),
            _ => None,
        };
        let has_stopped = shown.iter().any(|(_, map)| shaper.stop(map).is_some());
        let status = match has_stopped {
            true => Status::Undecided,
            false => Status::Done,
        };
        let json = match is_chain {
            false => objects
                .into_iter()
                .next()
                .map_or_else(Object::new, |object| Object::new().and(object)),
            true => {
                text.push(Role::Plain, "\n  together");
                let count = shown.iter().map(|(input, _)| input + 1).max().unwrap_or(0);
                let names: Vec<String> = (0..count).map(|number| format!("p{number}")).collect();
                let results = entries(&mut text, &shown, &names, "parameter", shaper, style);
                let stages: Vec<Value> = objects.into_iter().map(Value::from).collect();
                Object::new()
                    .with("stages", stages)
                    .with("results", results)
                    .with("result", first.as_ref().map(|map| print_map(map, style)))
            }
        };
        (Output::new(text, json).status(status), first)
    }
}

/// Returns the reads of one op, and the type of its elements.
fn reads_of(
    op: &SizedOp,
    operands: &[Vec<Expr>],
    types: &[ElementType],
    text: &str,
    facts: &mut Facts<'_>,
) -> Result<(NamedReads, ElementType), Error> {
    let given = op.text.result.as_ref().map(|(shape, _): &(NamedShape, _)| shape.element);
    let first = types.first().copied();
    let is_pointwise = is_pointwise(&op.text.opcode);
    let mut written = Written::default();
    let declared = match is_pointwise {
        true => given,
        false => given.or(first).or(Some(ElementType::F32)),
    };
    let module = written.stand_in(&op.text, types, declared, text)?;
    let entry = &module[module.entry()];
    let instruction = &entry[entry.root()];
    let named = NamedOp {
        opcode: &op.text.opcode,
        instruction,
        operands,
        result: op.result.as_deref(),
        slices: &op.slices,
        values: &[],
    };
    let reads = reads(&named, facts).map_err(|error| match error.span {
        Some(_) => written.blame(&[&op.text], error),
        None => error,
    })?;
    let implied = instruction.shape().as_array().map(|array| array.element_type());
    Ok((reads, implied.or(first).unwrap_or(ElementType::F32)))
}

fn shown(size: &Expr, facts: &Facts<'_>) -> String {
    print_expr(size, &variable_names(facts.domain()), Style::Plain)
}

/// Writes a line for each map; returns an object for each operand.
fn entries(
    text: &mut Text,
    maps: &[(usize, IndexingMap)],
    names: &[String],
    key: &'static str,
    shaper: &Shaper,
    style: Style,
) -> Vec<Object> {
    let mut objects = Vec::new();
    for (operand, name) in names.iter().enumerate() {
        let own = maps.iter().filter(|(of, _)| *of == operand);
        let mut list: Vec<Object> = Vec::new();
        for (_, map) in own {
            let written = print_map(map, style);
            text.push(Role::Plain, format!("\n    {name}: "));
            let object = Object::nested()
                .with("map", &*written)
                .with("exact", true)
                .with("runtime", Vec::<Value>::new());
            text.push(Role::Formula, written);
            list.push(match shaper.stop(map) {
                None => object,
                Some(stop) => {
                    let message = format!("\n        the search stopped at its bound ({stop})");
                    text.push(Role::Doubtful, message);
                    object.with("complete", false).with("stopped_at", stop)
                }
            });
        }
        if list.is_empty() {
            text.push(Role::Plain, format!("\n    {name}: "));
            text.push(Role::Faint, "nothing is read");
        }
        objects.push(
            Object::nested()
                .with("output", Vec::<usize>::new())
                .with(key, operand)
                .with(&format!("{key}_path"), Vec::<usize>::new())
                .with("name", &**name)
                .with("maps", list),
        );
    }
    objects
}
