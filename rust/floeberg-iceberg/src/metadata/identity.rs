//! Does refreshed metadata belong to the same table?
//!
//! Spec: Table Metadata Fields (`table-uuid`): "Implementations must throw an exception if a table's UUID does not match
//! the expected UUID after refreshing metadata."

use floeberg_core::{Error, Result};

use super::TableMetadata;

impl TableMetadata {
    /// Checks that later metadata is of this table: a table keeps its uuid, and one of v1 without a uuid may get one.
    ///
    /// Errors: `NotFound` if this table was dropped and another one created in its place.
    pub fn check_same_table(&self, later: &Self) -> Result<()> {
        check_same("table", self.table_uuid.as_deref(), later.table_uuid.as_deref())
    }
}

/// Checks the uuid that was found against the expected one. Case does not matter.
///
/// Errors: `NotFound`.
pub fn check_same(what: &str, expected: Option<&str>, found: Option<&str>) -> Result<()> {
    match (expected, found) {
        (None, _) => Ok(()),
        (Some(expected), Some(found)) if expected.eq_ignore_ascii_case(found) => Ok(()),
        (Some(expected), found) => Err(Error::not_found(format!(
            "the {what} was dropped, and another was made in its place: expected the uuid {expected}, found {}",
            found.unwrap_or("none")
        ))),
    }
}

#[cfg(test)]
mod tests {
    use floeberg_core::ErrorKind;

    use super::check_same;

    #[test]
    fn a_table_keeps_its_id_once_it_has_one() {
        for (expected, found) in
            [(None, None), (None, Some("a")), (Some("a"), Some("a")), (Some("aB"), Some("Ab"))]
        {
            assert!(check_same("table", expected, found).is_ok(), "{expected:?} {found:?}");
        }
        for found in [Some("b"), None] {
            let error = check_same("table", Some("a"), found).map_err(|error| error.kind());
            assert_eq!(error, Err(ErrorKind::NotFound), "{found:?}");
        }
    }
}
