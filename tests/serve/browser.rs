//! A real browser: headless Chromium, told what to do over the pipe of its DevTools protocol.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::common::Sandbox;
use crate::server::{PATIENCE, Server};

/// The browser to use. One that is named by the variable has to be there.
fn chromium() -> Option<String> {
    if let Ok(named) = std::env::var("AOV_CHROMIUM") {
        return Some(named);
    }
    let known = ["chromium", "chromium-browser", "google-chrome"];
    let is_there = |name: &&str| {
        let asked = Command::new(name)
            .arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        asked.is_ok_and(|status| status.success())
    };
    known.into_iter().find(is_there).map(str::to_owned)
}

/// A browser with one page. It is killed when the test ends.
pub(crate) struct Browser {
    child: Child,
    pipe: ChildStdin,
    messages: Receiver<Value>,
    asked: u64,
    session: Option<String>,
    /// What happened in the page
    events: Vec<Value>,
    _profile: Sandbox,
}

impl Browser {
    pub(crate) fn start() -> Option<Browser> {
        let program = chromium()?;
        let profile = Sandbox::new();
        // The browser reads commands from descriptor 3 and writes to 4.
        let mut child = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1", &program])
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
            .args([
                "--no-first-run",
                "--hide-scrollbars",
                "--disable-background-networking",
                "--remote-debugging-pipe",
            ])
            .arg(format!("--user-data-dir={}", profile.path("profile").display()))
            .arg("about:blank")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let pipe = child.stdin.take().unwrap();
        let mut answers = BufReader::new(child.stdout.take().unwrap());
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            let mut message = Vec::new();
            while answers.read_until(0, &mut message).is_ok_and(|length| length > 0) {
                message.pop();
                let Ok(value) = serde_json::from_slice(&message) else { break };
                if sender.send(value).is_err() {
                    break;
                }
                message.clear();
            }
        });
        let mut browser = Browser {
            child,
            pipe,
            messages,
            asked: 0,
            session: None,
            events: Vec::new(),
            _profile: profile,
        };
        let target = browser.call("Target.createTarget", json!({"url": "about:blank"}));
        let target = json!({"targetId": target["targetId"], "flatten": true});
        let session = browser.call("Target.attachToTarget", target);
        browser.session = session["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Network", "Log", "Accessibility"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        Some(browser)
    }

    /// One command, and what it gives.
    pub(crate) fn call(&mut self, method: &str, params: Value) -> Value {
        self.asked += 1;
        let mut message = json!({"id": self.asked, "method": method, "params": params});
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.pipe.write_all(message.to_string().as_bytes()).unwrap();
        self.pipe.write_all(b"\0").unwrap();
        loop {
            let mut answer = self.messages.recv_timeout(PATIENCE).expect("the browser answers");
            if answer["id"] == self.asked {
                assert!(answer.get("error").is_none(), "{method}: {answer}");
                return answer["result"].take();
            }
            self.events.push(answer);
        }
    }

    /// What an expression comes to in the page.
    pub(crate) fn evaluate(&mut self, expression: &str) -> Value {
        let params = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let mut answer = self.call("Runtime.evaluate", params);
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {answer}");
        answer["result"]["value"].take()
    }

    /// Waits until an expression comes to something.
    #[track_caller]
    pub(crate) fn wait_for(&mut self, expression: &str) {
        let started = Instant::now();
        while self.evaluate(&format!("Boolean({expression})")) != true {
            let text = "document.body ? document.body.innerText : ''";
            assert!(started.elapsed() < PATIENCE, "{expression}: {}", self.evaluate(text));
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    pub(crate) fn open(&mut self, url: &str) {
        self.call("Page.navigate", json!({"url": url}));
        self.wait_for("document.readyState === 'complete'");
    }

    /// The text that a part of the page shows.
    pub(crate) fn text(&mut self, selector: &str) -> String {
        let text = self.evaluate(&format!("document.querySelector({selector:?}).innerText"));
        text.as_str().unwrap().to_owned()
    }

    pub(crate) fn click(&mut self, selector: &str) {
        self.evaluate(&format!("document.querySelector({selector:?}).click()"));
    }

    /// Puts a text into a field, as typing it would.
    pub(crate) fn fill_in(&mut self, selector: &str, text: &str) {
        self.evaluate(&format!(
            "(() => {{ const field = document.querySelector({selector:?}); field.value = {}; \
             field.dispatchEvent(new Event('input')); }})()",
            json!(text)
        ));
    }

    /// Submits the form of a section, and waits for what comes of it.
    #[track_caller]
    pub(crate) fn check(&mut self, section: &str) -> String {
        self.evaluate(&format!("document.querySelector('{section} .result').hidden = true"));
        self.click(&format!("{section} [type=submit]"));
        self.wait_for(&format!("!document.querySelector('{section} .result').hidden"));
        self.text(&format!("{section} .result"))
    }

    /// That the page fits its window, narrow and wide. Where a folder is named, pictures of it.
    #[track_caller]
    pub(crate) fn look(&mut self, name: &str) {
        for (width, size) in [(1280, "wide"), (360, "narrow")] {
            let metrics =
                json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false});
            self.call("Emulation.setDeviceMetricsOverride", metrics);
            let needed = self.evaluate("document.documentElement.scrollWidth");
            assert_eq!(needed, width, "{name}");
            let Ok(folder) = std::env::var("AOV_PICTURES") else { continue };
            for scheme in ["light", "dark"] {
                let feature = json!([{"name": "prefers-color-scheme", "value": scheme}]);
                self.call("Emulation.setEmulatedMedia", json!({"features": feature}));
                // Some colours change by and by.
                self.evaluate("new Promise((done) => setTimeout(done, 500))");
                let all = json!({"captureBeyondViewport": true});
                let picture = self.call("Page.captureScreenshot", all);
                let picture = STANDARD.decode(picture["data"].as_str().unwrap()).unwrap();
                std::fs::write(format!("{folder}/{name}-{size}-{scheme}.png"), picture).unwrap();
            }
        }
    }

    /// That everything was asked of this server, and nothing went wrong on the way.
    #[track_caller]
    pub(crate) fn assert_clean(&mut self, server: &Server) {
        // What comes last is reported too.
        self.evaluate("new Promise((done) => setTimeout(done, 100))");
        let own = format!("http://{}/", server.address);
        let mut requests = 0;
        for event in &self.events {
            let params = &event["params"];
            match event["method"].as_str().unwrap_or_default() {
                "Network.requestWillBeSent" => {
                    let url = params["request"]["url"].as_str().unwrap();
                    let inside = ["data:", "blob:", "about:"].iter().any(|s| url.starts_with(s));
                    assert!(url.starts_with(&own) || inside, "{url}");
                    requests += 1;
                }
                "Runtime.exceptionThrown" => panic!("{event}"),
                "Runtime.consoleAPICalled" if params["type"] == "error" => panic!("{event}"),
                "Log.entryAdded" if params["entry"]["level"] == "error" => {
                    // An answer that is an error is told there too.
                    assert_eq!(params["entry"]["source"], "network", "{event}");
                    let url = params["entry"]["url"].as_str().unwrap();
                    assert!(url.starts_with(&own), "{event}");
                }
                _ => {}
            }
        }
        assert!(requests > 2, "{requests}");
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
