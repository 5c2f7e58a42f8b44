//! Which metrics are kept of which column?
//!
//! In: properties, a schema and the columns that rows are sorted by. Out: a mode for every column that has a name.
//! Spec: Metrics (Data File Fields); Iceberg's documentation, `write.metadata.metrics.*`.
//!
//! Invariant: as Iceberg Java chooses: the column's own mode, else that of sorted columns, else the default. An unset default is
//! `none` after the first hundred columns.

use std::collections::{HashMap, HashSet};

use floeberg_core::Result;
use floeberg_core::schema::{Field, Schema, Type};
use floeberg_properties::{METRICS_DEFAULT, METRICS_MOST_COLUMNS, METRICS_OF_COLUMN, unexpected};

use crate::properties::WriteProperties;

/// Characters of a string, or bytes, that a bound keeps by default.
const TRUNCATED: Mode = Mode::Truncate(16);

/// What is kept of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Nothing.
    None,
    /// Sizes and counts.
    Counts,
    /// Bounds too, of at most this many characters or bytes.
    Truncate(u32),
    /// Whole bounds too.
    Full,
}

/// The modes of all columns.
#[derive(Debug, Clone)]
pub struct Modes {
    default: Mode,
    of_columns: HashMap<i32, Mode>,
}

impl Modes {
    /// `sorted` are the columns that rows are sorted by. Errors: `InvalidInput` for an unknown mode or an invalid number.
    pub fn new(
        properties: &WriteProperties,
        schema: &Schema,
        sorted: impl IntoIterator<Item = i32>,
    ) -> Result<Self> {
        let mut of_columns = HashMap::new();
        let default = if let Some(text) = properties.text(METRICS_DEFAULT) {
            parsed(METRICS_DEFAULT, text)?
        } else {
            let most = METRICS_MOST_COLUMNS.of(properties.as_map())?.try_into().unwrap_or(usize::MAX);
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
        for (column, text) in properties.of_columns(METRICS_OF_COLUMN) {
            let mode = parsed(&format!("{METRICS_OF_COLUMN}{column}"), text)?;
            // A column that was dropped, or will be added, may be named.
            if let Ok(id) = schema.find(column, true) {
                of_columns.insert(id, mode);
            }
        }
        Ok(Self { default, of_columns })
    }

    /// Of some columns all is kept, of the others nothing.
    pub fn only(columns: impl IntoIterator<Item = i32>) -> Self {
        let of_columns = columns.into_iter().map(|id| (id, Mode::Full)).collect();
        Self { default: Mode::None, of_columns }
    }

    /// The mode of a column.
    pub fn of(&self, id: i32) -> Mode {
        self.of_columns.get(&id).copied().unwrap_or(self.default)
    }

    /// The most characters or bytes that a bound of any column keeps; `None` if one keeps all.
    pub fn longest(&self) -> Option<u32> {
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

/// The first columns, level by level: the fields of a struct before their children.
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

/// Checks that a value is a mode. Errors: `InvalidInput`, naming the property.
pub fn check_metrics_mode(name: &str, text: &str) -> Result<()> {
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
