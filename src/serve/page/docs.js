"use strict";
// Tries go to the address that this page came from: the public one may be another, which the page's
// policy does not let it reach.
(async () => {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
  dark.addEventListener("change", follow);
  follow();
  const place = document.getElementById("api");
  try {
    const base = new URL("./", document.baseURI);
    const answer = await fetch(new URL("openapi.json", base));
    if (!answer.ok) throw new Error(`openapi.json was answered with status ${answer.status}`);
    const spec = await answer.json();
    spec.servers = [{ url: base.href.replace(/\/$/, "") }];
    document.title = `API – ${spec.info.title}`;
    SwaggerUIBundle({
      spec,
      domNode: place,
      deepLinking: true,
      tryItOutEnabled: true,
      // It would ask a server elsewhere.
      validatorUrl: null,
    });
  } catch (error) {
    place.textContent = `The description could not be read: ${error.message}`;
  }
})();
