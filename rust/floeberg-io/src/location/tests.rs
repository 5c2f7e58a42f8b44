#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::Path;

use floeberg_core::ErrorKind;

use super::{Location, file_name, join, parent, shown, within, without_end_slashes};

fn parts(written: &str) -> (String, String, String) {
    let location = Location::parse(written);
    (location.scheme().to_owned(), location.authority().to_owned(), location.key().to_owned())
}

fn expect(written: &str, scheme: &str, authority: &str, key: &str) {
    assert_eq!(parts(written), (scheme.to_owned(), authority.to_owned(), key.to_owned()), "{written}");
}

#[test]
fn every_spelling_of_a_local_file_is_one_path() {
    for written in ["/x/y", "file:/x/y", "file:///x/y", "file://localhost/x/y", "FILE:///x/y"] {
        let location = Location::parse(written);
        assert_eq!(location.local_path().unwrap(), Path::new("/x/y"), "{written}");
        assert_eq!(location.written(), written);
    }
}

#[test]
fn a_location_falls_into_scheme_authority_and_key() {
    expect("s3://bucket/a/b", "s3", "bucket", "a/b");
    expect("S3A://bucket/a", "s3a", "bucket", "a");
    expect("s3://bucket", "s3", "bucket", "");
    expect("s3://bucket//a//b/", "s3", "bucket", "/a//b/");
    expect("abfss://c@account.dfs.core.windows.net/k", "abfss", "c@account.dfs.core.windows.net", "k");
    expect("hdfs:/a/b", "hdfs", "", "a/b");
    expect("memory://a", "memory", "a", "");
}

#[test]
fn hostile_names_stay_as_they_are_written() {
    for key in ["a/../b", "a/./b", "a%2Fb", "a b", "p=*", "p=🧊", "a...", "a?b#c", "a//b", "a\\b", "x:y", "%"]
    {
        expect(&format!("/{key}"), "file", "", &format!("/{key}"));
        expect(&format!("file:/{key}"), "file", "", &format!("/{key}"));
        expect(&format!("s3://b/{key}"), "s3", "b", key);
        assert_eq!(Location::parse(&format!("/{key}")).local_path().unwrap(), Path::new(&format!("/{key}")));
    }
}

#[test]
fn a_colon_in_a_name_is_no_scheme() {
    for written in ["ts:1", "a b://x", "p=a://b", "1s://b", ":/x", "C:/x", r"C:\x", "file:x"] {
        expect(written, "file", "", written);
    }
}

#[test]
fn a_file_of_another_machine_is_refused() {
    for written in ["file://server/x", "file://", "", "s3://b/k"] {
        let error = Location::parse(written).local_path().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{written}");
    }
}

#[test]
fn a_user_may_percent_encode_a_file_uri_and_nothing_else() {
    let from_user = |given: &str| Location::from_user(given).unwrap();
    assert_eq!(from_user("file:///a%20b/%F0%9F%A7%8A"), "file:///a b/🧊");
    assert_eq!(from_user("file:/a%2520b"), "/a%20b");
    assert_eq!(from_user("file:///a%25FF"), "/a%FF");
    assert_eq!(from_user("file://localhost/a%2520b"), "file://localhost/a%20b");
    assert_eq!(from_user("file:///100%"), "file:///100%");
    assert_eq!(from_user("file:///a%zz%+1"), "file:///a%zz%+1");
    assert_eq!(from_user("/a%20b/../c"), "/a%20b/../c");
    assert_eq!(from_user("s3://b/a%20b"), "s3://b/a%20b");
}

#[test]
fn a_users_relative_path_becomes_absolute() {
    let here = std::env::current_dir().unwrap().into_os_string().into_string().unwrap();
    assert_eq!(Location::from_user("a/b%20c").unwrap(), join(&here, "a/b%20c"));
    assert_eq!(Location::from_user(".").unwrap(), here);
    assert_eq!(Location::from_user("./x").unwrap(), join(&here, "x"));
}

#[test]
fn a_users_location_must_be_a_name() {
    for given in ["", "file:///a%00b", "/a\0b", "file:///%FF"] {
        assert_eq!(Location::from_user(given).unwrap_err().kind(), ErrorKind::InvalidInput, "{given:?}");
    }
}

