#![allow(clippy::unwrap_used)]

use super::*;

fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

#[test]
fn attempts_are_counted_by_what_they_ask_for() {
    let counted = run(Sent::default().counting(async { [attempt("a"), attempt("b"), attempt("a")] }));
    assert_eq!(counted, [1, 1, 2]);
    assert_eq!(attempt("a"), 1, "outside of a request");
}

#[test]
fn a_request_on_its_way_is_not_given_up() {
    let sent = Sent::default();
    run(sent.clone().counting(async {
        assert!(!sent.give_up(), "it was not sent");
        let sending = begin().await;
        assert!(sending.is_some() && !sent.give_up());
        drop(sending);
        assert!(sent.give_up());
        assert!(begin().await.is_none(), "it is not sent again");
    }));
}

#[test]
fn the_next_attempt_waits_and_can_be_given_up_meanwhile() {
    let sent = Sent::default();
    run(sent.clone().counting(async {
        pause(Duration::from_millis(250));
        let began = Instant::now();
        drop(begin().await.unwrap());
        assert!(began.elapsed() >= Duration::from_millis(250));
        pause(Duration::from_secs(3600));
        assert!(sent.give_up());
        assert!(begin().await.is_none());
    }));
}
