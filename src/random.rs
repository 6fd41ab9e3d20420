//! Random ids, drawn by the program: the library is given them.

use std::cell::RefCell;

use agent_output_verifier::digest::Digest;

/// What a thread makes its ids of: a secret that the system gave, and how often it was used.
///
/// Each use gives the digest of both, which nobody can foretell who does not know the secret. A call
/// of the system for each id would be a tenth of what a line of a batch takes.
struct Source {
    /// The secret, and behind it the count
    hashed: [u8; 40],
    count: u64,
    /// Half a digest that no id has had
    left: Option<[u8; 16]>,
}

thread_local! {
    static SOURCE: RefCell<Option<Source>> = const { RefCell::new(None) };
}

/// A new UUID (version 4, RFC 9562 §5.4).
pub(crate) fn new_id() -> String {
    SOURCE.with_borrow_mut(|source| {
        if source.is_none() {
            *source = Source::new();
        }
        match source {
            Some(source) => uuid::Builder::from_random_bytes(source.draw()).into_uuid().to_string(),
            // It ends the process where the system has no random bytes, as ids that repeat would be
            // worse.
            None => uuid::Uuid::new_v4().to_string(),
        }
    })
}

impl Source {
    fn new() -> Option<Source> {
        let mut hashed = [0; 40];
        getrandom::fill(&mut hashed[..32]).ok()?;
        Some(Source { hashed, count: 0, left: None })
    }

    fn draw(&mut self) -> [u8; 16] {
        if let Some(left) = self.left.take() {
            return left;
        }
        self.count += 1;
        self.hashed[32..].copy_from_slice(&self.count.to_le_bytes());
        let digest = Digest::of_bytes(&self.hashed);
        let (mut first, mut second) = ([0; 16], [0; 16]);
        first.copy_from_slice(&digest.as_bytes()[..16]);
        second.copy_from_slice(&digest.as_bytes()[16..]);
        self.left = Some(second);
        first
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