#[test]
fn a_user_names_no_password_in_a_location() {
    for given in ["s3://AKIA:secret@bucket/a", "s3a://AKIA:sec/ret@bucket", "gs://u:p@b", "abfss://c:key@a/x"]
    {
        let error = Location::from_user(given).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{given}");
        let told = format!("{error} {error:?}");
        assert!(
            ["AKIA", "secret@", "sec/ret", "key@", "u:p"].iter().all(|each| !told.contains(each)),
            "{told}"
        );
    }
    for given in ["abfss://c@account/x:y@z", "s3://b/x:y@z", "https://u:p@host/a", "/a:b@c"] {
        assert_eq!(Location::from_user(given).unwrap(), given);
    }
}

#[test]
fn joining_keeps_one_slash_between() {
    assert_eq!(join("s3://b", "x"), "s3://b/x");
    assert_eq!(join("s3://b/t/", "x"), "s3://b/t/x");
    assert_eq!(join("/", "x"), "/x");
    assert_eq!(join("/t//", "x"), "/t//x");
    assert_eq!(join("/t", ".."), "/t/..");
}

#[test]
fn parents_end_at_the_root() {
    assert_eq!(parent("s3://b/t/x"), Some("s3://b/t"));
    assert_eq!(parent("s3://b/t/"), Some("s3://b"));
    assert_eq!(parent("s3://b"), None);
    assert_eq!(parent("s3://b/"), None);
    assert_eq!(parent("/t/x"), Some("/t"));
    assert_eq!(parent("/t"), Some("/"));
    assert_eq!(parent("/"), None);
    assert_eq!(parent("file:///t"), Some("file:///"));
    assert_eq!(parent("file:/t/x%2Fy"), Some("file:/t"));
    assert_eq!(parent("t"), None);
    assert_eq!(parent(r"C:\t\x"), Some(r"C:\t"));
    assert_eq!(parent(r"C:\t"), Some(r"C:\"));
    assert_eq!(parent(r"/t\x/y"), Some(r"/t\x"));
}

#[test]
fn the_last_segment_is_the_file_name() {
    assert_eq!(file_name("s3://b/t/x y"), Some("x y"));
    assert_eq!(file_name("/t/.."), Some(".."));
    assert_eq!(file_name("/t/"), Some("t"));
    assert_eq!(file_name("/"), None);
    assert_eq!(file_name("s3://b"), None);
    assert_eq!(file_name(r"C:\t\x"), Some("x"));
}

#[test]
fn what_is_shown_of_a_url_holds_no_secret() {
    assert_eq!(shown("https://user:key@host/a/b?X-Amz-Signature=s#f"), "https://host/a/b");
    assert_eq!(shown("http://host/a@b?c"), "http://host/a@b");
    assert_eq!(shown("s3://b/a?b"), "s3://b/a?b");
    assert_eq!(shown("s3://AKIA:sec/ret@b/a?b"), "s3://***@b/a?b");
    assert_eq!(shown("/a?b"), "/a?b");
}

#[test]
fn a_path_is_absolute_or_below_a_folder() {
    for absolute in ["/x", "s3://b/x", "file:/x", "C:/x", r"C:\x", r"\\server\x"] {
        assert_eq!(within("/t", absolute), absolute);
    }
    for (folder, path, expected) in [
        ("s3://b/t", "data", "s3://b/t/data"),
        ("s3://b/t/", "a/b", "s3://b/t/a/b"),
        ("/t", "ts:1", "/t/ts:1"),
        ("/t", "../x", "/t/../x"),
    ] {
        assert_eq!(within(folder, path), expected);
    }
}

#[test]
fn slashes_at_the_end_go_but_those_of_a_root() {
    for (location, expected) in
        [("s3://b/t//", "s3://b/t"), ("s3://b/", "s3://b"), ("/t/", "/t"), ("/t", "/t"), ("a//b/", "a//b")]
    {
        assert_eq!(without_end_slashes(location), expected);
    }
    for root in ["/", "file:///", "C:/", "s3://"] {
        assert_eq!(without_end_slashes(root), root);
    }
}
