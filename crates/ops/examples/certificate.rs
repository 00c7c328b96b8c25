//! Simplifies a map with a certificate, serializes it, and has it checked by the replayer, which shares no code with the
//! simplifier: `cargo run -p affinor-ops --example certificate`

#![allow(clippy::print_stdout, reason = "an example prints")]

use affinor::certificate::{Certificate, replay};
use affinor::expr::IndexingMap;
use affinor::rule::RuleSet;
use affinor::simplify::{Options, Simplifier};
use std::error::Error;

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let map: IndexingMap =
        "(d0, d1) -> ((d0 * 16 + d1) floordiv 4 mod 4), domain: d0 in [0, 7], d1 in [0, 15]"
            .parse()?;
    let certified = Simplifier::shipped()?.certify(&map, &Options::default());
    certified.verdict?;
    println!("{} is {}", certified.certificate.before, certified.certificate.after);
    for step in certified.certificate.steps() {
        println!("  by {}", step.rule);
    }

    // A recipient of the text needs the rules, but neither a solver nor the simplifier.
    let rules = RuleSet::shipped()?;
    let text = serde_json::to_string(&certified.certificate.with_rules(&rules))?;
    let received = Certificate::from_json(&text, &rules)?;
    println!("replays: {}", replay(&received, &rules).is_ok());

    let forged = Certificate {
        after: "(d0, d1) -> (d1 floordiv 8), domain: d0 in [0, 7], d1 in [0, 15]".parse()?,
        ..received
    };
    match replay(&forged, &rules) {
        Ok(()) => println!("another result replays"),
        Err(rejection) => println!("another result is rejected: {rejection}"),
    }
    Ok(())
}
