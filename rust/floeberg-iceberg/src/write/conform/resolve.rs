//! Which column of the input becomes which column of the table, and how?
//!
//! In: fields of both. Out: steps, and everything that does not fit.
//!
//! Invariant: every column of the input is used or reported; recursion follows the table's schema, whose depth is limited.

use arrow_schema::{DataType, Field as ArrowField, FieldRef, Fields};
use floeberg_core::schema::arrow::field_id;
use floeberg_core::schema::from_arrow::{extension_type, written_out};
use floeberg_core::schema::{Field, PrimitiveType, Type};
use floeberg_core::variant::Layout;
use floeberg_rows::{Conversion, kind_name};

use PrimitiveType as P;

use super::leaf::leaf;
use super::step::{Column, Leaf, Source, Step};
use super::write_default::write_default;

/// The coordinate reference system of a column without one.
const UNSPECIFIED: &str = "srid:0";

/// Matches columns, and collects what does not fit.
pub(super) struct Resolver {
    by_id: bool,
    /// What does not fit, and what to do about each.
    pub(super) problems: Vec<String>,
    /// Columns that the table does not have, with the full names of their parents.
    pub(super) unknown: Vec<(String, ArrowField)>,
    /// Columns of another type than the table's, by their full names, with the table's.
    pub(super) other_types: Vec<(String, PrimitiveType, ArrowField)>,
}

impl Resolver {
    pub(super) fn new(by_id: bool) -> Self {
        Self { by_id, problems: Vec::new(), unknown: Vec::new(), other_types: Vec::new() }
    }

    /// The fields of a struct, in the table's order.
    pub(super) fn columns(
        &mut self,
        wanted: &[Field],
        targets: &Fields,
        input: &Fields,
        parent: &str,
    ) -> Vec<Column> {
        let mut used = vec![false; input.len()];
        let mut columns = Vec::with_capacity(wanted.len());
        for (field, target) in wanted.iter().zip(targets) {
            let name = joined(parent, &field.name);
            let is_it = |candidate: &FieldRef| {
                if self.by_id {
                    field_id(candidate) == Some(field.id)
                } else {
                    *candidate.name() == field.name
                }
            };
            let mut found = (0..input.len()).filter(|number| is_it(&input[*number]));
            let (number, again) = (found.next(), found.next());
            if let Some(again) = again {
                used[again] = true;
                self.problems.push(format!("column {name:?} occurs twice: drop or rename one"));
            }
            let source = match number {
                Some(number) => {
                    used[number] = true;
                    self.step(&field.field_type, target, &input[number], &name)
                        .map(|step| Source::Input(number, step))
                }
                None => match write_default(field) {
                    Ok(value) => Some(Source::Filled(value, field.field_type.clone())),
                    Err(without) => {
                        let without = joined(parent, &without);
                        self.problems.push(format!("column {without:?} is required and missing: add it"));
                        None
                    }
                },
            };
            columns.extend(source.map(|source| Column { name, target: target.clone(), source }));
        }
        for field in input.iter().zip(used).filter(|(_, used)| !used).map(|(field, _)| field) {
            self.unknown_column(wanted, field, parent);
        }
        columns
    }

    fn unknown_column(&mut self, wanted: &[Field], field: &ArrowField, parent: &str) {
        let name = joined(parent, field.name());
        let alike = wanted.iter().find(|known| known.name.to_lowercase() == field.name().to_lowercase());
        let problem = match alike {
            Some(known) if known.name != *field.name() => {
                format!("column {name:?} is not in the table, which has {:?}: rename it", known.name)
            }
            _ => {
                self.unknown.push((parent.to_owned(), field.clone()));
                format!("column {name:?} is not in the table: drop it, or add it with schema_mode=\"merge\"")
            }
        };
        self.problems.push(problem);
    }

