//! Pictures of arrays: where elements lie in memory, and which elements a map reads; and of e-graphs.
//!
//! A picture is a [`Grid`] of cells with lines between them; it is drawn with the characters of a terminal
//! ([`terminal`]) or as SVG ([`svg`]). Of an array that is too large its corners are drawn, and the grid says so.
//!
//! Modules in dependency order: `grid`, `layout`, `indexed`, `cute`, `linear` and `reads` (which make one), `terminal` and `svg` (which draw one);
//! `egraph` (the texts of an e-graph's classes), `rows` (where their boxes stand), `boxes` and `dot` (which draw them, as SVG
//! or for Graphviz).

mod boxes;
mod cute;
mod dot;
mod egraph;
mod grid;
mod indexed;
mod layout;
mod linear;
mod reads;
mod rows;
mod svg;
mod terminal;

pub use boxes::boxes;
pub use cute::{Banks, NotATile, of_cute, of_threads};
pub use dot::dot;
pub use egraph::{ClassBox, Diagram, NodeLine, UnionLine};
pub use grid::{Axis, Cell, Content, Extent, Grid, Line, Shade};
pub use layout::of_placement;
pub use linear::{of_linear, of_offsets};
pub use reads::{MOST_POINTS, TooManyPoints, of_reads, sizes_read};
pub use svg::svg;
pub use terminal::{Ink, terminal};
