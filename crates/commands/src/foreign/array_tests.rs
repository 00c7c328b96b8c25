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
    // NumPy's strides are in bytes.
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
    check("np.arange(6).reshape(2, 3).ravel(order='F')", &[6], &[0, 3, 1, 4, 2, 5]);
    check("np.ravel(np.arange(6).reshape(2, 3), 'F')", &[6], &[0, 3, 1, 4, 2, 5]);
    check("np.arange(6).reshape(2, 3, order='F')", &[2, 3], &[0, 2, 4, 1, 3, 5]);
    check("np.arange(6).reshape((3, -1), order='F').flatten('F')", &[6], &[0, 1, 2, 3, 4, 5]);
    check("torch.arange(4).view(2, 1, 2).flatten(1)", &[2, 2], &[0, 1, 2, 3]);
    check("torch.arange(4).view(2, 2, 1).flatten(start_dim=0, end_dim=1)", &[4, 1], &[0, 1, 2, 3]);
    check("torch.empty(8).as_strided((2,), (1,), storage_offset=3)", &[2], &[3, 4]);
    check("np.pad(np.arange(3), 1, mode='edge')", &[5], &[0, 0, 1, 2, 2]);
    check("np.pad(np.arange(3), (4, 0), 'wrap')", &[7], &[2, 0, 1, 2, 0, 1, 2]);
    check("np.pad(np.arange(5), 2, 'reflect')", &[9], &[2, 1, 0, 1, 2, 3, 4, 3, 2]);
    check("np.pad(np.arange(3), (2, 1), 'reflect')", &[6], &[2, 1, 0, 1, 2, 1]);
    check("np.pad(np.arange(3), (3, 2), 'symmetric')", &[8], &[2, 1, 0, 0, 1, 2, 2, 1]);
    check("F.pad(torch.arange(4), (1, 2), mode='reflect')", &[7], &[1, 0, 1, 2, 3, 2, 1]);
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
    check("np.arange(12).reshape(3, 4).diagonal(1)", &[3], &[1, 6, 11]);
    check("torch.arange(12).view(3, 4).diagonal(offset=-2)", &[1], &[8]);
    check("torch.arange(12).view(3, 4).narrow(1, 1, 2)", &[3, 2], &[1, 2, 5, 6, 9, 10]);
    check("torch.arange(6).view(2, 3).select(1, -1)", &[2], &[2, 5]);
    check("torch.arange(10).chunk(4)[3]", &[1], &[9]);
    check("torch.arange(10).split(4)[1]", &[4], &[4, 5, 6, 7]);
    check("torch.split(torch.arange(6), [1, 3, 2])[1]", &[3], &[1, 2, 3]);
    check("np.split(np.arange(8), 4)[-1]", &[2], &[6, 7]);
    check("np.split(np.arange(8), [3, 4])[2]", &[4], &[4, 5, 6, 7]);
    check("np.array_split(np.arange(8), 3)[1]", &[3], &[3, 4, 5]);
    check(
        "np.take(np.arange(6).reshape(2, 3), [2, 0, 2, 1], axis=1)",
        &[2, 4],
        &[2, 0, 2, 1, 5, 3, 5, 4],
    );
    check("np.arange(6).reshape(2, 3).take([5, 0])", &[2], &[5, 0]);
    check("torch.arange(8).index_select(0, torch.tensor([7, 1, 1]))", &[3], &[7, 1, 1]);
    check("np.arange(6).reshape(2, 3)[:, [0, 2, 1]]", &[2, 3], &[0, 2, 1, 3, 5, 4]);
    check("lax.dynamic_slice(jnp.arange(8).reshape(2, 4), (1, 3), (2, 2))", &[2, 2], &[2, 3, 6, 7]);
    check("lax.dynamic_slice_in_dim(jnp.arange(8), 7, 3)", &[3], &[5, 6, 7]);
    check("lax.slice_in_dim(jnp.arange(9), 0, 8, 3)", &[3], &[0, 3, 6]);
    check(
        "lax.slice_in_dim(jnp.arange(6).reshape(2, 3), -2, limit_index=3, axis=1)",
        &[2, 2],
        &[1, 2, 4, 5],
    );
    check("tl.trans(tl.reshape(tl.arange(0, 6), (2, 3)))", &[3, 2], &[0, 3, 1, 4, 2, 5]);
    check("lax.slice(jnp.arange(6), (1,), (6,), (2,))", &[3], &[1, 3, 5]);
    check("replica_groups=[2,4]<=[4,2]T(1,0)", &[2, 4], &[0, 2, 4, 6, 1, 3, 5, 7]);
}

