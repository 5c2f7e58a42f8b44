//! In which folder is a partition?
//!
//! In: a spec and the values of a partition. Out: `day=2024-01-01/id_bucket=3`, as Iceberg Java writes it.
//! Spec: none; readers take partition values from manifests, never from paths.
//!
//! Invariant: names and values are encoded as in web forms, so neither has a slash.

use std::fmt::Write as _;

use floeberg_core::value::Value;

use super::PartitionSpec;
use super::to_human_string::to_human_string;

impl PartitionSpec {
    /// The folders of a partition, one per field. `values` are in the spec's order; `None` is null.
    pub fn partition_path(&self, values: &[Option<Value>]) -> String {
        let folders = self.fields.iter().zip(values).map(|(field, value)| {
            let text = value
                .as_ref()
                .map_or_else(|| "null".to_owned(), |value| to_human_string(&field.transform, value));
            format!("{}={}", form_encoded(&field.name), form_encoded(&text))
        });
        folders.collect::<Vec<_>>().join("/")
    }
}

/// `application/x-www-form-urlencoded`, as `java.net.URLEncoder` has it.
fn form_encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'-' | b'*' | b'_' => encoded.push(byte.into()),
            b' ' => encoded.push('+'),
            other => {
                let _infallible = write!(encoded, "%{other:02X}");
            }
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use floeberg_core::transform::Transform;
    use floeberg_core::value::Value;
    use serde_json::Map;

    use crate::metadata::{PartitionField, PartitionSpec};

    #[test]
    fn folders_are_named_as_iceberg_java_names_them() {
        let field = |name: &str, transform: Transform| PartitionField {
            field_id: 1000,
            source_ids: vec![1],
            name: name.to_owned(),
            transform,
            unknown_keys: Map::new(),
        };
        let fields = vec![
            field("a b/c", Transform::Identity),
            field("day", Transform::Day),
            field("🧊", Transform::Bucket(4)),
            field("n", Transform::Identity),
        ];
        let spec = PartitionSpec { spec_id: 1, fields, unknown_keys: Map::new() };
        let values =
            [Some(Value::String("x=1/é ~*".into())), Some(Value::Date(19_000)), Some(Value::Int(3)), None];
        let expected = "a+b%2Fc=x%3D1%2F%C3%A9+%7E*/day=2022-01-08/%F0%9F%A7%8A=3/n=null";
        assert_eq!(spec.partition_path(&values), expected);
    }
}
