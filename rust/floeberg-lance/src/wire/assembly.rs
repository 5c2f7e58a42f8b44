//! How do some fragments of a manifest, and new ones, become those of the next?
//!
//! In: fragments that stay, by their places, and new ones. Out: their bytes, in parts, and their columns.
//!
//! Invariant: what stays is neither decoded nor encoded, and its bytes are not copied before a file is made of them; its columns
//! say where they lie then. The result is what reading its bytes would give.

use std::collections::HashMap;
use std::ops::Range;

use bytes::Bytes;
use floeberg_core::{Error, Result};
use floeberg_protobuf::Encoder;

use super::fragment::Fragment;
use super::fragments::{FRAGMENT, Fragments, Span};
use super::layout::Layout;
use super::rope::Rope;

/// A part of a list of fragments that is being made.
#[derive(Debug, Clone)]
pub enum FragmentPiece<'a> {
    /// Fragments of the list before, by their places.
    Kept(Range<usize>),
    /// A fragment that is new, or changed.
    New(&'a Fragment),
}

impl Fragments {
    /// Those that stay, as they were read, and new ones, in the order given.
    ///
    /// Errors: `LimitExceeded` for more than 4 GiB, which no manifest can hold.
    pub fn with_pieces(&self, pieces: &[FragmentPiece<'_>]) -> Result<Self> {
        let new = Self::of_new(pieces)?;
        let kept = runs_of(pieces);
        let of_kept = |places: &Range<usize>| -> usize {
            self.runs(places.clone()).iter().map(|run| self.span_of(run).len()).sum()
        };
        let length = new.bytes.len() + kept.iter().map(of_kept).sum::<usize>();
        if u32::try_from(length).is_err() {
            return Err(Error::limit(format!("fragments take {length} bytes, and a manifest at most 4 GiB")));
        }
        let count = new.len() + kept.iter().map(ExactSizeIterator::len).sum::<usize>();
        let mut made = Self::with_room(Rope::default(), count);
        made.layouts.clone_from(&self.layouts);
        let new = new.with_numbers_of(&mut made.layouts);
        let (mut kept, mut next) = (kept.into_iter(), 0);
        for (number, piece) in pieces.iter().enumerate() {
            match piece {
                FragmentPiece::Kept(_) if number > 0 && continues(&pieces[number - 1], piece) => {}
                FragmentPiece::Kept(_) => {
                    for run in kept.next().into_iter().flat_map(|places| self.runs(places)) {
                        made.take_run(self, run);
                    }
                }
                FragmentPiece::New(_) => {
                    made.take_run(&new, next..next + 1);
                    next += 1;
                }
            }
        }
        made.drop_unused_layouts();
        Ok(made)
    }

    /// The new ones, read from the bytes that are written of them.
    fn of_new(pieces: &[FragmentPiece<'_>]) -> Result<Self> {
        let (mut out, mut count) = (Encoder::default(), 0);
        for piece in pieces {
            if let FragmentPiece::New(fragment) = piece {
                out.message(FRAGMENT, *fragment);
                count += 1;
            }
        }
        let bytes = Bytes::from(out.finish());
        Self::read(&bytes, 0..bytes.len(), count)
    }

    /// The same, with the numbers of layouts that are known; those that are not become known.
    fn with_numbers_of(mut self, known: &mut Vec<Layout>) -> Self {
        if self.layouts.is_empty() {
            return self;
        }
        let mut numbers: HashMap<Layout, u32> = known.iter().cloned().zip(0..).collect();
        for number in &mut self.file_layouts {
            let layout = &self.layouts[*number as usize];
            *number = *numbers.entry(layout.clone()).or_insert_with(|| {
                known.push(layout.clone());
                known.len() as u32 - 1
            });
        }
        self
    }

    /// Has their bytes be those of a file, which has them from `start` to `end`, if they are all that is kept: nothing is kept twice.
    pub(super) fn move_into(&mut self, file: &Bytes, start: usize, end: usize) {
        if end - start == self.bytes.len() && end <= file.len() {
            self.bytes = Rope::of(file.slice(start..end));
        }
    }

    /// Adds fragments of another list, which follow one another there, at least one.
    fn take_run(&mut self, other: &Self, run: Range<usize>) {
        let span = other.span_of(&run);
        let by = (self.bytes.len() as u32).wrapping_sub(span.start as u32);
        other.bytes.pieces(span).for_each(|bytes| self.bytes.push(bytes));
        let moved = |span: Span| span.moved(by);
        let (start, first_file) = (self.ids.len(), self.file_paths.len());
        let files = other.file_numbers(run.start).start..other.file_ends[run.end - 1] as usize;
        self.records.extend(other.records[run.clone()].iter().map(|span| span.moved(by)));
        self.ids.extend_from_slice(&other.ids[run.clone()]);
        self.physical_rows.extend_from_slice(&other.physical_rows[run.clone()]);
        self.deletion_files.take_range(start, &other.deletion_files, run.clone(), moved);
        self.deleted_rows.take_range(start, &other.deleted_rows, run.clone(), |rows| rows);
        self.row_ids.take_range(start, &other.row_ids, run.clone(), moved);
        self.last_updated.take_range(start, &other.last_updated, run.clone(), moved);
        self.created.take_range(start, &other.created, run.clone(), moved);
        self.overlays.take_range(start, &other.overlays, run.clone(), |has| has);
        let shift = (first_file as u32).wrapping_sub(files.start as u32);
        self.file_ends.extend(other.file_ends[run].iter().map(|end| end.wrapping_add(shift)));
        self.file_paths.extend(other.file_paths[files.clone()].iter().map(|span| span.moved(by)));
        self.file_layouts.extend_from_slice(&other.file_layouts[files.clone()]);
        self.file_sizes.extend_from_slice(&other.file_sizes[files.clone()]);
        self.file_bases.take_range(first_file, &other.file_bases, files, |base| base);
    }

    /// A layout that no file has is no layout of this manifest: files of another version may be gone.
    fn drop_unused_layouts(&mut self) {
        let mut is_used = vec![false; self.layouts.len()];
        self.file_layouts.iter().for_each(|number| is_used[*number as usize] = true);
        if is_used.iter().all(|is_used| *is_used) {
            return;
        }
        let mut next = 0;
        let numbers: Vec<u32> = is_used
            .iter()
            .map(|is_used| {
                next += u32::from(*is_used);
                next.saturating_sub(1)
            })
            .collect();
        self.file_layouts.iter_mut().for_each(|number| *number = numbers[*number as usize]);
        let mut used = is_used.into_iter();
        self.layouts.retain(|_| used.next().unwrap_or(false));
    }
}

/// The fragments that stay, neighbours together.
fn runs_of(pieces: &[FragmentPiece<'_>]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (number, piece) in pieces.iter().enumerate() {
        if let FragmentPiece::Kept(places) = piece {
            match runs.last_mut() {
                Some(run) if number > 0 && continues(&pieces[number - 1], piece) => run.end = places.end,
                _ => runs.push(places.clone()),
            }
        }
    }
    runs
}

/// Do fragments that stay go on where the piece before them ends?
fn continues(before: &FragmentPiece<'_>, piece: &FragmentPiece<'_>) -> bool {
    match (before, piece) {
        (FragmentPiece::Kept(before), FragmentPiece::Kept(places)) => {
            before.end == places.start && !before.is_empty() && !places.is_empty()
        }
        _ => false,
    }
}