    /// `None` if it does not fit; it is then one of the problems.
    fn step(&mut self, wanted: &Type, target: &FieldRef, field: &ArrowField, name: &str) -> Option<Step> {
        let from = written_out(field.data_type());
        match (wanted, target.data_type(), from) {
            (_, _, DataType::Null) => Some(Step::Null),
            (Type::Struct(wanted), DataType::Struct(targets), DataType::Struct(children)) => {
                Some(Step::Struct(self.columns(&wanted.fields, targets, children, name)))
            }
            (Type::List(wanted), DataType::List(target), from) => match element(from) {
                Some(element) => {
                    let column = self.below(&wanted.element, target, (0, element), name)?;
                    Some(Step::List(Box::new(column)))
                }
                None => self.does_not_fit("a list", field, name, "make it a list"),
            },
            (Type::Map(wanted), DataType::Map(entries, _), DataType::Map(input, _)) => {
                let (DataType::Struct(targets), DataType::Struct(input)) =
                    (entries.data_type(), input.data_type())
                else {
                    return self.does_not_fit("a map", field, name, "make it a map of keys and values");
                };
                let ([key_target, value_target], [key, value]) = (targets.as_ref(), input.as_ref()) else {
                    return self.does_not_fit("a map", field, name, "make it a map of keys and values");
                };
                let key = self.below(&wanted.key, key_target, (0, key), name);
                let value = self.below(&wanted.value, value_target, (1, value), name);
                Some(Step::Map(Box::new([key?, value?])))
            }
            (Type::Variant, DataType::Struct(targets), DataType::Struct(children)) => {
                self.variant(targets, children, field, name)
            }
            (Type::Primitive(primitive), to, from) => self.primitive(primitive, to, from, field, name),
            (wanted, ..) => {
                let kind = match wanted {
                    Type::Struct(_) => "a struct",
                    Type::Map(_) => "a map",
                    _ => "a variant",
                };
                self.does_not_fit(kind, field, name, &format!("make it {kind}"))
            }
        }
    }

    /// An element, key or value.
    fn below(
        &mut self,
        wanted: &Field,
        target: &FieldRef,
        (number, field): (usize, &FieldRef),
        parent: &str,
    ) -> Option<Column> {
        let name = joined(parent, &wanted.name);
        let step = self.step(&wanted.field_type, target, field, &name)?;
        Some(Column { name, target: target.clone(), source: Source::Input(number, step) })
    }

    fn primitive(
        &mut self,
        primitive: &PrimitiveType,
        to: &DataType,
        from: &DataType,
        field: &ArrowField,
        name: &str,
    ) -> Option<Step> {
        if let (P::Geometry { .. } | P::Geography { .. }, Ok(Some(named))) =
            (primitive, extension_type(field))
            && !is_place_of(&named, primitive)
        {
            self.problems.push(format!(
                "column {name:?} is {named}, and {primitive} in the table: convert it to the table's coordinates"
            ));
            return None;
        }
        match leaf(from, primitive, to) {
            Ok(leaf) => {
                if leaf == Leaf::Cast(Conversion::Narrowed) {
                    // Its values may not fit: who may change the table makes it wider.
                    self.other_types.push((name.to_owned(), primitive.clone(), field.clone()));
                }
                Some(Step::Leaf(leaf))
            }
            Err(fix) => {
                self.other_types.push((name.to_owned(), primitive.clone(), field.clone()));
                self.does_not_fit(&primitive.to_string(), field, name, &fix)
            }
        }
    }

    /// Whole variants are two columns of bytes; shredded ones are reassembled.
    fn variant(
        &mut self,
        targets: &Fields,
        children: &Fields,
        field: &ArrowField,
        name: &str,
    ) -> Option<Step> {
        if children.iter().any(|child| child.name() == "typed_value") {
            return match Layout::new(children) {
                Ok(layout) => Some(Step::Shredded(layout)),
                Err(error) => self.does_not_fit("a variant", field, name, error.message()),
            };
        }
        let part = |name: &str| Field::required(0, name, PrimitiveType::Binary);
        let by_id = std::mem::replace(&mut self.by_id, false);
        let columns = self.columns(&[part("metadata"), part("value")], targets, children, name);
        self.by_id = by_id;
        Some(Step::Variant(columns))
    }

    fn does_not_fit(&mut self, wanted: &str, field: &ArrowField, name: &str, fix: &str) -> Option<Step> {
        let found = kind_name(field.data_type());
        self.problems.push(format!("column {name:?} is {found}, and {wanted} in the table: {fix}"));
        None
    }
}

/// Does an extension name the type of the table, as far as it is specific?
fn is_place_of(named: &Type, primitive: &PrimitiveType) -> bool {
    let says_nothing = |crs: &Option<String>| crs.as_deref() == Some(UNSPECIFIED);
    match (named, primitive) {
        (Type::Primitive(named), wanted) if named == wanted => true,
        (Type::Primitive(P::Geometry { crs }), P::Geometry { .. }) => says_nothing(crs),
        (Type::Primitive(P::Geography { crs, algorithm }), P::Geography { algorithm: wanted, .. }) => {
            says_nothing(crs) && algorithm == wanted
        }
        _ => false,
    }
}

fn element(data_type: &DataType) -> Option<&FieldRef> {
    match data_type {
        DataType::List(element)
        | DataType::LargeList(element)
        | DataType::FixedSizeList(element, _)
        | DataType::ListView(element)
        | DataType::LargeListView(element) => Some(element),
        _ => None,
    }
}

fn joined(parent: &str, name: &str) -> String {
    if parent.is_empty() { name.to_owned() } else { format!("{parent}.{name}") }
}
