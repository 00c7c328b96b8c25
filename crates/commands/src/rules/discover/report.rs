//! The results of a run of discovery: as output, as a rule file, and as a report.

use super::corpora::Corpora;
use crate::output::{Object, Output, Role, Status, Text};
use crate::words::count;
use affinor_workshop::learn::{Counts, Discovery, Kept};
use serde_json::Value;
use std::fmt::Write;
use std::time::Duration;

/// A run with its inputs and results.
pub struct Run<'r> {
    pub found: &'r Discovery,
    pub corpora: &'r Corpora,
    /// Whether it began without rules.
    pub from_nothing: bool,
    pub seed: u64,
    pub size: usize,
    /// The CPU times of simplifying all expressions before and after, for the report only.
    pub times: [Duration; 2],
}

/// The operations and steps of some expressions, before and after, and the number of expressions that became smaller.
struct Totals {
    operations: [u64; 2],
    steps: [u64; 2],
    smaller: usize,
    all: usize,
}

impl Run<'_> {
    fn totals(&self, of: impl Fn(usize) -> bool) -> Totals {
        let picked = self.found.sizes.iter().enumerate().filter(|(case, _)| of(*case));
        let sizes: Vec<_> = picked.map(|(_, sizes)| sizes).collect();
        let sum = |of: fn(&affinor_workshop::learn::Size) -> u64| {
            [0, 1].map(|side| sizes.iter().map(|pair| of(&pair[side])).sum())
        };
        Totals {
            operations: sum(|size| size.operations),
            steps: sum(|size| size.steps),
            smaller: (sizes.iter())
                .filter(|[before, after]| after.operations < before.operations)
                .count(),
            all: sizes.len(),
        }
    }

    fn ids(&self, rule: &Kept) -> Vec<&Value> {
        rule.cases.iter().filter_map(|case| self.corpora.ids.get(*case)).collect()
    }

    /// Returns the output for one rule.
    pub fn of_rule(&self, rule: &Kept) -> Output {
        let [from, to] = rule.example.each_ref().map(ToString::to_string);
        let mut text = Text::of(Role::Formula, rule.text.as_str()).plain("\n    proved");
        if !self.found.sizes.is_empty() {
            let cases = count(rule.cases.len(), "expression");
            let saves = count(usize::try_from(rule.saves).unwrap_or(0), "operation");
            text = text.plain(format!("; without it {cases} larger, by {saves}"));
        }
        let text = text.plain(format!("\n    from {from}\n    to   {to}"));
        let json = Object::new()
            .with("name", rule.rule.name.as_str())
            .with("rule", rule.text.as_str())
            .with("from", from)
            .with("to", to)
            .with("saves", rule.saves)
            .with("costs", rule.costs)
            .with("cases", self.ids(rule));
        Output::new(text, json)
    }

    /// Returns the output for the whole run.
    pub fn output(&self) -> Output {
        let (found, corpora) = (self.found, self.corpora);
        let Totals { operations: [before, after], steps, smaller, all } = self.totals(|_| true);
        let Counts { candidates, derivable, refuted, open, silent, needless } = found.counts;
        let rules = found.kept.len();
        let mut text = Text::of(Role::Good, count(rules, "rule")).plain(" kept");
        if all > 0 {
            let expressions = count(all, "expression");
            let operations = count(usize::try_from(before).unwrap_or(usize::MAX), "operation");
            let became =
                format!("; {smaller} of {expressions} smaller, {operations} became {after}");
            text = text.plain(became);
        }
        text = text.plain(format!(
            "\n{}: {derivable} derivable, {refuted} refuted, {open} open, {silent} not seen to fire, {needless} needless",
            count(candidates, "candidate"),
        ));
        for line in self.of_named_sizes() {
            text = text.plain(format!("\n{line}"));
        }
        if found.stopped {
            text = text.with(Role::Doubtful, "\nstopped: the fuel is spent");
        }
        let json = Object::new()
            .with("kept", rules)
            .with("candidates", candidates)
            .with("derivable", derivable)
            .with("refuted", refuted)
            .with("open", open)
            .with("silent", silent)
            .with("needless", needless)
            .with("operations_before", before)
            .with("operations_after", after)
            .with("steps_before", steps[0])
            .with("steps_after", steps[1])
            .with("smaller", smaller)
            .with("expressions", all)
            .with("numbered", corpora.numbered)
            .with("left_out", corpora.left_out)
            .with("open_rules", found.open.clone())
            .with("complete", !found.stopped);
        let status = match found.stopped {
            true => Status::Undecided,
            false => Status::Done,
        };
        Output::new(text, json).status(status)
    }

    /// Describes the treatment of expressions with named sizes.
    fn of_named_sizes(&self) -> Vec<String> {
        let said = |number: usize, what: &str| {
            (number > 0).then(|| format!("{} with named sizes {what}", count(number, "expression")))
        };
        let corpora = self.corpora;
        let numbered = said(corpora.numbered, "had numbers in their places");
        let left_out = said(corpora.left_out, "left out");
        numbered.into_iter().chain(left_out).collect()
    }

    /// Returns the rules as a rule file.
    pub fn rule_file(&self) -> String {
        let mut text = String::from(
            "# Rules that were discovered, each with the part that it was learnt from.\n",
        );
        for rule in &self.found.kept {
            let [from, to] = &rule.example;
            let _ = write!(text, "\n# {from}\n# {to}\n{}\n", rule.text);
        }
        text
    }

    /// Returns the report in Markdown.
    pub fn markdown(&self) -> String {
        let Counts { candidates, derivable, refuted, open, silent, needless } = self.found.counts;
        let begun = match self.from_nothing {
            true => "no rules",
            false => "the rules in force",
        };
        let mut text = format!(
            "# Discovered rules\n\nFrom {begun}, with left sides of at most {} enumerated, seed {}.{}\n\n\
             | candidates | derivable | refuted | open | not seen to fire | needless | kept |\n|---|---|---|---|---|---|---|\n\
             | {candidates} | {derivable} | {refuted} | {open} | {silent} | {needless} | {} |\n",
            count(self.size, "operation"),
            self.seed,
            if self.found.stopped { " Stopped: the fuel was spent." } else { "" },
            self.found.kept.len(),
        );
        if !self.found.sizes.is_empty() {
            self.corpora_table(&mut text);
        }
        text.push_str("\n## Rules\n\nThose that save most operations for their cost first. A cost is of steps of the search, which take no time of a clock.\n");
        for rule in &self.found.kept {
            let [from, to] = &rule.example;
            let _ = write!(
                text,
                "\n```text\n{}\n```\n\nFrom `{from}`, which became `{to}`.",
                rule.text
            );
            if !self.found.sizes.is_empty() {
                let ids: Vec<String> = self.ids(rule).iter().map(|id| id.to_string()).collect();
                let _ = write!(
                    text,
                    " Saves {} and costs {} steps; larger without it: {}.",
                    count(usize::try_from(rule.saves).unwrap_or(0), "operation"),
                    rule.costs,
                    ids.join(", "),
                );
            }
            text.push('\n');
        }
        if !self.found.open.is_empty() {
            self.open_rules(&mut text);
        }
        text
    }

    fn corpora_table(&self, text: &mut String) {
        text.push_str(
            "\n## Corpora\n\n| corpus | expressions | smaller | operations before | after | steps before | after |\n|---|---|---|---|---|---|---|\n",
        );
        let mut start = 0;
        for (name, length) in &self.corpora.files {
            let end = start + length;
            let Totals { operations, steps, smaller, all } =
                self.totals(|case| (start..end).contains(&case));
            let _ = writeln!(
                text,
                "| `{name}` | {all} | {smaller} | {} | {} | {} | {} |",
                operations[0], operations[1], steps[0], steps[1]
            );
            start = end;
        }
        let [before, after] = self.times.map(|time| time.as_secs_f64() * 1e3);
        let _ = writeln!(
            text,
            "\nCPU time of all expressions: {before:.1} ms before, {after:.1} ms after."
        );
        for line in self.of_named_sizes() {
            let _ = writeln!(text, "{line}.");
        }
    }

    fn open_rules(&self, text: &mut String) {
        let listed = &self.found.open;
        text.push_str(
            "\n## Open\n\nNeither proved nor refuted with the steps that a candidate has",
        );
        let more = self.found.counts.open - listed.len();
        let _ = match more {
            0 => writeln!(text, ".\n\n```text"),
            _ => writeln!(text, "; {more} more are not listed.\n\n```text"),
        };
        for rule in listed {
            let _ = writeln!(text, "{rule}");
        }
        text.push_str("```\n");
    }
}
