#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use floeberg_core::ErrorKind;

use super::Relocation;

fn relocation(pairs: &[(&str, &str)]) -> Relocation {
    let pairs: Vec<_> = pairs.iter().map(|(from, to)| ((*from).to_owned(), (*to).to_owned())).collect();
    Relocation::new(&pairs).unwrap()
}

#[test]
fn nothing_is_changed_without_pairs_or_where_none_fits() {
    for written in ["/a/b", "file:/a/b", "s3://b/%20/../x", "", "relative"] {
        assert_eq!(Relocation::default().apply(written), written);
        assert_eq!(relocation(&[("/other", "/x")]).apply(written), written);
    }
    assert!(Relocation::default().is_empty());
}

#[test]
fn the_spellings_of_a_local_path_are_one_place_in_keys_and_in_locations() {
    for key in ["/w/t", "file:/w/t", "file:///w/t", "file://localhost/w/t", "/w/t/", "file:///w/t/"] {
        let map = relocation(&[(key, "/new")]);
        for written in ["/w/t/data/a b%20c", "file:/w/t/data/a b%20c", "file:///w/t/data/a b%20c"] {
            assert_eq!(map.apply(written), "/new/data/a b%20c", "{key} {written}");
        }
        assert_eq!(map.apply("file:/w/t"), "/new");
    }
    assert_eq!(relocation(&[("/w", "/new")]).apply("file://host/w/t"), "file://host/w/t");
}

#[test]
fn the_result_has_the_style_of_the_target() {
    for (target, expected) in [
        ("/new", "/new/d"),
        ("/new/", "/new/d"),
        ("file:/new", "file:/new/d"),
        ("file:///new/", "file:///new/d"),
        ("s3://bucket", "s3://bucket/d"),
        ("s3://bucket/", "s3://bucket/d"),
        ("/", "/d"),
    ] {
        assert_eq!(relocation(&[("file:/w", target)]).apply("file:///w/d"), expected);
    }
    assert_eq!(relocation(&[("s3://bucket/w", "/")]).apply("s3://bucket/w"), "/");
}

#[test]
fn only_whole_segments_fit() {
    let map = relocation(&[("/w/t", "/new")]);
    assert_eq!(map.apply("/w/table/d"), "/w/table/d");
    assert_eq!(map.apply("/w/t/d"), "/new/d");
    assert_eq!(map.apply("/x/w/t/d"), "/x/w/t/d");
    assert_eq!(relocation(&[("s3://bucket", "/b")]).apply("s3://bucket2/d"), "s3://bucket2/d");
}

#[test]
fn the_longest_prefix_wins_whatever_the_order() {
    let (short, long) = (("/w", "/short"), ("file:///w/t", "/long"));
    for map in [relocation(&[short, long]), relocation(&[long, short])] {
        assert_eq!(map.apply("/w/t/d"), "/long/d");
        assert_eq!(map.apply("/w/u/d"), "/short/u/d");
    }
}

#[test]
fn the_root_fits_every_absolute_local_path() {
    let map = relocation(&[("file:///", "s3://bucket/root")]);
    assert_eq!(map.apply("/w/d"), "s3://bucket/root/w/d");
    assert_eq!(map.apply("s3://other/d"), "s3://other/d");
}

#[test]
fn doubled_slashes_and_dots_stay() {
    let map = relocation(&[("s3://b/w", "/new")]);
    assert_eq!(map.apply("s3://b/w//d/./p=../f"), "/new//d/./p=../f");
    assert_eq!(map.apply("s3://b//w/d"), "s3://b//w/d");
}

#[test]
fn empty_and_contradicting_pairs_are_refused() {
    let pair = |from: &str, to: &str| (from.to_owned(), to.to_owned());
    for pairs in [vec![pair("", "/x")], vec![pair("/x", "")], vec![pair("/w", "/a"), pair("file:/w/", "/b")]]
    {
        assert_eq!(Relocation::new(&pairs).unwrap_err().kind(), ErrorKind::InvalidInput);
    }
    assert!(Relocation::new(&[pair("/w", "/a"), pair("file:/w", "/a")]).is_ok());
}

#[test]
fn the_written_location_is_the_one_that_is_there() {
    let map = relocation(&[("s3://old/w", "/new/"), ("s3://old/w/t/data", "/other/data"), ("/x", "file:/y")]);
    for (current, written) in [
        ("/new/t/metadata/v1.metadata.json", "s3://old/w/t/metadata/v1.metadata.json"),
        ("file:/new/t/a b%20c", "s3://old/w/t/a b%20c"),
        ("/new", "s3://old/w"),
        ("/other/data/f", "s3://old/w/t/data/f"),
        ("/y/f", "/x/f"),
        ("/newer/t", "/newer/t"),
        // What is written so would be elsewhere.
        ("/new/t/data/f", "/new/t/data/f"),
    ] {
        assert_eq!(map.written(current), written, "{current}");
    }
    let nested = relocation(&[("/a", "/n"), ("/b", "/n/b")]);
    assert_eq!(nested.written("/n/b/f"), "/b/f");
}
