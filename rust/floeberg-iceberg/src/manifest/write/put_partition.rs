//! Which bytes stand for a partition tuple?
//!
//! In: the partition type and a value per field. Out: the record of field 102.
//! Spec: Appendix A, Avro; Partition Transforms (void).
//!
//! Invariant: every value has the type that the writer schema declares; a void field and a field of unknown type are null.

use floeberg_avro::write::{Encoder, decimal_size};
use floeberg_core::schema::{PrimitiveType, StructType};
use floeberg_core::transform::Transform;
use floeberg_core::value::Value;
use floeberg_core::{Error, Result};

use crate::metadata::PartitionSpec;

/// The fields that partition tuples have.
pub(super) struct PartitionFields(Vec<PartitionField>);

struct PartitionField {
    name: String,
    field_type: PrimitiveType,
    is_void: bool,
}

impl PartitionFields {
    /// Errors: `Unsupported` for an unknown transform, `InvalidInput` for a type that is not the spec's.
    pub(super) fn new(spec: &PartitionSpec, partition_type: &StructType) -> Result<Self> {
        let ids = partition_type.fields.iter().map(|field| field.id);
        if !ids.eq(spec.fields.iter().map(|field| field.field_id)) {
            return Err(Error::invalid_input("the partition type is not that of the spec")
                .with("partition spec", spec.spec_id));
        }
        let fields = spec.fields.iter().zip(&partition_type.fields).map(|(field, typed)| {
            if let Transform::Unknown(name) = &field.transform {
                return Err(Error::unsupported(format!(
                    "unknown transform {name}: partition values cannot be written"
                ))
                .with("partition field", &field.name));
            }
            let field_type = typed.field_type.as_primitive().ok_or_else(|| {
                Error::invalid_input("expected a partition field of a primitive type")
                    .with("partition field", typed)
            })?;
            let is_void = field.transform == Transform::Void;
            Ok(PartitionField { name: field.name.clone(), field_type: field_type.clone(), is_void })
        });
        Ok(Self(fields.collect::<Result<_>>()?))
    }

    /// Refuses a tuple that does not fit these fields.
    pub(super) fn check(&self, tuple: &[Option<Value>]) -> Result<()> {
        if tuple.len() != self.0.len() {
            let (expected, found) = (self.0.len(), tuple.len());
            return Err(Error::invalid_input(format!(
                "expected a partition tuple of {expected} values, found {found}"
            )));
        }
        let wrong = self.0.iter().zip(tuple).find(|(field, value)| {
            value.as_ref().is_some_and(|value| field.is_void || !value.matches(&field.field_type))
        });
        match wrong {
            None => Ok(()),
            Some((field, _)) if field.is_void => {
                Err(Error::invalid_input("expected null for a void partition field")
                    .with("partition field", &field.name))
            }
            Some((field, _)) => {
                Err(Error::invalid_input(format!("expected a partition value of type {}", field.field_type))
                    .with("partition field", &field.name))
            }
        }
    }

    /// Puts a tuple that was checked.
    pub(super) fn put(&self, out: &mut Encoder, tuple: &[Option<Value>]) {
        for (field, value) in self.0.iter().zip(tuple) {
            // A type without values is declared as null, without a union, and takes no byte.
            if field.field_type != PrimitiveType::Unknown {
                out.optional(value.as_ref(), |out, value| put(out, value, &field.field_type));
            }
        }
    }
}

fn put(out: &mut Encoder, value: &Value, field_type: &PrimitiveType) {
    match value {
        Value::Boolean(value) => out.boolean(*value),
        Value::Int(value) | Value::Date(value) => out.int(*value),
        Value::Long(value)
        | Value::Time(value)
        | Value::Timestamp(value)
        | Value::Timestamptz(value)
        | Value::TimestampNs(value)
        | Value::TimestamptzNs(value) => out.long(*value),
        Value::Float(value) => out.float(*value),
        Value::Double(value) => out.double(*value),
        Value::Decimal { unscaled, .. } => {
            let size = match field_type {
                PrimitiveType::Decimal { precision, .. } => decimal_size(*precision),
                _ => 16,
            };
            // The digits fit into the type's precision, so the bytes that are left out only repeat the sign.
            out.fixed(&unscaled.to_be_bytes()[16 - size..]);
        }
        Value::String(text) => out.prefixed(text.as_bytes()),
        Value::Uuid(bytes) => out.fixed(bytes),
        Value::Fixed(bytes) => out.fixed(bytes),
        Value::Binary(bytes) => out.prefixed(bytes),
        // No primitive type has such values.
        Value::Struct(_) | Value::List(_) | Value::Map(_) => {}
    }
}
