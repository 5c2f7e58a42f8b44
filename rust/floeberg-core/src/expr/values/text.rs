//! What do functions of texts give?

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BooleanArray, Int32Array, StringArray, new_null_array};
use arrow_schema::DataType;

use super::cast::cast_values;
use super::kernels::to_type;
use super::kinds::{is_text, shown};
use super::operand::Operand;
use crate::error::{Error, Result};

/// Texts as one type of Arrow; nulls of no type too.
///
/// Errors: `InvalidInput` for other types.
pub(super) fn texts(function: &str, values: &Operand) -> Result<Operand> {
    let kind = values.data_type().clone();
    if kind == DataType::Null {
        return values.map(|array| Ok(new_null_array(&DataType::Utf8, array.len())));
    }
    if !is_text(&kind) {
        return Err(Error::invalid_input(format!("{function} needs texts, found {}", shown(&kind))));
    }
    values.map(|array| to_type(array, &DataType::Utf8))
}

/// Other texts of texts.
pub(super) fn changed(texts: &Operand, made: impl Fn(&str) -> String) -> Result<Operand> {
    texts.map(|array| {
        let texts = array.as_string::<i32>().iter().map(|text| text.map(&made));
        Ok(Arc::new(texts.collect::<StringArray>()) as ArrayRef)
    })
}

/// How many characters texts have.
pub(super) fn lengths(texts: &Operand) -> Result<Operand> {
    texts.map(|array| {
        let counted =
            array.as_string::<i32>().iter().map(|text| text.map(|text| text.chars().count() as i32));
        Ok(Arc::new(counted.collect::<Int32Array>()) as ArrayRef)
    })
}

/// Which texts a test holds for; null for null.
pub(super) fn tested(texts: &Operand, holds: impl Fn(&str) -> bool) -> Result<Operand> {
    texts.map(|array| {
        let answers = array.as_string::<i32>().iter().map(|text| text.map(&holds));
        Ok(Arc::new(answers.collect::<BooleanArray>()) as ArrayRef)
    })
}

/// Characters from a number on, the first of which is 0.
pub(super) fn part(text: &str, first: usize, length: Option<usize>) -> String {
    let rest = text.chars().skip(first);
    match length {
        Some(length) => rest.take(length).collect(),
        None => rest.collect(),
    }
}

/// Values of all types as texts, joined for each row; null where one of them is.
pub(super) fn joined(values: &[Operand], rows: usize) -> Result<Operand> {
    let texts = values.iter().map(|each| each.map(|array| cast_values(array, &DataType::Utf8, false)));
    let texts: Vec<Operand> = texts.collect::<Result<_>>()?;
    let all_constant = texts.iter().all(Operand::is_constant);
    let rows = if all_constant { 1 } else { rows };
    let mut made = Vec::with_capacity(rows);
    for row in 0..rows {
        let mut text = Some(String::new());
        for each in &texts {
            let (array, row) = (each.array().as_string::<i32>(), if each.is_constant() { 0 } else { row });
            match &mut text {
                Some(text) if array.is_valid(row) => text.push_str(array.value(row)),
                _ => text = None,
            }
        }
        made.push(text);
    }
    let made: ArrayRef = Arc::new(StringArray::from(made));
    Ok(if all_constant { Operand::Constant(made) } else { Operand::Rows(made) })
}