#[test]
fn views_have_the_strides_of_pytorch() {
    for (text, strides) in [
        ("torch.empty(2, 3, 4).permute(2, 0, 1)", vec![1, 12, 4]),
        ("torch.empty(1, 3, 4)", vec![12, 4, 1]),
        ("torch.empty(4, 8)[::2, 1:]", vec![16, 1]),
        ("torch.empty(3, 1).expand(3, 4)", vec![1, 0]),
        ("torch.empty(4, 6, 8).view(24, 8)", vec![8, 1]),
        ("torch.empty(4, 8).t().contiguous()", vec![4, 1]),
        ("torch.empty(4, 8).t().reshape(32)", vec![1]),
        ("torch.empty(4, 8).flip(0)", vec![8, 1]),
        ("np.zeros((4, 8))[::-1]", vec![-8, 1]),
        ("np.zeros((4, 8)).T.copy()", vec![4, 1]),
        ("torch.empty(8).unfold(0, 3, 2)", vec![2, 1]),
        ("torch.empty(9).as_strided((2, 3), (1, 2))", vec![1, 2]),
        ("torch.empty(2, 3, 4).transpose(0, 1).view(3, 2, 2, 2)", vec![4, 12, 2, 1]),
    ] {
        let found = array(text, &|_| None).expect("an array").expect("one that fits");
        assert_eq!(found.known_strides().expect("known"), strides, "{text}");
    }
}

#[test]
fn what_does_not_fit_is_an_error() {
    for text in [
        "np.arange(12).reshape(5, 2)",
        "np.arange(6).ravel(order='K')",
        "torch.arange(6).view(2, 3).flatten(1, 0)",
        "np.arange(6).reshape(2, 3).diagonal(0, 1, 0)",
        "torch.empty(2, 3).contiguous(memory_format=torch.channels_last)",
        "np.roll(np.arange(6), 1, where=3)",
        "np.zeros((2, 3))[2]",
        "np.zeros((2, 3))[0, 0, 0]",
        "np.zeros(3)[1:1]",
        "np.zeros((2, 3)).transpose((0, 0))",
        "np.arange(4).reshape(2, 2).swapaxes(0, 2)",
        "np.arange(4)[::0]",
        "np.lib.stride_tricks.as_strided(np.arange(8), (3, 2), (1, 2))",
        "np.pad(np.arange(4), 1, mode='mean')",
        "np.pad(np.arange(4), 4, mode='reflect')",
        "F.pad(torch.arange(4), (1, 2), mode='symmetric')",
        "np.pad(np.arange(4), (1, 2, 3))",
        "np.pad(np.zeros((2, 3)), ((1, 1), (1, 1), (1, 1)))",
        "F.pixel_shuffle(torch.arange(6).view(6, 1, 1), 2)",
        "F.pixel_shuffle(torch.arange(4), 2)",
        "np.zeros((2, 3)).sum()",
        "np.zeros(n)[0]",
        "np.roll(np.zeros((2, 3)), 1)",
        "torch.empty(6).as_strided((2, 5), (2, 1))",
        "np.broadcast_to(np.arange(3), (2, 4))",
        "x.reshape(3, 4)",
        "torch.arange(3).unfold(0, 4, 1)",
        "np.repeat(np.arange(3), 0)",
        "torch.empty(4, 6, 8).transpose(0, 1).view(24, 8)",
        "torch.empty(4, 8)[:, :4].view(16)",
        "torch.arange(4).chunk(2)",
        "np.split(np.arange(200000), 200000)[65535]",
        "np.array_split(np.arange(8), 100000000000)[0]",
        "lax.slice_in_dim(jnp.arange(8), 0, 9)",
        "lax.slice_in_dim(jnp.arange(8), 0, 8, 0)",
        "torch.arange(4).chunk(2)[2]",
        "np.split(np.arange(7), 2)[0]",
        "np.arange(4).take([4])",
        "torch.arange(4).narrow(0, 3, 2)",
        "np.zeros((2, 1, 3))[:, ::1].T.copy().reshape(6)[None].transpose(1, 0).stride()",
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
