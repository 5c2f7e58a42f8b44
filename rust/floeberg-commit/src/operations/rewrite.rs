//! Which data files does a user want to write again?
//!
//! Spec: Snapshots (`replace`).

use std::collections::BTreeMap;

use floeberg_core::{Error, Result};
use floeberg_iceberg::metadata::DeclaredOrder;
use serde_json::{Value as Json, json};

/// Data files whose rows are written again, as fewer or larger files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rewrite {
    /// The files, by their paths: each group becomes files of its own.
    pub groups: Vec<Vec<String>>,
    /// Options of the write, such as `target-file-size-bytes`.
    pub options: BTreeMap<String, String>,
    /// How the rows of a group are sorted. `None` is as any write of the table does.
    pub sort: Option<RewriteSort>,
    /// The partition spec of the new files. `None` is the table's.
    pub output_spec_id: Option<i32>,
    /// Are all rows encoded anew, also where row groups could be copied as they are stored?
    pub encode_all_rows: bool,
}

/// How the rows of each group are sorted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RewriteSort {
    /// An order, as [`DeclaredOrder`] reads it; null is that of the table.
    pub order: Json,
    /// Are the names of columns case-sensitive?
    pub case_sensitive: bool,
    /// How many bytes strings and other bytes give to a z-order. `None` is as many as numbers.
    pub variable_bytes: Option<usize>,
    /// How many bytes of a z-order are compared. `None` is all.
    pub key_bytes: Option<usize>,
}

impl Rewrite {
    /// As JSON.
    pub fn to_json(&self) -> Json {
        json!({
            "groups": self.groups,
            "options": self.options,
            "sort": self.sort.as_ref().map(RewriteSort::to_json),
            "output-spec-id": self.output_spec_id,
            "encode-all-rows": self.encode_all_rows,
        })
    }

    /// Reads what [`Rewrite::to_json`] gave. Errors: `InvalidInput`.
    pub fn from_json(json: &Json) -> Result<Self> {
        let invalid = || Error::invalid_input("expected groups of files to write again");
        let text = |text: &Json| text.as_str().map(str::to_owned).ok_or_else(invalid);
        let group = |group: &Json| -> Result<Vec<String>> {
            group.as_array().ok_or_else(invalid)?.iter().map(text).collect()
        };
        let groups = json.get("groups").and_then(Json::as_array).ok_or_else(invalid)?;
        let options = json.get("options").and_then(Json::as_object).ok_or_else(invalid)?;
        let flag = |flag: &Json| flag.as_bool().ok_or_else(invalid);
        let spec_id = |id: &Json| id.as_i64().and_then(|id| i32::try_from(id).ok()).ok_or_else(invalid);
        Ok(Self {
            groups: groups.iter().map(group).collect::<Result<_>>()?,
            options: options
                .iter()
                .map(|(name, value)| Ok((name.clone(), text(value)?)))
                .collect::<Result<_>>()?,
            sort: given(json, "sort").map(RewriteSort::from_json).transpose()?,
            output_spec_id: given(json, "output-spec-id").map(spec_id).transpose()?,
            encode_all_rows: given(json, "encode-all-rows").map(flag).transpose()?.unwrap_or(false),
        })
    }
}

impl RewriteSort {
    fn to_json(&self) -> Json {
        json!({
            "order": self.order,
            "case-sensitive": self.case_sensitive,
            "variable-bytes": self.variable_bytes,
            "key-bytes": self.key_bytes,
        })
    }

    fn from_json(json: &Json) -> Result<Self> {
        let invalid = || Error::invalid_input("expected how files are sorted that are written again");
        let bytes = |name: &str| {
            let read = |bytes: &Json| {
                bytes.as_u64().and_then(|bytes| usize::try_from(bytes).ok()).ok_or_else(invalid)
            };
            given(json, name).map(read).transpose()
        };
        let sort = Self {
            order: json.get("order").ok_or_else(invalid)?.clone(),
            case_sensitive: json.get("case-sensitive").and_then(Json::as_bool).ok_or_else(invalid)?,
            variable_bytes: bytes("variable-bytes")?,
            key_bytes: bytes("key-bytes")?,
        };
        sort.declared()?;
        Ok(sort)
    }

    /// The order that a user gave. Errors: `InvalidInput`.
    pub(crate) fn declared(&self) -> Result<Option<DeclaredOrder>> {
        (!self.order.is_null()).then(|| DeclaredOrder::parse(&self.order)).transpose()
    }
}

fn given<'a>(json: &'a Json, name: &str) -> Option<&'a Json> {
    json.get(name).filter(|value| !value.is_null())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::collections::BTreeMap;

    use floeberg_core::ErrorKind;
    use serde_json::{Value as Json, json};

    use super::{Rewrite, RewriteSort};

    #[test]
    fn what_is_wanted_is_read_back() {
        let sort = |order: Json, bytes| RewriteSort {
            order,
            case_sensitive: false,
            variable_bytes: bytes,
            key_bytes: bytes.map(|bytes| 2 * bytes),
        };
        for (sort, output_spec_id) in [
            (None, None),
            (Some(sort(Json::Null, None)), Some(3)),
            (Some(sort(json!("zorder(a, b)"), Some(4))), None),
            (Some(sort(json!([{"source-ids": [1], "direction": "desc"}]), None)), Some(0)),
        ] {
            let options = BTreeMap::from([("target-file-size-bytes".to_owned(), "1".to_owned())]);
            let rewrite = Rewrite {
                groups: vec![vec!["a".to_owned()], Vec::new()],
                options,
                sort,
                output_spec_id,
                encode_all_rows: true,
            };
            assert_eq!(Rewrite::from_json(&rewrite.to_json()).unwrap(), rewrite);
        }
        // As operations were written before there was a sort.
        let before = Rewrite::from_json(&json!({"groups": [], "options": {}})).unwrap();
        assert_eq!(before, Rewrite::default());
    }

    #[test]
    fn what_means_nothing_is_refused() {
        let sort = |sort: Json| json!({"groups": [], "options": {}, "sort": sort});
        for wrong in [
            json!({"groups": 1, "options": {}}),
            json!({"groups": [], "options": {"a": 1}}),
            json!({"groups": [], "options": {}, "output-spec-id": "0"}),
            json!({"groups": [], "options": {}, "encode-all-rows": "true"}),
            json!({"groups": [], "options": {}, "output-spec-id": 1_i64 << 40}),
            sort(json!({"case-sensitive": true})),
            sort(json!({"order": "id"})),
            sort(json!({"order": "id,", "case-sensitive": true})),
            sort(json!({"order": "zorder(a)", "case-sensitive": true, "key-bytes": -1})),
        ] {
            assert_eq!(Rewrite::from_json(&wrong).unwrap_err().kind(), ErrorKind::InvalidInput, "{wrong}");
        }
    }
}
