//! Objects whose size a manifest claims, rightly or wrongly.

use super::{bytes, store};
use crate::store::Store as _;

#[test]
fn a_claim_changes_no_answer() {
    let large = 5 << 20;
    for size in [0, 1, 10, 70_000, large] {
        let content = bytes(size);
        let store = store(&format!("claims-{size}"), &[("f", content.clone())]);
        let location = format!("s3://claims-{size}/f");
        let size = size as u64;
        for claim in [0, 1, size.saturating_sub(1), size, size + 1, size * 2, 70_000, 6 << 20, u64::MAX] {
            let open = || store.open_sized(&location, claim).unwrap();
            for most in [0, 1, 65_536, size, u64::from(u32::MAX)] {
                let (found, end) = open().read_end(most).unwrap();
                assert_eq!(found, size, "claim {claim}, the last {most}");
                assert!(end == content.slice((size.saturating_sub(most)) as usize..), "claim {claim}");
            }
            assert_eq!(open().size().unwrap(), size, "claim {claim}");
            assert!(open().read_all(size).unwrap() == content, "claim {claim}");
            assert!(open().read(0..size).unwrap() == content, "claim {claim}");
            let half = size / 2..size;
            let source = open();
            let both = source.read_ranges(&[half.clone(), 0..size]).unwrap();
            assert!(both[0] == content.slice(half.start as usize..) && both[1] == content, "claim {claim}");
            assert!(
                source.read(0..size + 1).is_err() && open().read(size..size + 1).is_err(),
                "claim {claim}"
            );
        }
    }
}
