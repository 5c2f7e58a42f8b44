use proptest::prelude::*;

use crate::value::decimal::*;

#[test]
fn points_and_exponents_make_the_scale() {
    for (text, expected) in [
        ("14.20", (1_420, 2)),
        ("-0.05", (-5, 2)),
        ("2E+20", (2, -20)),
        ("1.5e-3", (15, 4)),
        ("+7", (7, 0)),
        (".5", (5, 1)),
        ("5.", (5, 0)),
    ] {
        assert_eq!(parse_decimal(text).unwrap(), expected, "{text}");
    }
    for text in ["", "-", ".", "1e", "1e99999", "1_0", "0x1", "1.2.3", "NaN", "é", "-é", &"9".repeat(39)] {
        assert!(parse_decimal(text).is_err(), "{text}");
    }
}

#[test]
fn rescaling_never_loses_digits() {
    assert_eq!(rescale(2, -20, 2), Some(2 * 10_i128.pow(22)));
    assert_eq!(rescale(1_500, 3, 1), Some(15));
    assert_eq!(rescale(1_501, 3, 1), None);
    assert_eq!(rescale(1, i32::MIN, 2), None, "a scale that Python can hand over");
    assert_eq!(rescale(1, 0, 38), None);
    assert_eq!(rescale(1, -30_000, 0), None);
    assert_eq!(rescale(0, -30_000, 0), Some(0));
}

proptest! {
    #[test]
    fn every_decimal_reads_back(unscaled in -(10_i128.pow(38) - 1)..10_i128.pow(38), scale in 0_u8..=38) {
        prop_assert_eq!(parse_decimal(&format_decimal(unscaled, scale)).unwrap(), (unscaled, i32::from(scale)));
    }
}
