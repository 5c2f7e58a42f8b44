//! Which names of columns need quotes?

/// Words of a filter that are names only in quotes.
const OF_FILTERS: [&str; 11] =
    ["AND", "OR", "NOT", "IN", "IS", "NULL", "LIKE", "BETWEEN", "TRUE", "FALSE", "ESCAPE"];

/// Words that are names in filters, and only in quotes in expressions of values.
const OF_VALUES: [&str; 9] = ["ILIKE", "CASE", "WHEN", "THEN", "ELSE", "END", "AS", "FROM", "DISTINCT"];

/// Is a name the same without quotes in a filter?
pub(super) fn is_plain_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_alphabetic() || first == '_')
        && name.chars().all(|character| character.is_alphanumeric() || character == '_')
        && !is_reserved(name)
}

/// Is a word a name only in quotes, in filters and everywhere?
pub(super) fn is_reserved(word: &str) -> bool {
    is_one_of(word, &OF_FILTERS)
}

/// Is a word a name only in quotes, in expressions of values?
pub(super) fn is_reserved_in_values(word: &str) -> bool {
    is_reserved(word) || is_one_of(word, &OF_VALUES)
}

fn is_one_of(word: &str, words: &[&str]) -> bool {
    words.iter().any(|each| word.eq_ignore_ascii_case(each))
}
