//! How do files become groups of a bounded size?
//!
//! In: files in an order. Out: groups of files that follow one another.
//!
//! Invariant: each file is in one group, and a group has at least one, whatever its size.

/// Groups of neighbours, each of at most so many bytes and files.
pub(crate) fn packed<T>(
    files: Vec<T>,
    bytes: impl Fn(&T) -> u64,
    most_bytes: u64,
    most_files: usize,
) -> Vec<Vec<T>> {
    let (mut groups, mut open, mut size) = (Vec::new(), Vec::new(), 0_u64);
    for file in files {
        let of_file = bytes(&file);
        let is_full = size.saturating_add(of_file) > most_bytes || open.len() >= most_files;
        if is_full && !open.is_empty() {
            groups.push(std::mem::take(&mut open));
            size = 0;
        }
        size = size.saturating_add(of_file);
        open.push(file);
    }
    groups.push(open);
    groups.retain(|group| !group.is_empty());
    groups
}
