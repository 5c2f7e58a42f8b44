//! How does Java write a float, a double and a decimal?
//!
//! In: a number. Out: the text of `Float.toString`, `Double.toString` (the shortest digits that are read back as the same
//! number) or `BigDecimal.toString`.

/// `1.5`, `1.0E10`, `NaN`.
pub(super) fn float(value: f32) -> String {
    not_finite(f64::from(value)).unwrap_or_else(|| shortest(&format!("{value:e}"), value.abs().into()))
}

/// `1.5`, `1.0E10`, `NaN`.
pub(super) fn double(value: f64) -> String {
    not_finite(value).unwrap_or_else(|| shortest(&format!("{value:e}"), value.abs()))
}

fn not_finite(value: f64) -> Option<String> {
    match value {
        value if value.is_nan() => Some("NaN".to_owned()),
        f64::INFINITY => Some("Infinity".to_owned()),
        f64::NEG_INFINITY => Some("-Infinity".to_owned()),
        _ => None,
    }
}

/// Java's form of Rust's `-1.25e-7`. Plain from a thousandth to ten millions, else with an exponent.
fn shortest(scientific: &str, magnitude: f64) -> String {
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |rest| ("-", rest));
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if magnitude != 0.0 && !(1e-3..1e7).contains(&magnitude) {
        let (first, rest) = digits.split_at(1);
        let rest = if rest.is_empty() { "0" } else { rest };
        return format!("{sign}{first}.{rest}E{exponent}");
    }
    if exponent < 0 {
        let zeros = "0".repeat((-exponent - 1) as usize);
        return format!("{sign}0.{zeros}{digits}");
    }
    let whole = exponent as usize + 1;
    let padded = format!("{digits:0<whole$}");
    let (whole, fraction) = padded.split_at(whole);
    format!("{sign}{whole}.{}", if fraction.is_empty() { "0" } else { fraction })
}

/// `1.20`, `0E-10`: plain while the first digit is within six places of the point.
pub(super) fn decimal(unscaled: i128, scale: u8) -> String {
    let sign = if unscaled < 0 { "-" } else { "" };
    let digits = unscaled.unsigned_abs().to_string();
    let scale = usize::from(scale);
    if scale == 0 {
        return format!("{sign}{digits}");
    }
    if digits.len() + 5 >= scale {
        let padded = format!("{digits:0>width$}", width = scale + 1);
        let (whole, fraction) = padded.split_at(padded.len() - scale);
        return format!("{sign}{whole}.{fraction}");
    }
    let exponent = scale + 1 - digits.len();
    let (first, rest) = digits.split_at(1);
    let point = if rest.is_empty() { "" } else { "." };
    format!("{sign}{first}{point}{rest}E-{exponent}")
}
