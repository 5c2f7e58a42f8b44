use super::canonical;

#[test]
fn all_spellings_of_a_local_path_are_one_place() {
    for spelling in ["/a/b", "file:/a/b", "file:///a/b", "file://localhost/a/b"] {
        assert_eq!(canonical(spelling), "/a/b", "{spelling}");
    }
}

#[test]
fn other_locations_stay_as_they_are() {
    for other in ["s3://b/k", "file://host/a", "a/b", "", "s3a://b/file:/x"] {
        assert_eq!(canonical(other), other);
    }
}
