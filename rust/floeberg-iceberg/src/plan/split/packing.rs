//! How are files packed into groups of a size?
//!
//! In: the files of a plan, in its order. Out: groups of parts of files.
//!
//! First fit over a few open groups, as in Iceberg Java: if too many are open, the fullest is closed. Files that can be split are
//! packed row group by row group; adjacent row groups of one group are read together.

use super::file_shape::{FileShape, piece_length};
use super::open_groups::OpenGroups;
use super::{Part, SplitOptions};

/// Packs the files.
pub(super) fn pack<'a>(
    files: impl Iterator<Item = FileShape<'a>> + Clone,
    options: SplitOptions,
) -> Vec<Vec<Part>> {
    let length = piece_length(files.clone(), options.target_size);
    let mut open = OpenGroups::new();
    let mut closed = Vec::new();
    for file in files {
        for piece in file.pieces(length) {
            let weight = file.weight(piece.bytes, options);
            let part = Part::new(file.number, piece.range);
            let Some(part) = open.add(part, weight, options.target_size) else { continue };
            open.open(part, weight);
            if open.len() > options.lookback {
                closed.extend(open.close_fullest());
            }
        }
    }
    closed.extend(open.into_groups());
    closed
}
