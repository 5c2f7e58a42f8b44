//! How do deleted rows become position delete files?
//!
//! In: the deleted rows of data files. Out: files of (path, position), and their receipt.
//! Spec: Position Delete Files; Delete File Stats; Iceberg documentation, `write.delete.granularity`.
//!
//! Invariant: a file holds deletes of one partition, and by default of one data file, which it names then. The bounds
//! of its paths are not truncated, so they name its data files. What is not finished leaves no file.

use std::collections::BTreeMap;
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

use floeberg_core::schema::reserved::DELETE_FILE_PATH;
use floeberg_core::value::PartitionKey;
use floeberg_core::{Cancel, Error, ErrorKind, Result};
use floeberg_exec::budget::thread_budget;
use floeberg_exec::threads::ordered;
use floeberg_io::Store;

use super::deleted::{self, DeletedPositions};
use super::position_rows::{batches, position_schema};
use super::recipe::DeleteRecipe;
use crate::manifest::{DataFile, FileContent};
use crate::metadata::PartitionSpec;
use crate::write::encode::end_unit;
use crate::write::fanout::{take_room, with_metrics};
use crate::write::formats;
use crate::write::locations::Locations;
use crate::write::recipe::check_name;
use crate::write::{Receipt, WriteTask, WrittenFile};
use floeberg_files::{
    DeleteType, FileLayout, FileMetrics, FileWriter, LayoutRequest, Modes, WriteProperties,
};
use floeberg_properties::{METRICS_DEFAULT, TARGET_FILE_SIZE};

/// Data files whose deletes go into files together, sorted by path.
type Group<'a> = Vec<&'a DeletedPositions>;

/// Writes position delete files; none without deletes.
///
/// Errors: `InvalidInput` for a table of v3 and above, for a data file without deleted rows or named twice, and for a position
/// that no row has; those of the store. No file is left then.
pub fn write_positions(
    recipe: &DeleteRecipe,
    store: &dyn Store,
    task: WriteTask<'_>,
    cancel: &Cancel,
    deletes: &[DeletedPositions],
) -> Result<Receipt> {
    check_name("task name", task.name)?;
    if recipe.format_version >= 3 {
        return Err(Error::invalid_input(format!(
            "a table of format version {} gets no new position delete files: write deletion vectors",
            recipe.format_version
        )));
    }
    deleted::check(deletes)?;
    let mut properties = recipe.properties_of_other_columns().as_map().clone();
    properties.insert(METRICS_DEFAULT.to_owned(), "full".to_owned());
    let properties = WriteProperties::of_map(properties);
    let schema = position_schema()?;
    let modes = Modes::new(&properties, &schema, [])?;
    let of_positions = Some(DeleteType::Position);
    let request = LayoutRequest {
        schema: &schema,
        properties: &properties,
        modes,
        sorted_by: Vec::new(),
        deletes: of_positions,
    };
    let files = Files {
        recipe,
        store,
        layout: formats::layout(&request)?,
        locations: Locations::new(recipe.location(), &properties)?,
        file_size: TARGET_FILE_SIZE.of(properties.as_map())?,
        name: format!("{:05}-{}-{}", task.partition, task.name, recipe.write_id),
        begun: Mutex::default(),
    };
    let groups: Vec<(usize, Group<'_>)> =
        groups(deletes, recipe.by_data_file).into_iter().enumerate().collect();
    let write = |(number, group): &(usize, Group<'_>)| files.write(*number, group, cancel);
    match ordered(&groups, thread_budget()?, cancel, write) {
        Ok(written) => Receipt::new(written.into_iter().flatten().collect()),
        Err(error) => {
            files.remove_all();
            Err(error)
        }
    }
}

/// A group for each data file, or for each partition.
fn groups(deletes: &[DeletedPositions], by_data_file: bool) -> Vec<Group<'_>> {
    let mut sorted: Vec<&DeletedPositions> = deletes.iter().collect();
    sorted.sort_by(|one, other| one.file_path.cmp(&other.file_path));
    if by_data_file {
        return sorted.into_iter().map(|deleted| vec![deleted]).collect();
    }
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut known: BTreeMap<(i32, Vec<u8>), usize> = BTreeMap::new();
    for deleted in sorted {
        let key = PartitionKey::new(deleted.partition.iter().map(Option::as_ref)).as_bytes().to_vec();
        let place = *known.entry((deleted.spec_id, key)).or_insert(groups.len());
        if place == groups.len() {
            groups.push(Group::new());
        }
        groups[place].push(deleted);
    }
    groups
}

/// The files of one call.
struct Files<'a> {
    recipe: &'a DeleteRecipe,
    store: &'a dyn Store,
    layout: Arc<dyn FileLayout>,
    locations: Locations,
    /// Compressed bytes at which a file ends.
    file_size: u64,
    name: String,
    /// The locations that may have a file.
    begun: Mutex<Vec<String>>,
}

