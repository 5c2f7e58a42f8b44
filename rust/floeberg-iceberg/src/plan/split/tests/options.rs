use std::collections::BTreeMap;

use floeberg_core::ErrorKind;

use crate::plan::{SplitOptions, SplitRequest};

fn properties(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

#[test]
fn what_nobody_says_is_as_usual() {
    assert_eq!(SplitRequest::default().options(&BTreeMap::new()).unwrap(), SplitOptions::default());
}

#[test]
fn what_is_asked_for_goes_before_what_the_table_says() {
    let table = properties(&[
        ("read.split.target-size", "1000"),
        ("read.split.open-file-cost", "0"),
        ("read.split.planning-lookback", "3"),
    ]);
    let told = SplitRequest::default().options(&table).unwrap();
    assert_eq!((told.target_size, told.open_file_cost, told.lookback), (1000, 0, 3));
    let request = SplitRequest {
        target_size: Some(7),
        open_file_cost: Some(8),
        lookback: Some(9),
        most_groups: Some(2),
        least_size: Some(5),
    };
    let asked = request.options(&table).unwrap();
    let expected =
        SplitOptions { target_size: 7, open_file_cost: 8, lookback: 9, most_groups: Some(2), least_size: 5 };
    assert_eq!(asked, expected);
}

#[test]
fn a_property_that_is_no_such_number_is_an_error_that_names_it_where_it_is_needed() {
    for (name, written) in [
        ("read.split.target-size", "0"),
        ("read.split.target-size", "128MB"),
        ("read.split.open-file-cost", "-1"),
        ("read.split.planning-lookback", "0"),
        ("read.split.planning-lookback", ""),
    ] {
        let table = properties(&[(name, written)]);
        let error = SplitRequest::default().options(&table).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{name} {written}");
        assert!(error.to_string().contains(name), "{error}");
        let request = SplitRequest {
            target_size: Some(1),
            open_file_cost: Some(1),
            lookback: Some(1),
            ..SplitRequest::default()
        };
        request.options(&table).unwrap();
    }
}
