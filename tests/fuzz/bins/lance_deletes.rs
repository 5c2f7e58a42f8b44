#![no_main]

libfuzzer_sys::fuzz_target!(init: floeberg_fuzz_targets::prepare(), |bytes: &[u8]| {
    floeberg_fuzz_targets::run("lance_deletes", bytes);
});
