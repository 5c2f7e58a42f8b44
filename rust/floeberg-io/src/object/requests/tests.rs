#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::time::Instant;

use super::Lane;

/// How many turns can be had at once.
fn free(lane: &Lane) -> usize {
    lane.turns.available_permits()
}

fn turn(lane: &Lane) -> super::Turn<'_> {
    super::Turn { lane, permit: Some(lane.turns.try_acquire().unwrap()) }
}

#[test]
fn a_store_that_asks_for_fewer_gets_half_and_then_one_more_a_round() {
    let lane = Lane::new(32);
    lane.narrow(Instant::now());
    assert_eq!(free(&lane), 16);
    lane.narrow(Instant::now());
    assert_eq!(free(&lane), 8);
    (0..8).for_each(|_| lane.widen());
    assert_eq!(free(&lane), 8, "a round is not over");
    lane.widen();
    assert_eq!(free(&lane), 9);
    (0..10_000).for_each(|_| lane.widen());
    assert_eq!(free(&lane), 32);
}

#[test]
fn requests_of_one_round_count_once() {
    let lane = Lane::new(32);
    let sent = Instant::now();
    (0..32).for_each(|_| lane.narrow(sent));
    assert_eq!(free(&lane), 16);
}

#[test]
fn one_request_is_always_allowed() {
    let lane = Lane::new(3);
    (0..10).for_each(|_| lane.narrow(Instant::now()));
    assert_eq!(free(&lane), 1);
    let turn = turn(&lane);
    lane.narrow(Instant::now());
    drop(turn);
    assert_eq!(free(&lane), 1);
}

#[test]
fn turns_that_are_too_many_end_with_their_request() {
    let lane = Lane::new(4);
    let mut turns: Vec<_> = (0..4).map(|_| turn(&lane)).collect();
    lane.narrow(Instant::now());
    for (left, expected) in [(3, 0), (2, 0), (1, 1), (0, 2)] {
        turns.truncate(left);
        assert_eq!(free(&lane), expected, "{left} are under way");
    }
}

#[test]
fn another_budget_counts_at_once() {
    let lane = Lane::new(4);
    let held = turn(&lane);
    lane.set_most(10);
    assert_eq!(free(&lane), 9);
    lane.set_most(2);
    assert_eq!(free(&lane), 1);
    drop(held);
    assert_eq!(free(&lane), 2);
    lane.set_most(2);
    assert_eq!(free(&lane), 2);
}

#[test]
fn no_turn_is_spare_while_the_store_has_too_much_to_do() {
    let lane = Lane::new(2);
    assert!(lane.spare_turn().is_some());
    let held = [turn(&lane), turn(&lane)];
    assert!(lane.spare_turn().is_none());
    drop(held);
    lane.narrow(Instant::now());
    assert_eq!(free(&lane), 1);
    assert!(lane.spare_turn().is_none());
}
