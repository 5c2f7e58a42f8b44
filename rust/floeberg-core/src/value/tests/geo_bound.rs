use crate::error::ErrorKind;
use crate::value::geo_bound::GeoBound;

fn bytes(numbers: &[f64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

#[test]
fn a_geo_bound_is_a_point_of_two_to_four_numbers() {
    for (numbers, shown) in [
        (&[30.0, 10.0][..], "POINT (30 10)"),
        (&[-170.5, -10.0, 3.0], "POINT Z (-170.5 -10 3)"),
        (&[30.0, 10.0, f64::NAN, 4.0], "POINT M (30 10 4)"),
        (&[30.0, 10.0, 3.0, 4.0], "POINT ZM (30 10 3 4)"),
        (&[30.0, 10.0, f64::NAN, f64::NAN], "POINT (30 10)"),
    ] {
        assert_eq!(GeoBound::from_bytes(&bytes(numbers)).unwrap().to_string(), shown);
    }
}

#[test]
fn a_geo_bound_without_x_or_y_is_no_box() {
    for numbers in [&[][..], &[1.0], &[f64::NAN, 1.0], &[1.0, f64::NAN, 2.0], &[1.0, 2.0, 3.0, 4.0, 5.0]] {
        let error = GeoBound::from_bytes(&bytes(numbers)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData, "{numbers:?}");
    }
    assert!(GeoBound::from_bytes(&[0; 17]).is_err());
}

#[test]
fn a_geo_bound_in_wkb_has_the_kind_of_its_numbers() {
    for (numbers, kind, kept) in [
        (&[30.0, 10.0][..], 1_u32, &[30.0, 10.0][..]),
        (&[30.0, 10.0, 3.0], 1001, &[30.0, 10.0, 3.0]),
        (&[30.0, 10.0, f64::NAN, 4.0], 2001, &[30.0, 10.0, 4.0]),
        (&[30.0, 10.0, 3.0, 4.0], 3001, &[30.0, 10.0, 3.0, 4.0]),
    ] {
        let expected = [&[1][..], &kind.to_le_bytes(), &bytes(kept)].concat();
        assert_eq!(GeoBound::from_bytes(&bytes(numbers)).unwrap().to_wkb(), expected);
    }
}
