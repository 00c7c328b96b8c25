//! `replay --of MODULE`: checks that the claims of a file are about the module.
//!
//! Law: a claim passes if its first map is one that the module's op is stated to read, or the composition of such a map with the
//! result of an earlier claim, beginning at the root; and if the instruction is written as the line says. So a claim about
//! another module is found, and so is an altered number in the module, even if no map depends on it.

use super::subject::subject;
use affinor::certificate::Claim;
use affinor::expr::{Expr, IndexingMap, VariableId, VariableKind};
use affinor::num::Interval;
use affinor::text::parse_map;
use affinor_hlo::module::{ComputationId, InstructionId, Module};
use affinor_hlo::opcode::Opcode;
use affinor_hlo::shape::Shape;
use affinor_ops::indexing::{
    Analysis, InstructionPlace, OperandReads, Reads, TuplePath, runs_computations,
};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// The subject of a line of `hlo --certificate`.
#[derive(Deserialize)]
pub struct Head {
    computation: String,
    instruction: String,
    /// The [`subject`] of the line, in the module that it is about.
    #[serde(default)]
    text: String,
    output: TuplePath,
    operand: usize,
    operand_path: TuplePath,
    /// The part of the computation's result, for a line about two maps in sequence.
    result: Option<TuplePath>,
    /// The map that the line claims.
    map: Option<String>,
}

/// A part of an instruction's value that a part of the computation's result reads.
type Inside = (ComputationId, TuplePath, InstructionId, TuplePath);

/// A part of a value, with the operand that it reads and the part of that operand.
type Pair = (InstructionPlace, TuplePath, usize, TuplePath);

/// The reads that a module states, and the claims about them so far.
pub struct Stated<'a> {
    module: &'a Module,
    analysis: Analysis<'a>,
    /// The results of the claims about two maps in sequence.
    led_to: BTreeMap<Inside, Vec<IndexingMap>>,
    /// The claimed maps of pairs, by their numbers.
    claimed: BTreeSet<(Pair, usize)>,
    /// The claimed sequences: by the pair and the part of the result, the numbers of both maps.
    in_sequence: BTreeSet<(Pair, TuplePath, [usize; 2])>,
}

