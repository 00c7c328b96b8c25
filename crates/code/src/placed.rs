//! The accesses of a kernel with the conditions around them, without duplicates.
//!
//! Law: two accesses are the same if they have the same index by value, under the same conditions; if the index is unknown, they
//! must have the same text.

use super::kernel::Kernel;
use super::memory::Access;
use super::program::Reader;
use affinor_maps::text::ast::{NodeId, NodeKind};
use affinor_maps::text::{Error, ErrorKind};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

impl<'t> Reader<'t> {
    /// Gives each access the conditions around it, and merges equal accesses.
    pub fn place(&mut self, kernel: Kernel<'t>) -> Result<Vec<NodeId>, Error> {
        let (alike, mut places) = (self.parser.terms.alike(), FxHashMap::default());
        for (mut access, conditions) in kernel.accesses.into_iter().zip(kernel.conditions) {
            access.is_bound |= kernel.is_cut;
            // Compared by value, since a name in the same text may have another value further below.
            let indices = access.indices.iter().map(|index| alike[index.index()]);
            let indices: Vec<NodeId> = indices.collect();
            let shown = self.tokens().source.get(access.span.clone());
            let text = shown.filter(|_| indices.is_empty());
            let key = (access.array, indices, text, conditions.clone(), access.is_bound);
            match places.entry(key) {
                Entry::Occupied(place) => {
                    let earlier: &mut Access = &mut self.accesses[*place.get()];
                    earlier.is_read |= access.is_read;
                    earlier.is_written |= access.is_written;
                    continue;
                }
                Entry::Vacant(place) => place.insert(self.accesses.len()),
            };
            if let Some(first) = access.indices.first_mut() {
                // A separate node, to which the conditions are attached.
                let kind = NodeKind::Call("+", vec![*first]);
                *first = self.parser.push(kind, self.parser.terms.span(*first))?;
                self.parser.ranges.push((*first, conditions));
            }
            self.accesses.push(access);
        }
        if let Some(first) = self.accesses.first()
            && self.accesses.iter().all(|access| access.indices.is_empty())
        {
            let message = "its index depends on memory or on earlier iterations";
            let error = Error::new(ErrorKind::Unsupported, first.span.clone(), message);
            return Err(error.hint("write the index by the variables of the loops"));
        }
        let known: Vec<&Access> =
            self.accesses.iter().filter(|access| !access.indices.is_empty()).collect();
        Ok(match known[..] {
            [only] if self.accesses.len() == 1 => only.indices.clone(),
            _ => Vec::new(),
        })
    }
}
