//! Are the fragments of a manifest as the format says: ids, rows, data files and their columns?
//!
//! In: a manifest. Out: findings. No file is opened.
//! Spec: Lance, Fragments; Data Files; Data Evolution; Base Path System.

use std::collections::{HashMap, HashSet};

use floeberg_core::finding::{Findings, Rule, key_of};

use super::reading::Document;
use super::rules::fragments::{
    BASE_PATH, COLUMN_INDICES, ENTRY_FIELD, ENTRY_VERSION, FIELD_ONCE, FILE_ONCE, FILE_PATH,
    FRAGMENT_COLUMNS, FRAGMENT_ID, FRAGMENT_ROWS, MAX_FRAGMENT_ID,
};
use crate::metadata::validate::FILE_VERSIONS;
use crate::metadata::{Field, Schema, flags};
use crate::wire::{FileOf, Layout};

/// In place of a field that is not used any more.
const TOMBSTONE: i32 = -2;

/// A rule that is broken, and how.
type Wrong = (&'static Rule, String);

/// Checks the fragments of a manifest, and adds the places of those that are broken.
pub(super) fn check_fragments(document: &Document, broken: &mut HashSet<usize>, found: &mut Findings) {
    let manifest = &document.file.manifest;
    let (head, fragments) = (&manifest.head, &manifest.fragments);
    let mut checks = Checks::new(document);
    let mut ids = HashSet::with_capacity(fragments.len());
    for (place, id) in fragments.ids().iter().enumerate() {
        let part = format!("fragment {id}");
        let before = found.len();
        if *id > u64::from(u32::MAX) || !ids.insert(*id) {
            found.add(&FRAGMENT_ID, &part, format_args!("expected an id of 32 bits, once, found {id}"));
        }
        match head.max_fragment_id {
            Some(most) if *id > u64::from(most) => {
                let message = format!("expected at most {most}, the highest id that was given, found {id}");
                found.add(&MAX_FRAGMENT_ID, &part, message);
            }
            _ => {}
        }
        let (rows, deleted) = (fragments.physical_rows()[place], fragments.deleted_rows(place));
        if rows == 0 || rows > u64::from(u32::MAX) || deleted > rows {
            let message =
                format!("expected rows, of 32 bits, and no more deleted ones, found {rows} and {deleted}");
            found.add(&FRAGMENT_ROWS, &part, message);
        }
        for (number, file) in fragments.files(place).enumerate() {
            checks.file(&file, &format!("{part}, file {number}"), found);
        }
        checks.columns(place, &part, found);
        let deletion = fragments.deletion_file(place);
        if let Err(error) =
            deletion.and_then(|file| file.map(|file| document.bases.deletion_file(*id, &file)).transpose())
        {
            found.add(&BASE_PATH, format_args!("{part}, deletion file"), error);
        }
        if found.len() > before {
            broken.insert(place);
        }
    }
}

/// What is known of files that were looked at.
struct Checks<'a> {
    document: &'a Document,
    files: HashSet<u128>,
    /// What is wrong with a list of fields, by its place; many files have the same.
    layouts: HashMap<*const Layout, Vec<Wrong>>,
    /// Lists of fields that stand together in fragments, and were looked at.
    together: HashMap<Vec<u32>, Vec<Wrong>>,
    required: Vec<(i32, String)>,
}

impl<'a> Checks<'a> {
    fn new(document: &'a Document) -> Self {
        let mut required = Vec::new();
        for column in document.schema.iter().flat_map(Schema::fields) {
            add_required(column, &column.name, &mut required);
        }
        let (layouts, together) = (HashMap::new(), HashMap::new());
        Self { document, files: HashSet::new(), layouts, together, required }
    }

