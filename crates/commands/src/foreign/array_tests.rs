//! Tests: arrays with known elements.

use super::array::array;

#[track_caller]
fn check(text: &str, sizes: &[i64], elements: &[i64]) {
    let found = array(text, &|_| None).map(|array| array.map_err(|error| error.message));
    let Some(Ok(found)) = found else { panic!("{text}: {found:?}") };
    let mut points = vec![Vec::new()];
    for size in sizes {
        let longer = |point: &Vec<i64>, at: i64| [point.as_slice(), &[at]].concat();
        points =
            points.iter().flat_map(|point| (0..*size).map(move |at| longer(point, at))).collect();
    }
    let values: Vec<i64> =
        points.iter().map(|point| found.map.eval(point).expect("a value")[0]).collect();
    assert_eq!((found.sizes.as_slice(), values.as_slice()), (sizes, elements), "{text}");
}

#[test]
fn arrays_have_the_elements_of_numpy() {
    check("np.arange(6).reshape(2, 3).T", &[3, 2], &[0, 3, 1, 4, 2, 5]);
    check("np.arange(6).reshape(2, -1)[:, ::-2]", &[2, 2], &[2, 0, 5, 3]);
    check("np.arange(10)[9:2:-3]", &[3], &[9, 6, 3]);
    check("np.arange(4)[-1:]", &[1], &[3]);
    check("np.arange(2, 11, 3).reshape(3)[::-1]", &[3], &[8, 5, 2]);
    check("np.arange(4).reshape(2, 2)[1, 0]", &[], &[2]);
    check("np.arange(4).reshape(2, 2)[..., None, 1]", &[2, 1], &[1, 3]);
    check("np.repeat(np.arange(3), 2)", &[6], &[0, 0, 1, 1, 2, 2]);
    check("np.tile(np.arange(2), (2, 2))", &[2, 4], &[0, 1, 0, 1, 0, 1, 0, 1]);
    check("np.roll(np.arange(4), 1)", &[4], &[3, 0, 1, 2]);
    check("jnp.flip(jnp.arange(4).reshape(2, 2), axis=1)", &[2, 2], &[1, 0, 3, 2]);
    check("np.broadcast_to(np.arange(3), (2, 3))", &[2, 3], &[0, 1, 2, 0, 1, 2]);
    check(
        "np.lib.stride_tricks.sliding_window_view(np.arange(4), 3)",
        &[2, 3],
        &[0, 1, 2, 1, 2, 3],
    );
    check("torch.arange(6).view(2, 3).transpose(0, 1)", &[3, 2], &[0, 3, 1, 4, 2, 5]);
    check("torch.arange(2).repeat(2)", &[4], &[0, 1, 0, 1]);
    check("torch.arange(5).unfold(0, 3, 2)", &[2, 3], &[0, 1, 2, 2, 3, 4]);
    check("torch.empty(6).as_strided((2, 2), (2, 1), 1)", &[2, 2], &[1, 2, 3, 4]);
    // Strides of NumPy are in bytes.
    check(
        "np.lib.stride_tricks.as_strided(np.arange(8), shape=(3, 2), strides=(8, 16))",
        &[3, 2],
        &[0, 2, 1, 3, 2, 4],
    );
    check(
        "np.lib.stride_tricks.as_strided(np.arange(8, dtype=np.int16), (3, 2), (4, 2))",
        &[3, 2],
        &[0, 1, 2, 3, 4, 5],
    );
    check("np.pad(np.arange(3), 1, mode='edge')", &[5], &[0, 0, 1, 2, 2]);
    check("np.pad(np.arange(3), (4, 0), 'wrap')", &[7], &[2, 0, 1, 2, 0, 1, 2]);
    check(
        "np.pad(np.arange(4).reshape(2, 2), ((0, 1), (1, 0)), 'edge')",
        &[3, 3],
        &[0, 0, 1, 2, 2, 3, 2, 2, 3],
    );
    check(
        "F.pad(torch.arange(4).view(2, 2), (0, 1), mode='replicate')",
        &[2, 3],
        &[0, 1, 1, 2, 3, 3],
    );
    check("np.pad(np.arange(3), 2)[2:5]", &[3], &[0, 1, 2]);
    check(
        "F.pixel_shuffle(torch.arange(8).view(4, 1, 2), 2)",
        &[1, 2, 4],
        &[0, 2, 1, 3, 4, 6, 5, 7],
    );
    check(
        "F.pixel_unshuffle(torch.arange(8).view(1, 2, 4), 2)",
        &[4, 1, 2],
        &[0, 2, 1, 3, 4, 6, 5, 7],
    );
    check("lax.slice(jnp.arange(6), (1,), (6,), (2,))", &[3], &[1, 3, 5]);
    check("replica_groups=[2,4]<=[4,2]T(1,0)", &[2, 4], &[0, 2, 4, 6, 1, 3, 5, 7]);
}

#[test]
fn what_does_not_fit_is_an_error() {
    for text in [
        "np.arange(12).reshape(5, 2)",
        "np.zeros((2, 3))[2]",
        "np.zeros((2, 3))[0, 0, 0]",
        "np.zeros(3)[1:1]",
        "np.zeros((2, 3)).transpose((0, 0))",
        "np.arange(4).reshape(2, 2).swapaxes(0, 2)",
        "np.arange(4)[::0]",
        "np.lib.stride_tricks.as_strided(np.arange(8), (3, 2), (1, 2))",
        "np.pad(np.arange(4), 1, mode='reflect')",
        "np.pad(np.arange(4), (1, 2, 3))",
        "np.pad(np.zeros((2, 3)), ((1, 1), (1, 1), (1, 1)))",
        "F.pixel_shuffle(torch.arange(6).view(6, 1, 1), 2)",
        "F.pixel_shuffle(torch.arange(4), 2)",
        "np.zeros((2, 3)).sum()",
        "np.zeros(n)[0]",
        "np.roll(np.zeros((2, 3)), 1)",
        "np.zeros((2, 3)).reshape(6, order='F')",
        "torch.empty(6).as_strided((2, 5), (2, 1))",
        "np.broadcast_to(np.arange(3), (2, 4))",
        "x.reshape(3, 4)",
        "torch.arange(3).unfold(0, 4, 1)",
        "np.repeat(np.arange(3), 0)",
        "np.zeros((9999999, 9999999, 9999999))[0]",
    ] {
        assert!(matches!(array(text, &|_| None), Some(Err(_))), "{text}");
    }
    for text in [
        "np.arange(12)",
        "np.arange(4)[:, None]",
        "np.arange(4)[:, None] * 8",
        "np.arange(4).reshape(2, 2) + 1",
        "f(3)",
        "x",
        "x[0]",
        "np.abs(x)",
        "(x)",
        "",
        "np.arange(4",
    ] {
        assert!(array(text, &|_| None).is_none(), "{text}");
    }
}
