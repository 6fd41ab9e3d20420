//! Random ids, drawn by the program: the library is given them.

use std::cell::RefCell;

/// Bytes that are drawn from the system at once. A call for each id would be a tenth of what a line of a
/// batch takes.
const DRAWN: usize = 1024;

/// Random bytes that no id has had, at the end of the array.
struct Stock {
    bytes: [u8; DRAWN],
    left: usize,
}

thread_local! {
    static STOCK: RefCell<Stock> = const { RefCell::new(Stock { bytes: [0; DRAWN], left: 0 }) };
}

/// A new UUID (version 4, RFC 9562 §5.4).
pub(crate) fn new_id() -> String {
    STOCK.with_borrow_mut(|stock| match stock.take() {
        Some(bytes) => uuid::Builder::from_random_bytes(bytes).into_uuid().to_string(),
        // It ends the process where the system has no random bytes, as ids that repeat would be worse.
        None => uuid::Uuid::new_v4().to_string(),
    })
}

impl Stock {
    fn take(&mut self) -> Option<[u8; 16]> {
        if self.left < 16 {
            getrandom::fill(&mut self.bytes).ok()?;
            self.left = DRAWN;
        }
        let at = DRAWN - self.left;
        self.left -= 16;
        self.bytes.get(at..)?.first_chunk().copied()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn ids_are_uuids_of_version_4_and_never_repeat() {
        let draw = || (0..1_000).map(|_| new_id()).collect::<Vec<_>>();
        let other = std::thread::spawn(draw);
        let ids: HashSet<String> = draw().into_iter().chain(other.join().unwrap()).collect();
        assert_eq!(ids.len(), 2_000);
        assert!(ids.iter().all(|id| uuid::Uuid::parse_str(id).unwrap().get_version_num() == 4));
    }
}
