#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::ptr;

use super::{Slot, slot_of};

#[test]
fn each_process_keeps_one_slot_and_leaves_those_of_others_alone() {
    let slots: [Slot<u32>; 3] = [const { Slot::new() }; 3];
    let parent = slot_of(&slots, 100).unwrap();
    parent.value.set(100).unwrap();
    let child = slot_of(&slots, 200).unwrap();
    assert!(child.value.get().is_none());
    assert!(!ptr::eq(parent, child));
    assert!(ptr::eq(slot_of(&slots, 100).unwrap(), parent));
    assert!(ptr::eq(slot_of(&slots, 200).unwrap(), child));
    slot_of(&slots, 300).unwrap();
    assert!(slot_of(&slots, 400).is_none());
}
