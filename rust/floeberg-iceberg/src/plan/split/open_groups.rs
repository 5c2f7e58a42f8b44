//! Which open group has room, and which is the fullest?
//!
//! ```text
//! (least, most) of all               a group is found from the top, going left where that side has one
//!    /                \
//! (least, most)   (least, most)
//!  /       \        /       \
//! what each group weighs, in the order in which they were opened; nothing where one was closed
//! ```
//!
//! Invariant: finding a group takes few steps, however many are open: properties of the table set that number.

use super::Part;

const FEWEST: usize = 8;

/// Open groups, in the order in which they were opened.
pub(super) struct OpenGroups {
    /// By number; `None` where a group was closed.
    groups: Vec<Option<Vec<Part>>>,
    /// The root at 1, the nodes below `n` at `2 n` and `2 n + 1`, the groups in the second half.
    tree: Vec<Node>,
    open: usize,
}

/// What groups weigh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Node {
    least: u64,
    most: Option<u64>,
}

const NONE: Node = Node { least: u64::MAX, most: None };

impl OpenGroups {
    /// No groups.
    pub fn new() -> Self {
        Self { groups: Vec::new(), tree: vec![NONE; 2 * FEWEST], open: 0 }
    }

    /// How many are open.
    pub fn len(&self) -> usize {
        self.open
    }

    /// Puts a part into the first group that stays within a limit. Returns the part if no group does.
    pub fn add(&mut self, part: Part, weight: u64, limit: u64) -> Option<Part> {
        // The largest weight also marks a closed group.
        let room = limit.checked_sub(weight).map(|room| room.min(u64::MAX - 1));
        let Some(place) = room.and_then(|room| self.first(|node| node.least <= room)) else {
            return Some(part);
        };
        let filled = self.tree[self.capacity() + place].least + weight;
        self.set(place, Node { least: filled, most: Some(filled) });
        if let Some(parts) = &mut self.groups[place] {
            Part::join(parts, part);
        }
        None
    }

    /// Opens a group.
    pub fn open(&mut self, part: Part, weight: u64) {
        if self.groups.len() == self.capacity() {
            self.close_ranks();
        }
        self.groups.push(Some(vec![part]));
        self.open += 1;
        self.set(self.groups.len() - 1, Node { least: weight, most: Some(weight) });
    }

    /// Closes the fullest, the earliest of several.
    pub fn close_fullest(&mut self) -> Option<Vec<Part>> {
        let most = self.tree[1].most?;
        let place = self.first(|node| node.most == Some(most))?;
        self.set(place, NONE);
        self.open -= 1;
        self.groups[place].take()
    }

    /// All that are open, in order.
    pub fn into_groups(self) -> impl Iterator<Item = Vec<Part>> {
        self.groups.into_iter().flatten()
    }

    fn capacity(&self) -> usize {
        self.tree.len() / 2
    }

    /// The first group that passes a test, which a node passes if a group below it does.
    fn first(&self, passes: impl Fn(Node) -> bool) -> Option<usize> {
        if !passes(self.tree[1]) {
            return None;
        }
        let mut place = 1;
        while place < self.capacity() {
            place = 2 * place + usize::from(!passes(self.tree[2 * place]));
        }
        Some(place - self.capacity())
    }

    fn set(&mut self, place: usize, node: Node) {
        let mut place = self.capacity() + place;
        self.tree[place] = node;
        while place > 1 {
            place /= 2;
            let (left, right) = (self.tree[2 * place], self.tree[2 * place + 1]);
            self.tree[place] = Node { least: left.least.min(right.least), most: left.most.max(right.most) };
        }
    }

    /// Removes the entries of closed groups, and doubles the room for open ones.
    fn close_ranks(&mut self) {
        let leaves = self.tree[self.capacity()..].to_vec();
        self.tree = vec![NONE; 2 * (2 * (self.open + 1)).next_power_of_two().max(FEWEST)];
        let open = leaves.into_iter().filter(|node| *node != NONE);
        self.groups.retain(Option::is_some);
        open.enumerate().for_each(|(place, node)| self.set(place, node));
    }
}
