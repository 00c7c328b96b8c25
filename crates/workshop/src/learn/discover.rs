//! Discovers rules: by enumeration, and from the simplified expressions of corpora.
//!
//! Enumeration (`suggested`) suggests rules, shorter ones first. A candidate that the rules so far already achieve at sampled
//! instances is dropped; the others lose the conditions that they do not need and are proved (`weaken`), and are written so that
//! they fire (`dress`). Then the expressions of the corpora are searched (`improve`). In the end only those rules stay without
//! which some expression of the corpora is larger (`needed`).
//!
//! Deterministic, independent of the number of threads and of interruptions: candidates are judged in batches of a fixed size
//! against the rules before the batch, and all work is bounded by fuel.

use super::assume::Letters;
use super::improve;
use super::needed::needed;
use super::run::{Run, Size, define, judged};
use super::settings::Settings;
use super::state::{Counts, Kept, State};
use super::suggested::{candidates, definitions};
use affinor::expr::IndexingMap;
use affinor::rule::RuleSet;
use affinor::simplify::Simplifier;
use affinor::text::Error;

/// The sets of leaves of terms; for each size both are used, in this order.
const LETTERS: [Letters; 2] =
    [Letters { constants: 2, expressions: 2 }, Letters { constants: 3, expressions: 1 }];

/// The findings of a run.
#[derive(Clone, Debug, Default)]
pub struct Discovery {
    /// The rules that were kept, those that save most operations for their cost first.
    pub kept: Vec<Kept>,
    /// The number of candidates with each outcome.
    pub counts: Counts,
    /// The first candidates that are neither proved nor refuted: a rule with its conditions, or a part of an expression and its
    /// smaller form.
    pub open: Vec<String>,
    /// The size of each expression before and after.
    pub sizes: Vec<[Size; 2]>,
    /// Whether the fuel ended the run.
    pub stopped: bool,
}

/// Discovers rules beyond those of a set. Resumes from `state`, and passes the new state to `save` after each batch.
///
/// # Errors
/// If no simplifier can be built from the rules, or the rules of the state are not proved.
pub fn discover(
    cases: &[IndexingMap],
    rules: RuleSet,
    settings: &Settings<'_>,
    state: State,
    save: &mut dyn FnMut(&State),
) -> Result<Discovery, Error> {
    let kept = state.kept.iter().map(|saved| saved.read(settings.budget));
    let mut run = Run {
        cases,
        simplifier: Simplifier::new(rules.clone())?.widened(),
        kept: kept.collect::<Result<_, _>>()?,
        given: rules,
        settings,
        state,
    };
    let _ = settings.fuel.spend(run.state.spent);
    let before = run.sizes();
    let improving = if cases.is_empty() { 0 } else { settings.rounds };
    let enumerating = LETTERS.len() * settings.size;
    for phase in run.state.phase..1 + enumerating + improving {
        if run.state.starts.len() == phase {
            run.state.starts.push(run.kept.len());
        }
        run.simplifier = run.with(run.state.starts[phase])?;
        match phase.checked_sub(1) {
            None => run.batches(definitions(LETTERS[0], settings), &define, save)?,
            Some(place) if place < enumerating => {
                let letters = LETTERS[place % LETTERS.len()];
                let all = candidates(letters, 1 + place / LETTERS.len(), settings);
                run.batches(all, &judged, save)?;
            }
            Some(place) => {
                let parts = improve::parts_of_all(&run, place == enumerating)?;
                run.batches((parts, 0), &improve::judged, save)?;
            }
        }
        if settings.fuel.check().is_err()
            || phase > enumerating && run.kept.len() == run.state.starts[phase]
        {
            break;
        }
        run.state.phase = phase + 1;
        run.state.done = 0;
    }
    let mut found = Discovery {
        counts: run.state.counts,
        open: run.state.open.clone(),
        stopped: settings.fuel.check().is_err(),
        ..Discovery::default()
    };
    run.simplifier = run.with(run.kept.len())?;
    if !cases.is_empty() {
        let all = run.kept.len();
        needed(&mut run)?;
        run.simplifier = run.with(run.kept.len())?; // orders the rules by rank, as in the written file
        found.counts.needless = all - run.kept.len();
    }
    let after = run.sizes();
    found.sizes = before.into_iter().zip(after).map(|(x, y)| [x, y]).collect();
    found.kept = run.kept;
    Ok(found)
}
