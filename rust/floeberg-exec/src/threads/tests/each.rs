use floeberg_core::{Cancel, Error, ErrorKind};

use crate::cores::{is_given_up, waiting};
use crate::threads::ordered;

#[test]
fn results_come_in_the_order_of_the_items_whatever_the_threads() {
    let items: Vec<u64> = (0..500).collect();
    for threads in [1, 2, 7] {
        let doubled = ordered(&items, threads, &Cancel::default(), |item| Ok(item * 2)).unwrap();
        assert_eq!(doubled, items.iter().map(|item| item * 2).collect::<Vec<_>>());
    }
}

#[test]
fn the_first_failing_item_decides_the_error() {
    let items: Vec<u64> = (0..100).collect();
    let fail = |item: &u64| if *item >= 40 { Err(Error::invalid_data(item.to_string())) } else { Ok(*item) };
    assert_eq!(ordered(&items, 1, &Cancel::default(), fail).unwrap_err().message(), "40");
}

#[test]
fn cancelled_work_stops_with_its_own_kind() {
    let cancel = Cancel::default();
    cancel.cancel();
    let error = ordered(&[1, 2, 3], 2, &cancel, |item: &i32| Ok(*item)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled);
}

#[test]
fn a_panic_of_a_helper_thread_is_an_error_of_ours() {
    let items: Vec<u64> = (0..64).collect();
    let caller = std::thread::current().id();
    let error = ordered(&items, 4, &Cancel::default(), |item| {
        std::thread::sleep(std::time::Duration::from_millis(1));
        assert!(std::thread::current().id() == caller, "helpers panic");
        Ok(*item)
    })
    .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Internal);
}

#[test]
fn an_error_gives_up_what_waits_and_is_the_error_of_all() {
    waiting(|| {});
    let items: Vec<u64> = (0..10).collect();
    let begun = std::sync::Barrier::new(2);
    let error = ordered(&items, 2, &Cancel::default(), |item| match item {
        0 => waiting(|| {
            begun.wait();
            while !is_given_up() {
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
            Err(Error::new(ErrorKind::Cancelled, "the answer is not wanted any more"))
        }),
        1 => {
            begun.wait();
            Err::<(), _>(Error::invalid_data("damaged"))
        }
        _ => Ok(()),
    });
    assert_eq!(error.unwrap_err().message(), "damaged");
}
