//! Are the rows of a file of position deletes sorted, of the data file that it names, and within the bounds of their paths?
//!
//! Spec: Position Delete Files; Delete File Stats.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::Int64Type;
use floeberg_core::finding::{Findings, split};
use floeberg_core::rows::DeletedRows;
use floeberg_core::schema::reserved::{DELETE_FILE_PATH, DELETE_FILE_POS};
use floeberg_core::schema::{Field, PrimitiveType, Schema};
use floeberg_core::{Cancel, Result};
use floeberg_files::{FileConstants, FileFilter, FileReader, Projection, UnitRequest};
use floeberg_io::location::canonical;

use crate::check::rules::rows::{
    LOWER_BOUNDS, POSITIONS_OF_FILE, POSITIONS_SORTED, ROWS_READABLE, UPPER_BOUNDS,
};

use super::entry::FileEntry;

/// Rows of a batch.
const BATCH_ROWS: usize = 65_536;

/// The columns of position deletes.
///
/// Errors: none that are known.
pub(crate) fn position_schema() -> Result<Schema> {
    let path = Field::required(DELETE_FILE_PATH, "file_path", PrimitiveType::String);
    Schema::new(0, vec![path, Field::required(DELETE_FILE_POS, "pos", PrimitiveType::Long)])
}

/// Checks all rows of a file of position deletes.
///
/// Errors: those of the store.
pub(super) fn check_positions(
    found: &mut Findings,
    entry: &FileEntry,
    file: &Arc<dyn FileReader>,
    cancel: &Cancel,
) -> Result<()> {
    let projection = match Projection::new(&position_schema()?, file.fields(), &FileConstants::default()) {
        Ok(projection) => Arc::new(projection),
        // Columns that are not there are a finding of the footer.
        Err(_) => return Ok(()),
    };
    let deletes = Arc::new(DeletedRows::default());
    let mut before: Option<(String, i64)> = None;
    let (mut is_sorted, mut is_own) = (true, true);
    let mut bounds = PathBounds::of(entry);
    let named = entry.stored.referenced(entry.row).map(canonical);
    for unit in &file.units(None, &FileFilter::All) {
        let request = UnitRequest {
            unit,
            projection: &projection,
            deletes: &deletes,
            predicate: None,
            batch_rows: BATCH_ROWS,
            cancel,
            counts: None,
        };
        let reader = match split(Arc::clone(file).read(&request))? {
            Ok(reader) => reader,
            Err(error) => {
                found.add(&ROWS_READABLE, "", error);
                return Ok(());
            }
        };
        for batch in reader {
            cancel.check()?;
            let batch = match split(batch)? {
                Ok(batch) => batch,
                Err(error) => {
                    found.add(&ROWS_READABLE, "", error);
                    return Ok(());
                }
            };
            let (paths, rows) =
                (batch.column(0).as_string::<i32>(), batch.column(1).as_primitive::<Int64Type>());
            for row in 0..batch.num_rows() {
                let (path, position) = (paths.value(row), rows.value(row));
                if let Some((last, at)) = &before
                    && is_sorted
                    && (last.as_bytes(), *at) > (path.as_bytes(), position)
                {
                    found.add(
                        &POSITIONS_SORTED,
                        "",
                        format_args!("{position} of {path} follows {at} of {last}"),
                    );
                    is_sorted = false;
                }
                if is_own && named.is_some_and(|named| named != canonical(path)) {
                    let named = named.unwrap_or_default();
                    found.add(
                        &POSITIONS_OF_FILE,
                        "",
                        format_args!("it names {named}, and deletes rows of {path}"),
                    );
                    is_own = false;
                }
                match &mut before {
                    Some((last, at)) if last == path => *at = position,
                    _ => {
                        bounds.check(found, path);
                        before = Some((path.to_owned(), position));
                    }
                }
            }
        }
    }
    Ok(())
}

/// The bounds of the paths that an entry says. Readers leave a file out that has no path of a data file within them.
struct PathBounds {
    lower: Option<Vec<u8>>,
    upper: Option<Vec<u8>>,
}

impl PathBounds {
    fn of(entry: &FileEntry) -> Self {
        let (mut lower, mut upper) = (entry.lower_bounds(), entry.upper_bounds());
        Self { lower: lower.remove(&DELETE_FILE_PATH), upper: upper.remove(&DELETE_FILE_PATH) }
    }

    /// Checks a path. Each bound is found wrong once.
    fn check(&mut self, found: &mut Findings, path: &str) {
        let part = format!("column {DELETE_FILE_PATH}");
        for (rule, bound, is_lower, word) in [
            (&LOWER_BOUNDS, &mut self.lower, true, "below"),
            (&UPPER_BOUNDS, &mut self.upper, false, "above"),
        ] {
            let is_beyond = |bound: &mut Vec<u8>| {
                if is_lower { path.as_bytes() < bound.as_slice() } else { path.as_bytes() > bound.as_slice() }
            };
            if let Some(bound) = bound.take_if(is_beyond) {
                let bound = String::from_utf8_lossy(&bound).into_owned();
                found.add(rule, &part, format_args!("it deletes rows of {path}, {word} the bound {bound}"));
            }
        }
    }
}
