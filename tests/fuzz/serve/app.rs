//! What the modules of the server want of it.

use agent_output_verifier::error::ErrorBody;

/// There is no event loop that could be kept waiting here.
pub(crate) async fn off_the_event_loop<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ErrorBody> {
    Ok(work())
}
