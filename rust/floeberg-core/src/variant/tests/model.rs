//! Variants as trees: written and read by the specification alone, with nothing of what is tested.
//!
//! Equal trees are equal variants: numbers are compared by value, and objects by their fields.

use std::collections::BTreeMap;

/// A variant's value.
#[derive(Debug, Clone, PartialEq)]
pub enum Tree {
    /// A value of a type without parts, in its bytes: the type's number, then what follows the header.
    Primitive(u8, Vec<u8>),
    /// A string.
    String(String),
    /// Elements.
    Array(Vec<Tree>),
    /// Fields.
    Object(BTreeMap<String, Tree>),
    /// An exact number without trailing zeros: digits, and how many stand after the point.
    Number(i128, u8),
}

/// Names in the order of their ids.
#[derive(Debug, Clone, Default)]
pub struct Names(pub Vec<String>);

impl Names {
    /// The metadata, with offsets of so many bytes.
    pub fn encode(&self, width: usize) -> Vec<u8> {
        let mut bytes = vec![1 | ((width as u8 - 1) << 6)];
        bytes.extend(little(self.0.len(), width));
        let mut end = 0;
        bytes.extend(little(0, width));
        for name in &self.0 {
            end += name.len();
            bytes.extend(little(end, width));
        }
        bytes.extend(self.0.iter().flat_map(String::as_bytes));
        bytes
    }

    /// Of metadata.
    pub fn decode(bytes: &[u8]) -> Self {
        assert_eq!(bytes[0] & 15, 1, "version");
        let width = usize::from(bytes[0] >> 6) + 1;
        let count = number(&bytes[1..=width]);
        let offset = |id: usize| number(&bytes[1 + width * (id + 1)..][..width]);
        let names = &bytes[1 + width * (count + 2)..];
        let name = |id| String::from_utf8(names[offset(id)..offset(id + 1)].to_vec()).unwrap();
        Self((0..count).map(name).collect())
    }

    fn id(&self, name: &str) -> usize {
        self.0.iter().position(|known| known == name).unwrap()
    }
}

/// A tree as a value. Widths are larger than they need be by `slack`; objects store their values backwards.
pub fn encode(tree: &Tree, names: &Names, slack: usize) -> Vec<u8> {
    match tree {
        Tree::Primitive(number, bytes) => [vec![number << 2], bytes.clone()].concat(),
        Tree::String(text) if text.len() < 64 && slack == 0 => {
            [vec![(text.len() as u8) << 2 | 1], text.as_bytes().to_vec()].concat()
        }
        Tree::String(text) => [vec![16 << 2], little(text.len(), 4), text.as_bytes().to_vec()].concat(),
        Tree::Number(unscaled, scale) => number_bytes(*unscaled, *scale, slack),
        Tree::Array(elements) => {
            let values: Vec<_> = elements.iter().map(|element| encode(element, names, slack)).collect();
            let mut offsets = vec![0];
            for value in &values {
                offsets.push(offsets[offsets.len() - 1] + value.len());
            }
            let width = (width(offsets[values.len()]) + slack).min(4);
            let is_large = values.len() > 255 || slack > 0;
            let mut bytes = vec![((u8::from(is_large) << 2 | (width as u8 - 1)) << 2) | 3];
            bytes.extend(little(values.len(), if is_large { 4 } else { 1 }));
            bytes.extend(offsets.into_iter().flat_map(|offset| little(offset, width)));
            bytes.extend(values.concat());
            bytes
        }
        Tree::Object(fields) => {
            let mut values = Vec::new();
            let mut offsets = Vec::new();
            for field in fields.values().rev() {
                offsets.push(values.len());
                values.extend(encode(field, names, slack));
            }
            offsets.reverse();
            offsets.push(values.len());
            let ids: Vec<_> = fields.keys().map(|name| names.id(name)).collect();
            let id_width = (width(ids.iter().copied().max().unwrap_or(0)) + slack).min(4);
            let offset_width = (width(values.len()) + slack).min(4);
            let is_large = fields.len() > 255 || slack > 0;
            let flags = u8::from(is_large) << 4 | (id_width as u8 - 1) << 2 | (offset_width as u8 - 1);
            let mut bytes = vec![flags << 2 | 2];
            bytes.extend(little(fields.len(), if is_large { 4 } else { 1 }));
            bytes.extend(ids.into_iter().flat_map(|id| little(id, id_width)));
            bytes.extend(offsets.into_iter().flat_map(|offset| little(offset, offset_width)));
            bytes.extend(values);
            bytes
        }
    }
}

