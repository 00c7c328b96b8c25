//! Pictures of arrays: the positions of elements in memory, and the elements that a map reads; and pictures of e-graphs.
//!
//! A picture is a [`Grid`] of cells with lines between them; it is drawn with the characters of a terminal ([`terminal`]) or as
//! SVG ([`svg`]). Only the corners of a large array are drawn, with a note.
//!
//! Modules in dependency order: `grid`, `layout`, `indexed`, `cute`, `linear` and `reads` (which create grids), `terminal` and
//! `svg` (which draw them); `egraph` (the texts of an e-graph's classes), `rows` (the arrangement of their boxes), `boxes` and
//! `dot` (which draw them, as SVG or for Graphviz).

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
pub use svg::{escaped, svg};
pub use terminal::{Ink, terminal};
