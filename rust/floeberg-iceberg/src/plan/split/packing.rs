//! How are files packed into groups of a size?
//!
//! In: the files of a plan, in its order. Out: groups of parts of files.
//!
//! First fit over a few open groups, as Iceberg Java packs: where too many are open, the fullest is closed. What is cut
//! at row groups goes row group by row group, and those that come to lie together are read together.

use std::cmp::Reverse;
use std::collections::VecDeque;

use super::file_shape::{FileShape, piece_length};
use super::{Part, SplitOptions};

/// Packs the files.
pub(super) fn pack<'a>(
    files: impl Iterator<Item = FileShape<'a>> + Clone,
    options: SplitOptions,
) -> Vec<Vec<Part>> {
    let mut packing = Packing { options, open: VecDeque::new(), closed: Vec::new() };
    let length = piece_length(files.clone(), options.target_size);
    for file in files {
        for piece in file.pieces(length) {
            packing.add(file.weight(piece.bytes, options), Part::new(file.number, piece.range));
        }
    }
    packing.finish()
}

struct Packing {
    options: SplitOptions,
    /// Groups with what they weigh, in the order in which they were opened.
    open: VecDeque<(u64, Vec<Part>)>,
    closed: Vec<Vec<Part>>,
}

impl Packing {
    fn add(&mut self, weight: u64, part: Part) {
        let target = self.options.target_size;
        let fits = self.open.iter_mut().find(|(filled, _)| filled.saturating_add(weight) <= target);
        if let Some((filled, parts)) = fits {
            *filled += weight;
            Part::join(parts, part);
            return;
        }
        self.open.push_back((weight, vec![part]));
        if self.open.len() > self.options.lookback {
            let fullest = (0..self.open.len()).max_by_key(|place| (self.open[*place].0, Reverse(*place)));
            if let Some((_, parts)) = fullest.and_then(|place| self.open.remove(place)) {
                self.closed.push(parts);
            }
        }
    }

    fn finish(mut self) -> Vec<Vec<Part>> {
        self.closed.extend(self.open.into_iter().map(|(_, parts)| parts));
        self.closed
    }
}
