//! Instructions that contradict their shapes are errors, and nothing is claimed about unknown sizes.

use crate::fusions::check;
use crate::support::reads::{keep, read};
use affinor::text::ErrorKind;
use affinor_ops::indexing::Analysis;

#[track_caller]
fn refuse(text: &str, message: &str) {
    let module = read(text);
    let mut analysis = Analysis::new(&module, &keep);
    let error = analysis.computation(module.entry()).expect_err("it is not valid");
    assert_eq!((error.kind, error.message.as_str()), (ErrorKind::Hlo, message));
    assert!(error.span.is_some());
    // The iteration over all instructions continues.
    let (wrong, right): (Vec<_>, Vec<_>) = analysis.instructions().partition(|(_, r)| r.is_err());
    assert!(!wrong.is_empty() && !right.is_empty());
}

#[test]
fn instructions_that_contradict_their_shapes_are_errors() {
    refuse(
        "p = f32[2,3] parameter(0)
         n = f32[2,3] negate(p)
         t = f32[2,3] transpose(n), dimensions={1,0}",
        "transpose by [1, 0] of sizes [2, 3] does not give sizes [2, 3]",
    );
    refuse(
        "f { a = f32[3] parameter(0)  ROOT r = f32[3] negate(a) }
         ENTRY e { p = f32[2] parameter(0)  n = f32[2] negate(p)  ROOT r = f32[3] fusion(n), kind=kLoop, calls=f }",
        "operand 0 does not have the shape of parameter 0 of the computation `f`",
    );
    refuse(
        "p = (f32[2], s32[]) parameter(0)
         a = f32[2] get-tuple-element(p), index=0
         b = f32[2] get-tuple-element(p), index=1
         c = f32[2] add(a, b)",
        "part 1 of the operand has a different shape",
    );
    refuse(
        "p = f32[2] parameter(0)
         n = f32[2] negate(p)
         d = f32[1] dynamic-slice(n), dynamic_slice_sizes={1}",
        "expected 1 offset(s), found 0",
    );
}

#[test]
fn sizes_known_at_run_time_are_not_taken_for_fixed_ones() {
    check(
        "p = f32[<=4,6] parameter(0)
         q = f32[<=4,6] negate(p)
         r = f32[<=24] reshape(q)",
        &["[] <- 0[]: (d0) -> (d0 floordiv 6, d0 mod 6)"],
    );
    check(
        "p = f32[4,<=6] parameter(0)
         q = f32[4,<=6] negate(p)
         r = f32[<=24] reshape(q)",
        &[
            "[] <- 0[]: (d0)[s0, s1] -> (s0, s1) at most, `r`: the size of one of its dimensions is known only at run time",
        ],
    );
    check(
        "p = f32[<=4,6] parameter(0)
         q = f32[<=4,6] negate(p)",
        &["[] <- 0[]: (d0, d1) -> (d0, d1)"],
    );
}

#[test]
fn bitcasts_need_the_same_bytes_in_one_memory() {
    check(
        "p = f32[4,6]{1,0:T(2,2)} parameter(0)
         q = s32[4,6]{1,0:T(2,2)} bitcast(p)",
        &["[] <- 0[]: (d0, d1) -> (d0, d1)"],
    );
    check(
        "p = f32[4]{0:SC(0:2)} parameter(0)
         q = f32[2,2] bitcast(p)",
        &[
            "[] <- 0[]: unknown, `q`: a bitcast of an array that is split between memories has no map yet",
        ],
    );
    // Which padding of tiles is stored is up to the compiler.
    check(
        "p = f32[3,5]{1,0:T(2,2)} parameter(0)
         q = f32[15]{0} bitcast(p)",
        &[
            "[] <- 0[]: unknown, `q`: a bitcast of f32[3,5]{1,0:T(2,2)}, which takes 96 byte(s), does not give f32[15]{0}, which takes 60",
        ],
    );
    let module = read(
        "p = f32[3,5]{1,0:L(16)} parameter(0)
         q = f32[15]{0} bitcast(p)",
    );
    let refused = Analysis::new(&module, &keep).computation(module.entry());
    let message = refused.map_err(|error| error.message);
    let expected = "a bitcast of f32[3,5]{1,0:L(16)}, which takes 64 byte(s), does not give f32[15]{0}, which takes 60";
    assert_eq!(message, Err(expected.to_owned()));
}
