//! The rules: shapes that no list of known shapes had. For each a map that it makes smaller where the shipped rules that
//! know the same are off, a false variant, and a true one that cannot fire.

/// A rule that somebody brings.
pub struct Own {
    pub name: &'static str,
    pub statement: &'static str,
    /// The shipped rules that know the same, and all that make up for them on this map.
    pub off: &'static str,
    /// A map whose answer is smaller by it.
    pub map: &'static str,
    /// A statement like it that is false.
    pub wrong: &'static str,
    /// A statement like it that is true and cannot fire, and what the answer gives as the reason.
    pub idle: (&'static str, &'static str),
}

const BOUNDS: &str = "not a conjunction of bounds";
const DIVISOR: &str = "an expression is a divisor";
const FACT: &str = "it is a fact";
const RIGHT: &str = "occurs only on the right-hand side";
const SUMS: &str = "its sides are sums alone";
const VALUE: &str = "is unbound: not in";

pub const RULES: &[Own] = &[
    Own {
        name: "nested-quotients",
        statement: "(x floordiv a) floordiv b => x floordiv (a*b) where a >= 1, b >= 1",
        off: "div-div div-digit div-low div-strip div-extract div-near div-bit-low div-bit mod-within div-half div-half-mirror",
        map: "(d0, d1) -> ((d0 * 3 + d1) floordiv 7 mod 8 floordiv 2), domain: d0 in [0, 40], d1 in [0, 20]",
        wrong: "(x floordiv a) floordiv b => x floordiv (a + b) where a >= 1, b >= 1",
        idle: (
            "(x floordiv a) floordiv y => x floordiv (a*y) where a >= 1, y >= 1 expression y",
            DIVISOR,
        ),
    },
    Own {
        name: "shift-inside",
        statement: "(x floordiv a + b) floordiv c => (x + a*b) floordiv (a*c) where a >= 1, c >= 1",
        off: "div-div div-div-neg div-sign",
        map: "(d0) -> ((d0 floordiv 3 + 2) floordiv 4), domain: d0 in [0, 99]",
        wrong: "(x floordiv a + b) floordiv c => (x + b) floordiv (a*c) where a >= 1, c >= 1",
        idle: (
            "(x floordiv a + b) floordiv c => (x + a*b) floordiv d where a >= 1, c >= 1, d = a*c expression d",
            DIVISOR,
        ),
    },
    Own {
        name: "out-of-a-quotient",
        statement: "(x + c*y) floordiv c => x floordiv c + y where c >= 1",
        off: "div-extract absorb div-move",
        map: "(d0, d1) -> ((d0 + 8 * d1) floordiv 8 - d1), domain: d0 in [0, 30], d1 in [0, 30]",
        wrong: "(x + c*y) floordiv c => x floordiv c + c*y where c >= 1",
        idle: (
            "(x + c*y) floordiv c => x floordiv c + y where c >= 1 expression c",
            DIVISOR,
        ),
    },
    Own {
        name: "low-digits",
        statement: "(4*x + y) floordiv 8 => x floordiv 2 where 0 <= y, y <= 3",
        off: "div-low div-bit-low",
        map: "(d0, d1) -> ((4 * d0 + d1) floordiv 8), domain: d0 in [0, 99], d1 in [0, 3]",
        wrong: "(4*x + y) floordiv 8 => x floordiv 2 where 0 <= y, y <= 4",
        idle: (
            "(4*x + y) floordiv 8 => x floordiv 2 + z where 0 <= y, y <= 3, 0 <= z, z <= 0",
            VALUE,
        ),
    },
    Own {
        name: "common-factor",
        statement: "(a*b*x + y) floordiv (a*c) => (b*x) floordiv c where a >= 1, c >= 1, 0 <= y, y < a",
        off: "div-low div-bit-low",
        map: "(d0, d1) -> ((12 * d0 + d1) floordiv 20), domain: d0 in [0, 99], d1 in [0, 3]",
        wrong: "(a*b*x + y) floordiv (a*c) => (b*x) floordiv c where a >= 1, c >= 1, 0 <= y, y <= a",
        idle: (
            "(a*b*x + y) floordiv (a*c) = (b*x) floordiv c where a >= 1, c >= 1, 0 <= y, y < a",
            FACT,
        ),
    },
    Own {
        name: "odd-half",
        statement: "(2*x + 1) floordiv 2 => x",
        off: "div-strip div-extract div-low div-near div-block div-sign div-bit div-bit-low",
        map: "(d0) -> ((2 * d0 + 1) floordiv 2), domain: d0 in [0, 99]",
        wrong: "(2*x + 1) floordiv 2 => x + 1",
        idle: ("(2*x + 1) floordiv 2 => x + y - y", RIGHT),
    },
    Own {
        name: "mod-of-mod",
        statement: "(x mod (c*d)) mod c => x mod c where c >= 1, d >= 1",
        off: "div-extract div-near mod-shift",
        map: "(d0) -> (d0 mod 64 mod 8), domain: d0 in [0, 999]",
        wrong: "(x mod (c*d)) mod c => x mod d where c >= 1, d >= 1",
        idle: (
            "(x mod (c*d)) mod c => x mod c where c >= 1, d >= 1 expression d",
            DIVISOR,
        ),
    },
    Own {
        name: "factor-out-of-mod",
        statement: "(a*x) mod (a*b) => a*(x mod b) where a >= 1, b >= 1",
        off: "div-low div-strip div-bit-low div-bit",
        map: "(d0) -> (6 * d0 mod 48 floordiv 6), domain: d0 in [0, 99]",
        wrong: "(a*x) mod (a*b) => x mod b where a >= 1, b >= 1",
        idle: (
            "(x*a) mod (a*b) => a*(x mod b) where a >= 1, b >= 1 expression a",
            DIVISOR,
        ),
    },
    Own {
        name: "last-digit",
        statement: "(c*x + y) mod c => y where c >= 1, 0 <= y, y < c",
        off: "div-strip div-extract div-block div-low mod-shift mod-block div-bit-low div-bit absorb same-value",
        map: "(d0, d1) -> ((7 * d0 + d1) mod 7), domain: d0 in [0, 99], d1 in [0, 6]",
        wrong: "(c*x + y) mod c => y where c >= 1, 0 <= y, y <= c",
        idle: ("(c*x + y) mod c < c where c >= 1, 0 <= y, y < c", FACT),
    },
    Own {
        name: "inner-mod",
        statement: "(x mod c + y) mod c => (x + y) mod c where c >= 1",
        off: "div-extract div-near mod-shift",
        map: "(d0, d1) -> ((d0 mod 6 + d1) mod 6), domain: d0 in [0, 30], d1 in [0, 30]",
        wrong: "(x mod c + y) mod c => x mod c + y where c >= 1",
        idle: (
            "(x mod c + y) mod c => (x + y + c*z) mod c where c >= 1",
            RIGHT,
        ),
    },
    Own {
        name: "parity",
        statement: "(x mod 2 + y mod 2) mod 2 => (x + y) mod 2",
        off: "div-extract div-near mod-shift absorb",
        map: "(d0, d1) -> ((d0 mod 2 + d1 mod 2) mod 2), domain: d0 in [0, 30], d1 in [0, 30]",
        wrong: "(x mod 2 + y mod 2) mod 2 => (x + y) mod 4",
        idle: ("(x mod 2 + y mod 2) mod 2 => (x + y + 2*z) mod 2", RIGHT),
    },
    Own {
        name: "below-the-digit",
        statement: "(x mod a) floordiv b => 0 where a >= 1, b >= a",
        off: "div-block same-value",
        map: "(d0) -> (d0 mod 6 floordiv 8), domain: d0 in [0, 99]",
        wrong: "(x mod a) floordiv b => 0 where a >= 1, b >= a - 1, b >= 1",
        idle: (
            "(x mod a) floordiv b => 0 where a >= 1, b > a expression b",
            DIVISOR,
        ),
    },
    Own {
        name: "complement",
        statement: "x mod c + (c - 1 - x) mod c => c - 1 where c >= 1",
        off: "div-sign div-extract div-block div-reflect mod-peel-neg mod-shift same-value mod-within",
        map: "(d0) -> (d0 mod 9 + (8 - d0) mod 9), domain: d0 in [0, 99]",
        wrong: "x mod c + (c - 1 - x) mod c => c where c >= 1",
        idle: ("x mod c + (c - 1 - x) mod c <= c - 1 where c >= 1", FACT),
    },
    Own {
        name: "digits-joined",
        statement: "a*((x mod (a*b)) floordiv a) + x mod a => x mod (a*b) where a >= 1, b >= 1",
        off: "div-extract div-near absorb div-low div-bit-low",
        map: "(d0) -> (d0 mod 24 floordiv 6 * 6 + d0 mod 6), domain: d0 in [0, 99]",
        wrong: "a*((x mod (a*b)) floordiv a) + x mod a => x mod (a + b) where a >= 1, b >= 1",
        idle: (
            "a*((x mod (a*b)) floordiv a) + x mod a = x mod (a*b) where a >= 1, b >= 1",
            FACT,
        ),
    },
    Own {
        name: "two-halves",
        statement: "x floordiv 2 + (x + 1) floordiv 2 => x",
        off: "div-half div-half-mirror div-sign div-near div-reflect div-move absorb",
        map: "(d0) -> (d0 floordiv 2 + (d0 + 1) floordiv 2), domain: d0 in [0, 99]",
        wrong: "x floordiv 2 + (x + 1) floordiv 2 => x + 1",
        idle: ("x floordiv 2 + (x + 1) floordiv 2 = x", FACT),
    },
    Own {
        name: "three-thirds",
        statement: "x floordiv 3 + (x + 1) floordiv 3 + (x + 2) floordiv 3 => x",
        off: "",
        map: "(d0) -> (d0 floordiv 3 + (d0 + 1) floordiv 3 + (d0 + 2) floordiv 3), domain: d0 in [0, 99]",
        wrong: "x floordiv 3 + (x + 1) floordiv 3 + (x + 3) floordiv 3 => x",
        idle: (
            "x => x floordiv 3 + (x + 1) floordiv 3 + (x + 2) floordiv 3 + y - y",
            RIGHT,
        ),
    },
    Own {
        name: "ceiling-less-floor",
        statement: "(x + c - 1) floordiv c - x floordiv c => min(x mod c, 1) where c >= 1",
        off: "",
        map: "(d0) -> ((d0 + 7) floordiv 8 - d0 floordiv 8), domain: d0 in [0, 99]",
        wrong: "(x + c - 1) floordiv c - x floordiv c => 1 where c >= 1",
        idle: (
            "(x + c - 1) floordiv c - x floordiv c => min(x mod y, 1) where c >= 1, y = c expression y",
            DIVISOR,
        ),
    },
    Own {
        name: "aligned-down",
        statement: "(x - x mod c) floordiv c => x floordiv c where c >= 1",
        off: "div-strip div-extract div-low div-near div-bit-low div-bit",
        map: "(d0) -> ((d0 - d0 mod 7) floordiv 7), domain: d0 in [0, 99]",
        wrong: "(x + x mod c) floordiv c => x floordiv c where c >= 1",
        idle: (
            "(x - x mod c) floordiv c => x floordiv c where c >= 1 expression c",
            DIVISOR,
        ),
    },
    Own {
        name: "up-to-even",
        statement: "(x + x mod 2) floordiv 2 => (x + 1) floordiv 2",
        off: "div-strip div-extract div-low div-move div-near absorb mod-shift div-sign div-bit-low div-bit",
        map: "(d0) -> ((d0 + d0 mod 2) floordiv 2), domain: d0 in [0, 99]",
        wrong: "(x + x mod 2) floordiv 2 => x floordiv 2",
        idle: (
            "(x + x mod 2) floordiv 2 => (x + y) floordiv 2 where 1 <= y, y <= 1",
            VALUE,
        ),
    },
    Own {
        name: "three-halves",
        statement: "(x + x floordiv 2) floordiv 3 => x floordiv 2",
        off: "div-extract div-block div-low div-bit-low div-bit",
        map: "(d0) -> ((d0 + d0 floordiv 2) floordiv 3), domain: d0 in [0, 99]",
        wrong: "(x + x floordiv 2) floordiv 3 => x floordiv 3",
        idle: ("2*((x + x floordiv 2) floordiv 3) <= x", FACT),
    },
    Own {
        name: "second-bit",
        statement: "(x mod 4 - x mod 2) floordiv 2 => x floordiv 2 mod 2",
        off: "div-strip div-div div-extract div-low div-near div-bit-low div-bit div-digit div-threshold-factor",
        map: "(d0) -> ((d0 mod 4 - d0 mod 2) floordiv 2), domain: d0 in [0, 99]",
        wrong: "(x mod 4 - x mod 2) floordiv 2 => x mod 2",
        idle: (
            "(x mod 4 - x mod 2) floordiv 2 => x floordiv 2 mod 2 + y where 0 <= y, y <= 0",
            VALUE,
        ),
    },
    Own {
        name: "least-of-shifted",
        statement: "min(x, x + y) => x where y >= 0",
        off: "min-le min-affine-negative max-ge same-value",
        map: "(d0, d1) -> (min(d0, d0 + d1)), domain: d0 in [0, 30], d1 in [0, 30]",
        wrong: "min(x, x + y) => x where y >= -1",
        idle: ("min(x, x + y) => x + z - z where y >= 0", RIGHT),
    },
    Own {
        name: "greatest-of-three",
        statement: "max(max(x, y), min(x, z)) => max(x, y)",
        off: "max-ge-among",
        map: "(d0, d1, d2) -> (max(max(d0, d1), min(d0, d2))), domain: d0 in [0, 9], d1 in [0, 9], d2 in [0, 9]",
        wrong: "max(max(x, y), min(x, z)) => max(y, z)",
        idle: ("max(max(x, y), min(x, z)) >= min(x, y)", FACT),
    },
    Own {
        name: "clamp-again",
        statement: "min(max(min(max(x, a), b), a), b) => min(max(x, a), b) where a <= b",
        off: "max-ge clamp-order max-affine-negative min-le",
        map: "(d0) -> (min(max(min(max(d0, 3), 8), 3), 8)), domain: d0 in [0, 99]",
        wrong: "min(max(min(max(x, a), b), c), b) => min(max(x, a), b) where a <= c, c <= b",
        idle: (
            "min(max(min(max(x, a), b), a), b) => min(max(x, a), c) where a <= b, b <= c, c <= b",
            VALUE,
        ),
    },
    Own {
        name: "least-of-quotients",
        statement: "min(x floordiv c, y floordiv c) => min(x, y) floordiv c where c >= 1",
        off: "div-min",
        map: "(d0, d1) -> (min(d0 floordiv 5, d1 floordiv 5)), domain: d0 in [0, 30], d1 in [0, 30]",
        wrong: "min(x floordiv c, y floordiv d) => min(x, y) floordiv c where c >= 1, d >= 1",
        idle: (
            "min(x floordiv c, y floordiv c) => min(x, y) floordiv c where c >= 1 expression c",
            DIVISOR,
        ),
    },
    Own {
        name: "both-parts",
        statement: "max(x, 0) - max(-x, 0) => x",
        off: "max-affine max-mirror max-affine-negative min-affine-negative min-plus-max max-shift max-inside-negative min-mirror",
        map: "(d0) -> (max(d0 - 7, 0) - max(7 - d0, 0)), domain: d0 in [0, 99]",
        wrong: "max(x, 0) - max(-x, 0) => -x",
        idle: (
            "max(x, 0) - max(-x, 0) => x + y where 0 <= y, y <= 0",
            VALUE,
        ),
    },
    Own {
        name: "raised",
        statement: "max(x - y, 0) + y => max(x, y)",
        off: "max-affine max-shift max-mirror min-affine min-mirror",
        map: "(d0, d1) -> (max(d0 - d1, 0) + d1), domain: d0 in [0, 30], d1 in [0, 30]",
        wrong: "max(x - y, 0) + y => x",
        idle: ("max(x - y, 0) + y = max(x, y)", FACT),
    },
    Own {
        name: "one-block",
        statement: "x floordiv c => t where c >= 1, c*t <= x, x < c*t + c let t = lo(x) floordiv c",
        off: "div-extract div-block div-strip div-low div-bit-low div-bit same-value",
        map: "(d0, d1) -> ((d0 + d1 + 40) floordiv 20), domain: d0 in [0, 9], d1 in [0, 9]",
        wrong: "x floordiv c => t where c >= 1, c*t <= x, x <= c*t + c let t = lo(x) floordiv c",
        idle: (
            "x floordiv c => t where c >= 1, c*t <= x, x < c*t + c",
            VALUE,
        ),
    },
    Own {
        name: "multiples",
        statement: "(c*x + y) floordiv c => x + y floordiv c where c >= 1 split multiples",
        off: "div-extract absorb div-move",
        map: "(d0, d1) -> ((d0 + 8 * d1) floordiv 8 - d1), domain: d0 in [0, 30], d1 in [0, 30]",
        wrong: "(c*x + y) floordiv c => x + y where c >= 1 split multiples",
        idle: ("c*x + y => y + x*c where c >= 1", SUMS),
    },
    Own {
        name: "residue",
        statement: "x mod c => x - c*t where c >= 1, c*t <= x, x < c*t + c let t = lo(x) floordiv c",
        off: "div-extract div-block mod-block div-strip div-low div-bit-low div-bit same-value mod-within",
        map: "(d0) -> ((d0 + 14) mod 7 - d0), domain: d0 in [0, 6]",
        wrong: "x mod c => x - c*t where c >= 1, c*t <= x, x <= c*t + c let t = lo(x) floordiv c",
        idle: (
            "x mod c => x - c*t where c >= 1, c*t <= x, x < c*t + c",
            VALUE,
        ),
    },
    Own {
        name: "quotient-below",
        statement: "x floordiv c <= u <=> x <= c*u + c - 1 where c >= 1",
        off: "constraint-floordiv",
        map: "(d0, d1) -> (d0), domain: d0 in [0, 100], d1 in [0, 100], (d0 + 3*d1) floordiv 4 in [-9, 20]",
        wrong: "x floordiv c <= u <=> x <= c*u where c >= 1",
        idle: ("x <= u and x <= v <=> x <= min(u, v) constant u v", BOUNDS),
    },
    Own {
        name: "quotient-of-less",
        statement: "x floordiv c < y <=> x < c*y where c >= 1 expression y",
        off: "constraint-floordiv",
        map: "(d0, d1) -> (d0), domain: d0 in [0, 100], d1 in [0, 30], d0 floordiv 4 - d1 in [-99, -1]",
        wrong: "x floordiv c < y <=> x <= c*y where c >= 1 expression y",
        idle: (
            "x floordiv c < y <=> x < c*y where c >= 1 expression c y",
            DIVISOR,
        ),
    },
    Own {
        name: "common-factor",
        statement: "c*x <= c*y <=> x <= y where c >= 1",
        off: "constraint-scale constraint-low-upper constraint-low-lower",
        map: "(d0, d1) -> (d0), domain: d0 in [0, 100], d1 in [0, 100], 3 * d0 - 3 * d1 in [-900, 0]",
        wrong: "c*x <= c*y <=> x <= y where c >= 0",
        idle: ("c*x <= c*y <=> x <= y and z <= z where c >= 1", RIGHT),
    },
    Own {
        name: "at-least-both",
        statement: "min(x, y) >= k <=> x >= k and y >= k",
        off: "",
        map: "(d0, d1) -> (d0), domain: d0 in [0, 100], d1 in [0, 100], min(d0, d1) in [4, 200]",
        wrong: "min(x, y) >= k <=> x >= k",
        idle: ("min(x, y) >= k <=> x >= k and y >= k and z <= z", RIGHT),
    },
    Own {
        name: "digit-by-digit",
        statement: "x floordiv c = y floordiv c and x mod c = y mod c <=> x = y where c >= 1",
        off: "constraint-floordiv",
        map: "(d0, d1) -> (d0), domain: d0 in [0, 60], d1 in [0, 60], d0 floordiv 4 - d1 floordiv 4 in [0, 0], d0 mod 4 - d1 mod 4 in [0, 0]",
        wrong: "x floordiv c = y floordiv c <=> x = y where c >= 1",
        idle: (
            "x floordiv c = y floordiv c and x mod c = y mod c <=> x = y where c >= 1 expression c",
            DIVISOR,
        ),
    },
    Own {
        name: "even-and-by-three",
        statement: "x mod 2 = 0 and x mod 3 = 0 <=> x mod 6 = 0",
        off: "constraint-crt",
        map: "(d0, d1) -> (d0), domain: d0 in [0, 60], d1 in [0, 60], (d0 + d1) mod 2 in [0, 0], (d0 + d1) mod 3 in [0, 0]",
        wrong: "x mod 2 = 0 and x mod 4 = 0 <=> x mod 8 = 0",
        idle: (
            "x mod 2 = 0 and x mod 3 = 0 <=> x mod c = 0 where c = 6 and c >= 1 expression c",
            DIVISOR,
        ),
    },
    Own {
        name: "no-such-residue",
        statement: "x mod 6 = r and x mod 3 = s <=> 1 = 0 where r mod 3 < s",
        off: "congruence-never constraint-crt",
        map: "(d0, d1) -> (d0 mod 7), domain: d0 in [0, 60], d1 in [0, 60], (d0 + d1) mod 6 in [1, 1], (d0 + d1) mod 3 in [2, 2]",
        wrong: "x mod 6 = r and x mod 3 = s <=> 1 = 0 where r mod 3 <= s",
        idle: (
            "x mod 6 = r and x mod 3 <= 2 and x mod 3 <= r <=> x mod 6 = r and x mod 3 <= r constant r",
            BOUNDS,
        ),
    },
];
