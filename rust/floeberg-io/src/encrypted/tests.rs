//! Tests of streams.
