//! Are columns of an input matched by field id or by name?
//!
//! Spec: Column Projection.
//!
//! Invariant: ids count only if they can be the table's own. Rows that were read from a table carry its ids, and must be appended
//! to another table by name.

use arrow_schema::{DataType, Fields};
use floeberg_core::schema::arrow::field_id;
use floeberg_core::schema::{Field, Type};

/// Are columns matched by id? Yes, if every field has an id, no field has the name of another column, and at least one column has
/// the name that its id has in the table.
pub(super) fn goes_by_ids(wanted: &[Field], input: &Fields) -> bool {
    all_have_ids(input) && none_is_named_after_another(wanted, input) && any_has_its_name(wanted, input)
}

fn any_has_its_name(wanted: &[Field], input: &Fields) -> bool {
    input.iter().any(|field| {
        wanted.iter().any(|known| field_id(field) == Some(known.id) && *field.name() == known.name)
    })
}

fn none_is_named_after_another(wanted: &[Field], input: &Fields) -> bool {
    input.iter().all(|field| {
        let of_name = wanted.iter().find(|known| known.name == *field.name());
        if of_name.is_some_and(|known| field_id(field) != Some(known.id)) {
            return false;
        }
        let of_id = wanted.iter().find(|known| field_id(field) == Some(known.id));
        let nested = of_id.map(|known| &known.field_type).and_then(Type::as_struct);
        match (nested, field.data_type()) {
            (Some(known), DataType::Struct(children)) => none_is_named_after_another(&known.fields, children),
            _ => true,
        }
    })
}

fn all_have_ids(fields: &Fields) -> bool {
    fields.iter().all(|field| field_id(field).is_some() && below_have_ids(field.data_type()))
}

/// The fields inside a variant have no ids.
fn below_have_ids(data_type: &DataType) -> bool {
    match data_type {
        DataType::Struct(fields) => {
            fields.iter().all(|field| field.name() == "metadata" || field.name() == "value")
                || all_have_ids(fields)
        }
        DataType::List(element)
        | DataType::LargeList(element)
        | DataType::FixedSizeList(element, _)
        | DataType::ListView(element)
        | DataType::LargeListView(element) => {
            field_id(element).is_some() && below_have_ids(element.data_type())
        }
        DataType::Map(entries, _) => match entries.data_type() {
            DataType::Struct(entry) => all_have_ids(entry),
            _ => false,
        },
        DataType::Dictionary(_, values) => below_have_ids(values),
        DataType::RunEndEncoded(_, values) => below_have_ids(values.data_type()),
        _ => true,
    }
}
