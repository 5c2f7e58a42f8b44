//! How is a plan split into a few groups of about equal work?
//!
//! In: the files of a plan, and a sufficient number of groups. Out: groups in plan order.
//!
//! Invariant: every row group of every file is in exactly one task of exactly one group, and there are no more groups than
//! needed: a small plan gives one.

use super::file_shape::{FileShape, piece_length};
use super::{Part, SplitOptions};

/// Splits the files, in order, into this many groups of about equal size: each ends within a row group of its share.
pub(super) fn even_groups<'a>(
    files: impl Iterator<Item = FileShape<'a>> + Clone,
    most_groups: u64,
    options: SplitOptions,
) -> Vec<Vec<Part>> {
    let total: u128 = files.clone().map(|file| u128::from(file.weight(file.size, options))).sum();
    let bytes: u128 = files.clone().map(|file| u128::from(file.bytes())).sum();
    let groups = number_of_groups(total, bytes, most_groups, options);
    let mut sharing = Sharing { total: total.max(1), groups, before: 0, last: None, made: Vec::new() };
    // A piece large enough to open the file for, if row groups are not known.
    let length = options.target_size.min(options.least_size.max(options.open_file_cost));
    let length = piece_length(files.clone(), length);
    for file in files {
        // The weight of a file beyond its bytes, for its deletes and for opening it, counts with its first piece.
        let mut beyond = file.weight(file.size, options).saturating_sub(file.size);
        for piece in file.pieces(length) {
            let weight = piece.bytes.saturating_add(std::mem::take(&mut beyond));
            sharing.put(weight, Part::new(file.number, piece.range));
        }
    }
    sharing.made
}

/// Enough groups for the cores, as long as each is large enough; more if they would be too large.
///
/// The cost of opening files makes a group large enough, but never too large: more groups do not open fewer files.
fn number_of_groups(total: u128, bytes: u128, most_groups: u64, options: SplitOptions) -> u128 {
    let worth = total.div_ceil(u128::from(options.least_size.max(1)));
    let needed = bytes.div_ceil(u128::from(options.target_size.max(1)));
    // Within this bound, a share of all bytes fits into 128 bits, however large the files claim to be.
    worth.min(u128::from(most_groups)).max(needed).clamp(1, 1 << 32)
}

/// Hands weights, in order, to groups of equal shares.
struct Sharing {
    total: u128,
    groups: u128,
    /// The weight so far.
    before: u128,
    /// The group that the last part was put into.
    last: Option<u128>,
    made: Vec<Vec<Part>>,
}

impl Sharing {
    /// Puts a part into the group whose share contains its middle. Empty groups are left out.
    fn put(&mut self, weight: u64, part: Part) {
        let middle = self.before + u128::from(weight) / 2;
        self.before += u128::from(weight);
        let group = (middle * self.groups / self.total).min(self.groups - 1);
        if self.last.replace(group) != Some(group) {
            self.made.push(Vec::new());
        }
        if let Some(parts) = self.made.last_mut() {
            Part::join(parts, part);
        }
    }
}
