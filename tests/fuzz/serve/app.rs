//! What the modules of the server want of it.

use agent_output_verifier::error::ErrorBody;

/// A server without event loops that could be kept waiting.
pub(crate) struct App;

impl App {
    pub(crate) async fn off_the_event_loop<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, ErrorBody> {
        Ok(work())
    }
}
