//! Which stripes and types does the footer of a file name?
//!
//! Spec: ORC v1, Footer, Type Information; Iceberg, Appendix A, ORC (attributes).
//!
//! Invariant: stripes are in the file's order, and their rows add up to those of the file.

use floeberg_core::{Context as _, Error, Result};
use floeberg_protobuf::{Encoder, Field, Record, message, parse};

message! {
    /// The footer of a file.
    pub(crate) struct Footer {
        /// The bytes before the first stripe.
        header_length: u64 = 1,
        /// The bytes of the header and of all stripes.
        content_length: u64 = 2,
        /// Where the stripes are.
        stripes: Vec<StripeLocation> = 3,
        /// The types of all columns, parents before their parts; the first is that of a row.
        types: Vec<OrcType> = 4,
        /// What the writer adds of its own.
        user_metadata: Vec<UserMetadata> = 5,
        /// The rows of all stripes.
        rows: u64 = 6,
        /// Statistics of all columns, each a message.
        statistics: Vec<Vec<u8>> = 7,
        /// The rows of a row group; zero where there are no row groups.
        row_group: u32 = 8,
        /// Which library wrote the file.
        writer: Option<u32> = 9,
        /// How columns are encrypted.
        encryption: Encryption = 10,
        /// The calendar of dates.
        calendar: u32 = 11,
        /// The name and version of the library that wrote the file.
        software: String = 12,
    }
}

message! {
    /// An entry that a writer adds of its own.
    pub(crate) struct UserMetadata {
        /// Its key.
        name: Vec<u8> = 1,
        /// Its value, in any form.
        value: Vec<u8> = 2,
    }
}

message! {
    /// Where a stripe is: its index, its data, its footer.
    #[derive(Copy)]
    pub(crate) struct StripeLocation {
        /// Where it starts in the file.
        offset: u64 = 1,
        /// The bytes of its index.
        index_length: u64 = 2,
        /// The bytes of its data.
        data_length: u64 = 3,
        /// The bytes of its footer.
        footer_length: u64 = 4,
        /// Its rows.
        rows: u64 = 5,
    }
}

message! {
    /// A type of a column.
    pub(crate) struct OrcType {
        /// The kind.
        kind: TypeKind = 1,
        /// The numbers of its parts' types.
        subtypes: Vec<u32> = 2,
        /// The names of a struct's fields.
        names: Vec<String> = 3,
        /// Of a decimal.
        precision: Option<u32> = 5,
        /// Of a decimal.
        scale: Option<u32> = 6,
        /// What writers say of it beyond ORC.
        attributes: Vec<(String, String)> = 7,
    }
}

/// A kind of type.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum TypeKind {
    #[default]
    Boolean,
    Byte,
    Short,
    Int,
    Long,
    Float,
    Double,
    String,
    Binary,
    Timestamp,
    List,
    Map,
    Struct,
    Union,
    Decimal,
    Date,
    Varchar,
    Char,
    TimestampInstant,
}

impl Footer {
    /// Reads a footer. Errors: `Unsupported` for a file with encrypted columns, `InvalidData` for anything else.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self> {
        let footer: Self = parse(bytes).context("message", "Footer")?;
        let found = footer.stripes.iter().try_fold(0_u64, |sum, stripe| sum.checked_add(stripe.rows));
        let rows = footer.rows;
        if found != Some(rows) || i64::try_from(rows).is_err() {
            return Err(Error::invalid_data(format!(
                "the ORC file claims {rows} rows, but its stripes have another number of rows"
            )));
        }
        Ok(footer)
    }
}

impl StripeLocation {
    /// Where its footer starts, and where it ends.
    pub(crate) fn footer(&self) -> Option<std::ops::Range<u64>> {
        let start = self.offset.checked_add(self.index_length)?.checked_add(self.data_length)?;
        Some(start..start.checked_add(self.footer_length)?)
    }
}

impl OrcType {
    /// An attribute.
    pub(crate) fn attribute(&self, key: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
    }
}

/// Encrypted columns, which cannot be read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Encryption;

impl Field for Encryption {
    fn read(&mut self, _: &Record<'_>) -> Result<()> {
        Err(Error::unsupported("ORC files with encrypted columns cannot be read"))
    }

    fn write(&self, _: u32, _: &mut Encoder) {}
}

impl Field for TypeKind {
    fn read(&mut self, record: &Record<'_>) -> Result<()> {
        *self = match record.value.number()? {
            0 => Self::Boolean,
            1 => Self::Byte,
            2 => Self::Short,
            3 => Self::Int,
            4 => Self::Long,
            5 => Self::Float,
            6 => Self::Double,
            7 => Self::String,
            8 => Self::Binary,
            9 => Self::Timestamp,
            10 => Self::List,
            11 => Self::Map,
            12 => Self::Struct,
            13 => Self::Union,
            14 => Self::Decimal,
            15 => Self::Date,
            16 => Self::Varchar,
            17 => Self::Char,
            18 => Self::TimestampInstant,
            other => return Err(Error::unsupported(format!("the ORC type {other} is not known"))),
        };
        Ok(())
    }

    fn write(&self, number: u32, out: &mut Encoder) {
        out.some_number(number, *self as u64);
    }
}
