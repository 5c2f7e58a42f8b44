#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Int32Type, Int64Type};
use arrow_array::{
    Array, ArrayRef, Date32Array, DictionaryArray, Int32Array, Int64Array, Time64MicrosecondArray,
    TimestampMicrosecondArray, TimestampMillisecondArray, TimestampNanosecondArray,
};
use arrow_cast::cast;
use arrow_schema::{DataType, TimeUnit};

use super::ValueExpression;
use crate::error::ErrorKind;
use crate::value::datetime::{civil_from_days, days_from_civil, format_date, parse_date};

const ROWS: usize = 6;

/// Dates with a leap day, days before 1970 and before year 1, and years of five digits.
const DAYS: [Option<&str>; ROWS] = [
    Some("2024-02-29"),
    Some("1969-12-31"),
    Some("1900-03-01"),
    Some("-0001-12-31"),
    Some("+12345-06-07"),
    None,
];

/// The microseconds of the same days, each a microsecond before midnight.
fn moments() -> Vec<Option<i64>> {
    DAYS.map(|day| day.map(|day| (i64::from(parse_date(day).unwrap()) + 1) * 86_400_000_000 - 1)).to_vec()
}

fn columns() -> HashMap<String, ArrayRef> {
    let days: Date32Array = DAYS.map(|day| day.map(|day| parse_date(day).unwrap())).into_iter().collect();
    let ts = TimestampMicrosecondArray::from(moments());
    let keys = Int32Array::from(vec![Some(0), Some(1), Some(2), Some(3), Some(4), None]);
    let far = Date32Array::from(vec![i32::MAX, i32::MIN, i32::MAX, i32::MIN, i32::MAX, i32::MIN]);
    let ns = TimestampNanosecondArray::from(vec![
        Some(-1),
        Some(i64::MIN),
        Some(i64::MAX),
        Some(0),
        Some(1),
        None,
    ]);
    let ends =
        TimestampMicrosecondArray::from(vec![i64::MIN, i64::MAX, i64::MIN, i64::MAX, i64::MIN, i64::MAX]);
    let millis = moments().into_iter().map(|at| at.map(|at| at.div_euclid(1_000)));
    let times = vec![Some(0), Some(86_399_999_999), Some(1), None, Some(36_061_500_000), None];
    let columns: [(&str, ArrayRef); 12] = [
        ("coded", Arc::new(DictionaryArray::new(keys, Arc::new(days.clone())))),
        ("wide", cast(&days, &DataType::Date64).unwrap()),
        ("day", Arc::new(days)),
        ("tz", Arc::new(ts.clone().with_timezone("UTC"))),
        ("riga", Arc::new(ts.clone().with_timezone("+02:00"))),
        ("ms", Arc::new(millis.collect::<TimestampMillisecondArray>())),
        ("ts", Arc::new(ts)),
        ("ns", Arc::new(ns)),
        ("far", Arc::new(far)),
        ("ends", Arc::new(ends)),
        ("time", Arc::new(Time64MicrosecondArray::from(times))),
        ("n", Arc::new(Int64Array::from(vec![Some(1), Some(-1), None, Some(0), Some(12), Some(1)]))),
    ];
    columns.map(|(name, column)| (name.to_owned(), column)).into()
}

