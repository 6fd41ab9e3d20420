//! The memory of long walks: outcomes by (subschema, value) pair.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::sync::OnceLock;

use super::SubschemaId;
use crate::json::Value;

/// Outcomes by [`pair`].
pub(super) type Memory<T> = HashMap<u64, T, PairHashing>;

/// Hashes pairs, nodes and addresses by one multiplication with a factor drawn for each process: they are
/// numbers of this program's own making, and there can be very many of them.
#[derive(Clone, Copy)]
pub(super) struct PairHashing {
    factor: u64,
}

impl Default for PairHashing {
    fn default() -> PairHashing {
        static FACTOR: OnceLock<u64> = OnceLock::new();
        let factor = *FACTOR.get_or_init(|| RandomState::new().hash_one(0u8) | 1);
        PairHashing { factor }
    }
}

impl BuildHasher for PairHashing {
    type Hasher = PairHasher;

    fn build_hasher(&self) -> PairHasher {
        PairHasher { factor: self.factor, hash: 0 }
    }
}

pub(super) struct PairHasher {
    factor: u64,
    hash: u64,
}

impl Hasher for PairHasher {
    fn finish(&self) -> u64 {
        self.hash
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    fn write_u64(&mut self, number: u64) {
        let product = (self.hash ^ number).wrapping_mul(self.factor);
        self.hash = product ^ (product >> 32);
    }
}

/// A pair as one number.
pub(super) fn pair(id: SubschemaId, value: Value<'_>) -> u64 {
    u64::from(id) << 32 | u64::from(value.index())
}
