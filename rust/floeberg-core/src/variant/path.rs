//! Which field of a variant does a path mean?
//!
//! In: a path as text, such as `$.a.b`, `$['a b']` or `$.items[0]`. Out: its steps.
//! Spec: RFC 9535, names and indexes alone; Iceberg, Bounds for Variant (normalized paths).
//!
//! Invariant: the number of steps is limited, as the depth of values is.

use super::MOST_DEPTH;
use super::bounds::path_of;
use crate::error::{Error, Result};

/// The way from a variant to one of its fields.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VariantPath {
    pub(super) steps: Vec<Step>,
}

/// A step of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// The field of an object.
    Field(String),
    /// The element of an array, 0 the first.
    Element(usize),
}

impl VariantPath {
    /// Reads a path.
    ///
    /// Errors: `InvalidInput` for a text that is not a path of names and indexes; `LimitExceeded` for more than 200 steps.
    pub fn parse(text: &str) -> Result<Self> {
        let wrong = |why: &str| {
            let shown: String = text.chars().take(80).collect();
            Error::invalid_input(format!(
                "the path {shown:?} of a variant is wrong: {why}; write it as $.name, $['a name'] or $.items[0]"
            ))
        };
        let mut rest = text.strip_prefix('$').ok_or_else(|| wrong("it does not begin with $"))?;
        let mut steps = Vec::new();
        while !rest.is_empty() {
            let (step, left) = if let Some(after) = rest.strip_prefix('.') {
                let end = after.find(['.', '[']).unwrap_or(after.len());
                let (name, left) = after.split_at(end);
                if name.is_empty() || name.contains(['*', '\'', '"', ']']) {
                    return Err(wrong("a name is expected after the point"));
                }
                (Step::Field(name.to_owned()), left)
            } else if let Some(after) = rest.strip_prefix('[') {
                bracket(after).ok_or_else(|| wrong("brackets have a quoted name or an index"))?
            } else {
                return Err(wrong("a point or a bracket is expected"));
            };
            steps.push(step);
            if steps.len() > MOST_DEPTH {
                return Err(Error::limit(format!("the path of a variant has more than {MOST_DEPTH} steps")));
            }
            rest = left;
        }
        Ok(Self { steps })
    }

    /// The path of names.
    pub fn of_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        Self { steps: names.into_iter().map(|name| Step::Field(name.to_owned())).collect() }
    }

    /// This path, and another one from where it ends.
    #[must_use]
    pub fn join(&self, other: &Self) -> Self {
        Self { steps: self.steps.iter().chain(&other.steps).cloned().collect() }
    }

    /// Does it end where it begins?
    pub fn is_root(&self) -> bool {
        self.steps.is_empty()
    }

    /// The names of its fields; `None` if it has an index.
    pub fn names(&self) -> Option<Vec<&str>> {
        let name = |step: &'_ Step| match step {
            Step::Field(_) => true,
            Step::Element(_) => false,
        };
        self.steps.iter().all(name).then(|| {
            let names = self.steps.iter().filter_map(|step| match step {
                Step::Field(name) => Some(name.as_str()),
                Step::Element(_) => None,
            });
            names.collect()
        })
    }

    /// The normalized path that bounds are stored under; `None` if it has an index.
    pub fn normalized(&self) -> Option<String> {
        self.names().map(|names| path_of(&names))
    }
}

/// A step in brackets, and what follows it.
fn bracket(after: &str) -> Option<(Step, &str)> {
    let first = after.chars().next()?;
    if first != '\'' && first != '"' {
        let (index, rest) = after.split_once(']')?;
        let is_index = index.bytes().all(|digit| digit.is_ascii_digit());
        return is_index.then(|| index.parse().ok()).flatten().map(|index| (Step::Element(index), rest));
    }
    let mut name = String::new();
    let mut rest = after[1..].chars();
    loop {
        match rest.next()? {
            '\\' => name.push(escaped(&mut rest)?),
            end if end == first => break,
            other => name.push(other),
        }
    }
    Some((Step::Field(name), rest.as_str().strip_prefix(']')?))
}

/// The character after a backslash.
fn escaped(rest: &mut std::str::Chars<'_>) -> Option<char> {
    Some(match rest.next()? {
        'b' => '\u{8}',
        't' => '\t',
        'n' => '\n',
        'f' => '\u{c}',
        'r' => '\r',
        same @ ('\'' | '"' | '\\' | '/') => same,
        'u' => {
            let code = rest.as_str().get(..4)?;
            let found = u32::from_str_radix(code, 16).ok().and_then(char::from_u32)?;
            *rest = rest.as_str()[4..].chars();
            found
        }
        _ => return None,
    })
}
