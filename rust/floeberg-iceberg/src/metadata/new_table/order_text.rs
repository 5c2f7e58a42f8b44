//! How does a user write the order that rows are put in once?
//!
//! In: a text (`id desc nulls first, bucket(8, name)`, `zorder(a, b)`), or a list of fields as for a new table. Out: sort fields, or
//! the columns of a z-order.
//!
//! Invariant: a z-order stands alone. Commas in brackets and in quoted names separate nothing.

use floeberg_core::expr::QuotedNames;
use floeberg_core::schema::Schema;
use floeberg_core::transform::Transform;
use floeberg_core::{Context as _, Error, Result};
use serde_json::Value as Json;

use super::text::{fields, parse_sort, parse_sort_of};
use super::{ColumnChoice, DeclaredSort, DeclaredSource};

/// How a z-order is written, for errors.
const WRITTEN: &str = "a z-order is zorder(a, b), of columns";

/// An order, declared by a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeclaredOrder {
    /// The fields that rows are sorted by, the most significant first.
    Sort(Vec<DeclaredSort>),
    /// The columns of a z-order.
    ZOrder(Vec<ColumnChoice>),
}

impl DeclaredOrder {
    /// Reads an order: a text, or a list of fields, or an object with such a list under `fields`.
    ///
    /// Errors: `InvalidInput`.
    pub fn parse(json: &Json) -> Result<Self> {
        let mut terms = Vec::new();
        if let Json::String(text) = json {
            let names = QuotedNames::of(text);
            for part in parts(&names.text).context("sort order", text)? {
                terms.push(Term::of(part, &names).context("sort order", text)?);
            }
        } else {
            for field in fields(json)? {
                terms.push(match field {
                    Json::String(text) => {
                        let names = QuotedNames::of(text);
                        Term::of(&names.text, &names).context("sort field", text)?
                    }
                    other => Term::Field(parse_sort(other).context("sort field", other)?),
                });
            }
        }
        let (mut sorted, mut columns) = (Vec::new(), Vec::new());
        for term in terms {
            match term {
                Term::Field(field) => sorted.push(field),
                Term::ZOrder(more) => columns.extend(more),
            }
        }
        match (sorted.is_empty(), columns.is_empty()) {
            (_, true) => Ok(Self::Sort(sorted)),
            (true, false) => Ok(Self::ZOrder(columns)),
            (false, false) => Err(Error::invalid_input(
                "expected either sort fields or a z-order, found both: a z-order cannot be mixed with other fields",
            )),
        }
    }

    /// The columns that it names.
    pub fn columns(&self) -> Vec<&ColumnChoice> {
        match self {
            Self::Sort(fields) => fields.iter().flat_map(|field| &field.source.columns).collect(),
            Self::ZOrder(columns) => columns.iter().collect(),
        }
    }
}

/// The ids of the columns of a z-order.
///
/// Errors: `InvalidInput` for a column that is not there, is not primitive, is in a list or a map, or is named twice.
pub fn z_order_columns(schema: &Schema, columns: &[ColumnChoice], case_sensitive: bool) -> Result<Vec<i32>> {
    let mut found = Vec::new();
    for column in columns {
        let source = DeclaredSource { columns: vec![column.clone()], transform: Transform::Identity };
        for id in source.ids(schema, 1, case_sensitive, WRITTEN)? {
            if found.contains(&id) {
                let name = schema.full_name(id).unwrap_or_default();
                return Err(Error::invalid_input(format!("the z-order names the column {name:?} twice")));
            }
            found.push(id);
        }
    }
    Ok(found)
}

enum Term {
    Field(DeclaredSort),
    ZOrder(Vec<ColumnChoice>),
}

impl Term {
    /// Of a text in which quoted names were replaced.
    fn of(text: &str, names: &QuotedNames) -> Result<Self> {
        let text = text.trim();
        if text.is_empty() {
            return Err(Error::invalid_input("expected a sort field, found nothing"));
        }
        let begun = text.split_once('(').filter(|(name, _)| name.trim().eq_ignore_ascii_case("zorder"));
        let Some((_, rest)) = begun else { return parse_sort_of(text, names, true).map(Self::Field) };
        let Some(columns) = rest.strip_suffix(')') else {
            return Err(Error::invalid_input(format!(
                "{WRITTEN}: it has no direction and no order of nulls"
            )));
        };
        let columns = columns.split(',').map(|column| {
            let name = names.restored(column.trim());
            let is_name = !name.is_empty() && !column.contains(['(', ')']);
            let wrong = || Error::invalid_input(format!("{WRITTEN}: found {:?}", names.restored(text)));
            is_name.then_some(ColumnChoice::Name(name)).ok_or_else(wrong)
        });
        columns.collect::<Result<_>>().map(Self::ZOrder)
    }
}

