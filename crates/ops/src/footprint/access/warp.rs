//! Maps threads to warps and lanes.
//!
//! Law: a point of the new map, whose variables are the other variables with the warp among them, then the lane, then
//! the elements of the vector, has the position that the given map has at the thread `size * warp + lane`; all threads
//! of a block occur once.

use affinor::expr::{Domain, Expr, ExprError, IndexingMap, Variable, VariableId, VariableKind};
use affinor::num::Interval;
use affinor::text::{Error, ErrorKind};
use std::sync::Arc;

/// The variables of a map that number the threads of a block, and those that number the elements a thread accesses together.
///
/// Threads are numbered as CUDA numbers them: `x + size_x * (y + size_y * z)`. Source: *CUDA C++ Programming Guide*,
/// "Thread Hierarchy".
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Grid {
    pub(super) threads: Vec<VariableId>,
    pub(super) block: Vec<i64>,
    pub(super) vector: Vec<VariableId>,
    pub(super) warp: i64,
}

impl Grid {
    /// Creates a grid for maps with this domain: `threads` lists the variables that number the threads of a block, the
    /// fastest first, and `vector` those whose values are accessed together. Warps have 32 lanes; the size of a block
    /// is that of the intervals of `threads`, which begin at 0 or later.
    ///
    /// # Errors
    /// Kind `domain`, without a span, for a variable that is listed twice or not in the map, and for negative thread
    /// numbers; `overflow` for thread numbers beyond 64 bits.
    pub fn new(
        domain: &Domain,
        threads: Vec<VariableId>,
        vector: Vec<VariableId>,
    ) -> Result<Grid, Error> {
        let wrong = |message: String| Error::without_span(ErrorKind::Domain, message);
        if threads.is_empty() {
            return Err(wrong("no thread variable".to_owned()));
        }
        let known = domain.variables().len();
        if let Some(id) = threads.iter().chain(&vector).find(|id| id.index() >= known) {
            return Err(wrong(format!("the map has no variable number {}", id.0)));
        }
        let listed = [&threads[..], &vector].concat();
        for (number, id) in listed.iter().enumerate() {
            if listed[..number].contains(id) {
                let message = format!("`{}` is listed twice", name(domain, *id));
                return Err(wrong(message));
            }
        }
        for (id, variable) in (0..).map(VariableId).zip(domain.variables()) {
            let bounds = variable.bounds;
            if threads.contains(&id) && !bounds.is_empty() && bounds.lo() < 0 {
                let message =
                    format!("threads are numbered from 0, and `{}` is not", variable.name);
                return Err(wrong(message));
            }
        }
        let size = |id: &VariableId| match domain.bounds(*id) {
            bounds if bounds.is_empty() => Ok(1),
            bounds if !bounds.is_bounded() => Err(unbounded(name(domain, *id))),
            bounds => bounds.hi().checked_add(1).ok_or_else(too_large),
        };
        Ok(Grid {
            block: threads.iter().map(size).collect::<Result<_, _>>()?,
            threads,
            vector,
            warp: 32,
        })
    }

    /// Sets the number of lanes per warp.
    ///
    /// # Errors
    /// Kind `usage`, without a span, unless it is from 1 to 1024.
    pub fn with_warp(mut self, lanes: i64) -> Result<Grid, Error> {
        if !(1..=1024).contains(&lanes) {
            let message = format!("a warp has 1 to 1024 lanes, found {lanes}");
            return Err(Error::without_span(ErrorKind::Usage, message));
        }
        self.warp = lanes;
        Ok(self)
    }

    /// Sets the size of a block, one number for each variable that numbers threads, if it differs from the size of their
    /// intervals.
    ///
    /// # Errors
    /// Kind `arity`, without a span, for too many or too few sizes; `domain` for one that is less than the interval.
    pub fn with_block(mut self, sizes: Vec<i64>) -> Result<Grid, Error> {
        if sizes.len() != self.block.len() {
            let message = format!(
                "expected one size for each of {} thread variable(s), found {}",
                self.block.len(),
                sizes.len()
            );
            return Err(Error::without_span(ErrorKind::Arity, message));
        }
        for (size, least) in sizes.iter().zip(&self.block) {
            if size < least {
                let message = format!("the map has {least} threads where the block has {size}");
                return Err(Error::without_span(ErrorKind::Domain, message));
            }
        }
        self.block = sizes;
        Ok(self)
    }

    /// Returns the variables that number the threads, the fastest first.
    #[must_use]
    pub fn threads(&self) -> &[VariableId] {
        &self.threads
    }

    /// Returns the variables whose values are accessed together.
    #[must_use]
    pub fn vector(&self) -> &[VariableId] {
        &self.vector
    }

    /// Returns the size of a block, one number for each of [`Grid::threads`].
    #[must_use]
    pub fn block(&self) -> &[i64] {
        &self.block
    }

    /// Returns the number of lanes per warp.
    #[must_use]
    pub fn warp(&self) -> i64 {
        self.warp
    }
}

