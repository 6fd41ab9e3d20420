//! Why a payment was refused: the codes of x402 version 2, those that its implementations have
//! besides, and ours. A facilitator may know more; a code it gives is passed on as it is.

/// What a code of a refused payment means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PaymentErrorCode {
    /// The stable name.
    pub code: &'static str,
    /// When it comes, as a phrase.
    pub when: &'static str,
    /// What the payer does about it, as sentences.
    pub what_to_do: &'static str,
}

/// The registry: each code stands here once, as a constant and in [`PaymentErrorCode::ALL`].
macro_rules! registry {
    ($($name:ident = $code:literal, $when:literal, $todo:literal;)+) => {
        impl PaymentErrorCode {
            /// Every code there is.
            pub const ALL: &'static [PaymentErrorCode] = &[$(PaymentErrorCode::$name),+];
            $(
                #[doc = concat!("`", $code, "`: ", $when, ".")]
                pub const $name: PaymentErrorCode =
                    PaymentErrorCode { code: $code, when: $when, what_to_do: $todo };
            )+
        }
    };
}

registry! {
    INVALID_PAYLOAD = "invalid_payload",
        "the payment is not what x402 version 2 asks for, in its encoding or in its fields",
        "Send the base64 of a payment's JSON, made for one entry of `accepts`.";
    INVALID_X402_VERSION = "invalid_x402_version",
        "the payment is of another version than 2",
        "Make the payment with a client of x402 version 2.";
    UNSUPPORTED_SCHEME = "unsupported_scheme",
        "the payment's scheme is not `exact`",
        "Make a payment for one entry of `accepts`.";
    INVALID_SCHEME = "invalid_scheme",
        "the facilitator does not know the scheme",
        "Make a payment for one entry of `accepts`.";
    INVALID_NETWORK = "invalid_network",
        "the payment is on a network that is not accepted",
        "Make a payment for one entry of `accepts`.";
    NETWORK_MISMATCH = "network_mismatch",
        "the payment and what it was made for name different networks",
        "Make a payment for one entry of `accepts`.";
    INVALID_PAYMENT_REQUIREMENTS = "invalid_payment_requirements",
        "what the payment was made for is not what is asked for, which may have changed",
        "Make a new payment for one entry of the `accepts` that came with this answer.";
    PAYMENT_ALREADY_USED = "payment_already_used",
        "the payment was used here before, or a call under way is using it",
        "Make a new payment: one payment buys one answer.";
    INSUFFICIENT_FUNDS = "insufficient_funds",
        "the payer does not have the money",
        "Add USDC on the payment's network, or pay from another wallet.";
    INVALID_SIGNATURE = "invalid_exact_evm_payload_signature",
        "the payer's signature does not fit the authorization",
        "Sign the authorization anew with the payer's key, in the domain that `extra` names.";
    RECIPIENT_MISMATCH = "invalid_exact_evm_payload_recipient_mismatch",
        "the authorization pays somebody else",
        "Authorize a payment to `payTo`.";
    VALUE_MISMATCH = "invalid_exact_evm_payload_authorization_value_mismatch",
        "the authorization is for another amount",
        "Authorize exactly `amount`.";
    NOT_YET_VALID = "invalid_exact_evm_payload_authorization_valid_after",
        "the authorization is not valid yet",
        "Check the payer's clock, and make a new payment.";
    NO_LONGER_VALID = "invalid_exact_evm_payload_authorization_valid_before",
        "the authorization has expired, or is about to",
        "Make a new payment, and send it at once.";
    NONCE_ALREADY_USED = "invalid_exact_evm_nonce_already_used",
        "the authorization was used or cancelled",
        "Make a new payment: each has a nonce of its own.";
    TOKEN_NAME_MISMATCH = "invalid_exact_evm_token_name_mismatch",
        "the payment was signed for a contract of another name",
        "Sign with the `name` and `version` in the `extra` of the entry.";
    MISSING_EIP712_DOMAIN = "missing_eip712_domain",
        "the name and version of the contract are missing",
        "Keep the `extra` of the entry in the payment's `accepted`.";
    INVALID_TRANSACTION_STATE = "invalid_transaction_state",
        "the network did not take the transaction",
        "Make a new payment.";
    TRANSACTION_FAILED = "transaction_failed",
        "the transaction failed on the network",
        "Make a new payment.";
    DUPLICATE_SETTLEMENT = "duplicate_settlement",
        "the transaction was settled before",
        "Make a new payment.";
    UNEXPECTED_VERIFY_ERROR = "unexpected_verify_error",
        "the facilitator refused the payment, for no reason that is known here",
        "Make a new payment.";
    UNEXPECTED_SETTLE_ERROR = "unexpected_settle_error",
        "the facilitator could not settle the payment, for no reason that is known here",
        "Make a new payment.";
}

impl PaymentErrorCode {
    /// The code of this name.
    pub fn named(name: &str) -> Option<PaymentErrorCode> {
        PaymentErrorCode::ALL.iter().find(|known| known.code == name).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_say_something() {
        for (position, code) in PaymentErrorCode::ALL.iter().enumerate() {
            let earlier = &PaymentErrorCode::ALL[..position];
            assert!(earlier.iter().all(|other| other.code != code.code), "{}", code.code);
            assert!(!code.when.is_empty() && code.what_to_do.ends_with('.'), "{}", code.code);
            assert_eq!(PaymentErrorCode::named(code.code), Some(*code));
        }
    }
}
