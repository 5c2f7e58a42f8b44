//! Which types does a file have, and how are its columns encoded?
//!
//! In: columns of a table, by field id. Out: the types of a footer, and the tree of columns that are stored.
//! Spec: Appendix A, ORC.
//!
//! Invariant: a column of type `unknown` is not stored; the parts of a variant have no field id.

use floeberg_core::schema::{Field, PrimitiveType, StructType, Type};
use floeberg_core::{Error, Result};

use super::statistics::Range;
use crate::wire::{OrcType, TypeKind};

/// A column that is stored.
#[derive(Debug, Clone)]
pub(super) struct Column {
    /// Its number in the file.
    pub(super) number: u32,
    /// Its place among the columns of the rows, or among the parts of its parent.
    pub(super) place: usize,
    /// Its field id; a part of a variant has none.
    pub(super) id: Option<i32>,
    pub(super) name: String,
    /// How its values are encoded.
    pub(super) kind: Kind,
    /// Its type in the table; that of a variant's parts is `binary`.
    pub(super) field_type: Type,
    /// The parts that are stored.
    pub(super) parts: Vec<Column>,
    /// Is it within a list or a map?
    pub(super) is_repeated: bool,
}

/// How values are encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Struct,
    List,
    Map,
    Boolean,
    Int,
    Long,
    Date,
    Float,
    Double,
    /// With its scale.
    Decimal(u8),
    /// With the nanoseconds of a unit.
    Timestamp(i64),
    Text,
    Binary,
    /// Bytes of one length.
    Fixed,
}

/// The types of a file, and its columns.
#[derive(Debug)]
pub(super) struct Types {
    pub(super) types: Vec<OrcType>,
    pub(super) columns: Vec<Column>,
}

impl Types {
    /// Errors: `Unsupported` for types that ORC does not have.
    pub(super) fn new(fields: &[Field]) -> Result<Self> {
        let row = OrcType { kind: TypeKind::Struct, ..OrcType::default() };
        let mut made = Self { types: vec![row], columns: Vec::new() };
        made.columns = made.parts(0, fields, false)?;
        Ok(made)
    }

    /// Adds the types of a struct's fields, and those below them.
    fn parts(&mut self, parent: usize, fields: &[Field], is_repeated: bool) -> Result<Vec<Column>> {
        let mut columns = Vec::with_capacity(fields.len());
        for (place, field) in fields.iter().enumerate() {
            if field.field_type == Type::Primitive(PrimitiveType::Unknown) {
                continue;
            }
            let column = self.column(parent, place, field, is_repeated)?;
            self.types[parent].names.push(field.name.clone());
            columns.push(column);
        }
        Ok(columns)
    }

    fn column(&mut self, parent: usize, place: usize, field: &Field, is_repeated: bool) -> Result<Column> {
        let number = self.types.len();
        self.types[parent].subtypes.push(number as u32);
        let (mut orc, kind) = orc_type(field)?;
        orc.attributes.push(("iceberg.id".to_owned(), field.id.to_string()));
        orc.attributes.push(("iceberg.required".to_owned(), field.required.to_string()));
        self.types.push(orc);
        let parts = match &field.field_type {
            Type::Struct(StructType { fields }) => self.parts(number, fields, is_repeated)?,
            Type::List(list) => vec![self.element(number, 0, &list.element)?],
            Type::Map(map) => vec![self.element(number, 0, &map.key)?, self.element(number, 1, &map.value)?],
            Type::Variant => {
                let mut parts = Vec::new();
                for (place, name) in ["metadata", "value"].into_iter().enumerate() {
                    let part = self.types.len() as u32;
                    self.types[number].names.push(name.to_owned());
                    self.types[number].subtypes.push(part);
                    parts.push(Column {
                        number: part,
                        place,
                        id: None,
                        name: name.to_owned(),
                        kind: Kind::Binary,
                        field_type: PrimitiveType::Binary.into(),
                        parts: Vec::new(),
                        is_repeated,
                    });
                    self.types.push(OrcType { kind: TypeKind::Binary, ..OrcType::default() });
                }
                parts
            }
            _ => Vec::new(),
        };
        let name = field.name.clone();
        let field_type = field.field_type.clone();
        let number = number as u32;
        Ok(Column { number, place, id: Some(field.id), name, kind, field_type, parts, is_repeated })
    }

