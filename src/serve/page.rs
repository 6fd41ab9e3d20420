//! What browsers get: the page at `/`, the interface to try out at `/docs`, and the parts that both
//! load. Every part is in the program; a policy for each page lets a browser load and run nothing
//! else.

use std::borrow::Cow;
use std::sync::Arc;

use axum::body::Bytes;

/// Of the page at `/`: its own script and style, and this server's routes.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Of `/docs`: the images of Swagger UI are in its style sheet, as `data:`.
const DOCS_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
     img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// A page, or a part of one.
pub(super) struct Part {
    pub(super) path: &'static str,
    pub(super) media_type: &'static str,
    pub(super) policy: &'static str,
    content: Content,
}

enum Content {
    /// Of this project
    Own(&'static str),
    /// Of Swagger UI, by its name
    SwaggerUi(&'static str),
}

/// All of them.
pub(super) const PARTS: [Part; 10] = [
    own("/", HTML, POLICY, include_str!("page/index.html")),
    own("/page/page.css", CSS, POLICY, include_str!("page/page.css")),
    own("/page/icon.svg", "image/svg+xml", POLICY, include_str!("page/icon.svg")),
    own("/page/positions.js", SCRIPT, POLICY, include_str!("page/positions.js")),
    own("/page/page.js", SCRIPT, POLICY, include_str!("page/page.js")),
    own("/docs", HTML, DOCS_POLICY, include_str!("page/docs.html")),
    own("/docs/docs.css", CSS, DOCS_POLICY, include_str!("page/docs.css")),
    own("/docs/docs.js", SCRIPT, DOCS_POLICY, include_str!("page/docs.js")),
    swagger_ui("/docs/swagger-ui.css", CSS, "swagger-ui.css"),
    swagger_ui("/docs/swagger-ui-bundle.js", SCRIPT, "swagger-ui-bundle.js"),
];

const fn own(
    path: &'static str,
    media_type: &'static str,
    policy: &'static str,
    text: &'static str,
) -> Part {
    Part { path, media_type, policy, content: Content::Own(text) }
}

const fn swagger_ui(path: &'static str, media_type: &'static str, name: &'static str) -> Part {
    Part { path, media_type, policy: DOCS_POLICY, content: Content::SwaggerUi(name) }
}

impl Part {
    pub(super) fn body(&self) -> Bytes {
        match self.content {
            Content::Own(text) => Bytes::from_static(text.as_bytes()),
            Content::SwaggerUi(name) => {
                let config = Arc::new(utoipa_swagger_ui::Config::from("/openapi.json"));
                match utoipa_swagger_ui::serve(name, config).ok().flatten().map(|file| file.bytes) {
                    Some(Cow::Borrowed(bytes)) => Bytes::from_static(bytes),
                    Some(Cow::Owned(bytes)) => bytes.into(),
                    None => Bytes::new(),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_is_there() {
        for part in &PARTS {
            assert!(part.body().len() > 100, "{}", part.path);
        }
    }
}
