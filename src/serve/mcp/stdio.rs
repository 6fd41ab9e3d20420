//! MCP over standard input and output, for clients that start a server of their own: a message a
//! line. Nothing else is written to standard output. The end of the input, or a signal, ends the
//! server when all that was asked is answered.

use std::collections::HashSet;
use std::io::{self, Write as _};
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};

use agent_output_verifier::error::ErrorBody;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, GetExtensions as _, JsonRpcError, RequestId,
    ServerJsonRpcMessage,
};
use rmcp::service::{RoleServer, serve_directly};
use rmcp::transport::Transport;
use tokio::sync::{Notify, mpsc, oneshot};

use super::super::app::App;
use super::super::body::Text;
use super::super::listen::FAREWELL;
use super::message::{Message, Unreadable};
use super::{Enclosed, Verifier, data};

/// Lines and messages that are between two places at one time.
const ON_THE_WAY: usize = 16;

/// Requests that are not answered yet at one time; more are not read before. A client that does not
/// read its answers fills no memory.
const MAX_ASKED: usize = 1024;

/// Answers messages until the input ends or `stop` is done.
pub(in super::super) async fn serve(
    app: Arc<App>,
    stop: impl Future<Output = ()>,
) -> io::Result<()> {
    let output = Output::start()?;
    let lines = read_lines(app.bodies.limit())?;
    let (messages, incoming) = mpsc::channel(ON_THE_WAY);
    let asked = Arc::new(Asked::default());
    let streams = Streams { incoming, output: output.clone(), asked: Arc::clone(&asked) };
    let mut answered =
        pin!(serve_directly(Verifier { app: Arc::clone(&app) }, streams, None).waiting());
    let mut stop = pin!(stop);
    let mut stopped = false;
    let reader = Reader { app, lines, messages, output: output.clone(), asked };
    tokio::select! {
        () = reader.run() => {}
        // Nobody is left to hear the answers.
        () = output.closed() => {}
        () = &mut stop => stopped = true,
    }
    tokio::select! {
        _ = &mut answered => {}
        () = async {
            if !stopped {
                stop.await;
            }
            tokio::time::sleep(FAREWELL).await;
        } => tracing::warn!("some requests were still under way and are not answered"),
    }
    Ok(())
}

/// A line of the input.
enum Line {
    Whole(Vec<u8>),
    /// More bytes than are taken; they are gone.
    TooLong,
}

/// Reads the input on a thread of its own: nothing can call off a read that waits, and none of the
/// threads that make the checks must wait for a client.
fn read_lines(limit: usize) -> io::Result<mpsc::Receiver<Line>> {
    let (lines, queue) = mpsc::channel(ON_THE_WAY);
    std::thread::Builder::new().name("stdin".to_owned()).spawn(move || {
        let mut input = io::stdin().lock();
        loop {
            match read_line(&mut input, limit) {
                Ok(Some(line)) => {
                    if lines.blocking_send(line).is_err() {
                        break;
                    }
                }
                Ok(None) => break,
                Err(error) => {
                    tracing::error!(error = %error, "standard input cannot be read");
                    break;
                }
            }
        }
    })?;
    Ok(queue)
}