    fn element(&mut self, parent: usize, place: usize, field: &Field) -> Result<Column> {
        if field.field_type == Type::Primitive(PrimitiveType::Unknown) {
            return Err(Error::unsupported(
                "ORC files cannot hold lists and maps of values of type unknown: write Parquet or Avro",
            )
            .with("field", field));
        }
        self.column(parent, place, field, true)
    }
}

fn orc_type(field: &Field) -> Result<(OrcType, Kind)> {
    use PrimitiveType as P;
    let of = |kind| OrcType { kind, ..OrcType::default() };
    let with = |kind, attributes: &[(&str, &str)]| OrcType {
        attributes: attributes.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect(),
        ..of(kind)
    };
    let timestamp =
        |kind, unit, nanos| (with(kind, &[("iceberg.timestamp-unit", unit)]), Kind::Timestamp(nanos));
    let binary = |name| with(TypeKind::Binary, &[("iceberg.binary-type", name)]);
    let long = |name| with(TypeKind::Long, &[("iceberg.long-type", name)]);
    Ok(match &field.field_type {
        Type::Struct(_) => (of(TypeKind::Struct), Kind::Struct),
        Type::Variant => (with(TypeKind::Struct, &[("iceberg.struct-type", "VARIANT")]), Kind::Struct),
        Type::List(_) => (of(TypeKind::List), Kind::List),
        Type::Map(_) => (of(TypeKind::Map), Kind::Map),
        Type::Primitive(primitive) => match primitive {
            P::Unknown => return Err(Error::internal("a column of type unknown is not stored")),
            P::Boolean => (of(TypeKind::Boolean), Kind::Boolean),
            P::Int => (of(TypeKind::Int), Kind::Int),
            P::Long => (long("LONG"), Kind::Long),
            P::Time => (long("TIME"), Kind::Long),
            P::Float => (of(TypeKind::Float), Kind::Float),
            P::Double => (of(TypeKind::Double), Kind::Double),
            P::Date => (of(TypeKind::Date), Kind::Date),
            P::Timestamp => timestamp(TypeKind::Timestamp, "MICROS", 1_000),
            P::Timestamptz => timestamp(TypeKind::TimestampInstant, "MICROS", 1_000),
            P::TimestampNs => timestamp(TypeKind::Timestamp, "NANOS", 1),
            P::TimestamptzNs => timestamp(TypeKind::TimestampInstant, "NANOS", 1),
            P::String => (of(TypeKind::String), Kind::Text),
            P::Binary => (binary("BINARY"), Kind::Binary),
            P::Geometry { .. } => (binary("GEOMETRY"), Kind::Binary),
            P::Geography { .. } => (binary("GEOGRAPHY"), Kind::Binary),
            P::Uuid => (binary("UUID"), Kind::Fixed),
            P::Fixed(length) => {
                let length = length.to_string();
                let attributes = [("iceberg.binary-type", "FIXED"), ("iceberg.length", length.as_str())];
                (with(TypeKind::Binary, &attributes), Kind::Fixed)
            }
            P::Decimal { precision, scale } => {
                let mut orc = of(TypeKind::Decimal);
                (orc.precision, orc.scale) = (Some(u32::from(*precision)), Some(u32::from(*scale)));
                (orc, Kind::Decimal(*scale))
            }
        },
        Type::Unrecognized(_) => {
            return Err(Error::unsupported("ORC files with a column of this type cannot be written")
                .with("field", field));
        }
    })
}

impl Kind {
    /// The statistics of no value.
    pub(super) fn range(self) -> Range {
        match self {
            Self::Struct => Range::Nothing,
            Self::List | Self::Map => Range::Collections(None, 0),
            Self::Boolean => Range::Booleans(0),
            Self::Int | Self::Long => Range::Integers(None, Some(0)),
            Self::Date => Range::Dates(None),
            Self::Float | Self::Double => Range::Floats(None, 0.0, 0),
            Self::Decimal(scale) => Range::Decimals(None, Some(0), scale),
            Self::Timestamp(nanos) => Range::Timestamps(None, nanos),
            Self::Text => Range::Texts(None, 0),
            Self::Binary | Self::Fixed => Range::Binary(0),
        }
    }

    /// May it have bloom filters? Writers do not agree on those of decimals.
    pub(super) fn may_bloom(self) -> bool {
        !matches!(self, Self::Struct | Self::List | Self::Map | Self::Boolean | Self::Decimal(_))
    }
}
