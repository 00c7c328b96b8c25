//! `tour`: two minutes that show the purpose of the program. Each step shows a sentence and runs a command.

use super::failure::Failure;
use super::host::Host;
use super::output::{Object, Output, Role, Status, Text};
use super::relay::Relay;
use super::table::{Call, Command, Kind, Parameter};
use affinor::text::ErrorKind;

pub const TOUR: Command = Command {
    name: "tour",
    parameters: &[Parameter::optional("next|all|again", Kind::Word(&["next", "all", "again"]))],
    options: &[],
    summary: "introduce the program step by step, in two minutes",
    details: "Each `tour` explains one step and runs its command. `tour all` runs all steps, and `tour again` restarts.\n\
              Your names are not changed.",
    example: &["tour"],
    makes_map: false,
    keys: "",
    run,
};

/// A step: a sentence and the command that it is about.
struct Stop {
    says: &'static str,
    command: &'static str,
}

const STOPS: &[Stop] = &[
    Stop {
        says: "An index map says which element of its input each element of an output reads. This one is a transpose.",
        command: "show (d0, d1) -> (d1, d0), domain: d0 in [0, 7], d1 in [0, 3]",
    },
    Stop {
        says: "A map has values: the element (2, 3) of the output reads the element (3, 2).",
        command: "eval _ 2,3",
    },
    Stop {
        says: "Compilers compose maps. This is a reshape to one dimension and back, as it comes out of a composition.",
        command: "simplify (d0, d1) -> ((d0 * 8 + d1) floordiv 8, (d0 * 8 + d1) mod 8), domain: d0 in [0, 3], d1 in [0, 7]",
    },
    Stop {
        says: "Every step is a rule that was proved for all integers. `why` lists the steps and the facts that each rests on.",
        command: "why",
    },
    Stop {
        says: "Are two maps the same function? An answer is proved for all points, or refuted at one of them.",
        command: "equal (d0) -> (d0 mod 4), domain: d0 in [0, 3] ; (i) -> (i mod 8), domain: i in [0, 3]",
    },
    Stop {
        says: "Here the bounds are wider. The point shows both sides, and the first node that differs.",
        command: "equal (d0) -> (d0 mod 4 + 1), domain: d0 in [0, 9] ; (d0) -> (d0 mod 8 + 1), domain: d0 in [0, 9]",
    },
    Stop {
        says: "A law of your own is proved for all integers, whatever the sizes are.",
        command: "prove (x floordiv a) floordiv b = x floordiv (a*b) where a >= 1, b >= 1",
    },
    Stop {
        says: "Arrays are stored in tiles, with padding. What is the position of element (2, 3) of this one?",
        command: "layout f32[3,5]{1,0:T(2,2)} --index 2,3",
    },
    Stop {
        says: "What does a window read? A picture shows it.",
        command: "draw (d0)[s0] -> (d0 * 2 + s0), domain: d0 in [0, 3], s0 in [0, 2] ; 1",
    },
];

/// The text after the last step.
const END: &str = "That was the tour. `hlo FILE` gives the maps of a module, `help` lists the commands, `help maps` \
                   says how maps are written.";

fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let how = call.arguments.positional.first().cloned();
    match how.as_ref().map_or("next", |how| how.text.as_str()) {
        "next" => step(call),
        "again" => {
            call.session.tour = 0;
            step(call)
        }
        "all" => {
            call.session.tour = 0;
            (0..STOPS.len()).try_for_each(|_| step(call))
        }
        _ => {
            let how = call.argument(0)?;
            let message = "continue with `tour`, or use `tour all` or `tour again`";
            Err(how.wrong(ErrorKind::Usage, message))
        }
    }
}

fn step(call: &mut Call<'_>) -> Result<(), Failure> {
    let number = call.session.tour;
    let Some(stop) = STOPS.get(number) else {
        call.session.tour = 0;
        return Ok(());
    };
    let mut text = Text::of(Role::Faint, format!("{} of {}  ", number + 1, STOPS.len()));
    text.push(Role::Plain, stop.says);
    text.push(Role::Faint, "\n> ");
    text.push(Role::Formula, stop.command);
    let json = Object::new()
        .with("step", number + 1)
        .with("of", STOPS.len())
        .with("says", stop.says)
        .with("command", stop.command);
    call.emit(Output::new(text, json));
    // A refuted claim in a step is intended, and is not a failure of the run.
    let mut guide = Relay {
        host: &mut *call.host,
        answer: |host: &mut dyn Host, output: Output| host.emit(output.status(Status::Done)),
    };
    call.commands.run(call.session, stop.command, &mut guide)?;
    let is_last = number + 1 == STOPS.len();
    call.session.tour = if is_last { 0 } else { number + 1 };
    let (says, json) = match is_last {
        true => (END, Object::new().with("says", END)),
        false => {
            ("`tour` goes on, and at the prompt Enter does", Object::new().with("next", "tour"))
        }
    };
    let goes_on = call.arguments.positional.first().is_none_or(|how| how.text != "all");
    if is_last || goes_on {
        call.emit(Output::new(Text::of(Role::Faint, says), json));
    }
    Ok(())
}
