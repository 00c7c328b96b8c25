//! Shape texts, compared with XLA's reading of them (`shapes.tsv`).

use affinor_hlo as hlo;
use affinor_maps::text::ErrorKind;

#[test]
fn agree_with_xla() {
    let (mut read, mut rows, mut on_purpose) = (0, 0, 0);
    for row in include_str!("shapes.tsv").lines() {
        if row.starts_with('#') {
            continue;
        }
        let mut columns = row.split('\t');
        let text = columns.next().unwrap();
        let xla = columns.next().unwrap();
        let expected = columns.next().filter(|ours| !ours.is_empty()).unwrap_or(xla);
        rows += 1;
        on_purpose += usize::from(expected != xla);
        match hlo::read_shape(text) {
            Ok(shape) => {
                assert_eq!(shape.to_string(), expected, "{text:?}");
                assert_eq!(hlo::read_shape(expected), Ok(shape), "{text:?}");
                read += 1;
            }
            Err(error) => {
                assert_eq!(expected, "refused", "{text:?}: {error}");
                let span = error.span.unwrap();
                assert!(span.start <= span.end && span.end <= text.len(), "{text:?}");
            }
        }
    }
    assert_eq!((rows, read, on_purpose), (600, 515, 3));
}

#[track_caller]
fn refuses(text: &str, kind: ErrorKind, at: &str, message: &str) {
    let error = hlo::read_shape(text).unwrap_err();
    assert_eq!(error.message, message, "{text}");
    assert_eq!(error.kind, kind, "{text}");
    assert_eq!(&text[error.span.unwrap()], at, "{text}");
}

#[test]
fn errors_point_at_what_is_wrong() {
    let shape = ErrorKind::Shape;
    refuses("F32[2]", shape, "F32", "unknown element type `F32`");
    refuses("f32[-1]", shape, "-1", "a size is at least 0, not -1");
    refuses("f32[3,5]{1}", shape, "{1", "expected 2 dimensions in the layout, found 1");
    refuses("f32[3,5]{1,1}", shape, "{1,1", "the layout lists dimension 1 twice");
    refuses(
        "f32[3,5]{2,0}",
        shape,
        "{2,0",
        "the layout lists dimension 2, but orders 2 dimensions",
    );
    refuses("f32[8]{0:T(0)}", shape, "0", "a tile size is at least 1, not 0");
    refuses("f32[8]{0:L(0)}", shape, "0", "an alignment is at least 1, not 0");
    refuses("f32[8]{0:E(4)L(8)}", shape, "L", "expected `}`, found `L`");
    refuses("f32[8]{0:P(f32[8])}", shape, "P", "a shape cannot have a physical shape `P(..)`");
    refuses("f32[8]{0:#(f32)}", shape, "f32", "expected an integer type, found `f32`");
    refuses("(f32[8]{0:#(u32)})", shape, "#", "an array in a tuple cannot have `#` in its layout");
    refuses("b((f32[2]))", shape, "(", "expected an element type such as `f32`, found `(`");
    refuses("f32[2] f32[3]", shape, "f32", "expected the end of the shape, found `f32`");
    refuses("f32[3", shape, "", "expected `,` or `]`, found the end of the text");
    refuses(
        "f32[9223372036854775808]",
        ErrorKind::Overflow,
        "9223372036854775808",
        "`9223372036854775808` does not fit in 64 bits",
    );
}

#[test]
fn a_tuple_path_leads_to_a_part() {
    let shape = hlo::read_shape("(f32[3], (s32[], token[], (pred[2])))").unwrap();
    let part = |path: &[usize]| shape.at(path).map(ToString::to_string);
    assert_eq!(part(&[]), Some(shape.to_string()));
    assert_eq!(part(&[0]).as_deref(), Some("f32[3]{0}"));
    assert_eq!(part(&[1, 1]).as_deref(), Some("token[]"));
    assert_eq!(part(&[1, 2, 0]).as_deref(), Some("pred[2]{0}"));
    assert_eq!(part(&[2]), None);
    assert_eq!(part(&[0, 0]), None);
    let leaves: Vec<_> =
        shape.leaves().into_iter().map(|(path, shape)| (path, shape.to_string())).collect();
    assert_eq!(
        leaves,
        [
            (vec![0], "f32[3]{0}".to_owned()),
            (vec![1, 0], "s32[]".to_owned()),
            (vec![1, 1], "token[]".to_owned()),
            (vec![1, 2, 0], "pred[2]{0}".to_owned()),
        ]
    );
}

#[track_caller]
fn compatible(lhs: &str, rhs: &str, expected: bool) {
    let (lhs, rhs) = (hlo::read_shape(lhs).unwrap(), hlo::read_shape(rhs).unwrap());
    assert_eq!(lhs.is_compatible(&rhs), expected, "{lhs} {rhs}");
    assert_eq!(rhs.is_compatible(&lhs), expected, "{rhs} {lhs}");
}

#[test]
fn compatibility_ignores_layouts_only() {
    compatible("f32[2,3]{1,0}", "f32[2,3]{0,1:T(8)}", true);
    compatible("f32[<=2,3]", "f32[2,3]", true);
    compatible("f32[?,3]", "f32[7,3]", true);
    compatible("(f32[2]{0}, token[])", "(f32[2], token[])", true);
    compatible("f32[2]", "f32[3]", false);
    compatible("f32[2]", "f32[2,1]", false);
    compatible("f32[2]", "s32[2]", false);
    compatible("f32[2]", "(f32[2])", false);
    compatible("(f32[2], f32[2])", "(f32[2])", false);
    compatible("f32[2]", "b(f32[2])", false);
}

#[track_caller]
fn count(text: &str, expected: Option<i64>) {
    let shape = hlo::read_shape(text).unwrap();
    assert_eq!(shape.as_array().unwrap().element_count(), expected, "{text}");
}

#[test]
fn element_counts_never_wrap() {
    count("f32[]", Some(1));
    count("f32[3,<=5]", Some(15));
    count("f32[?,5]", None);
    count("f32[9223372036854775807,2]", None);
    count("f32[9223372036854775807,2,0]", Some(0));
}
