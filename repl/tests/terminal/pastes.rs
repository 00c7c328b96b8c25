//! Code and other pastes at the prompt, incomplete lines, and words of other prompts.

use crate::support::talk::{Talk, state};

#[test]
fn code_is_pasted_and_typed() {
    let state = state("code");
    let Some(mut talk) = Talk::start(&state) else {
        return;
    };
    talk.keys("i * 8 +\r"); // an operator lacks its operand, so the line continues
    talk.keys("(j & 7), domain: i in [0, 3], j in [0, 9]\r");
    talk.expect("\n_1 = (i, j) -> (i * 8 + j mod 8), domain: i in [0, 3], j in [0, 9]");
    talk.expect("affinor> ");
    talk.keys("i <\r\r"); // an empty line ends it
    talk.expect("error[syntax]");
    talk.expect("affinor> ");
    talk.keys(
        "\x1b[200~pid = tl.program_id(0)\nrow = pid // 8\ncol = pid % 8\nrow * 8 + col\x1b[201~\r",
    );
    talk.expect("\nrow = (program_id_0) -> (program_id_0 floordiv 8)");
    talk.expect("\n_2 = (program_id_0) -> (program_id_0), domain: program_id_0 in [0, inf]");
    talk.expect("affinor> ");
    talk.keys("\x1b[200~def f(i):\n    row = i // 4\n\n    return row * 4\x1b[201~\r");
    talk.expect("\nf = affine_map<(i) -> (i floordiv 4 * 4)>");
    talk.expect("affinor> ");
    talk.keys("\x1b[200~(d0)[s0] -> (d0 + s0),\n domain:\n d0 in [0, 3]\n s0 in [0, 1]\n is_simplified: true\x1b[201~\r");
    talk.expect("\n_4 = (d0)[s0] -> (d0 + s0), domain: d0 in [0, 3], s0 in [0, 1]");
    talk.expect("affinor> ");
    talk.keys("\x1b[200~HloModule m\n\nENTRY main {\n  p = f32[8,4] parameter(0)\n  ROOT t = f32[4,8] transpose(p), dimensions={1,0}\n}\x1b[201~\r");
    talk.expect("p: _5 = (d0, d1) -> (d1, d0), domain: d0 in [0, 3], d1 in [0, 7]");
    talk.expect("affinor> ");
    talk.keys("exit\r");
    assert!(talk.end().success());
}

#[test]
fn enter_goes_on_with_the_tour() {
    let state = state("tour");
    let Some(mut talk) = Talk::start(&state) else {
        return;
    };
    talk.keys("\r"); // no tour has begun, so nothing happens
    talk.expect("affinor> ");
    talk.keys("tour\r");
    talk.expect("1 of 9");
    talk.expect("affinor> ");
    talk.keys("\r");
    talk.expect("2 of 9");
    talk.expect("affinor> ");
    talk.keys("history\r");
    talk.expect("tour");
    talk.expect("affinor> ");
    talk.keys("clear\r");
    talk.expect("\x1b[H\x1b[J"); // the screen is cleared
    talk.keys(":q\r");
    assert!(talk.end().success());
}
