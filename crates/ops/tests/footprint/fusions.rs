//! Tiles of whole fusions with named sizes: proved to be exact, and compared with enumeration at thirty sizes.

use super::by_size::{check_tile, simplified, sizes};
use super::support::numbers::Random;
use affinor::expr::{Domain, Expr, Variable, VariableKind};
use affinor::num::{Fuel, Interrupt, Interval};
use affinor::prove::Budget;
use affinor::text::{Style, parse_symbolic_expr, print_map, variable_names};
use affinor_ops::footprint::tiling::{Means, STEPS, elements_by_size, tile_by_size};
use affinor_ops::indexing::Analysis;

const COMPUTATIONS: &str = "
max { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT m = f32[] maximum(a, b) }
sum { c = f32[] parameter(0)
  d = f32[] parameter(1)
  ROOT s = f32[] add(c, d) }
";

/// Each row is divided by its sum, after a shift by its greatest element.
const SOFTMAX: &str = "
inside { x = f32[4,5] parameter(0)
  low = f32[] constant(-inf)
  zero = f32[] constant(0)
  peak = f32[4] reduce(x, low), dimensions={1}, to_apply=max
  peaks = f32[4,5] broadcast(peak), dimensions={0}
  less = f32[4,5] subtract(x, peaks)
  e = f32[4,5] exponential(less)
  total = f32[4] reduce(e, zero), dimensions={1}, to_apply=sum
  totals = f32[4,5] broadcast(total), dimensions={0}
  ROOT out = f32[4,5] divide(e, totals) }
ENTRY main { p = f32[4,5] parameter(0)
  ROOT f = f32[4,5] fusion(p), kind=kCustom, calls=inside }
";

/// Attention on two sequences of three queries, four keys and values.
const ATTENTION: &str = "
inside { q = f32[2,3,2] parameter(0)
  k = f32[2,4,2] parameter(1)
  v = f32[2,4,3] parameter(2)
  low = f32[] constant(-inf)
  zero = f32[] constant(0)
  x = f32[2,3,4] dot(q, k), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={2}
  peak = f32[2,3] reduce(x, low), dimensions={2}, to_apply=max
  peaks = f32[2,3,4] broadcast(peak), dimensions={0,1}
  less = f32[2,3,4] subtract(x, peaks)
  e = f32[2,3,4] exponential(less)
  total = f32[2,3] reduce(e, zero), dimensions={2}, to_apply=sum
  totals = f32[2,3,4] broadcast(total), dimensions={0,1}
  w = f32[2,3,4] divide(e, totals)
  ROOT out = f32[2,3,3] dot(w, v), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1} }
ENTRY main { p = f32[2,3,2] parameter(0)
  r = f32[2,4,2] parameter(1)
  t = f32[2,4,3] parameter(2)
  ROOT f = f32[2,3,3] fusion(p, r, t), kind=kCustom, calls=inside }
";

/// Three rows are merged into one, then reversed.
const ROWS: &str = "
inside { x = f32[4,3] parameter(0)
  y = f32[12] reshape(x)
  z = f32[12] reverse(y), dimensions={0}
  ROOT out = f32[4,3] reshape(z) }
ENTRY main { p = f32[4,3] parameter(0)
  ROOT f = f32[4,3] fusion(p), kind=kLoop, calls=inside }
";

/// Checks the tiles of the root with these sizes, and with further sizes along range variables; `maps` is the number of maps
/// read.
#[track_caller]
fn check(module: &str, list: &[&str], along: &[&str], maps: usize) {
    let text = format!("{COMPUTATIONS}{module}");
    let module = affinor_hlo::read(text.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
    let root = module[module.entry()].root();
    let mut analysis = Analysis::new(&module, &simplified);
    let reads = analysis.instruction(module.entry(), root).expect("reads");
    let found: Vec<_> = reads.iter().flat_map(|entry| entry.reads.maps().expect("maps")).collect();
    assert_eq!(found.len(), maps);
    let mut random = Random(47);
    let names = list.iter().chain(along).filter(|size| size.parse::<i64>().is_err());
    let parameter =
        |name: &&str| Variable::new(*name, VariableKind::Parameter, Interval::at_least(1));
    let parameters = Domain::new(names.map(parameter).collect());
    for map in found {
        let map = map.map.with_parameters_of(&parameters).expect("small numbers");
        let ranges = map.domain().count(VariableKind::Range).min(along.len());
        let texts = list.iter().chain(&along[..ranges]);
        let all = variable_names(map.domain());
        let sizes_of: Vec<Expr> =
            texts.map(|size| parse_symbolic_expr(size, &all).expect("a size")).collect();
        let map = map.with_ranges_as_dimensions(ranges);
        let elements = elements_by_size(&map, &sizes_of).expect("small numbers");
        let fuel = Fuel::new(STEPS, &Interrupt::default());
        let means = Means::new(&simplified, Budget::default(), &fuel);
        let about = print_map(&map, Style::Plain);
        let tile = tile_by_size(&elements, &map, &means);
        let tile = tile.unwrap_or_else(|none| panic!("{about}: {none}"));
        assert!(tile.is_exact, "{about}");
        for _ in 0..30 {
            let at = sizes(&mut random, parameters.variables().len());
            check_tile(&about, &elements, &tile, &at);
        }
    }
}

#[test]
fn fusions_are_read_in_tiles_of_all_sizes() {
    check(SOFTMAX, &["n", "m"], &[], 2);
    check(SOFTMAX, &["n", "m"], &["k"], 2);
    check(ATTENTION, &["1", "n", "m"], &[], 3);
    check(ATTENTION, &["b", "n", "m"], &["k"], 3);
    check(ROWS, &["1", "n"], &[], 1);
    check(ROWS, &["n", "3"], &[], 1);
}