/// Checks that accesses of `map` can be classified and counted under `grid`.
///
/// # Errors
/// Kind `domain`, without a span, for a runtime variable, one without bounds, and one of the grid that the map lacks.
pub(super) fn check(map: &IndexingMap, grid: &Grid) -> Result<(), Error> {
    let domain = map.domain();
    let wrong = |message: String| Error::without_span(ErrorKind::Domain, message);
    for variable in domain.variables() {
        let (name, bounds) = (&variable.name, variable.bounds);
        if variable.kind == VariableKind::Runtime {
            let message =
                format!("`{name}` is known only at run time, and the cost may depend on it");
            return Err(wrong(message).hint("give it a value first"));
        }
        if !bounds.is_bounded() && !bounds.is_empty() {
            return Err(unbounded(name));
        }
    }
    let known = domain.variables().len();
    let mut ids = grid.threads.iter().chain(&grid.vector);
    match ids.find(|id| id.index() >= known) {
        Some(id) => Err(wrong(format!("the map has no variable number {}", id.0))),
        None => Ok(()),
    }
}

/// Positions by warp and lane: first the variables that identify accesses, then those within an access.
pub(super) struct Warps {
    /// All variables are dimensions.
    pub(super) map: IndexingMap,
    /// Number of variables that identify accesses.
    pub(super) outer: usize,
}

impl Warps {
    /// Rewrites the positions of `map`, which must fit `grid`. Other dimensions come first, then the warp if a block
    /// has several, then other range variables.
    pub(super) fn new(map: &IndexingMap, grid: &Grid) -> Result<Warps, Error> {
        let domain = map.domain();
        let threads = grid.block.iter().copied().try_fold(1, i64::checked_mul);
        let threads = threads.ok_or_else(too_large)?;
        let warps = affinor::num::ceildiv(threads, grid.warp).max(1);
        let mut places = vec![Expr::constant(0); domain.variables().len()];
        let mut variables: Vec<Variable> = Vec::new();
        let mut keep = |id: VariableId, variables: &mut Vec<Variable>| {
            places[id.index()] = variable(variables.len());
            let variable = &domain.variables()[id.index()];
            let kind = VariableKind::Dimension;
            variables.push(Variable::new(variable.name.clone(), kind, variable.bounds));
        };
        let others = |kind| {
            let is_other =
                |id: &VariableId| !grid.threads.contains(id) && !grid.vector.contains(id);
            domain.ids(kind).filter(is_other).collect::<Vec<_>>()
        };
        for id in others(VariableKind::Dimension) {
            keep(id, &mut variables);
        }
        let mut warp = Expr::constant(0);
        if warps > 1 {
            warp = variable(variables.len());
            variables.push(numbered(domain, "warp", warps));
        }
        for id in others(VariableKind::Range) {
            keep(id, &mut variables);
        }
        let outer = variables.len();
        variables.push(numbered(domain, "lane", grid.warp.min(threads)));
        for id in &grid.vector {
            keep(*id, &mut variables);
        }
        let map = substituted(map, grid, &variables, places, [warp, variable(outer)])
            .map_err(|error| Error::without_span(ErrorKind::Overflow, error.to_string()))?;
        Ok(Warps { map, outer })
    }
}

fn substituted(
    map: &IndexingMap,
    grid: &Grid,
    variables: &[Variable],
    mut places: Vec<Expr>,
    [warp, lane]: [Expr; 2],
) -> Result<IndexingMap, ExprError> {
    let thread = Expr::sum(0, [(grid.warp, warp), (1, lane)])?;
    let mut new = Domain::new(variables.to_vec());
    let mut faster = 1_i64;
    for (number, (id, size)) in grid.threads.iter().zip(&grid.block).enumerate() {
        let rest = thread.floordiv(faster)?;
        let index = match number + 1 == grid.threads.len() {
            true => rest,
            false => rest.modulo(*size)?,
        };
        faster = faster.checked_mul(*size).ok_or(ExprError::Overflow)?;
        let bounds = map.domain().bounds(*id);
        if bounds != Interval::of_size(*size) {
            new.constrain(&index, bounds);
        }
        places[id.index()] = index;
    }
    if faster % grid.warp != 0 && faster > grid.warp {
        new.constrain(&thread, Interval::of_size(faster));
    }
    if map.domain().is_known_empty() {
        new.make_empty();
    }
    for constraint in map.domain().constraints() {
        new.constrain(&constraint.expr.substitute(&places)?, constraint.bounds);
    }
    let results = map.results().iter().map(|x| x.substitute(&places));
    Ok(IndexingMap::new(new, results.collect::<Result<_, _>>()?))
}

/// Returns a variable with lower bound 0 and a name that is unused in the domain.
fn numbered(domain: &Domain, stem: &str, size: i64) -> Variable {
    let is_free = |name: &str| domain.variables().iter().all(|v| &*v.name != name);
    let mut names = std::iter::once(stem.to_owned()).chain((1..).map(|k| format!("{stem}{k}")));
    let name = names.find(|name| is_free(name)).unwrap_or_default();
    let kind = VariableKind::Dimension;
    Variable::new(Arc::<str>::from(name), kind, Interval::of_size(size))
}

fn variable(index: usize) -> Expr {
    Expr::variable(VariableId(index as u32))
}

fn name(domain: &Domain, id: VariableId) -> &str {
    let variable = domain.variables().get(id.index());
    variable.map_or("?", |variable| &variable.name)
}

fn unbounded(name: &str) -> Error {
    let message = format!("`{name}` has no bounds");
    Error::without_span(ErrorKind::Domain, message)
        .hint(format!("give each variable an interval: `for {name} in range(8)` after code, `{name} in [0, 7]` in a domain"))
}

fn too_large() -> Error {
    let message = "the number of threads does not fit in 64 bits";
    Error::without_span(ErrorKind::Overflow, message)
}
