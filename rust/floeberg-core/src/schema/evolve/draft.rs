//! Which columns does a schema have while it is being changed?
//!
//! Invariant: a name that a column had before the first change means that column until it is deleted.

use crate::error::{Error, Result};
use crate::schema::{Field, FreshIds, Schema, Type, unknown_column};

/// A schema in the making.
pub(super) struct Draft<'a> {
    pub(super) base: &'a Schema,
    pub(super) fields: Vec<Field>,
    pub(super) ids: FreshIds,
    pub(super) identifiers: Vec<i32>,
    pub(super) case_sensitive: bool,
}

/// Where a column stands.
pub(super) enum Parent {
    /// Among the columns of the table.
    Top,
    /// Among the fields of this struct.
    Struct(i32),
    /// An element, key or value, not a field of a struct.
    Part,
}

impl<'a> Draft<'a> {
    pub(super) fn new(base: &'a Schema, last_column_id: i32, case_sensitive: bool) -> Self {
        Self {
            base,
            fields: base.fields().to_vec(),
            ids: FreshIds::after(last_column_id),
            identifiers: base.identifier_field_ids().to_vec(),
            case_sensitive,
        }
    }

    /// The id of a column by its name. Errors: `InvalidInput`, naming near matches.
    pub(super) fn find(&self, name: &str) -> Result<i32> {
        self.find_if_there(name)?.ok_or_else(|| {
            let known = names(&self.fields);
            unknown_column(name, known.iter().map(|known| known.full.as_str()))
        })
    }

    /// The id of a column by its name, if any. Errors: `InvalidInput` for a name that fits several columns.
    pub(super) fn find_if_there(&self, name: &str) -> Result<Option<i32>> {
        if let Some(id) = by_name(self.base.fields(), name, self.case_sensitive)?
            && path(&self.fields, id).is_some()
        {
            return Ok(Some(id));
        }
        by_name(&self.fields, name, self.case_sensitive)
    }

    /// The fields from the top down to a column, that column last.
    pub(super) fn path(&self, id: i32) -> Vec<&Field> {
        path(&self.fields, id).unwrap_or_default()
    }

    /// Is this the own name of a field, before or by now, and not one of dotted parts? Its case does not count.
    pub(super) fn is_called(&self, id: i32, name: &str) -> bool {
        let of =
            |fields| path(fields, id).and_then(|path| path.last().map(|field| field.name.to_lowercase()));
        let name = Some(name.to_lowercase());
        of(self.base.fields()) == name || of(&self.fields) == name
    }

    /// The full name of a column as it is now.
    pub(super) fn full_name(&self, id: i32) -> String {
        self.path(id).iter().map(|field| field.name.as_str()).collect::<Vec<_>>().join(".")
    }

    pub(super) fn field(&self, id: i32) -> Result<&Field> {
        self.path(id).last().copied().ok_or_else(|| gone(id))
    }

    pub(super) fn field_mut(&mut self, id: i32) -> Result<&mut Field> {
        find_mut(&mut self.fields, id).ok_or_else(|| gone(id))
    }

    /// Where a column stands. Errors: `InvalidInput` below the key of a map, which never changes.
    pub(super) fn parent(&self, id: i32) -> Result<Parent> {
        let path = self.path(id);
        let is_key = |pair: &[&Field]| match &pair[0].field_type {
            Type::Map(map) => map.key.id == pair[1].id,
            _ => false,
        };
        if path.windows(2).any(is_key) {
            return Err(Error::invalid_input(format!(
                "column {:?} is in the key of a map, and map keys cannot change",
                self.full_name(id)
            )));
        }
        Ok(match path.as_slice() {
            [_] => Parent::Top,
            [.., parent, _] if parent.field_type.as_struct().is_some() => Parent::Struct(parent.id),
            _ => Parent::Part,
        })
    }

    /// The siblings of a column; `None` for an element, key or value.
    pub(super) fn siblings_mut(&mut self, place: &Parent) -> Option<&mut Vec<Field>> {
        match place {
            Parent::Top => Some(&mut self.fields),
            Parent::Struct(parent) => match &mut find_mut(&mut self.fields, *parent)?.field_type {
                Type::Struct(fields) => Some(&mut fields.fields),
                _ => None,
            },
            Parent::Part => None,
        }
    }
}

fn gone(id: i32) -> Error {
    Error::internal(format!("the field {id} was found by name, but is missing"))
}

fn path(fields: &[Field], id: i32) -> Option<Vec<&Field>> {
    fields.iter().find_map(|field| path_below(field, id))
}

fn path_below(field: &Field, id: i32) -> Option<Vec<&Field>> {
    if field.id == id {
        return Some(vec![field]);
    }
    let below = field.field_type.children().into_iter().find_map(|child| path_below(child, id))?;
    Some(std::iter::once(field).chain(below).collect())
}

fn find_mut(fields: &mut [Field], id: i32) -> Option<&mut Field> {
    fields.iter_mut().find_map(|field| find_mut_below(field, id))
}

fn find_mut_below(field: &mut Field, id: i32) -> Option<&mut Field> {
    if field.id == id {
        return Some(field);
    }
    match &mut field.field_type {
        Type::Struct(inner) => find_mut(&mut inner.fields, id),
        Type::List(list) => find_mut_below(&mut list.element, id),
        Type::Map(map) => {
            let map = map.as_mut();
            find_mut_below(&mut map.key, id).or_else(|| find_mut_below(&mut map.value, id))
        }
        Type::Primitive(_) | Type::Variant | Type::Unrecognized(_) => None,
    }
}

/// A column by its names: the full one, and the one without `element` and `value`.
struct Named {
    id: i32,
    full: String,
    short: String,
}

fn names(fields: &[Field]) -> Vec<Named> {
    let mut all = Vec::new();
    for field in fields {
        named(field, &field.name, &field.name, &mut all);
    }
    all
}

fn named(field: &Field, full: &str, short: &str, all: &mut Vec<Named>) {
    all.push(Named { id: field.id, full: full.to_owned(), short: short.to_owned() });
    for child in field.field_type.children() {
        let below = format!("{full}.{}", child.name);
        let is_left_out = match &field.field_type {
            Type::List(_) => true,
            Type::Map(map) => map.value.id == child.id,
            _ => false,
        };
        let short = if is_left_out { short.to_owned() } else { format!("{short}.{}", child.name) };
        named(child, &below, &short, all);
    }
}

/// Exact names win over those in another case, full ones over short ones, and upper ones over lower ones.
pub(super) fn by_name(fields: &[Field], name: &str, case_sensitive: bool) -> Result<Option<i32>> {
    let all = names(fields);
    let exact =
        all.iter().find(|known| known.full == name).or_else(|| all.iter().find(|known| known.short == name));
    if exact.is_some() || case_sensitive {
        return Ok(exact.map(|known| known.id));
    }
    let wanted = name.to_lowercase();
    let alike = |of: fn(&Named) -> &String| -> Vec<&Named> {
        all.iter().filter(|known| of(known).to_lowercase() == wanted).collect()
    };
    let full = alike(|known| &known.full);
    match full.as_slice() {
        [one] => Ok(Some(one.id)),
        [] => Ok(alike(|known| &known.short).first().map(|known| known.id)),
        [one, other, ..] => Err(Error::invalid_input(format!(
            "column {name:?} is ambiguous without case: {}, {}",
            one.full, other.full
        ))),
    }
}