impl Files<'_> {
    /// Writes the files of a group: one, unless it becomes too large.
    fn write(&self, number: usize, group: &Group<'_>, cancel: &Cancel) -> Result<Vec<WrittenFile>> {
        let Some(first) = group.first() else { return Ok(Vec::new()) };
        let spec = self.recipe.spec(first.spec_id)?;
        let (mut open, mut metrics) = (None::<Box<dyn FileWriter>>, Vec::new());
        for batch in batches(group)? {
            cancel.check()?;
            let mut waiting = vec![self.layout.piece(&batch?)?];
            while !waiting.is_empty() {
                let mut file = match open.take() {
                    Some(file) => file,
                    None => self.create(
                        spec,
                        first,
                        &format!("{}-{:05}-{}", self.name, number + 1, metrics.len() + 1),
                    )?,
                };
                let rows = take_room(file.as_ref(), &mut waiting, self.file_size);
                file.encode(&rows)?.into_iter().try_for_each(|work| work())?;
                if file.is_unit_full() {
                    end_unit(file.as_mut())?;
                }
                if file.size() >= self.file_size {
                    metrics.push(finish(file)?);
                } else {
                    open = Some(file);
                }
            }
        }
        if let Some(file) = open {
            metrics.push(finish(file)?);
        }
        let purpose = Some(self.recipe.purpose(spec));
        let mut rows = group.iter().map(|deleted| (deleted.file_path.as_str(), deleted.positions.len()));
        let mut current = rows.next();
        let files = metrics.into_iter().map(|(location, metrics)| {
            let (lowest, highest) = paths_of(metrics.record_count as u64, &mut current, &mut rows);
            let file = self.described(&location, first, metrics, lowest, highest);
            WrittenFile { spec_id: first.spec_id, file, purpose: purpose.clone() }
        });
        Ok(files.collect())
    }

    fn create(
        &self,
        spec: &PartitionSpec,
        first: &DeletedPositions,
        name: &str,
    ) -> Result<Box<dyn FileWriter>> {
        let name = format!("{name}-deletes.{}", self.layout.format());
        let location = self.locations.of(spec, &first.partition, &name);
        let created = Arc::clone(&self.layout).create(self.store, &location);
        if !created.as_ref().is_err_and(|error| error.kind() == ErrorKind::AlreadyExists) {
            self.begun.lock().unwrap_or_else(PoisonError::into_inner).push(location);
        }
        created
    }

    /// What a manifest says of a file: whole bounds of its paths, where its format has no bounds too.
    fn described(
        &self,
        location: &str,
        first: &DeletedPositions,
        metrics: FileMetrics,
        lowest: &str,
        highest: &str,
    ) -> DataFile {
        let file = DataFile {
            content: FileContent::PositionDeletes,
            partition: first.partition.clone(),
            referenced_data_file: (lowest == highest).then(|| lowest.to_owned()),
            ..DataFile::new(location, self.layout.format())
        };
        let mut file = with_metrics(file, metrics);
        for (bounds, path) in [(&mut file.lower_bounds, lowest), (&mut file.upper_bounds, highest)] {
            bounds.get_or_insert_default().insert(DELETE_FILE_PATH, path.as_bytes().to_vec());
        }
        file
    }

    /// Removes what was begun, as far as the store lets it.
    fn remove_all(&self) {
        for location in mem::take(&mut *self.begun.lock().unwrap_or_else(PoisonError::into_inner)) {
            // It is an orphan where this fails: nothing refers to it.
            let _ = self.store.remove(&location);
        }
    }
}

/// The first and the last path of the next rows, at most this many.
fn paths_of<'a>(
    mut rows: u64,
    current: &mut Option<(&'a str, u64)>,
    next: &mut impl Iterator<Item = (&'a str, u64)>,
) -> (&'a str, &'a str) {
    let lowest = current.map_or("", |(path, _)| path);
    let mut highest = lowest;
    while let Some((path, left)) = current {
        highest = path;
        if *left > rows {
            *left -= rows;
            break;
        }
        rows -= *left;
        *current = next.next();
        if rows == 0 {
            break;
        }
    }
    (lowest, highest)
}

fn finish(mut file: Box<dyn FileWriter>) -> Result<(String, FileMetrics)> {
    end_unit(file.as_mut())?;
    let location = file.location().to_owned();
    let metrics = file.finish()?;
    if metrics.record_count <= 0 {
        return Err(Error::internal("a position delete file has rows").with("path", location));
    }
    Ok((location, metrics))
}
