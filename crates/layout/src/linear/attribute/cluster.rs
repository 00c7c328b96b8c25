//! The distribution of a tensor over the blocks of a cluster.

use super::super::builder::Builder;
use super::super::layout::NotLinear;
use super::parameters::{Parameters, power};
use affinor::text::{Error, ErrorKind};

/// The bases of blocks, in units of a block's part.
#[derive(Clone)]
pub(super) struct Cluster {
    bases: Vec<Vec<u64>>,
    /// The number of parts along each dimension.
    split: Vec<u64>,
}

impl Cluster {
    pub(super) fn of(parameters: &Parameters<'_>, rank: usize) -> Result<Cluster, Error> {
        let mut cluster = Cluster { bases: Vec::new(), split: vec![1; rank] };
        if parameters.find("CGALayout").is_some() {
            for basis in parameters.bases("CGALayout")? {
                if basis.len() != rank {
                    let message = format!("a basis of `CGALayout` has {rank} coordinates");
                    return Err(Error::new(ErrorKind::Arity, parameters.span(), message));
                }
                let mut coordinates = Vec::new();
                for (number, split) in basis.into_iter().zip(&mut cluster.split) {
                    let coordinate = if number.value == 0 { 0 } else { power(number)? };
                    *split = (*split).max(coordinate * 2);
                    coordinates.push(coordinate);
                }
                cluster.bases.push(coordinates);
            }
            return Ok(cluster);
        }
        if parameters.find("CTAsPerCGA").is_none() {
            return Ok(cluster);
        }
        let all = parameters.sizes("CTAsPerCGA", rank)?;
        cluster.split = parameters.sizes("CTASplitNum", rank)?;
        for dim in parameters.order("CTAOrder", rank)? {
            let (blocks, split) = (all[dim], cluster.split[dim]);
            for bit in 0..blocks.trailing_zeros() {
                let mut coordinates = vec![0; rank];
                if 1 << bit < split {
                    coordinates[dim] = 1 << bit;
                }
                cluster.bases.push(coordinates);
            }
        }
        Ok(cluster)
    }

    /// Returns the number of parts along a dimension.
    pub(super) fn split(&self, dim: usize) -> u64 {
        self.split.get(dim).copied().unwrap_or(1)
    }

    /// Adapts the cluster to an operand of a product: blocks that differ only along `summed` hold the same elements.
    pub(super) fn shared_along(mut self, summed: usize) -> Cluster {
        for basis in &mut self.bases {
            basis[summed] = 0;
        }
        self.split[summed] = 1;
        self
    }

    /// Returns whether the cluster has a single block.
    pub(super) fn is_single(&self) -> bool {
        self.bases.is_empty()
    }

    /// Fits the layout of one block to its part of the shape, and appends the blocks.
    pub(super) fn fit(
        &self,
        mut builder: Builder,
        shape: &[u64],
        order: &[usize],
    ) -> Result<Builder, NotLinear> {
        let parts: Vec<u64> =
            shape.iter().zip(&self.split).map(|(size, split)| (size / split).max(1)).collect();
        builder.fit(&parts, order)?;
        for basis in &self.bases {
            let inside = basis.iter().zip(&parts).zip(shape).map(|((basis, part), size)| {
                let coordinate = basis.saturating_mul(*part);
                if coordinate < *size { coordinate } else { 0 }
            });
            builder.basis("block", inside.collect());
        }
        Ok(builder)
    }
}
