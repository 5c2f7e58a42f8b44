//! What do the types of fields stand for?

use arrow_schema::{DataType, Field, FieldRef};
use floeberg_core::schema::from_arrow::written_out;

const EXTENSION: &str = "ARROW:extension:name";
const EXTENSION_METADATA: &str = "ARROW:extension:metadata";

/// The extension that gives the values of a field another meaning than that of their type.
pub(crate) fn extension(field: &Field) -> Option<&str> {
    field.metadata().get(EXTENSION).map(String::as_str)
}

/// The field without its extension.
pub(crate) fn without_extension(field: &Field) -> Field {
    let mut metadata = field.metadata().clone();
    metadata.remove(EXTENSION);
    metadata.remove(EXTENSION_METADATA);
    field.clone().with_metadata(metadata)
}

/// The field of the elements of lists, however they are stored; maps are none.
pub(crate) fn element(kind: &DataType) -> Option<&FieldRef> {
    match kind {
        DataType::List(element)
        | DataType::LargeList(element)
        | DataType::FixedSizeList(element, _)
        | DataType::ListView(element)
        | DataType::LargeListView(element) => Some(element),
        _ => None,
    }
}

/// The fields of the keys and values of maps.
pub(crate) fn entries(kind: &DataType) -> Option<[&FieldRef; 2]> {
    let DataType::Map(entries, _) = kind else { return None };
    let DataType::Struct(fields) = entries.data_type() else { return None };
    match &fields[..] {
        [key, value] => Some([key, value]),
        _ => None,
    }
}

/// Is it a type of texts?
pub(crate) fn is_text(kind: &DataType) -> bool {
    matches!(kind, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

/// Is it a type of bytes of any length?
pub(crate) fn is_bytes(kind: &DataType) -> bool {
    matches!(kind, DataType::Binary | DataType::LargeBinary | DataType::BinaryView)
}

/// Does the column have uuids, for which texts and bytes are given?
pub(crate) fn is_written_uuid(from: &Field, to: &Field) -> bool {
    let plain = written_out(from.data_type());
    extension(to) == Some("arrow.uuid") && extension(from).is_none() && (is_text(plain) || is_bytes(plain))
}
