//! How are rules declared?
//!
//! In: a line or two for each rule. Out: a static of each, and a list of all of a subject.

/// Declares the rules of a subject: `NAME: "name", Level, Severity, "section", "what it says"`, then perhaps `engines "..."` and
/// `repair "..."`.
#[macro_export]
macro_rules! rules {
    (@optional) => { None };
    (@optional $text:literal) => { Some($text) };
    ($($name:ident: $id:literal, $level:ident, $severity:ident, $section:literal, $says:literal
        $(, engines $engines:literal)? $(, repair $repair:literal)?;)*) => {
        $(
            #[doc = $says]
            pub(crate) static $name: $crate::finding::Rule = $crate::finding::Rule {
                id: $id,
                level: $crate::finding::Level::$level,
                severity: $crate::finding::Severity::$severity,
                section: $section,
                says: $says,
                engines: $crate::rules!(@optional $($engines)?),
                repair: $crate::rules!(@optional $($repair)?),
            };
        )*
        /// The rules of this subject.
        pub(super) static ALL: &[&$crate::finding::Rule] = &[$(&$name),*];
    };
}
