//! Which files of a table are opened, where a check opens a part of them?

use std::hash::{DefaultHasher, Hash, Hasher as _};

use crate::error::{Error, Result};

/// A number for a file, or for what is said of it: the same each time, and another one for another file.
pub fn key_of(file: &impl Hash) -> u128 {
    let half = |seed: u8| {
        let mut hasher = DefaultHasher::new();
        (seed, file).hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(0) << 64 | half(1)
}

/// Is a file one of the part that is opened? The same files are each time.
pub fn is_sampled(key: u128, sample: Option<f64>) -> bool {
    let share = (key >> 96) as f64 / f64::from(u32::MAX);
    sample.is_none_or(|sample| share <= sample)
}

/// Checks which part of the files is opened. Errors: `InvalidInput` for a sample that is no part.
pub fn check_sample(sample: Option<f64>) -> Result<()> {
    match sample {
        Some(part) if !(part > 0.0 && part <= 1.0) => {
            Err(Error::invalid_input(format!("sample: expected a part above 0, up to 1, found {part}")))
        }
        _ => Ok(()),
    }
}
