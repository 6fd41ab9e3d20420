//! What is charged for, and what is asked: the requirements of x402 version 2, §5.1.

use std::fmt;

use serde::Serialize;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use super::network::{Family, Network, PayTo};
use super::price::Price;

/// The version of x402 that is spoken here.
pub(crate) const X402_VERSION: u64 = 2;

/// The one scheme: exactly the amount asked for.
pub(super) const SCHEME: &str = "exact";

/// How long a payment made for our requirements may take to arrive and be settled.
const MAX_TIMEOUT_SECONDS: u64 = 300;

/// What can be bought.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Good {
    Check,
    Score,
}

impl Good {
    /// What the ledger calls it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Good::Check => "check",
            Good::Score => "score",
        }
    }

    fn description(self) -> &'static str {
        match self {
            Good::Check => {
                "A check of an agent's JSON output against a schema, bounds and rules, with a \
                 signed receipt"
            }
            Good::Score => "The signed score of an agent's recorded checks",
        }
    }
}

/// What the operator asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Terms {
    /// One for each network that can be paid on.
    pub(crate) pay_to: Vec<PayTo>,
    pub(crate) check: Price,
    pub(crate) score: Price,
    /// Larger requests are paid for even while free checks remain.
    pub(crate) free_max_body: usize,
}

/// One way to pay.
#[derive(Clone, PartialEq, Serialize, ToSchema, Debug)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Requirements {
    scheme: &'static str,
    /// By its CAIP-2 id
    #[serde(serialize_with = "by_id")]
    #[schema(value_type = String)]
    pub(super) network: Network,
    /// In units of 0.000001 USDC
    #[serde(serialize_with = "in_units")]
    #[schema(value_type = String)]
    pub(super) amount: Price,
    asset: &'static str,
    pub(super) pay_to: String,
    max_timeout_seconds: u64,
    #[schema(value_type = Object)]
    pub(super) extra: Map<String, Value>,
}

fn by_id<S: serde::Serializer>(network: &Network, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(network.id())
}

fn in_units<S: serde::Serializer>(price: &Price, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&price.units())
}

impl Terms {
    pub(crate) fn price(&self, good: Good) -> Price {
        match good {
            Good::Check => self.check,
            Good::Score => self.score,
        }
    }

    /// All ways to pay for a good. On Solana nobody can pay while it is not known who pays the
    /// fees.
    pub(crate) fn requirements(&self, good: Good, fee_payer: Option<&str>) -> Vec<Requirements> {
        let ways = self.pay_to.iter().filter_map(|to| {
            let extra = match to.network.family() {
                Family::Evm { domain_name, domain_version } => {
                    json!({"name": domain_name, "version": domain_version})
                }
                Family::Solana => json!({"feePayer": fee_payer?}),
            };
            let Value::Object(extra) = extra else { return None };
            Some(Requirements {
                scheme: SCHEME,
                network: to.network,
                amount: self.price(good),
                asset: to.network.asset(),
                pay_to: to.address.clone(),
                max_timeout_seconds: MAX_TIMEOUT_SECONDS,
                extra,
            })
        });
        ways.collect()
    }

    /// The networks, for people.
    pub(crate) fn networks(&self) -> String {
        let names: Vec<&str> = self.pay_to.iter().map(|to| to.network.name()).collect();
        names.join(" or ")
    }
}

/// The prices, for people.
impl fmt::Display for Terms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Beyond what is free, a check costs {} and a look-up of a score {} (free where there \
             is none), paid with x402 in USDC on {}. A fail costs what a pass costs; an error costs \
             nothing.",
            self.check,
            self.score,
            self.networks()
        )
    }
}

/// What an answer asks to be paid: the value of `Payment-Required`.
#[derive(Clone, Serialize, ToSchema, Debug)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PaymentRequired {
    x402_version: u64,
    error: String,
    resource: Resource,
    accepts: Vec<Requirements>,
    #[schema(value_type = Object)]
    extensions: Map<String, Value>,
}

#[derive(Clone, Serialize, ToSchema, Debug)]
#[serde(rename_all = "camelCase")]
struct Resource {
    url: String,
    description: &'static str,
    mime_type: &'static str,
}

impl PaymentRequired {
    pub(super) fn new(good: Good, url: &str, accepts: Vec<Requirements>, error: String) -> Self {
        let resource = Resource {
            url: url.to_owned(),
            description: good.description(),
            mime_type: "application/json",
        };
        let x402_version = X402_VERSION;
        PaymentRequired { x402_version, error, resource, accepts, extensions: Map::new() }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in super::super) fn terms() -> Terms {
        let solana =
            format!("{}=EwWqGE4ZFKLofuestmU4LDdK7XM1N4ALgdZccwYugwGd", Network::Solana.id());
        let base = "eip155:8453=0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
        Terms {
            pay_to: vec![base.parse().unwrap(), solana.parse().unwrap()],
            check: "0.02".parse().unwrap(),
            score: "0.01".parse().unwrap(),
            free_max_body: 100,
        }
    }

    #[test]
    fn requirements_name_the_contracts_own_domain() {
        let ways = terms().requirements(Good::Check, None);
        assert_eq!(
            serde_json::to_value(ways).unwrap(),
            json!([{
                "scheme": "exact",
                "network": "eip155:8453",
                "amount": "20000",
                "asset": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
                "payTo": "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
                "maxTimeoutSeconds": 300,
                "extra": {"name": "USD Coin", "version": "2"}
            }])
        );
    }

    #[test]
    fn solana_is_offered_once_its_fee_payer_is_known() {
        let ways = terms().requirements(Good::Score, Some("payer"));
        let solana = serde_json::to_value(ways.last().unwrap()).unwrap();
        assert_eq!(solana["network"], Network::Solana.id());
        assert_eq!(solana["amount"], "10000");
        assert_eq!(solana["extra"], json!({"feePayer": "payer"}));
    }
}
