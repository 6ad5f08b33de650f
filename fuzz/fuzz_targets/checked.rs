#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| damcast_fuzz::check_all(data));
