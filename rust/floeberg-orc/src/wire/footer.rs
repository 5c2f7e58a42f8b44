//! Which stripes and types does the footer of a file name?
//!
//! Spec: ORC v1, Footer, Type Information; Iceberg, Appendix A, ORC (attributes).
//!
//! Invariant: stripes are in the file's order and have as many rows together as the file says.

use floeberg_core::{Error, Result};

use super::message::Message;

/// The footer of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Footer {
    /// Where the stripes are.
    pub(crate) stripes: Vec<StripeLocation>,
    /// The types of all columns, parents before their parts; the first is that of a row.
    pub(crate) types: Vec<OrcType>,
}

/// Where a stripe is: its index, its data, its footer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct StripeLocation {
    /// Where it starts in the file.
    pub(crate) offset: u64,
    /// The bytes of its index.
    pub(crate) index_length: u64,
    /// The bytes of its data.
    pub(crate) data_length: u64,
    /// The bytes of its footer.
    pub(crate) footer_length: u64,
    /// Its rows.
    pub(crate) rows: u64,
}

/// A type of a column.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct OrcType {
    /// The kind.
    pub(crate) kind: TypeKind,
    /// The numbers of its parts' types.
    pub(crate) subtypes: Vec<u32>,
    /// The names of a struct's fields.
    pub(crate) names: Vec<String>,
    /// Of a decimal.
    pub(crate) precision: Option<u32>,
    /// Of a decimal.
    pub(crate) scale: Option<u32>,
    /// What writers say of it beyond ORC.
    pub(crate) attributes: Vec<(String, String)>,
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
        let (mut stripes, mut types, mut rows) = (Vec::new(), Vec::new(), None);
        for field in Message::new(bytes) {
            let (tag, value) = field?;
            match tag {
                3 => stripes.push(StripeLocation::parse(value.bytes()?)?),
                4 => types.push(OrcType::parse(value.bytes()?)?),
                6 => rows = Some(value.number()?),
                10 => return Err(Error::unsupported("ORC files with encrypted columns cannot be read")),
                _ => {}
            }
        }
        let found = stripes.iter().try_fold(0_u64, |sum, stripe| sum.checked_add(stripe.rows));
        let rows = rows.unwrap_or(0);
        if found != Some(rows) || i64::try_from(rows).is_err() {
            return Err(Error::invalid_data(format!(
                "the ORC file claims {rows} rows, but its stripes have another number of rows"
            )));
        }
        Ok(Self { stripes, types })
    }
}

impl StripeLocation {
    fn parse(bytes: &[u8]) -> Result<Self> {
        let mut stripe = Self::default();
        for field in Message::new(bytes) {
            let (tag, value) = field?;
            match tag {
                1 => stripe.offset = value.number()?,
                2 => stripe.index_length = value.number()?,
                3 => stripe.data_length = value.number()?,
                4 => stripe.footer_length = value.number()?,
                5 => stripe.rows = value.number()?,
                _ => {}
            }
        }
        Ok(stripe)
    }

    /// Where its footer starts, and where it ends.
    pub(crate) fn footer(&self) -> Option<std::ops::Range<u64>> {
        let start = self.offset.checked_add(self.index_length)?.checked_add(self.data_length)?;
        Some(start..start.checked_add(self.footer_length)?)
    }
}

impl OrcType {
    fn parse(bytes: &[u8]) -> Result<Self> {
        let mut parsed = Self::default();
        for field in Message::new(bytes) {
            let (tag, value) = field?;
            match tag {
                1 => parsed.kind = TypeKind::new(value.number()?)?,
                2 => value.numbers(&mut parsed.subtypes)?,
                3 => parsed.names.push(value.text()?.to_owned()),
                5 => parsed.precision = Some(value.small()?),
                6 => parsed.scale = Some(value.small()?),
                7 => parsed.attributes.push(attribute(value.bytes()?)?),
                _ => {}
            }
        }
        Ok(parsed)
    }

    /// An attribute.
    pub(crate) fn attribute(&self, key: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
    }
}

fn attribute(bytes: &[u8]) -> Result<(String, String)> {
    let (mut key, mut text) = (String::new(), String::new());
    for field in Message::new(bytes) {
        let (tag, value) = field?;
        match tag {
            1 => value.text()?.clone_into(&mut key),
            2 => value.text()?.clone_into(&mut text),
            _ => {}
        }
    }
    Ok((key, text))
}

impl TypeKind {
    fn new(number: u64) -> Result<Self> {
        Ok(match number {
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
        })
    }
}