/// What stands between commas that are in no brackets. Brackets around all of it are left out.
fn parts(text: &str) -> Result<Vec<&str>> {
    let text = text.trim();
    let inside = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
    // `(a), (b)` is not in brackets as a whole.
    if let Some(Ok(parts)) = inside.map(separated) {
        return Ok(parts);
    }
    separated(text)
}

fn separated(text: &str) -> Result<Vec<&str>> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0_u32);
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => {
                let less = depth.checked_sub(1);
                depth = less.ok_or_else(|| Error::invalid_input("expected '(' before ')'"))?;
            }
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    if depth > 0 {
        return Err(Error::invalid_input("expected ')' for each '('"));
    }
    parts.push(&text[start..]);
    Ok(parts)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use floeberg_core::ErrorKind;
    use serde_json::{Value as Json, json};

    use super::DeclaredOrder;
    use crate::metadata::{ColumnChoice, DeclaredSort, NullOrder, SortDirection};

    /// A field as `column transform direction nulls`.
    fn shown(field: &DeclaredSort) -> String {
        let name = match &field.source.columns[..] {
            [ColumnChoice::Name(name)] => name.as_str(),
            _ => "?",
        };
        let direction = if field.direction == SortDirection::Ascending { "asc" } else { "desc" };
        let nulls = match field.null_order {
            None => "",
            Some(NullOrder::First) => " first",
            Some(NullOrder::Last) => " last",
        };
        format!("{name} {} {direction}{nulls}", field.source.transform)
    }

    fn parsed(json: &Json) -> Vec<String> {
        match DeclaredOrder::parse(json).unwrap() {
            DeclaredOrder::Sort(fields) => fields.iter().map(shown).collect(),
            DeclaredOrder::ZOrder(columns) => columns.iter().map(|column| format!("z {column:?}")).collect(),
        }
    }

    #[test]
    fn fields_are_separated_by_commas_outside_of_brackets_and_quotes() {
        let cases = [
            ("id", vec!["id identity asc"]),
            ("id DESC NULLS FIRST, bucket(8, name)", vec!["id identity desc first", "name bucket[8] asc"]),
            ("(days(ts) asc nulls last, truncate(s, 3))", vec!["ts day asc last", "s truncate[3] asc"]),
            ("`a, b` desc, \"c desc\"", vec!["a, b identity desc", "c desc identity asc"]),
            ("bucket(8, a), bucket(b, 9)", vec!["a bucket[8] asc", "b bucket[9] asc"]),
            ("(a), (b)", vec!["(a) identity asc", "(b) identity asc"]),
        ];
        for (text, expected) in cases {
            assert_eq!(parsed(&json!(text)), expected, "{text}");
        }
        assert_eq!(
            parsed(&json!(["id desc", "bucket(8, name)"])),
            ["id identity desc", "name bucket[8] asc"]
        );
        assert_eq!(parsed(&json!({"fields": [{"source": "a", "transform": "day"}]})), ["a day asc"]);
        assert_eq!(parsed(&json!([])), Vec::<String>::new());
    }

    #[test]
    fn a_z_order_names_columns() {
        let z = |names: &[&str]| names.iter().map(|name| format!("z Name({name:?})")).collect::<Vec<_>>();
        for (text, names) in [
            ("zorder(a, b)", vec!["a", "b"]),
            ("ZORDER (a,`b, c`)", vec!["a", "b, c"]),
            ("zorder(a), zorder(s.b)", vec!["a", "s.b"]),
            ("(zorder(a, b))", vec!["a", "b"]),
        ] {
            assert_eq!(parsed(&json!(text)), z(&names), "{text}");
        }
        assert_eq!(parsed(&json!(["zorder(a, b)"])), z(&["a", "b"]));
        assert_eq!(parsed(&json!("`zorder(a)`")), ["zorder(a) identity asc"]);
    }

    #[test]
    fn what_is_no_order_is_refused() {
        let cases = [
            "",
            "a,",
            ",a",
            "a,,b",
            "(a",
            "a)",
            "zorder()",
            "zorder(a,)",
            "zorder(a) desc",
            "zorder(bucket(8, a))",
            "zorder(a), b",
            "b desc, zorder(a)",
        ];
        for text in cases {
            assert_eq!(
                DeclaredOrder::parse(&json!(text)).unwrap_err().kind(),
                ErrorKind::InvalidInput,
                "{text}"
            );
        }
        let nested = format!("{}a{}", "(".repeat(100_000), ")".repeat(100_000));
        assert!(matches!(DeclaredOrder::parse(&json!(nested)), Ok(DeclaredOrder::Sort(_))));
        for json in [json!(1), json!({"fields": 1}), json!([1]), json!(["zorder(a)", {"source": "b"}])] {
            assert_eq!(DeclaredOrder::parse(&json).unwrap_err().kind(), ErrorKind::InvalidInput, "{json}");
        }
    }
}
