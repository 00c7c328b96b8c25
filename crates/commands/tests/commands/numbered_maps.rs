//! The maps of `hlo` as numbered answers, and the selection of instructions and operands.

use super::support::memory::Memory;
use affinor_commands::{Failure, Session};
use std::fmt::Write;

const MODULE: &str = "HloModule m\n\
    f {\n p = f32[4,8] parameter(0)\n ROOT transpose.3 = f32[8,4] transpose(p), dimensions={1,0}\n}\n\
    ENTRY e {\n a = f32[4,8] parameter(0)\n b = f32[4,8] parameter(1)\n add.1 = f32[4,8] add(a, b)\n\
    loop_transpose_fusion.2 = f32[8,4] fusion(add.1), kind=kLoop, calls=f\n\
    fusion.3 = f32[8,4] fusion(b), kind=kLoop, calls=f\n\
    ROOT add.10 = f32[8,4] add(loop_transpose_fusion.2, fusion.3)\n}";

const SAME: &str = "(d0, d1) -> (d0, d1), domain: d0 in [0, 3], d1 in [0, 7]";
const TURNED: &str = "(d0, d1) -> (d1, d0), domain: d0 in [0, 7], d1 in [0, 3]";

struct Talk {
    session: Session,
    host: Memory,
}

impl Talk {
    fn new() -> Talk {
        let mut long = "HloModule long\nENTRY e {\n p0 = f32[4] parameter(0)\n".to_owned();
        for number in 1..=150 {
            let before = number - 1;
            writeln!(long, " p{number} = f32[4] negate(p{before})").expect("text");
        }
        writeln!(long, " ROOT last = f32[4] reverse(p150), dimensions={{0}}\n}}").expect("text");
        let files = [("m.hlo", MODULE.to_owned()), ("long.hlo", long)];
        let files = files.map(|(name, text)| (name, text.into_bytes()));
        let host = Memory { files: files.into(), ..Memory::default() };
        let session = Session::new();
        Talk { session, host }
    }

    /// Returns the answers to a command.
    fn say(&mut self, line: &str) -> Result<Vec<String>, Failure> {
        self.host.outputs.clear();
        self.session.run(line, &mut self.host)?;
        let outputs = self.host.outputs.iter();
        Ok(outputs.map(|output| output.text.to_string()).collect())
    }

    #[track_caller]
    fn check(&mut self, line: &str, expected: &str) {
        assert_eq!(self.say(line).expect(line), [expected], "{line}");
    }

    #[track_caller]
    fn check_fails(&mut self, line: &str, message: &str, hint: Option<&str>) {
        let error = self.say(line).expect_err(line).error;
        assert_eq!((&*error.message, error.hint.as_deref()), (message, hint), "{line}");
    }
}

#[test]
fn each_map_has_a_number_and_the_last_one_is_the_last_answer() {
    let mut talk = Talk::new();
    talk.say("let old = (i) -> (i), domain: i in [0, 1]").expect("a map");
    talk.say("hlo m.hlo").expect("a module");
    // One map of `transpose.3`, two of `add.1`, one of each fusion, and two of `add.10`.
    assert_eq!(talk.session.last_number(), 7);
    talk.check("show _1", TURNED);
    talk.check("show _3", SAME);
    talk.say("undo").expect("it was shown");
    talk.say("undo").expect("it was shown");
    talk.check("show _", "(d0, d1) -> (d0, d1), domain: d0 in [0, 7], d1 in [0, 3]");
    talk.say("hlo m.hlo --entry").expect("a module");
    // A program that embeds a session gets the same maps under the same names.
    for (name, expected) in [("_", Some(TURNED)), ("_1", Some(TURNED)), ("_3", Some(SAME))] {
        let found = talk.session.map(name).map(ToString::to_string);
        assert_eq!(found.as_deref(), expected);
    }
    for (name, is_there) in [("old", true), ("_99", false), ("new", false), ("", false)] {
        assert_eq!(talk.session.map(name).is_some(), is_there, "{name}");
    }
    talk.check("show _", TURNED);
    // A command that prints no map sets no numbered answer.
    for line in ["hlo m.hlo --parts", "hlo m.hlo --instruction a"] {
        talk.say("show old").expect("a map");
        talk.say(line).expect(line);
        talk.check_fails("show _", "`_` is not set: the last answer is not one map", None);
    }
}

