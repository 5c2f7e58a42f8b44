#![allow(clippy::unwrap_used)]

use super::Below;

fn holds(folder: &str, location: &str) -> bool {
    Below::new([folder]).holds(location)
}

#[test]
fn what_begins_with_the_segments_of_a_folder_is_below_it() {
    for (folder, location) in [
        ("s3://b/t", "s3://b/t/data/x"),
        ("s3://b/t/", "s3a://b/t/x"),
        ("s3n://b/t", "s3://b/t//x"),
        ("s3://b", "s3://b/x"),
        ("gs://b/t", "gcs://b/t/p=../x"),
        ("memory://w/t", "memory://w/t/data/x"),
        ("/none/t", "file:///none/t/x"),
        ("file:/none//t/", "/none/t//x"),
        ("file://localhost/none/t", "/none/t/x"),
    ] {
        assert!(holds(folder, location), "{location} is below {folder}");
    }
}

#[test]
fn what_leads_elsewhere_is_not_below() {
    for (folder, location) in [
        ("s3://b/t", "s3://b/tt/x"),
        ("s3://b/t", "s3://b/t"),
        ("s3://b/t", "s3://b/t/"),
        ("s3://b/t", "s3://c/t/x"),
        ("s3://b/t", "gs://b/t/x"),
        ("s3://b/t", "/t/x"),
        ("s3://b/t", "s3://b/t/../x"),
        ("s3://b/t", "s3://b/t/./x"),
        ("s3://b/t", "s3://b/T/x"),
        ("s3://b//t", "s3://b/t/x"),
        ("/none/t", "/none/tt/x"),
        ("/none/t", "/none/t/../x"),
        ("/none/t", "/none/t/a/../../x"),
        ("/none/t", r"/none/t/..\x"),
        ("/none/t", "file://other/none/t/x"),
        ("/none/t", "none/t/x"),
        ("/", "/etc/passwd"),
        ("file:///", "/etc/passwd"),
        ("", "/etc/passwd"),
        ("/none/..", "/etc/passwd"),
    ] {
        assert!(!holds(folder, location), "{location} is not below {folder}");
    }
}

#[cfg(unix)]
#[test]
fn links_are_followed_before_it_is_said() {
    use std::os::unix::fs::symlink;
    let home = tempfile::tempdir().unwrap();
    let at = |name: &str| home.path().join(name).to_str().unwrap().to_owned();
    for folder in ["t/data", "other"] {
        std::fs::create_dir_all(at(folder)).unwrap();
    }
    symlink(at("other"), at("t/out")).unwrap();
    symlink(at("t"), at("link")).unwrap();
    symlink("/", at("root")).unwrap();
    assert!(holds(&at("t"), &at("t/data/x")));
    assert!(!holds(&at("t"), &at("t/out/x")), "a link leads out");
    assert!(holds(&at("link"), &at("link/data/x")), "a folder may be a link itself");
    assert!(!holds(&at("link"), &at("link/out/x")));
    assert!(!holds(&at("root"), &at("root/etc/passwd")), "the root is nobody's folder");
    std::fs::write(at("t/file"), "").unwrap();
    assert!(holds(&at("t"), &at("t/file/x")), "nothing is below a file, and nothing is removed");
}
