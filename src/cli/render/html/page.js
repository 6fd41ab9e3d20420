
"use strict";
// The page is whole without this; it only shows the filter and makes it work.
(() => {
  const form = document.getElementById("filter");
  const { words, kind, all } = form.elements;
  const kinds = kind ? (kind.length ? Array.from(kind) : [kind]) : [];
  const told = form.querySelector("output");
  const rows = Array.from(document.querySelectorAll("#rows tbody"));
  let texts = null;
  let waiting = 0;

  const filter = () => {
    // Taken once: it is what costs time where there are many rows.
    texts = texts || rows.map((row) => row.textContent.toLowerCase());
    const wanted = words.value.toLowerCase().split(/\s+/).filter((word) => word);
    const shown = new Set(kinds.filter((box) => box.checked).map((box) => box.value));
    let count = 0;
    rows.forEach((row, place) => {
      const has = (word) => texts[place].includes(word);
      const fits = shown.has(row.className) ? wanted.every(has) : false;
      if (row.hidden === fits) row.hidden = !fits;
      count += fits ? 1 : 0;
    });
    told.textContent = `${count} of ${rows.length} shown`;
  };

  form.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(filter, 80);
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  all.addEventListener("click", () => {
    const open = all.textContent === "Open all";
    for (const row of rows) {
      const details = row.hidden ? null : row.querySelector("details");
      if (details) details.open = open;
    }
    all.textContent = open ? "Close all" : "Open all";
  });
  all.hidden = !document.querySelector("#rows details");
  form.hidden = !(rows.length > 1);
})();
