use proptest::collection::vec;
use proptest::prelude::*;

use crate::value::check_wkb;

/// A geometry, written by the specification.
#[derive(Debug, Clone)]
enum Geometry {
    Point,
    LineString(usize),
    Polygon(Vec<usize>),
    /// One of the three types of many, by what it is of.
    Multi(Vec<Geometry>, u32),
    Collection(Vec<Geometry>),
}

impl Geometry {
    fn write(&self, out: &mut Vec<u8>, dimensions: u32, is_little: bool) {
        let put = |out: &mut Vec<u8>, number: u32| {
            out.extend(if is_little { number.to_le_bytes() } else { number.to_be_bytes() });
        };
        let point = [2, 3, 3, 4][dimensions as usize] * 8;
        out.push(u8::from(is_little));
        let kind = match self {
            Self::Point => 1,
            Self::LineString(_) => 2,
            Self::Polygon(_) => 3,
            Self::Multi(_, of) => of + 3,
            Self::Collection(_) => 7,
        };
        put(out, kind + dimensions * 1000);
        match self {
            Self::Point => out.extend(vec![9; point]),
            Self::LineString(points) => {
                put(out, *points as u32);
                out.extend(vec![9; point * points]);
            }
            Self::Polygon(rings) => {
                put(out, rings.len() as u32);
                for points in rings {
                    put(out, *points as u32);
                    out.extend(vec![9; point * points]);
                }
            }
            Self::Multi(parts, _) | Self::Collection(parts) => {
                put(out, parts.len() as u32);
                for (number, part) in parts.iter().enumerate() {
                    part.write(out, dimensions, (number % 2 == 0) == is_little);
                }
            }
        }
    }
}

fn geometry() -> impl Strategy<Value = Geometry> {
    let line = (0_usize..4).prop_map(Geometry::LineString);
    let polygon = vec(0_usize..4, 0..3).prop_map(Geometry::Polygon);
    let leaf = prop_oneof![
        Just(Geometry::Point),
        line.clone(),
        polygon.clone(),
        vec(Just(Geometry::Point), 0..4).prop_map(|parts| Geometry::Multi(parts, 1)),
        vec(line, 0..4).prop_map(|parts| Geometry::Multi(parts, 2)),
        vec(polygon, 0..4).prop_map(|parts| Geometry::Multi(parts, 3)),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| vec(inner, 0..4).prop_map(Geometry::Collection))
}

proptest! {
    #[test]
    fn every_geometry_is_one_and_none_that_is_cut(geometry in geometry(), dimensions in 0_u32..4, is_little: bool, cut: prop::sample::Index) {
        let mut bytes = Vec::new();
        geometry.write(&mut bytes, dimensions, is_little);
        prop_assert_eq!(check_wkb(&bytes), Ok(()));
        prop_assert!(check_wkb(&bytes[..cut.index(bytes.len())]).is_err());
        bytes.push(0);
        prop_assert!(check_wkb(&bytes).is_err());
    }

    #[test]
    fn any_bytes_are_looked_at_in_peace(bytes in vec(any::<u8>(), 0..60), changed in geometry(), place: prop::sample::Index, byte: u8) {
        let _ = check_wkb(&bytes);
        let mut damaged = Vec::new();
        changed.write(&mut damaged, 0, true);
        let place = place.index(damaged.len());
        damaged[place] = byte;
        let _ = check_wkb(&damaged);
    }
}

#[test]
fn collections_nest_to_a_limit_and_counts_are_not_believed() {
    let nested = |depth: usize| {
        let mut bytes = [1, 7, 0, 0, 0, 1, 0, 0, 0].repeat(depth);
        bytes.extend([1, 7, 0, 0, 0, 0, 0, 0, 0]);
        bytes
    };
    assert_eq!(check_wkb(&nested(31)), Ok(()));
    assert!(check_wkb(&nested(32)).unwrap_err().contains("deeper"));
    assert!(check_wkb(&nested(1 << 20)).unwrap_err().contains("deeper"));
    assert!(check_wkb(&[1, 2, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]).unwrap_err().contains("too short for"));
    assert!(check_wkb(&[1, 3, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]).unwrap_err().contains("too short for"));
}

#[test]
fn what_iso_wkb_has_not_is_refused() {
    let with_srid = [&[1, 1, 0, 0, 0x20, 0xe6, 0x10, 0, 0][..], &[0; 16]].concat();
    assert!(check_wkb(&with_srid).unwrap_err().contains("EWKB"));
    let circular = [1, 8, 0, 0, 0, 0, 0, 0, 0];
    assert!(check_wkb(&circular).unwrap_err().contains("unknown type 8"));
    let lines_of_points = [&[1, 5, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0][..], &[0; 16]].concat();
    assert!(check_wkb(&lines_of_points).unwrap_err().contains("which its collection does not allow"));
    assert!(check_wkb(&[2, 1, 0, 0, 0]).unwrap_err().contains("byte order"));
}
