//! Networks that can be paid on, and addresses on them.

use std::fmt;

use sha3::{Digest as _, Keccak256};

/// A network, with its USDC.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Network {
    Base,
    BaseSepolia,
    Solana,
}

/// What signs and names a payment on a network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Family {
    /// An authorization of EIP-3009, in the EIP-712 domain of the asset's contract.
    Evm { domain_name: &'static str, domain_version: &'static str },
    /// A transaction whose fees the facilitator pays.
    Solana,
}

impl Network {
    pub(crate) const ALL: [Network; 3] = [Network::Base, Network::Solana, Network::BaseSepolia];

    /// The CAIP-2 name.
    pub(crate) fn id(self) -> &'static str {
        match self {
            Network::Base => "eip155:8453",
            Network::BaseSepolia => "eip155:84532",
            Network::Solana => "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp",
        }
    }

    /// The name for people.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Network::Base => "Base",
            Network::BaseSepolia => "Base Sepolia",
            Network::Solana => "Solana",
        }
    }

    /// The address of USDC.
    pub(crate) fn asset(self) -> &'static str {
        match self {
            Network::Base => "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
            Network::BaseSepolia => "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
            Network::Solana => "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
        }
    }

    pub(crate) fn family(self) -> Family {
        // The name in the contract itself: USDC does not have the same one everywhere, and nobody
        // takes a signature made for another.
        match self {
            Network::Base => Family::Evm { domain_name: "USD Coin", domain_version: "2" },
            Network::BaseSepolia => Family::Evm { domain_name: "USDC", domain_version: "2" },
            Network::Solana => Family::Solana,
        }
    }
}

/// Where payments on a network go.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PayTo {
    pub(crate) network: Network,
    pub(crate) address: String,
}

/// Why a text is no place to pay to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PayToError {
    NoAddress,
    UnknownNetwork,
    NotEvm,
    Checksum,
    NotSolana,
    Nobody,
}

impl fmt::Display for PayToError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PayToError::NoAddress => "is not NETWORK=ADDRESS",
            PayToError::UnknownNetwork => "names a network that is not known here",
            PayToError::NotEvm => "has no address of 0x and 40 hexadecimal digits",
            PayToError::Checksum => {
                "has an address whose capital letters are not its checksum (EIP-55): a digit may be \
                 wrong"
            }
            PayToError::NotSolana => "has no address of 32 bytes in base58",
            PayToError::Nobody => "has the address of nobody, from which no money comes back",
        })
    }
}

impl std::error::Error for PayToError {}

impl std::str::FromStr for PayTo {
    type Err = PayToError;

    fn from_str(text: &str) -> Result<PayTo, PayToError> {
        let (id, address) = text.split_once('=').ok_or(PayToError::NoAddress)?;
        let network = Network::ALL.into_iter().find(|network| network.id() == id);
        let network = network.ok_or(PayToError::UnknownNetwork)?;
        let address = match network.family() {
            Family::Evm { .. } => evm_address(address)?,
            Family::Solana => solana_address(address)?,
        };
        Ok(PayTo { network, address })
    }
}

/// An address with the capital letters of its checksum. One in a single case has no checksum to
/// hold it against.
fn evm_address(text: &str) -> Result<String, PayToError> {
    let digits = hex_digits(text, 40).ok_or(PayToError::NotEvm)?;
    let lower = digits.to_ascii_lowercase();
    let checked = with_checksum(&lower);
    let single_case = digits == lower || digits == digits.to_ascii_uppercase();
    if !single_case && digits != checked {
        return Err(PayToError::Checksum);
    }
    if lower.bytes().all(|digit| digit == b'0') {
        return Err(PayToError::Nobody);
    }
    Ok(format!("0x{checked}"))
}

/// The digits of a hexadecimal text of a fixed length.
pub(super) fn hex_digits(text: &str, length: usize) -> Option<&str> {
    let digits = text.strip_prefix("0x")?;
    let fits = digits.len() == length && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    fits.then_some(digits)
}

/// EIP-55: a letter is a capital where the digit of the hash at its place is 8 or more.
fn with_checksum(lower: &str) -> String {
    let hash = Keccak256::digest(lower.as_bytes());
    let places = lower.chars().enumerate();
    let cased = places.map(|(place, digit)| {
        let shift = if place % 2 == 0 { 4 } else { 0 };
        let capital = hash.get(place / 2).is_some_and(|byte| (byte >> shift) & 0xf >= 8);
        if capital { digit.to_ascii_uppercase() } else { digit }
    });
    cased.collect()
}

fn solana_address(text: &str) -> Result<String, PayToError> {
    let mut bytes = [0; 32];
    // A shorter one leaves zeros behind, which would make another address of it.
    match bs58::decode(text).onto(&mut bytes) {
        Ok(32) => {}
        _ => return Err(PayToError::NotSolana),
    }
    // All zeros are the system program.
    if bytes == [0; 32] {
        return Err(PayToError::Nobody);
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<String, PayToError> {
        text.parse::<PayTo>().map(|to| to.address)
    }

    #[test]
    fn evm_addresses_are_held_against_their_checksum() {
        // The examples of EIP-55.
        for address in [
            "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
            "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
            "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
            "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
            "0x52908400098527886E0F7030069857D2E4169EE7",
            "0xde709f2102306220921060314715629080e2fb77",
        ] {
            assert_eq!(parsed(&format!("eip155:8453={address}")).as_deref(), Ok(address));
            let lower = format!("eip155:84532={}", address.to_ascii_lowercase());
            assert_eq!(parsed(&lower).as_deref(), Ok(address));
            let upper = format!("eip155:8453=0x{}", address[2..].to_ascii_uppercase());
            assert_eq!(parsed(&upper).as_deref(), Ok(address));
        }
        assert_eq!(
            parsed("eip155:8453=0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD"),
            Err(PayToError::Checksum)
        );
        for wrong in ["", "0x", "5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "0x5aAeb6", "0xé"] {
            assert_eq!(parsed(&format!("eip155:8453={wrong}")), Err(PayToError::NotEvm), "{wrong}");
        }
        let nobody = format!("eip155:8453=0x{}", "0".repeat(40));
        assert_eq!(parsed(&nobody), Err(PayToError::Nobody));
        // The assets' own spelling here is right too.
        for network in [Network::Base, Network::BaseSepolia] {
            assert_eq!(evm_address(network.asset()).as_deref(), Ok(network.asset()));
        }
    }

    #[test]
    fn solana_addresses_are_32_bytes() {
        let solana = |address: &str| parsed(&format!("{}={address}", Network::Solana.id()));
        let address = "EwWqGE4ZFKLofuestmU4LDdK7XM1N4ALgdZccwYugwGd";
        assert_eq!(solana(address).as_deref(), Ok(address));
        assert!(solana(Network::Solana.asset()).is_ok());
        for wrong in ["", "0OIl", &address[2..], &format!("{address}1"), "1111", "é"] {
            assert_eq!(solana(wrong), Err(PayToError::NotSolana), "{wrong}");
        }
        assert_eq!(solana(&"1".repeat(32)), Err(PayToError::Nobody));
    }

    #[test]
    fn networks_are_known_by_their_caip_2_names() {
        assert_eq!(parsed("base=0x00"), Err(PayToError::UnknownNetwork));
        assert_eq!(parsed("eip155:1=0x00"), Err(PayToError::UnknownNetwork));
        assert_eq!(parsed("eip155:8453"), Err(PayToError::NoAddress));
    }
}
