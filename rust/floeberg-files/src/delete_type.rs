//! Which deletes are the rows of a file, as its footer says?
//!
//! In: the deletes that are written. Out: entries for the footer, with the names that Iceberg Java gives them.
//! Spec: Delete Formats.
//!
//! Invariant: manifests decide what a file is; its footer helps where they are gone.

/// The key of a footer that says what kind of deletes the file has.
pub const DELETE_TYPE: &str = "delete-type";
const FIELD_IDS: &str = "delete-field-ids";
const EQUALITY: &str = "equality";
const POSITION: &str = "position";

/// What the rows of a file delete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeleteType {
    /// Rows that have the same values in the columns with these field ids.
    Equality(Vec<i32>),
    /// Rows of data files, by position.
    Position,
}

impl DeleteType {
    /// The entries of the footer.
    pub fn entries(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::Equality(ids) => {
                let ids: Vec<String> = ids.iter().map(i32::to_string).collect();
                vec![(DELETE_TYPE, EQUALITY.to_owned()), (FIELD_IDS, ids.join(", "))]
            }
            Self::Position => vec![(DELETE_TYPE, POSITION.to_owned())],
        }
    }

    /// The content of a file by its entry [`DELETE_TYPE`], as reports name it; `None` for an entry that no writer makes.
    pub fn content_of(entry: &str) -> Option<&'static str> {
        match entry {
            EQUALITY => Some("equality deletes"),
            POSITION => Some("position deletes"),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_those_of_iceberg_java() {
        let of_keys = DeleteType::Equality(vec![3, 1]).entries();
        assert_eq!(
            of_keys,
            [("delete-type", "equality".to_owned()), ("delete-field-ids", "3, 1".to_owned())]
        );
        assert_eq!(DeleteType::Position.entries(), [("delete-type", "position".to_owned())]);
        assert_eq!(DeleteType::content_of("equality"), Some("equality deletes"));
        assert_eq!(DeleteType::content_of("position"), Some("position deletes"));
        assert_eq!(DeleteType::content_of("x"), None);
    }
}