/// A number of the narrowest type that has it, or a wider one by `slack`.
fn number_bytes(unscaled: i128, scale: u8, slack: usize) -> Vec<u8> {
    let fits = |bytes: usize| unscaled >= -(1 << (8 * bytes - 1)) && unscaled < 1 << (8 * bytes - 1);
    let bytes = |length: usize| unscaled.to_le_bytes()[..length].to_vec();
    let mut integers = [(3, 1), (4, 2), (5, 4), (6, 8)].into_iter().filter(|(_, length)| fits(*length));
    if let Some((kind, length)) = integers.nth(slack).filter(|_| scale == 0) {
        return [vec![kind << 2], bytes(length)].concat();
    }
    let digits = unscaled.unsigned_abs().max(1).ilog10() + 1;
    let mut decimals = [(8, 4, 9), (9, 8, 18)].into_iter().filter(|(_, _, most)| digits <= *most);
    let (kind, length, _) = decimals.nth(slack).unwrap_or((10, 16, 38));
    [vec![kind << 2, scale], bytes(length)].concat()
}

/// The tree of a value, which must take all bytes.
pub fn decode(metadata: &[u8], value: &[u8]) -> Tree {
    let (tree, length) = decode_first(&Names::decode(metadata), value);
    assert_eq!(length, value.len(), "bytes after a value");
    tree
}

fn decode_first(names: &Names, bytes: &[u8]) -> (Tree, usize) {
    let flags = usize::from(bytes[0] >> 2);
    match bytes[0] & 3 {
        0 => primitive(flags as u8, &bytes[1..]),
        1 => (Tree::String(text(&bytes[1..=flags])), 1 + flags),
        kind => {
            let is_object = kind == 2;
            let large = if is_object { flags & 16 } else { flags & 4 } != 0;
            let (count_width, offset_width) = (if large { 4 } else { 1 }, (flags & 3) + 1);
            let id_width = if is_object { ((flags >> 2) & 3) + 1 } else { 0 };
            let count = number(&bytes[1..=count_width]);
            let ids = 1 + count_width;
            let offsets = ids + count * id_width;
            let values = offsets + (count + 1) * offset_width;
            let offset = |at: usize| number(&bytes[offsets + at * offset_width..][..offset_width]);
            let end = values + offset(count);
            let element = |at: usize| decode_first(names, &bytes[values + offset(at)..end]).0;
            if !is_object {
                return (Tree::Array((0..count).map(element).collect()), end);
            }
            let name = |at: usize| names.0[number(&bytes[ids + at * id_width..][..id_width])].clone();
            let in_order: Vec<_> = (0..count).map(name).collect();
            assert!(in_order.is_sorted(), "fields out of order: {in_order:?}");
            let fields: BTreeMap<_, _> = in_order.into_iter().zip((0..count).map(element)).collect();
            assert_eq!(fields.len(), count, "a field stands twice");
            (Tree::Object(fields), end)
        }
    }
}

fn primitive(kind: u8, data: &[u8]) -> (Tree, usize) {
    let exact = |bytes: &[u8], scale: u8| {
        let mut wide = [if bytes[bytes.len() - 1] & 128 == 0 { 0 } else { 255 }; 16];
        wide[..bytes.len()].copy_from_slice(bytes);
        normal(i128::from_le_bytes(wide), scale)
    };
    let plain = |length: usize| Tree::Primitive(kind, data[..length].to_vec());
    match kind {
        0..=2 => (plain(0), 1),
        3 => (exact(&data[..1], 0), 2),
        4 => (exact(&data[..2], 0), 3),
        5 => (exact(&data[..4], 0), 5),
        6 => (exact(&data[..8], 0), 9),
        8 => (exact(&data[1..5], data[0]), 6),
        9 => (exact(&data[1..9], data[0]), 10),
        10 => (exact(&data[1..17], data[0]), 18),
        11 | 14 => (plain(4), 5),
        7 | 12 | 13 | 17 | 18 | 19 => (plain(8), 9),
        15 => (plain(4 + number(&data[..4])), 5 + number(&data[..4])),
        16 => {
            let length = number(&data[..4]);
            (Tree::String(text(&data[4..4 + length])), 5 + length)
        }
        20 => (plain(16), 17),
        other => panic!("no type has the number {other}"),
    }
}

/// A number without trailing zeros.
pub fn normal(mut unscaled: i128, mut scale: u8) -> Tree {
    while scale > 0 && unscaled % 10 == 0 {
        unscaled /= 10;
        scale -= 1;
    }
    Tree::Number(unscaled, scale)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn number(bytes: &[u8]) -> usize {
    bytes.iter().rev().fold(0, |sum, byte| sum << 8 | usize::from(*byte))
}

fn little(number: usize, width: usize) -> Vec<u8> {
    number.to_le_bytes()[..width].to_vec()
}

fn width(number: usize) -> usize {
    (1..=4).find(|width| number >> (8 * width) == 0).unwrap()
}