impl<'a> Stated<'a> {
    /// Starts with a module about which nothing is claimed yet.
    pub fn of(module: &'a Module, analysis: Analysis<'a>) -> Stated<'a> {
        Stated {
            module,
            analysis,
            led_to: BTreeMap::new(),
            claimed: BTreeSet::new(),
            in_sequence: BTreeSet::new(),
        }
    }

    /// Checks that a claim, which has been replayed, is about the module.
    ///
    /// # Errors
    /// Why it is not.
    pub fn check(&mut self, head: &Head, claim: &Claim) -> Result<(), String> {
        let (id, at) = self.place(head)?;
        let body = &self.module[id];
        let instruction = &body[at];
        let text = subject(body, instruction, &head.output, (head.operand, &head.operand_path));
        if text != head.text {
            return Err(format!("the instruction is `{text}`, the line is about `{}`", head.text));
        }
        let place = InstructionPlace { computation: id, instruction: at };
        let pair = (place, head.output.clone(), head.operand, head.operand_path.clone());
        let stated = self.stated(&pair)?;
        let number_of = |map: &IndexingMap| {
            let found = stated.iter().position(|other| is_part(other, map));
            found.ok_or("the instruction is not stated to read this map".to_owned())
        };
        let Some(result) = &head.result else {
            let number = number_of(&claim.certificate.before)?;
            self.claimed.insert((pair, number));
            return Ok(());
        };
        let parts = claim.composition.as_ref();
        let [first, second] = parts.ok_or("the claim is not about two maps in sequence")?;
        let second = number_of(second)?;
        let count = stated[second].results().len();
        let is_start = at == body.root()
            && head.output == *result
            && is_identity(first, instruction.shape(), result);
        let known = self.led_to.get(&(id, result.clone(), at, head.output.clone()));
        let known = known.and_then(|known| known.iter().position(|known| is_part(known, first)));
        let first = known.or(is_start.then_some(0));
        let first = first.ok_or("no claim before leads to the first of the two maps")?;
        self.in_sequence.insert((pair, result.clone(), [first, second]));
        let last = claim.last();
        let results = last.results().iter().take(count).cloned().collect();
        self.leads(head, result, &IndexingMap::new(last.domain().clone(), results))
    }

    /// Takes a map without a certificate as a premise of later claims; the map itself remains unclaimed.
    pub fn assume(&mut self, head: &Head) {
        let map = head.map.as_ref().and_then(|text| parse_map(text).ok());
        if let (Some(result), Some(map)) = (&head.result, map) {
            // A line that matches nothing in the module adds no premise.
            let _ = self.leads(head, result, &map);
        }
    }

    fn place(&self, head: &Head) -> Result<(ComputationId, InstructionId), String> {
        let computation = self.module.computations().find(|(_, x)| x.name() == head.computation);
        let (id, body) = computation.ok_or("the module has no such computation")?;
        let instruction = body.instructions().find(|(_, x)| x.name() == head.instruction);
        let (at, _) = instruction.ok_or("the computation has no such instruction")?;
        Ok((id, at))
    }

    /// Records that the part of the result reads the operand of a line by this map.
    fn leads(&mut self, head: &Head, result: &TuplePath, map: &IndexingMap) -> Result<(), String> {
        let (id, at) = self.place(head)?;
        let operand = self.module[id][at].operands().get(head.operand);
        let operand = *operand.ok_or("the instruction has no such operand")?;
        let read = (id, result.clone(), operand, head.operand_path.clone());
        let led_to = self.led_to.entry(read).or_default();
        let is_new = led_to.iter().all(|known| !known.is_same_but_names(map));
        if is_new && !map.domain().is_known_empty() {
            led_to.push(map.clone());
        }
        Ok(())
    }

    /// Returns the maps that an op is stated to read; for a call, the results of the claims about its computation.
    fn stated(&mut self, pair: &Pair) -> Result<Vec<IndexingMap>, String> {
        let (place, output, operand, path) = pair;
        let instruction = &self.module[place.computation][place.instruction];
        if runs_computations(instruction.opcode()) {
            let is_call = matches!(instruction.opcode(), Opcode::Call | Opcode::Fusion);
            let mut called = instruction.attributes().computations().filter_map(|x| x.target());
            let target = called.next().filter(|_| is_call);
            let target = target.ok_or("the reads of a loop or a branch are derived, not stated")?;
            let parameter = self.module[target].parameters().get(*operand);
            let parameter = *parameter.ok_or("its computation has no such parameter")?;
            let key = (target, output.clone(), parameter, path.clone());
            return Ok(self.led_to.get(&key).cloned().unwrap_or_default());
        }
        let entries = self.analysis.unsimplified(*place).map_err(|error| error.message)?;
        let is_asked = |entry: &&OperandReads| {
            (&entry.output, &entry.operand, &entry.operand_path) == (output, operand, path)
        };
        let entry = entries.iter().find(is_asked).ok_or("the instruction has no such pair")?;
        match &entry.reads {
            Reads::Unknown { .. } => Err("the reads of the instruction are not known".to_owned()),
            Reads::Maps(maps) => Ok(maps.iter().map(|map| map.map.clone()).collect()),
        }
    }

    /// Returns the number of maps that the module states and that were not claimed, and the number of unclaimed sequences of two
    /// maps.
    pub fn unclaimed(&mut self) -> [usize; 2] {
        let (mut single, mut sequences) = (0, 0);
        let inside: BTreeSet<(ComputationId, TuplePath)> =
            self.led_to.keys().map(|(id, result, ..)| (*id, result.clone())).collect();
        for (computation, body) in self.module.computations() {
            for (instruction, at) in body.instructions() {
                let place = InstructionPlace { computation, instruction };
                for pair in self.pairs(place) {
                    let Ok(stated) = self.stated(&pair) else {
                        single += 1;
                        continue;
                    };
                    let numbers = (0..stated.len()).map(|number| (pair.clone(), number));
                    single += numbers.filter(|number| !self.claimed.contains(number)).count();
                    for (_, result) in inside.iter().filter(|(id, _)| *id == computation) {
                        let user = (computation, result.clone(), instruction, pair.1.clone());
                        let is_start = instruction == body.root() && pair.1 == *result;
                        let firsts = self.led_to.get(&user).map_or(usize::from(is_start), Vec::len);
                        for (first, second) in
                            (0..firsts).flat_map(|x| (0..stated.len()).map(move |y| (x, y)))
                        {
                            let claim = (pair.clone(), result.clone(), [first, second]);
                            let is_parameter = at.parameter_number().is_some();
                            sequences +=
                                usize::from(!is_parameter && !self.in_sequence.contains(&claim));
                        }
                    }
                }
            }
        }
        [single, sequences]
    }

    /// Returns the pairs of an instruction: the pairs that its op states, or for a call the pairs of its computation.
    fn pairs(&mut self, place: InstructionPlace) -> Vec<Pair> {
        let instruction = &self.module[place.computation][place.instruction];
        if !runs_computations(instruction.opcode()) {
            let entries = self.analysis.unsimplified(place).unwrap_or_default();
            let pair = |entry: &OperandReads| {
                (place, entry.output.clone(), entry.operand, entry.operand_path.clone())
            };
            return entries.iter().map(pair).collect();
        }
        let mut called = instruction.attributes().computations().filter_map(|x| x.target());
        let Some(target) = called.next() else {
            return Vec::new();
        };
        let parameters = self.module[target].parameters();
        let of_parameter = |(id, output, at, path): &Inside| {
            let number = parameters.iter().position(|parameter| parameter == at)?;
            (*id == target).then(|| (place, output.clone(), number, path.clone()))
        };
        self.led_to.keys().filter_map(of_parameter).collect()
    }
}

/// Returns whether `map` is `part` with further results, up to names.
fn is_part(part: &IndexingMap, map: &IndexingMap) -> bool {
    let count = part.results().len();
    map.results().get(..count).is_some_and(|results| {
        let first = IndexingMap::new(map.domain().clone(), results.to_vec());
        first.is_same_but_names(part)
    })
}

/// Returns whether each element of an array of a value of this shape is read at its own index.
fn is_identity(map: &IndexingMap, shape: &Shape, part: &TuplePath) -> bool {
    let arrays = shape.arrays();
    let array = arrays.iter().find(|(path, _)| path == part).map(|(_, array)| array);
    let sizes = array.and_then(|array| array.sizes()).unwrap_or_default();
    let domain = map.domain();
    domain.constraints().is_empty()
        && array.is_some_and(|array| array.dimensions().len() == sizes.len())
        && domain.variables().iter().all(|variable| variable.kind == VariableKind::Dimension)
        && domain.intervals().eq(sizes.iter().map(|size| Interval::of_size(*size)))
        && map
            .results()
            .iter()
            .map(Expr::as_variable)
            .eq((0..domain.variables().len())
                .map(|number| u32::try_from(number).ok().map(VariableId)))
}
