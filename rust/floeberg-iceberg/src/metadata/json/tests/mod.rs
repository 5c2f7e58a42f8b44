#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod damage;
mod fallback;
mod history;
mod rewrite;
mod view;
