#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use super::Renewals;
use crate::options::PROVIDER;
use crate::options::StoreOptions;

const END: &str = "s3.session-token-expires-at-ms";
const PATIENCE: Duration = Duration::from_secs(20);

fn options(token: &str, end: Option<i64>) -> StoreOptions {
    let mut options = StoreOptions::from_iter([(PROVIDER, "m:f"), ("s3.session-token", token)]);
    if let Some(end) = end {
        options.insert(END, end.to_string());
    }
    options
}

fn token(options: &StoreOptions) -> &str {
    options.get("s3.session-token").unwrap()
}

#[test]
fn options_hold_until_shortly_before_their_end_and_are_then_wanted_once() {
    let (renewals, first) = (Renewals::default(), Arc::new(options("a", Some(1_000_000))));
    let at = |now: i64| token(&renewals.current(&first, || now, PATIENCE).unwrap()).to_owned();
    assert_eq!(at(900_000), "a");
    assert!(renewals.take_wanted().is_empty());
    // They still hold, so that nobody waits.
    assert_eq!(at(950_000), "a");
    assert_eq!(at(950_001), "a");
    assert_eq!(renewals.take_wanted(), [options("a", Some(1_000_000))]);
    assert_eq!(at(950_002), "a");
    assert!(renewals.take_wanted().is_empty(), "somebody is asking");
    renewals.renewed(&first, Ok(options("b", Some(2_000_000))), 1_000_000);
    assert_eq!(at(1_749_999), "b");
    assert!(renewals.take_wanted().is_empty());
    assert_eq!(at(1_750_000), "b");
    assert_eq!(renewals.take_wanted().len(), 1);
}

#[test]
fn requests_wait_for_options_that_have_ended() {
    let (renewals, first) = (Renewals::default(), Arc::new(options("a", Some(1_000))));
    thread::scope(|scope| {
        let waiting = scope.spawn(|| renewals.current(&first, || 5_000, PATIENCE).unwrap());
        while renewals.take_wanted().is_empty() {
            thread::yield_now();
        }
        renewals.renewed(&first, Ok(options("b", None)), 5_000);
        assert_eq!(token(&waiting.join().unwrap()), "b");
    });
    // Without an end they hold for ever.
    assert_eq!(token(&renewals.current(&first, || i64::MAX - 1, PATIENCE).unwrap()), "b");
}

#[test]
fn options_without_an_end_are_the_providers_to_give() {
    let (renewals, first) = (Renewals::default(), Arc::new(options("none", None)));
    let error = renewals.current(&first, || 0, Duration::ZERO).unwrap_err();
    assert!(error.is_retryable());
    assert!(error.message().contains("\"m:f\""), "{error}");
    assert!(!error.message().contains("none"), "{error}");
    assert_eq!(renewals.take_wanted().len(), 1);
}

#[test]
fn a_failure_reaches_those_who_wait_and_old_options_are_used_while_they_hold() {
    let (renewals, first) = (Renewals::default(), Arc::new(options("a", Some(100_000))));
    renewals.current(&first, || 50_000, PATIENCE).unwrap();
    assert_eq!(renewals.take_wanted().len(), 1);
    renewals.renewed(&first, Err("the server is away".to_owned()), 50_000);
    renewals.current(&first, || 55_000, PATIENCE).unwrap();
    assert!(renewals.take_wanted().is_empty(), "the provider is left alone for a while");
    renewals.current(&first, || 60_000, PATIENCE).unwrap();
    assert_eq!(renewals.take_wanted().len(), 1);
    // What has ended when it comes is a failure too.
    renewals.renewed(&first, Ok(options("b", Some(1))), 60_000);
    thread::scope(|scope| {
        let waiting = scope.spawn(|| renewals.current(&first, || 100_000, PATIENCE).unwrap_err());
        while renewals.take_wanted().is_empty() {
            thread::yield_now();
        }
        renewals.renewed(&first, Err("the server is away".to_owned()), 100_000);
        assert!(waiting.join().unwrap().message().ends_with("the server is away"));
    });
}