    fn file(&mut self, file: &FileOf<'_>, part: &str, found: &mut Findings) {
        let head = &self.document.file.manifest.head;
        let is_known = file.base_id.is_none_or(|id| head.base_paths.iter().any(|base| base.id == id));
        if let Err(error) = self.document.bases.data_file(file.base_id, file.path) {
            found.add(if is_known { &FILE_PATH } else { &BASE_PATH }, part, error);
        }
        if !self.files.insert(key_of(&(file.base_id, file.path))) {
            let message = format!("expected a data file once, found {:?} twice", file.path);
            found.add(&FILE_ONCE, part, message);
        }
        let wrong = self
            .layouts
            .entry(std::ptr::from_ref(file.layout))
            .or_insert_with(|| wrong_in_layout(self.document, file.layout));
        for (rule, message) in wrong {
            found.add(rule, part, message);
        }
    }

    /// What is wrong with the columns of a fragment.
    fn columns(&mut self, place: usize, part: &str, found: &mut Findings) {
        let fragments = &self.document.file.manifest.fragments;
        let numbers = fragments.layout_numbers(place);
        if !self.together.contains_key(numbers) {
            let (mut seen, mut wrong) = (HashSet::new(), Vec::<Wrong>::new());
            for field in fragments.files(place).flat_map(|file| &file.layout.fields) {
                if *field >= 0 && !seen.insert(*field) {
                    wrong.push((&FIELD_ONCE, format!("expected a field once, found {field} twice")));
                }
            }
            for (id, name) in self.required.iter().filter(|(id, _)| !seen.contains(id)) {
                let message = format!(
                    "expected the column {name:?} (field {id}), which may not be null, found it in no data file"
                );
                wrong.push((&FRAGMENT_COLUMNS, message));
            }
            self.together.insert(numbers.to_vec(), wrong);
        }
        for (rule, message) in &self.together[numbers] {
            found.add(rule, part, message);
        }
    }
}

fn wrong_in_layout(document: &Document, layout: &Layout) -> Vec<Wrong> {
    let head = &document.file.manifest.head;
    let mut wrong: Vec<Wrong> = Vec::new();
    for field in &layout.fields {
        let is_given = head.max_allocated_field_id.is_none_or(|most| *field <= most);
        if (*field < 0 && *field != TOMBSTONE) || !is_given {
            wrong.push((&ENTRY_FIELD, format!("expected the id of a field, or {TOMBSTONE}, found {field}")));
        }
    }
    if !layout.is_legacy() {
        if layout.column_indices.len() != layout.fields.len() {
            let message = format!(
                "expected the column of each of {} fields, found {}",
                layout.fields.len(),
                layout.column_indices.len()
            );
            wrong.push((&COLUMN_INDICES, message));
        }
        let mut seen = HashSet::new();
        for column in layout.column_indices.iter().filter(|column| **column != -1) {
            if *column < -1 || !seen.insert(*column) {
                wrong.push((
                    &COLUMN_INDICES,
                    format!("expected columns from 0 on, each once, found {column}"),
                ));
            }
        }
    }
    let is_mixed = head.reader_feature_flags & flags::MIXED_DATA_FILE_VERSIONS != 0;
    let version = layout.version();
    let expected = head.data_format.as_ref().map(|format| format.version.as_str());
    let is_of_table = is_mixed || expected.is_none_or(|expected| expected == version);
    if !is_of_table || !FILE_VERSIONS.contains(&version.as_str()) {
        let message = format!("expected {}, found {version}", expected.unwrap_or("a version of the format"));
        wrong.push((&ENTRY_VERSION, message));
    }
    wrong
}

/// Fields without fields below them that are never null, in no list and no map.
fn add_required(field: &Field, name: &str, required: &mut Vec<(i32, String)>) {
    if field.nullable {
        return;
    }
    if field.children.is_empty() {
        required.push((field.id, name.to_owned()));
    } else if field.logical_type == "struct" && !field.is_whole() {
        for child in &field.children {
            add_required(child, &format!("{name}.{}", child.name), required);
        }
    }
}
