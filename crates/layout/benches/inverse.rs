//! The time of an inverse of a linear layout: `cargo bench -p affinor-layout --bench inverse`.
//!
//! Prints the CPU time of [`LinearLayout::inverse`], of the inverse with its map, and of the layout's map, in microseconds, over
//! [`LAYOUTS`] random layouts of each number of bits: a third are bijections, a third are permutations of bits with some bits
//! added to others.

use affinor_layout::linear::{Input, LinearLayout, Output};
use cpu_time::ThreadTime;
use std::fmt::Write;
use std::hint::black_box;
use std::io;
use std::time::Duration;

/// Number of layouts for each number of bits.
const LAYOUTS: usize = 1000;

/// The seed of the random numbers.
const SEED: u64 = 0x5eed;

/// A generator of random numbers (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }

    fn bases(&mut self, bits: u32, kind: usize) -> Vec<u64> {
        if kind % 3 == 2 {
            let mut units: Vec<u64> = (0..bits).map(|bit| 1 << bit).collect();
            for last in (1..units.len()).rev() {
                units.swap(last, self.below(last as u64 + 1) as usize);
            }
            for _ in 0..3 {
                let (to, from) =
                    (self.below(u64::from(bits)) as usize, self.below(u64::from(bits)) as usize);
                if to != from {
                    units[to] ^= units[from];
                }
            }
            return units;
        }
        loop {
            let bases: Vec<u64> = (0..bits).map(|_| self.below(1 << bits)).collect();
            let layout = of_bases(&bases, 0, 0);
            if kind.is_multiple_of(3) || layout.is_ok_and(|layout| layout.is_injective()) {
                return bases;
            }
        }
    }
}

/// Builds a layout with the first bases as registers and the rest as lanes; one output has the first bits, the other the rest.
fn of_bases(
    bases: &[u64],
    registers: usize,
    bits: u32,
) -> Result<LinearLayout, Box<dyn std::error::Error>> {
    let (first, rest) = bases.split_at(registers);
    let input = |name: &str, bases: &[u64]| Input { name: name.to_owned(), bases: bases.to_vec() };
    let output = |name: &str, bits: u32| Output { name: name.to_owned(), bits };
    let inputs = vec![input("register", first), input("lane", rest)];
    let outputs = vec![output("dim0", bits), output("dim1", bases.len() as u32 - bits)];
    Ok(LinearLayout::new(inputs, outputs)?)
}

fn timed<T>(
    times: &mut Vec<Duration>,
    work: impl FnOnce() -> Result<T, Box<dyn std::error::Error>>,
) -> Result<(), Box<dyn std::error::Error>> {
    let start = ThreadTime::now();
    black_box(work())?;
    times.push(start.elapsed());
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut report = "| bits | inverse: median | p95 | max | with its map: median | p95 | max | map of the layout: median | p95 | max |\n".to_owned();
    writeln!(report, "|{}", "---|".repeat(10))?;
    let mut random = Random(SEED);
    for bits in 5..=12_u32 {
        let mut times: [Vec<Duration>; 3] = Default::default();
        for kind in 0..LAYOUTS {
            let bases = random.bases(bits, kind);
            let registers = random.below(u64::from(bits)) as usize;
            let layout = of_bases(&bases, registers, random.below(u64::from(bits)) as u32)?;
            timed(&mut times[0], || Ok(layout.inverse()?))?;
            timed(&mut times[1], || Ok(layout.inverse()?.layout().map()?))?;
            timed(&mut times[2], || Ok(layout.map()?))?;
        }
        write!(report, "| {bits} |")?;
        for list in &mut times {
            list.sort_unstable();
            for place in [LAYOUTS / 2, LAYOUTS * 95 / 100, LAYOUTS - 1] {
                write!(report, " {:.1} |", list[place].as_secs_f64() * 1e6)?;
            }
        }
        report.push('\n');
    }
    io::Write::write_all(&mut io::stdout(), report.as_bytes())?;
    Ok(())
}
