//! How are passwords removed from a message?
//!
//! In: a string with locations. Out: the same without their users and passwords.
//!
//! Invariant: nothing else changes: a colon or an `@` in a key is part of a name.

use std::borrow::Cow;

/// What is shown instead of a user and a password.
const HIDDEN: &str = "***";

/// A text without the users and passwords of the locations in it: `s3://***@bucket/key`.
///
/// A password may hold slashes, as keys of S3 do, so that it ends with the last `@` of its location.
pub fn without_passwords(text: &str) -> Cow<'_, str> {
    let mut shown = String::new();
    let mut hides = false;
    let mut rest = text;
    while let Some(start) = rest.find("://").map(|found| found + "://".len()) {
        let (before, after) = rest.split_at(start);
        let is_end = |letter: char| letter.is_whitespace() || matches!(letter, '"' | '\'' | '<' | '>');
        let location = &after[..after.find(is_end).unwrap_or(after.len())];
        shown.push_str(before);
        let secret = secret_of(location);
        if secret > 0 {
            shown.push_str(HIDDEN);
            hides = true;
        }
        rest = &after[secret..];
    }
    if !hides {
        return Cow::Borrowed(text);
    }
    shown.push_str(rest);
    Cow::Owned(shown)
}

/// How many bytes of what follows a scheme are a user and a password.
fn secret_of(location: &str) -> usize {
    let head = &location[..location.find('/').unwrap_or(location.len())];
    let Some((_, after)) = head.split_once(':') else { return 0 };
    let is_port = after.bytes().all(|byte| byte.is_ascii_digit());
    if is_port || (head.starts_with('[') && !head.contains('@')) {
        return 0;
    }
    location.rfind('@').unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::without_passwords;

    #[test]
    fn users_and_passwords_are_not_shown() {
        for (text, shown) in [
            ("s3://AKIA:secret@bucket/a/b", "s3://***@bucket/a/b"),
            ("at \"s3://AKIA:se/cr+t@bucket/a b@c\": no", "at \"s3://***@bucket/a b@c\": no"),
            ("s3n://a:b@c/d, and s3a://e:f@g", "s3n://***@c/d, and s3a://***@g"),
            ("postgresql://us:pass@host:5432/db", "postgresql://***@host:5432/db"),
            ("https://u:p@[::1]:9000/x", "https://***@[::1]:9000/x"),
        ] {
            assert_eq!(without_passwords(text), shown);
        }
    }

    #[test]
    fn names_stay_as_they_are() {
        for text in [
            "",
            "s3://bucket/ts=12:00/a@b.parquet",
            "http://host:9000/a@b",
            "http://[::1]:9000/a@b",
            "http://[::1]/a:c@b",
            "s3://bucket:odd/a",
            "abfss://container@account.dfs.core.windows.net/a:b",
            "file:///a:b@c",
            "/a:b@c",
            "://",
            "a: b @ c",
        ] {
            assert!(matches!(without_passwords(text), Cow::Borrowed(same) if same == text), "{text}");
        }
    }
}