/// The next line, without its end; none at the end of the input.
fn read_line(input: &mut impl io::BufRead, limit: usize) -> io::Result<Option<Line>> {
    let mut line = Vec::new();
    let (mut too_long, mut any) = (false, false);
    loop {
        let block = match input.fill_buf() {
            Ok(block) => block,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if block.is_empty() {
            break;
        }
        any = true;
        let end = memchr::memchr(b'\n', block);
        let part = &block[..end.unwrap_or(block.len())];
        too_long |= line.len() + part.len() > limit;
        if too_long {
            line = Vec::new();
        } else {
            line.extend_from_slice(part);
        }
        let consumed = part.len() + usize::from(end.is_some());
        input.consume(consumed);
        if end.is_some() {
            break;
        }
    }
    Ok(any.then_some(if too_long { Line::TooLong } else { Line::Whole(line) }))
}

/// What makes messages of lines.
struct Reader {
    app: Arc<App>,
    lines: mpsc::Receiver<Line>,
    messages: mpsc::Sender<ClientJsonRpcMessage>,
    output: Output,
    asked: Arc<Asked>,
}

impl Reader {
    async fn run(mut self) {
        loop {
            self.asked.until(|ids| ids.len() < MAX_ASKED).await;
            let Some(line) = self.lines.recv().await else { break };
            let read = match line {
                Line::Whole(line) if line.trim_ascii().is_empty() => continue,
                Line::Whole(line) => self.read(self.app.bodies.hold(line).await).await,
                Line::TooLong => Err(self.refused(None, self.app.bodies.too_large())),
            };
            let message = match read {
                Ok(message) => message,
                Err(refused) => {
                    // A reader that is gone is noticed elsewhere.
                    let _ = self.output.write(&refused).await;
                    continue;
                }
            };
            self.asked.note(&message);
            if self.messages.send(message).await.is_err() {
                break;
            }
        }
    }

    async fn read(&self, text: Text) -> Result<ClientJsonRpcMessage, JsonRpcError> {
        let message = match Message::arrive(&self.app, text).await {
            Ok(Ok(message)) => message,
            Ok(Err(unreadable)) => {
                let Unreadable { id, mut error, body } = *unreadable;
                error.data = body.and_then(|body| data(&self.app, body));
                return Err(JsonRpcError::new(id, error));
            }
            Err(body) => return Err(self.refused(None, body)),
        };
        let Message { mut read, arguments, .. } = message;
        if let ClientJsonRpcMessage::Request(request) = &mut read {
            // This machine's own use has no allowance.
            request.request.extensions_mut().insert(Enclosed::new(arguments, None));
        }
        Ok(read)
    }

    fn refused(&self, id: Option<RequestId>, body: ErrorBody) -> JsonRpcError {
        let mut error = super::protocol_error(&body);
        error.data = data(&self.app, body);
        JsonRpcError::new(id, error)
    }
}

/// The requests that are not answered yet.
#[derive(Default)]
struct Asked {
    ids: Mutex<HashSet<RequestId>>,
    settled: Notify,
}

impl Asked {
    /// Notes a request, and forgets one that is taken back: it gets no answer.
    fn note(&self, message: &ClientJsonRpcMessage) {
        match message {
            ClientJsonRpcMessage::Request(request) => {
                self.with(|ids| ids.insert(request.id.clone()));
            }
            ClientJsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.settle(id);
                }
            }
            _ => {}
        }
    }

    fn settle(&self, id: &RequestId) {
        self.with(|ids| ids.remove(id));
        self.settled.notify_waiters();
    }

    /// Waits until so many are answered that `enough` holds.
    async fn until(&self, enough: impl Fn(&HashSet<RequestId>) -> bool) {
        loop {
            // Before the look, so that nothing is missed between the two.
            let settled = self.settled.notified();
            if self.with(|ids| enough(ids)) {
                return;
            }
            settled.await;
        }
    }

    fn with<T>(&self, work: impl FnOnce(&mut HashSet<RequestId>) -> T) -> T {
        // A set of ids is right also where a holder panicked.
        work(&mut self.ids.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The two streams, as the SDK sees them.
struct Streams {
    incoming: mpsc::Receiver<ClientJsonRpcMessage>,
    output: Output,
    asked: Arc<Asked>,
}

impl Transport<RoleServer> for Streams {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let (output, asked) = (self.output.clone(), Arc::clone(&self.asked));
        async move {
            let written = output.write(&message).await;
            match &message {
                ServerJsonRpcMessage::Response(response) => asked.settle(&response.id),
                ServerJsonRpcMessage::Error(JsonRpcError { id: Some(id), .. }) => asked.settle(id),
                _ => {}
            }
            written
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        if let Some(message) = self.incoming.recv().await {
            return Some(message);
        }
        // The SDK ends when this does.
        self.asked.until(HashSet::is_empty).await;
        None
    }

    async fn close(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Standard output, written by a thread of its own for the same reason as the input.
#[derive(Clone)]
struct Output {
    lines: mpsc::Sender<(Vec<u8>, oneshot::Sender<()>)>,
}

impl Output {
    fn start() -> io::Result<Output> {
        let (lines, mut queue) = mpsc::channel::<(Vec<u8>, oneshot::Sender<()>)>(ON_THE_WAY);
        std::thread::Builder::new().name("stdout".to_owned()).spawn(move || {
            let mut output = io::stdout().lock();
            while let Some((line, written)) = queue.blocking_recv() {
                // A client that is gone ends the server, quietly.
                if output.write_all(&line).and_then(|()| output.flush()).is_err() {
                    break;
                }
                let _ = written.send(());
            }
        })?;
        Ok(Output { lines })
    }

    /// Writes a message as a line. It is on its way to the client when this returns.
    async fn write(&self, message: &impl serde::Serialize) -> io::Result<()> {
        let mut line = serde_json::to_vec(message)?;
        line.push(b'\n');
        let (written, done) = oneshot::channel();
        let gone = |_| io::Error::from(io::ErrorKind::BrokenPipe);
        self.lines.send((line, written)).await.map_err(|_| gone(()))?;
        done.await.map_err(|_| gone(()))
    }

    /// Done when nobody reads what is written.
    async fn closed(&self) {
        self.lines.closed().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_at_their_ends_and_at_the_limit() {
        let mut input = io::BufReader::with_capacity(3, &b"12345\n\n123456\r\n1234567\nend"[..]);
        let mut next = || match read_line(&mut input, 7).unwrap() {
            Some(Line::Whole(line)) => Some(String::from_utf8(line).unwrap()),
            Some(Line::TooLong) => Some("too long".to_owned()),
            None => None,
        };
        let lines: Vec<String> = std::iter::from_fn(&mut next).collect();
        assert_eq!(lines, ["12345", "", "123456\r", "1234567", "end"]);
        let mut input = io::BufReader::with_capacity(3, &b"12345678\n1\n123456789"[..]);
        let mut lines = Vec::new();
        while let Some(line) = read_line(&mut input, 7).unwrap() {
            lines.push(matches!(line, Line::TooLong));
        }
        assert_eq!(lines, [true, false, true]);
    }
}