fn values(text: &str) -> ArrayRef {
    let expression = ValueExpression::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    expression.evaluate(&columns(), ROWS).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn numbers(text: &str) -> Vec<Option<i64>> {
    let values = values(text);
    assert!(values.data_type().is_integer(), "{text} is of type {}", values.data_type());
    cast(&values, &DataType::Int64).unwrap().as_primitive::<Int64Type>().iter().collect()
}

fn texts(text: &str) -> Vec<Option<String>> {
    let values = values(&format!("CAST({text} AS STRING)"));
    values.as_string::<i32>().iter().map(|text| text.map(str::to_owned)).collect()
}

/// The value of an expression of constants, as text.
fn one(text: &str) -> String {
    texts(text).swap_remove(0).unwrap_or_else(|| "null".to_owned())
}

fn wrong(text: &str) -> (ErrorKind, String) {
    let error = match ValueExpression::parse(text) {
        Ok(expression) => expression.evaluate(&columns(), ROWS).unwrap_err(),
        Err(error) => error,
    };
    (error.kind(), error.message().to_owned())
}

#[test]
fn parts_of_days_are_those_of_the_calendar() {
    for (text, expected) in [
        ("YEAR(x)", [2024, 1969, 1900, -1, 12345]),
        ("QUARTER(x)", [1, 4, 1, 4, 2]),
        ("month(x)", [2, 12, 3, 12, 6]),
        ("DAY(x)", [29, 31, 1, 31, 7]),
        ("DAYOFMONTH(x)", [29, 31, 1, 31, 7]),
        ("DAYOFYEAR(x)", [60, 365, 60, 365, 158]),
        ("DAYOFWEEK(x)", [5, 4, 5, 6, 5]),
        ("EXTRACT(ISODOW FROM x)", [4, 3, 4, 5, 4]),
        ("WEEKOFYEAR(x)", [9, 1, 9, 52, 23]),
        ("EXTRACT(ISOYEAR FROM x)", [2024, 1970, 1900, -1, 12345]),
        ("DATE_PART('doy', x)", [60, 365, 60, 365, 158]),
        ("extract('year' from x)", [2024, 1969, 1900, -1, 12345]),
    ] {
        let expected: Vec<_> = expected.into_iter().map(Some).chain([None]).collect();
        for column in ["day", "wide", "coded", "ts", "tz", "riga"] {
            let text = text.replace("(x", &format!("({column}")).replace(" x)", &format!(" {column})"));
            assert_eq!(numbers(&text), expected, "{text}");
        }
    }
}

#[test]
fn parts_of_times_are_those_that_texts_show() {
    for (part, expected) in [("HOUR", 23), ("MINUTE", 59), ("SECOND", 59)] {
        for column in ["ts", "tz", "riga"] {
            let expected = [[Some(expected); ROWS - 1].as_slice(), &[None]].concat();
            assert_eq!(numbers(&format!("{part}({column})")), expected);
            assert_eq!(numbers(&format!("EXTRACT({part} FROM {column})")), expected);
        }
        assert_eq!(numbers(&format!("{part}(day)")), [Some(0), Some(0), Some(0), Some(0), Some(0), None]);
    }
    // The nanoseconds -1, the first, the last, 0 and 1.
    assert_eq!(numbers("YEAR(ns)"), [Some(1969), Some(1677), Some(2262), Some(1970), Some(1970), None]);
    assert_eq!(numbers("SECOND(ns)"), [Some(59), Some(43), Some(16), Some(0), Some(0), None]);
    assert_eq!(numbers("HOUR(time)"), [Some(0), Some(23), Some(0), None, Some(10), None]);
    assert_eq!(numbers("SECOND(time)"), [Some(0), Some(59), Some(0), None, Some(1), None]);
    assert_eq!(values("YEAR(NULL)").data_type(), &DataType::Int32);
    assert_eq!(values("YEAR(NULL)").null_count(), ROWS);
}

#[test]
fn moments_are_truncated_to_where_their_units_begin() {
    for (unit, expected) in [
        ("YEAR", ["2024-01-01", "1969-01-01", "1900-01-01", "-0001-01-01", "+12345-01-01"]),
        ("quarter", ["2024-01-01", "1969-10-01", "1900-01-01", "-0001-10-01", "+12345-04-01"]),
        ("month", ["2024-02-01", "1969-12-01", "1900-03-01", "-0001-12-01", "+12345-06-01"]),
        ("week", ["2024-02-26", "1969-12-29", "1900-02-26", "-0001-12-27", "+12345-06-04"]),
        ("day", ["2024-02-29", "1969-12-31", "1900-03-01", "-0001-12-31", "+12345-06-07"]),
    ] {
        let dates: Vec<_> = expected.iter().map(|day| Some((*day).to_owned())).chain([None]).collect();
        for column in ["ts", "tz", "ms", "day", "coded"] {
            let text = format!("CAST(DATE_TRUNC('{unit}', {column}) AS DATE)");
            assert_eq!(texts(&text), dates, "{text}");
            assert_eq!(numbers(&format!("HOUR(DATE_TRUNC('{unit}', {column}))"))[..5], [Some(0); 5]);
        }
        if !unit.eq_ignore_ascii_case("day") {
            assert_eq!(texts(&format!("TRUNC(day, '{unit}')")), dates);
        }
    }
    let moment = "TIMESTAMP '1969-12-31 23:59:59.987654'";
    for (unit, expected) in [
        ("hour", "1969-12-31 23:00:00"),
        ("minute", "1969-12-31 23:59:00"),
        ("second", "1969-12-31 23:59:59"),
        ("millisecond", "1969-12-31 23:59:59.987"),
        ("microsecond", "1969-12-31 23:59:59.987654"),
    ] {
        assert_eq!(one(&format!("DATE_TRUNC('{unit}', {moment})")), expected);
    }
    assert_eq!(
        values("DATE_TRUNC('hour', TIMESTAMP '1970-01-01 00:00:00.000000001')").data_type(),
        &DataType::Timestamp(TimeUnit::Nanosecond, None)
    );
    assert_eq!(values("DATE_TRUNC('hour', tz)").data_type(), values("tz").data_type());
    assert!(wrong("DATE_TRUNC('day', ns)").1.contains("overflow: a unit begins before the first timestamp"));
    assert!(wrong("DATE_TRUNC('hour', ends)").1.contains("overflow"));
    assert!(wrong("TRUNC(far, 'year')").1.contains("overflow: a unit begins before the first date"));
}

#[test]
fn a_month_later_is_the_last_day_of_a_shorter_month() {
    for (text, expected) in [
        ("ADD_MONTHS(DATE '2024-01-31', 1)", "2024-02-29"),
        ("ADD_MONTHS(DATE '2023-03-31', -1)", "2023-02-28"),
        ("ADD_MONTHS(DATE '2024-02-29', 12)", "2025-02-28"),
        // It does not stay the last one.
        ("ADD_MONTHS(DATE '2024-02-29', 1)", "2024-03-29"),
        ("DATE '2024-01-31' + INTERVAL '1' MONTH", "2024-02-29"),
        ("DATE '2024-03-31' - INTERVAL 1 month", "2024-02-29"),
        ("DATE '2024-02-29' + INTERVAL '-1 years'", "2023-02-28"),
        ("INTERVAL 2 WEEKS + DATE '9999-12-31'", "+10000-01-14"),
        ("DATE '1970-01-01' - INTERVAL '1' DAY", "1969-12-31"),
        ("DATE '1970-01-01' - INTERVAL '1' SECOND", "1969-12-31 23:59:59"),
        ("DATE '1970-01-01' + INTERVAL '24' HOUR + INTERVAL 1 DAY", "1970-01-03 00:00:00"),
        ("TIMESTAMP '2024-01-31 10:00:00.5' + INTERVAL '1' MONTH", "2024-02-29 10:00:00.5"),
        ("TIMESTAMP '1970-01-01 00:00:00.000000001' - INTERVAL 1 MINUTE", "1969-12-31 23:59:00.000000001"),
        ("TIMESTAMPTZ '2024-03-31 01:30:00+01:00' + INTERVAL 1 DAY", "2024-04-01 00:30:00+00:00"),
        ("DATE_ADD(DATE '2024-02-28', 2)", "2024-03-01"),
        ("DATE_SUB(DATE '1970-01-01', 1)", "1969-12-31"),
        ("LAST_DAY(DATE '1900-02-01')", "1900-02-28"),
        ("LAST_DAY(TIMESTAMP '2000-02-01 23:00:00')", "2000-02-29"),
        ("MAKE_DATE(2024, 2, 29)", "2024-02-29"),
        ("MAKE_DATE(-1, 1, 1)", "-0001-01-01"),
        ("TO_DATE('2024-02-29')", "2024-02-29"),
        ("TO_DATE(TIMESTAMP '1969-12-31 23:59:59')", "1969-12-31"),
    ] {
        assert_eq!(one(text), expected, "{text}");
    }
    assert_eq!(values("day + INTERVAL 1 DAY").data_type(), &DataType::Date32);
    assert_eq!(values("CASE WHEN n = 0 THEN ns - INTERVAL 1 DAY END").data_type(), values("ns").data_type());
}

#[test]
fn functions_of_two_dates_take_columns_and_nulls() {
    let after = |days: [i32; 6]| -> Vec<Option<String>> {
        let dates = DAYS.map(|day| day.map(|day| parse_date(day).unwrap()));
        dates.into_iter().zip(days).map(|(date, days)| date.map(|date| format_date(date + days))).collect()
    };
    let mut expected = after([1, -1, 0, 0, 12, 0]);
    expected[2] = None;
    assert_eq!(texts("DATE_ADD(day, n)"), expected);
    assert_eq!(texts("DATE_SUB(DATE_ADD(coded, n), n)")[1].as_deref(), Some("1969-12-31"));
    assert_eq!(texts("DATE_ADD(day, 1)"), after([1; 6]));
    assert_eq!(texts("ADD_MONTHS(day, n)")[4].as_deref(), Some("+12346-06-07"));
    assert_eq!(numbers("DATEDIFF(DATE_ADD(day, 5), ts)")[..5], [Some(5); 5]);
    assert_eq!(
        numbers("DATEDIFF(TIMESTAMP '2024-01-02 00:00:00', TIMESTAMP '2024-01-01 23:59:59')"),
        [Some(1); ROWS]
    );
    assert_eq!(numbers("UNIX_DATE(day)")[1], Some(-1));
    assert_eq!(numbers("DATEDIFF(far, DATE '1970-01-01')")[1], Some(i64::from(i32::MIN)));
    assert_eq!(numbers("DATEDIFF(far, DATE_ADD(far, 0))"), [Some(0); ROWS]);
    assert_eq!(texts("MAKE_DATE(YEAR(day), MONTH(day), DAY(day))"), after([0; 6]));
    for text in [
        "DATE_ADD(NULL, 1)",
        "DATE_ADD(DATE '2024-01-01', NULL)",
        "ADD_MONTHS(NULL, NULL)",
        "DATEDIFF(NULL, day)",
        "MAKE_DATE(2024, 1, NULL)",
        "LAST_DAY(NULL)",
        "DATE_TRUNC('day', NULL)",
        "NULL + INTERVAL 1 DAY",
    ] {
        assert_eq!(values(text).logical_null_count(), ROWS, "{text}");
    }
    // Of no rows nothing is computed, and the types are the same.
    for text in
        ["DATE_ADD(day, 99999999999)", "MAKE_DATE(2024, 13, 1)", "DATE '2024-01-01' + INTERVAL 9999999 YEAR"]
    {
        let empty = columns().into_iter().map(|(name, column)| (name, column.slice(0, 0))).collect();
        let made = ValueExpression::parse(text).unwrap().evaluate(&empty, 0).unwrap();
        assert_eq!((made.len(), made.data_type()), (0, &DataType::Date32), "{text}");
    }
}

#[test]
fn years_of_five_digits_and_more_are_parts_or_errors() {
    // The last years that Arrow's calendar has.
    let day = days_from_civil(262_142, 12, 31);
    assert_eq!(one(&format!("YEAR(DATE_ADD(DATE '1970-01-01', {day}))")), "262142");
    let (kind, said) = wrong("YEAR(far)");
    assert_eq!(kind, ErrorKind::InvalidInput);
    assert!(said.contains("YEAR of a date beyond the years of the calendar"), "{said}");
    assert!(wrong("MONTH(ends)").1.contains("MONTH of a timestamp beyond the years of the calendar"));
    for text in [
        "DATE_ADD(far, 1)",
        "DATE_SUB(far, 1)",
        "DATE_ADD(day, 9223372036854775807)",
        "DATE_SUB(day, -9223372036854775807 - 1)",
        "ADD_MONTHS(far, 1)",
        "ADD_MONTHS(day, 2147483648)",
        "LAST_DAY(far)",
        "far + INTERVAL 1 DAY",
        "ends + INTERVAL 1 SECOND",
        "ns - INTERVAL 1 YEAR",
        "far + INTERVAL 1 HOUR",
        "DATE_TRUNC('year', far)",
    ] {
        let (kind, said) = wrong(text);
        assert_eq!(kind, ErrorKind::InvalidInput, "{text}");
        assert!(said.to_lowercase().contains("overflow"), "{text}: {said}");
    }
    for text in [
        "MAKE_DATE(2023, 2, 29)",
        "MAKE_DATE(2023, 0, 1)",
        "MAKE_DATE(9000000, 1, 1)",
        "MAKE_DATE(2023, 1, -1)",
    ] {
        assert!(wrong(text).1.contains("MAKE_DATE: no date has year"), "{text}");
    }
}

#[test]
fn what_does_not_fit_says_where() {
    for (text, expected) in [
        ("YEAR(n) + 1", r#"YEAR needs dates or timestamps, found long, in "YEAR(n)" at position 1"#),
        (
            "1 + MONTH('2024-01-01')",
            r#"MONTH needs dates or timestamps, found string, in "MONTH('2024-01-01')""#,
        ),
        ("DAY(time)", "DAY needs dates or timestamps, found time"),
        ("HOUR(n)", "HOUR needs dates, timestamps or times, found long"),
        ("DATE_TRUNC('hour', time)", "DATE_TRUNC needs timestamps or dates, found time"),
        ("TRUNC(ts, 'month')", "TRUNC needs dates, found timestamp"),
        ("DATE_ADD(ts, 1)", "DATE_ADD needs dates, found timestamp"),
        ("DATE_ADD(day, 1.5)", "DATE_ADD needs integers, found decimal"),
        ("DATEDIFF(day, n)", "DATEDIFF needs dates or timestamps, found long"),
        (
            "time + INTERVAL 1 HOUR",
            "an interval is added to dates and timestamps, or subtracted from them, found time",
        ),
        ("INTERVAL 1 HOUR - ts", "an interval is added to dates and timestamps, or subtracted from them"),
        ("ts * INTERVAL 1 HOUR", "an interval is added to dates and timestamps, or subtracted from them"),
        ("INTERVAL 1 HOUR + INTERVAL 1 HOUR", "an interval is added to dates and timestamps"),
        ("COALESCE(INTERVAL 1 HOUR, NULL)", "an interval stands alone"),
        ("day - day", "- needs numbers, found date"),
        ("DATE_TRUNC('decade', ts)", "DATE_TRUNC needs a unit in quotes: YEAR"),
        ("DATE_TRUNC(ts, 'day')", "DATE_TRUNC needs a unit in quotes: YEAR"),
        ("TRUNC(day, 'hour')", "TRUNC of a date needs a unit in quotes: YEAR, QUARTER, MONTH or WEEK"),
        (
            "EXTRACT(DOW FROM ts)",
            r#"has "DOW FROM ts)", which is not supported: the parts of dates and times are YEAR"#,
        ),
        ("DATEDIFF('day', day, day)", "DATEDIFF needs 2 arguments, found 3"),
        ("day + INTERVAL '1-2' YEAR TO MONTH", "an interval is a whole number of YEAR"),
        ("day + INTERVAL '1' YEAR TO MONTH", "an interval is a whole number of YEAR"),
        ("day + INTERVAL '1.5' DAY", "an interval is a whole number of YEAR"),
        ("day + INTERVAL 1 DECADE", "an interval is a whole number of YEAR"),
        ("day + INTERVAL 99999999999 DAY", "an interval is a whole number of YEAR"),
        ("day + INTERVAL 1", "an interval is a whole number of YEAR"),
        ("CURRENT_DATE()", "there is no such function"),
        ("TO_DATE('2024-02-30')", "2024-02-30"),
    ] {
        let (_, said) = wrong(text);
        assert!(said.contains(expected), "{text}: {said}");
    }
    // A column of the name is one.
    let named = HashMap::from([("interval".to_owned(), Arc::new(Int64Array::from(vec![3])) as ArrayRef)]);
    let made = ValueExpression::parse("interval - 1").unwrap().evaluate(&named, 1).unwrap();
    assert_eq!(made.as_primitive::<Int64Type>().value(0), 2);
}

#[test]
fn parts_of_every_day_are_those_of_the_own_calendar() {
    let days: Vec<i32> = (-800_000..800_000).step_by(61).collect();
    let column = HashMap::from([("day".to_owned(), Arc::new(Date32Array::from(days.clone())) as ArrayRef)]);
    let found = |text: &str| ValueExpression::parse(text).unwrap().evaluate(&column, days.len()).unwrap();
    let parts = ["YEAR(day)", "MONTH(day)", "DAY(day)"].map(found);
    let [years, months, of_month] = parts.each_ref().map(AsArray::as_primitive::<Int32Type>);
    let last = found("LAST_DAY(day)");
    let next = found("ADD_MONTHS(TRUNC(day, 'month'), 1)");
    for (row, day) in days.iter().enumerate() {
        let (year, month, day) = civil_from_days(i64::from(*day));
        let own = (i64::from(years.value(row)), months.value(row) as u32, of_month.value(row) as u32);
        assert_eq!(own, (year, month, day));
        assert_eq!(
            last.as_primitive::<Date32Type>().value(row) + 1,
            next.as_primitive::<Date32Type>().value(row)
        );
    }
}
