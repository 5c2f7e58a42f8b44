//! Which known names are near a wrong one?

use crate::error::Error;

/// The error for an unknown column, with up to three near matches.
pub fn unknown_column<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Error {
    let wanted = name.to_lowercase();
    let length = wanted.chars().count();
    // Of a short name, every other short name is near.
    let most = (length / 3).max(1).min(length.saturating_sub(1));
    let mut ranked: Vec<(usize, &str)> = known
        .map(|candidate| (distance(&wanted, &candidate.to_lowercase()), candidate))
        .filter(|(edits, candidate)| {
            *edits <= most || length > 1 && candidate.to_lowercase().contains(&wanted)
        })
        .collect();
    ranked.sort_unstable();
    let near: Vec<_> = ranked.iter().take(3).map(|(_, candidate)| format!("{candidate:?}")).collect();
    if near.is_empty() {
        Error::invalid_input(format!("no column is named {name:?}"))
    } else {
        Error::invalid_input(format!("no column is named {name:?}; near matches: {}", near.join(", ")))
    }
}

/// Levenshtein distance over characters, of names cut at 128 characters.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().take(128).collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (above, from) in left.chars().take(128).enumerate() {
        let mut diagonal = row[0];
        row[0] = above + 1;
        for (column, to) in right.iter().enumerate() {
            let substitute = diagonal + usize::from(from != *to);
            diagonal = row[column + 1];
            row[column + 1] = substitute.min(row[column] + 1).min(diagonal + 1);
        }
    }
    row[right.len()]
}
