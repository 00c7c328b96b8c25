//! Text that is not MLIR: one error, at its position.

use affinor_mlir::read_mlir;

/// Checks that the error is at the text between `«` and `»`.
#[track_caller]
fn check(marked: &str, message: &str) {
    let text = marked.replace(['«', '»'], "");
    let start = marked.find('«').expect("a mark");
    let end = marked.find('»').expect("a mark") - '«'.len_utf8();
    let error = read_mlir(&text).expect_err(marked);
    assert_eq!((&*error.message, error.span), (message, Some(start..end)), "{marked}");
}

#[test]
fn brackets() {
    check("func.func @f«(»%a: tensor<4xf32> {", "this bracket is never closed");
    check("module «{»\n  func.func @f() {\n  }\n", "this bracket is never closed");
    check("func.func @f() { return }\n«}»", "this closes no bracket");
    check("func.func @f(%a: tensor<4xf32>«]» {}", "this closes another bracket");
}

#[test]
fn tokens() {
    check("%0 = stablehlo.sine %a : tensor<4xf32> «$»", "`$` is no token of MLIR");
    check("module @m attributes {a = «\"»b} {}", "a string has no end");
    check("«%» = stablehlo.sine %a : tensor<4xf32>", "`%` is no token of MLIR");
}

#[test]
fn ops() {
    check("%0 «=»", "expected an op, found the end of the text");
    check(
        "%0 «stablehlo.sine» %a : tensor<4xf32>",
        "expected `=` behind the name of a result, found `stablehlo.sine`",
    );
    check("%0 = «4» : i32", "expected an op, found `4`");
    check("%0:«x» = stablehlo.sine %a : tensor<4xf32>", "expected a number of results, found `x`");
    check(
        "%0:2, %1:«18446744073709551615» = stablehlo.sine %a : tensor<4xf32>",
        "expected a number of results, found `18446744073709551615`",
    );
    check(
        "%0 = \"stablehlo.sine\" «%a» : tensor<4xf32>",
        "expected `(` and the operands, found `%a`",
    );
    check(
        "%0:2 = «stablehlo.sine» %a : (tensor<4xf32>) -> tensor<4xf32>",
        "`stablehlo.sine` names 2 results, and has types of 1",
    );
    check("%0 = \"stablehlo.sine\"(%a) : (tensor<4xf32>) -> «,»", "expected a type, found `,`");
}

#[test]
fn functions() {
    check(
        "func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> { return «%b» : tensor<4xf32> }",
        "`%b` is not defined",
    );
    check(
        "func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> { %0 = stablehlo.add %a, «%0» : tensor<4xf32> return %0 : tensor<4xf32> }",
        "`%0` is not defined",
    );
    check("func.func @f(%a: «,») { return }", "expected the type of a value, found `,`");
    check(
        "func.func @f() { return }\n«func.func» @f() { return }",
        "a function named `@f` is already defined",
    );
    check(
        "func.func @f(%a: tensor<f32>) -> tensor<f32> {\n%0 = \"stablehlo.case\"(%a) ({\n^bb0(%b: tensor<f32>) «stablehlo.return» %b : tensor<f32>\n}) : (tensor<f32>) -> tensor<f32>\nreturn %0 : tensor<f32> }",
        "expected `:` behind the label of a block, found `stablehlo.return`",
    );
}

#[test]
fn nesting() {
    let text = |depth: usize| {
        let open = "\"foo.bar\"() ({\n".repeat(depth);
        let close = "}) : () -> ()\n".repeat(depth);
        format!("func.func @f() {{\n{open}{close}return }}")
    };
    assert!(read_mlir(&text(60)).is_ok());
    let error = read_mlir(&text(100)).expect_err("too deep");
    assert_eq!(error.message, "regions are nested more than 64 deep");
    assert!(read_mlir(&text(100_000)).is_err());
    let brackets = format!("%0 = foo.bar {}{} : i32", "[".repeat(100_000), "]".repeat(100_000));
    assert!(read_mlir(&brackets).is_ok());
    assert!(read_mlir(&format!("%0 = foo.bar : tensor<{}", "tensor<".repeat(100_000))).is_ok());
    assert!(read_mlir("%0:99999999999 = foo.bar : i32").is_err());
    assert!(read_mlir("%0:9999999 = foo.bar : i32").is_err());
}
