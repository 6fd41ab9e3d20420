//! What the user's interface calls the things that a check can be given.

/// The words of an interface, for reasons that tell how to have a step checked: names of options,
/// or of fields.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wording {
    /// An agent-card
    pub agent_card: &'static str,
    /// A public key
    pub public_key: &'static str,
    /// An issuer that is accepted; its host follows
    pub issuer: &'static str,
    /// What to do about a receipt from the future
    pub future: &'static str,
    /// What gives the output, as a clause: "--output gives it"
    pub output: &'static str,
    /// What gives the schema
    pub schema: &'static str,
    /// What gives rules and bounds
    pub rules: &'static str,
    /// What gives the whole request
    pub request: &'static str,
}
