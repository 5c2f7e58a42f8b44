use proptest::prelude::*;

use crate::error::ErrorKind;
use crate::value::datetime::*;

fn micros(text: &str) -> i64 {
    parse_timestamp(text).unwrap().micros().unwrap()
}

#[test]
fn dates_count_from_1970_in_both_directions() {
    for (text, days) in [
        ("1970-01-01", 0),
        ("1969-12-31", -1),
        ("2017-11-16", 17_486),
        ("2000-02-29", 11_016),
        ("0001-01-01", -719_162),
        ("0000-12-31", -719_163),
        ("-0001-12-31", -719_529),
        ("9999-12-31", 2_932_896),
        ("+10000-01-01", 2_932_897),
        ("+5881580-07-11", i32::MAX),
        ("-5877641-06-23", i32::MIN),
    ] {
        assert_eq!(parse_date(text).unwrap(), days, "{text}");
        assert_eq!(format_date(days), text);
    }
}

#[test]
fn days_that_no_month_has_are_errors() {
    for text in [
        "2023-02-29",
        "1900-02-29",
        "2020-02-30",
        "2020-04-31",
        "2020-13-01",
        "2020-00-10",
        "2020-01-00",
        "2020-1-01",
        "20200101",
        "2020-01-01 ",
        " 2020-01-01",
        "10000-01-01",
        "+5881580-07-12",
        "",
        "-",
        "2020-01",
        "2020-01-0x",
    ] {
        assert_eq!(parse_date(text).unwrap_err().kind(), ErrorKind::InvalidInput, "{text}");
    }
}

#[test]
fn times_have_up_to_six_fraction_digits() {
    assert_eq!(parse_time("22:31:08").unwrap(), 81_068_000_000);
    assert_eq!(parse_time("22:31").unwrap(), 81_060_000_000);
    assert_eq!(parse_time("00:00:00.1").unwrap(), 100_000);
    assert_eq!(parse_time("23:59:59.999999000").unwrap(), 86_399_999_999);
    for text in ["24:00:00", "23:60:00", "23:59:60", "23:59:59.9999991", "23:59:59.", "2:00:00", "12:00:00Z"]
    {
        assert_eq!(parse_time(text).unwrap_err().kind(), ErrorKind::InvalidInput, "{text}");
    }
    assert_eq!(format_time(81_068_000_000), "22:31:08");
    assert_eq!(format_time(81_068_123_400), "22:31:08.123400");
}

#[test]
fn timestamps_read_spaces_offsets_and_bare_dates() {
    let expected = 1_510_871_468_000_000;
    assert_eq!(micros("2017-11-16T22:31:08"), expected);
    assert_eq!(micros("2017-11-16 22:31:08"), expected);
    assert_eq!(micros("2017-11-16T14:31:08-08:00"), expected);
    assert_eq!(micros("2017-11-17T00:31:08+02"), expected);
    assert_eq!(micros("2017-11-16T22:31:08.000001Z"), expected + 1);
    assert_eq!(micros("2017-11-16"), 17_486 * MICROS_PER_DAY);
    assert!(parse_timestamp("2017-11-16T22:31:08Z").unwrap().has_zone());
    assert!(!parse_timestamp("2017-11-16T22:31:08").unwrap().has_zone());
    assert_eq!(micros("1969-12-31T23:59:59.999999"), -1);
    assert_eq!(parse_timestamp("1969-12-31T23:59:59.999999999").unwrap().nanos().unwrap(), -1);
}

#[test]
fn timestamps_that_are_malformed_or_out_of_range_are_errors() {
    for text in [
        "2017-11-16T",
        "2017-11-16T22",
        "2017-11-16X22:31:08",
        "2017-11-16T22:31:08+19:00",
        "2017-11-16T22:31:08+1",
        "2017-11-16T22:31:08.1234567890",
        "2017-11-16T22:31:08ZZ",
        "2017-02-30T00:00:00",
        "2017-11-16Z",
        "é",
    ] {
        assert_eq!(parse_timestamp(text).unwrap_err().kind(), ErrorKind::InvalidInput, "{text}");
    }
    assert!(parse_timestamp("2017-11-16T22:31:08.0000001").unwrap().micros().is_err());
    assert!(parse_timestamp("+300000-01-01").unwrap().micros().is_err());
    assert!(parse_timestamp("2263-01-01").unwrap().nanos().is_err());
}

proptest! {
    #[test]
    fn every_date_reads_back(days in any::<i32>()) {
        prop_assert_eq!(parse_date(&format_date(days)).unwrap(), days);
    }

    #[test]
    fn every_timestamp_reads_back(units in any::<i64>()) {
        prop_assert_eq!(micros(&format_timestamp(units)), units);
        let zoned = parse_timestamp(&format_timestamptz(units)).unwrap();
        prop_assert!(zoned.has_zone());
        prop_assert_eq!(zoned.micros().unwrap(), units);
        prop_assert_eq!(parse_timestamp(&format_timestamp_ns(units)).unwrap().nanos().unwrap(), units);
        prop_assert_eq!(parse_timestamp(&format_timestamptz_ns(units)).unwrap().nanos().unwrap(), units);
    }

    #[test]
    fn every_time_reads_back(units in 0..MICROS_PER_DAY) {
        prop_assert_eq!(parse_time(&format_time(units)).unwrap(), units);
    }

    #[test]
    fn the_day_after_is_the_next_date(days in -4_000_000_000_i64..4_000_000_000) {
        let (year, month, day) = civil_from_days(days);
        prop_assert_eq!(days_from_civil(year, month, day), days);
        let (next_year, next_month, next_day) = civil_from_days(days + 1);
        prop_assert!((next_year, next_month, next_day) > (year, month, day));
        prop_assert!(next_day == day + 1 || next_day == 1);
    }

    #[test]
    fn no_text_panics(text in "[-+0-9T: .Z]{0,30}") {
        let _ = (parse_date(&text), parse_time(&text), parse_timestamp(&text).map(|moment| moment.micros()));
    }
}
