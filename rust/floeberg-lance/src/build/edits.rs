//! Which fragments does the next version have?
//!
//! In: the fragments of a version, and changes by their places. Out: the fragments after them, sorted by id.
//!
//! Invariant: fragments that nobody changes are written as the bytes that they were read from.

use std::collections::BTreeMap;

use floeberg_core::Result;

use crate::wire::{Fragment, FragmentPiece, Fragments, Manifest};

/// Changes of fragments.
#[derive(Debug)]
pub(super) struct Edits<'a> {
    manifest: &'a Manifest,
    /// By place; `None` is gone.
    changed: BTreeMap<usize, Option<Fragment>>,
    added: Vec<Fragment>,
}

impl<'a> Edits<'a> {
    pub fn new(manifest: &'a Manifest) -> Self {
        Self { manifest, changed: BTreeMap::new(), added: Vec::new() }
    }

    /// All fragments are gone.
    pub fn without_all(manifest: &'a Manifest) -> Self {
        let changed = (0..manifest.fragments.len()).map(|place| (place, None)).collect();
        Self { manifest, changed, added: Vec::new() }
    }

    pub fn change(&mut self, place: usize, fragment: Fragment) {
        self.changed.insert(place, Some(fragment));
    }

    pub fn remove(&mut self, place: usize) {
        self.changed.insert(place, None);
    }

    pub fn add(&mut self, fragments: impl IntoIterator<Item = Fragment>) {
        self.added.extend(fragments);
    }

    /// The fragments after the changes.
    pub fn finish(self) -> Result<Fragments> {
        let ids = self.manifest.fragments.ids();
        let mut pieces: Vec<(u64, FragmentPiece<'_>)> = Vec::with_capacity(ids.len() + self.added.len());
        for (place, id) in ids.iter().enumerate() {
            match self.changed.get(&place) {
                None => pieces.push((*id, FragmentPiece::Kept(place..place + 1))),
                Some(Some(fragment)) => pieces.push((fragment.id, FragmentPiece::New(fragment))),
                Some(None) => {}
            }
        }
        pieces.extend(self.added.iter().map(|fragment| (fragment.id, FragmentPiece::New(fragment))));
        pieces.sort_by_key(|(id, _)| *id);
        self.manifest.with_fragments(&joined(pieces))
    }
}

/// Neighbours that stay become one piece.
fn joined(pieces: Vec<(u64, FragmentPiece<'_>)>) -> Vec<FragmentPiece<'_>> {
    let mut joined: Vec<FragmentPiece<'_>> = Vec::new();
    for (_, piece) in pieces {
        match (joined.last_mut(), &piece) {
            (Some(FragmentPiece::Kept(before)), FragmentPiece::Kept(next)) if before.end == next.start => {
                before.end = next.end;
            }
            _ => joined.push(piece),
        }
    }
    joined
}
