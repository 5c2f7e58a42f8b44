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
    /// Are all others gone?
    is_emptied: bool,
    /// By place; `None` is gone.
    changed: BTreeMap<usize, Option<Fragment>>,
    added: Vec<Fragment>,
}

impl<'a> Edits<'a> {
    pub fn new(manifest: &'a Manifest) -> Self {
        Self { manifest, is_emptied: false, changed: BTreeMap::new(), added: Vec::new() }
    }

    /// All fragments are gone.
    pub fn without_all(manifest: &'a Manifest) -> Self {
        Self { is_emptied: true, ..Self::new(manifest) }
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
        let is_in_order = self.is_in_order();
        if is_in_order && !self.is_emptied && self.changed.is_empty() && self.added.is_empty() {
            return Ok(self.manifest.fragments.clone());
        }
        let pieces = if is_in_order { self.pieces() } else { self.sorted_pieces() };
        self.manifest.fragments.with_pieces(&pieces)
    }

    /// Are all sorted by id as they stand, with those that are added at the end?
    fn is_in_order(&self) -> bool {
        let ids = self.manifest.fragments.ids();
        let keeps_id = |(place, fragment): (&usize, &Option<Fragment>)| {
            fragment.as_ref().is_none_or(|fragment| fragment.id == ids[*place])
        };
        let last = if self.is_emptied { None } else { ids.last().copied() };
        let added = last.into_iter().chain(self.added.iter().map(|fragment| fragment.id));
        ids.is_sorted() && self.changed.iter().all(keeps_id) && added.is_sorted()
    }

    /// The fragments as they stand: what lies between two changes stays as one piece.
    fn pieces(&self) -> Vec<FragmentPiece<'_>> {
        let mut pieces = Vec::new();
        let mut next = 0;
        let mut keep = |until: usize, pieces: &mut Vec<FragmentPiece<'_>>| {
            if !self.is_emptied && next < until {
                pieces.push(FragmentPiece::Kept(next..until));
            }
            next = until + 1;
        };
        for (place, fragment) in &self.changed {
            keep(*place, &mut pieces);
            pieces.extend(fragment.as_ref().map(FragmentPiece::New));
        }
        keep(self.manifest.fragments.len(), &mut pieces);
        pieces.extend(self.added.iter().map(FragmentPiece::New));
        pieces
    }

    /// The fragments in the order of their ids.
    fn sorted_pieces(&self) -> Vec<FragmentPiece<'_>> {
        let ids = self.manifest.fragments.ids();
        let mut pieces: Vec<(u64, FragmentPiece<'_>)> = Vec::with_capacity(ids.len() + self.added.len());
        for piece in self.pieces() {
            match piece {
                FragmentPiece::Kept(places) => {
                    pieces.extend(places.map(|place| (ids[place], FragmentPiece::Kept(place..place + 1))));
                }
                FragmentPiece::New(fragment) => pieces.push((fragment.id, FragmentPiece::New(fragment))),
            }
        }
        pieces.sort_by_key(|(id, _)| *id);
        pieces.into_iter().map(|(_, piece)| piece).collect()
    }
}