#[test]
fn a_long_answer_leaves_the_earlier_ones() {
    let mut talk = Talk::new();
    talk.say("show (i) -> (i + 5), domain: i in [0, 1]").expect("a map");
    talk.say("hlo long.hlo").expect("a module");
    assert_eq!(talk.session.last_number(), 101);
    talk.check("show _1", "(i) -> (i + 5), domain: i in [0, 1]");
    talk.say("hlo long.hlo").expect("a module");
    talk.check("show _", "(d0) -> (-d0 + 3), domain: d0 in [0, 3]");
    let said = talk.say("hlo long.hlo --instruction last").expect("a module");
    assert_eq!(said.len(), 1);
}

#[test]
fn a_name_is_of_one_map() {
    let mut talk = Talk::new();
    let named = format!("f = {SAME}");
    talk.check("let f = hlo m.hlo --instruction add.1 --operand 1", &named);
    talk.check("let f = hlo m.hlo --instruction add.1 --operand b", &named);
    talk.check("show f", SAME);
    let several = "the answer has several maps, and a name is of one";
    let hint = "of `hlo`, `--instruction NAME --operand NUMBER` asks for the maps of one operand";
    for line in
        ["let g = hlo m.hlo --instruction add.1", "let g = hlo m.hlo", "let g = hlo m.hlo --entry"]
    {
        talk.check_fails(line, several, Some(hint));
    }
    let none = "there was no map to name";
    talk.check_fails("let g = hlo m.hlo --instruction a", none, None);
    talk.check_fails("let g = hlo m.hlo --parts --instruction a", none, None);
    talk.check_fails(
        "hlo m.hlo --instruction add.1 --operand 2",
        "`add.1` has no operand `2`",
        Some("operand 0 is `a`"),
    );
}

#[test]
fn instructions_by_opcode_pattern_and_words() {
    let mut talk = Talk::new();
    let fusions = ["loop_transpose_fusion.2", "fusion.3"];
    let adds = ["add.1", "add.10"];
    for (options, expected) in [
        ("--opcode fusion", &fusions[..]),
        ("--opcode fusion --instruction fusion.*", &["fusion.3"]),
        ("--opcode add --opcode trans*", &["transpose.3", "add.1", "add.10"]),
        ("--opcode transpose --computation ?", &["transpose.3"]),
        ("--instruction *transpose*", &["transpose.3", "loop_transpose_fusion.2"]),
        ("--instruction transpose", &["transpose.3", "loop_transpose_fusion.2"]),
        ("--instruction add.*", &adds),
        ("--instruction add", &adds),
        ("--instruction add.1", &["add.1"]),
        ("--instruction %add.10 --instruction add.1", &adds),
    ] {
        talk.say(&format!("hlo m.hlo {options}")).expect(options);
        let names = talk.host.outputs.iter().filter_map(|output| {
            let name = output.json.as_ref()?.get("instruction")?;
            Some(name.as_str()?.to_owned())
        });
        assert_eq!(names.collect::<Vec<String>>(), expected, "{options}");
    }
    for (options, message, hint) in [
        (
            "--instruction transp",
            "the module has no instruction `transp`",
            Some("`*transp*` asks for `transpose.3`"),
        ),
        (
            "--instruction add.1 --instruction fusion.?x",
            "the module has no instruction `fusion.?x`",
            Some("did you mean `fusion.3`?"),
        ),
        ("--opcode fusio", "the module has no operation `fusio`", Some("did you mean `fusion`?")),
        ("--computation g", "the module has no computation `g`", None),
        (
            "--opcode fusion --instruction add.1",
            "no instruction has both such a name and such an opcode",
            None,
        ),
    ] {
        talk.check_fails(&format!("hlo m.hlo {options}"), message, hint);
    }
}
