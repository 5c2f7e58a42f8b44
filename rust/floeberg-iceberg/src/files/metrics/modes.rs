//! Which metrics are kept of which column?
//!
//! In: properties, a schema and the columns that rows are sorted by. Out: a mode for every column that has a name.
//! Spec: Metrics (Data File Fields); Iceberg's documentation, `write.metadata.metrics.*`.
//!
//! Invariant: as Iceberg Java chooses: a mode of its own, else that of sorted columns, else the default, which is none
//! past the first hundred columns unless it is set.

use std::collections::{HashMap, HashSet};

use floeberg_core::Result;
use floeberg_core::schema::{Field, Schema, Type};

use crate::files::properties::WriteProperties;
use crate::metadata::property::unexpected;

const DEFAULT: &str = "write.metadata.metrics.default";
const OF_COLUMN: &str = "write.metadata.metrics.column.";
const MOST_COLUMNS: &str = "write.metadata.metrics.max-inferred-column-defaults";
/// Characters of a text, or bytes, that a bound keeps unless it is told.
const TRUNCATED: Mode = Mode::Truncate(16);

/// What is kept of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Nothing.
    None,
    /// Sizes and counts.
    Counts,
    /// Bounds too, of so many characters or bytes.
    Truncate(u32),
    /// Whole bounds too.
    Full,
}

/// The modes of all columns.
#[derive(Debug, Clone)]
pub(crate) struct Modes {
    default: Mode,
    of_columns: HashMap<i32, Mode>,
}

impl Modes {
    /// `sorted` are the columns that rows are sorted by. Errors: `InvalidInput` for a mode that is not one, and for a number that is not one.
    pub(crate) fn new(
        properties: &WriteProperties,
        schema: &Schema,
        sorted: impl IntoIterator<Item = i32>,
    ) -> Result<Self> {
        let mut of_columns = HashMap::new();
        let default = if let Some(text) = properties.text(DEFAULT) {
            parsed(DEFAULT, text)?
        } else {
            let most = properties.parsed(MOST_COLUMNS, "a whole number")?.unwrap_or(100_usize);
            if schema.names().map(|(_, id)| id).collect::<HashSet<_>>().len() <= most {
                TRUNCATED
            } else {
                let mut first = Vec::new();
                add_first(schema.fields(), most, &mut first);
                of_columns.extend(first.into_iter().map(|id| (id, TRUNCATED)));
                Mode::None
            }
        };
        let of_sorted = if matches!(default, Mode::None | Mode::Counts) { TRUNCATED } else { default };
        of_columns.extend(sorted.into_iter().map(|id| (id, of_sorted)));
        for (column, text) in properties.of_columns(OF_COLUMN) {
            let mode = parsed(&format!("{OF_COLUMN}{column}"), text)?;
            // A column that was dropped, or will be added, may be named.
            if let Ok(id) = schema.find(column, true) {
                of_columns.insert(id, mode);
            }
        }
        Ok(Self { default, of_columns })
    }

    /// The mode of a column.
    pub(crate) fn of(&self, id: i32) -> Mode {
        self.of_columns.get(&id).copied().unwrap_or(self.default)
    }

    /// The most characters or bytes that a bound keeps; `None` where one keeps all.
    pub(crate) fn longest(&self) -> Option<u32> {
        let modes = self.of_columns.values().chain([&self.default]);
        modes.map(|mode| mode.length()).try_fold(0, |most, length| Some(most.max(length?)))
    }
}

impl Mode {
    /// Characters or bytes that a bound keeps; `None` is all.
    fn length(self) -> Option<u32> {
        match self {
            Self::None | Self::Counts => Some(0),
            Self::Truncate(length) => Some(length),
            Self::Full => None,
        }
    }
}

/// The first columns, those of a struct before those of its children.
fn add_first(fields: &[Field], most: usize, found: &mut Vec<i32>) {
    for field in fields {
        if found.len() < most && matches!(field.field_type, Type::Primitive(_) | Type::Variant) {
            found.push(field.id);
        }
    }
    for field in fields {
        if found.len() >= most {
            return;
        }
        let children: Vec<Field> = field.field_type.children().into_iter().cloned().collect();
        add_first(&children, most, found);
    }
}

/// Is a value a mode? Errors: `InvalidInput`, naming the property.
pub(crate) fn check_metrics_mode(name: &str, text: &str) -> Result<()> {
    parsed(name, text).map(drop)
}

fn parsed(name: &str, text: &str) -> Result<Mode> {
    let written = text.trim().to_ascii_lowercase();
    let length = || written.strip_prefix("truncate(")?.strip_suffix(')')?.trim().parse().ok();
    match written.as_str() {
        "none" => Ok(Mode::None),
        "counts" => Ok(Mode::Counts),
        "full" => Ok(Mode::Full),
        _ => match length() {
            Some(length) if length > 0 => Ok(Mode::Truncate(length)),
            _ => Err(unexpected(name, text, "none, counts, truncate(n) or full")),
        },
    }
}
