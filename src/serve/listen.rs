//! Connections: accepted, held to time limits, and let go when the server stops.

use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_io_timeout::TimeoutStream;
use tower::ServiceExt as _;

use super::loops::Loops;

/// How long a request's head may take, and how long a connection may wait for its next request.
const HEAD: Duration = Duration::from_secs(15);

/// Bytes that a request's head may have, and that are held of a connection beside bodies.
const MAX_HEAD: usize = 64 * 1024;

/// How long a client may leave an answer where it is, without reading on.
const UNREAD: Duration = Duration::from_secs(15);

/// How long requests under way have at the end.
pub(crate) const FAREWELL: Duration = Duration::from_secs(8);

/// Connections at one time, where the system gives us as many. Idle ones end after [`HEAD`].
const MAX_CONNECTIONS: usize = 4096;

/// Answers connections until `stop` is done, then lets requests under way end.
pub(crate) async fn serve(
    listener: TcpListener,
    router: Router,
    loops: &Loops,
    stop: impl Future<Output = ()>,
) {
    let connections = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let graceful = GracefulShutdown::new();
    let mut server = http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(HEAD).max_buf_size(MAX_HEAD);
    let mut stop = pin!(stop);
    loop {
        let next = async {
            // The semaphore is never closed.
            let permit = Arc::clone(&connections).acquire_owned().await.ok();
            (permit, accept(&listener).await)
        };
        let (permit, (stream, peer)) = tokio::select! {
            accepted = next => accepted,
            () = &mut stop => break,
        };
        // It leaves the event loop that accepted it.
        let Ok(stream) = stream.into_std() else { continue };
        let answering = answer(stream, peer, router.clone(), server.clone(), graceful.watcher());
        loops.spawn(async move {
            let _permit = permit;
            answering.await;
        });
    }
    drop(listener);
    if tokio::time::timeout(FAREWELL, graceful.shutdown()).await.is_err() {
        tracing::warn!("some connections were still open and are cut");
    }
}

/// Answers the requests of one connection, on the event loop that it is called on.
async fn answer(
    stream: std::net::TcpStream,
    peer: SocketAddr,
    router: Router,
    server: http1::Builder,
    watcher: Watcher,
) {
    let Ok(stream) = TcpStream::from_std(stream) else { return };
    // Answers are small and complete: they need not wait for more.
    let _ = stream.set_nodelay(true);
    let service = router.map_request(move |mut request: hyper::Request<_>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        request
    });
    let service = TowerToHyperService::new(service);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(UNREAD));
    let connection = server.serve_connection(TokioIo::new(Box::pin(stream)), service);
    if let Err(error) = watcher.watch(connection).await {
        tracing::trace!(error = %error, "a connection ended badly");
    }
}

/// The next connection. What is wrong with one of them is not the server's end, and where there is
/// nothing left to accept with, a pause lets others go.
async fn accept(listener: &TcpListener) -> (TcpStream, SocketAddr) {
    loop {
        match listener.accept().await {
            Ok(accepted) => return accepted,
            Err(error) if is_of_the_connection(&error) => {}
            Err(error) => {
                tracing::error!(error = %error, "no connection can be accepted");
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
        }
    }
}

fn is_of_the_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}
