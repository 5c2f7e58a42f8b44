//! How fast are the parts that planning and writing are made of? Names are topic/case/variant.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod bucket;
mod decode;
mod keys;
mod plan;

fn main() {
    divan::main();
}
