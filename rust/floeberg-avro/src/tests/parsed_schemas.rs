use std::sync::Arc;

use crate::read::MOST;
use crate::testing::file;
use crate::{Container, Limits, ParsedSchemas};

#[test]
fn a_schema_is_parsed_once_and_few_are_kept() {
    let parsed = ParsedSchemas::default();
    let of = |number: usize| {
        let json = format!(r#"{{"type": "record", "name": "r{number}", "fields": []}}"#);
        let bytes = file(&json, 0, &[]);
        parsed.of(&Container::open(&bytes, &Limits::default()).unwrap()).unwrap()
    };
    let first = of(0);
    assert!(Arc::ptr_eq(&first, &of(0)));
    for number in 1..=MOST {
        of(number);
    }
    let again = of(0);
    assert!(!Arc::ptr_eq(&first, &again));
    assert_eq!(first, again);
    assert_eq!(parsed.0.lock().unwrap().len(), MOST);
}

#[test]
fn a_lock_that_is_taken_is_not_waited_for() {
    let parsed = ParsedSchemas::default();
    let bytes = file(r#"{"type": "record", "name": "r", "fields": []}"#, 0, &[]);
    let container = Container::open(&bytes, &Limits::default()).unwrap();
    let _taken = parsed.0.lock().unwrap();
    assert!(!Arc::ptr_eq(&parsed.of(&container).unwrap(), &parsed.of(&container).unwrap()));
}
