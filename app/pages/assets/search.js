/**
 * Results while one types or filters: what the form would load, put in place of what is shown. The address follows, so that whoever looks at a
 * result and goes back finds the results again.
 */
const PAUSE_MS = 250;

const form = document.querySelector("form[data-search]");
const addressOf = () => {
  const filled = [...new FormData(form)].filter(([, value]) => value !== "");
  const query = new URLSearchParams(filled).toString();
  return new URL(query === "" ? form.action : `${form.action}?${query}`);
};

/** Parts of a page that say what was asked for. */
const PARTS = ["#found", "h1", ".foot"];

let timer;
let asking = new AbortController();
const look = async () => {
  asking.abort();
  asking = new AbortController();
  const address = addressOf();
  try {
    const reply = await fetch(address, { headers: { accept: "text/html" }, signal: asking.signal });
    if (!reply.ok) return;
    // The registry's own page, which escapes what was asked for; the policy runs no script that a text could bring.
    const page = new DOMParser().parseFromString(await reply.text(), "text/html");
    if (page.getElementById("found") === null) return;
    for (const part of PARTS) {
      const made = page.querySelector(part);
      if (made) document.querySelector(part)?.replaceChildren(...made.childNodes);
    }
    document.title = page.title;
    history.replaceState(null, "", address);
  } catch {
    // A later question took its place, or nothing answers: the button still loads the whole page.
  }
};

form?.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(look, PAUSE_MS);
});
form?.addEventListener("submit", () => {
  clearTimeout(timer);
  asking.abort();
});

/** Of a site's page, what a preview of it shows. */
const SHOWN = ["h1", ".answers", "main > section", ".acts"];

let opened;
let opening = new AbortController();
const close = () => {
  opening.abort();
  document.querySelector(".previewed")?.remove();
  opened?.setAttribute("aria-expanded", "false");
  opened?.focus();
  opened = undefined;
};
const openPreview = async (button) => {
  close();
  opening = new AbortController();
  const { preview: address, close: label } = button.dataset;
  try {
    const reply = await fetch(address, { headers: { accept: "text/html" }, signal: opening.signal });
    if (!reply.ok) throw new Error(reply.statusText);
    // The registry's own page again: what a site says is marked there as the site's.
    const page = new DOMParser().parseFromString(await reply.text(), "text/html");
    const made = document.createElement("section");
    made.className = "previewed";
    made.tabIndex = -1;
    made.append(...SHOWN.flatMap((part) => [...page.querySelectorAll(part)].slice(0, 1)));
    const [title] = made.children;
    const heading = document.createElement("h2");
    const link = document.createElement("a");
    link.href = address;
    link.textContent = title.textContent;
    heading.append(link);
    title.replaceWith(heading);
    made.setAttribute("aria-label", title.textContent);
    const closing = document.createElement("button");
    closing.className = "quiet";
    closing.textContent = label;
    closing.addEventListener("click", close);
    made.append(closing);
    document.querySelector("#callable").prepend(made);
    opened = button;
    button.setAttribute("aria-expanded", "true");
    made.focus({ preventScroll: true });
  } catch (error) {
    if (error.name !== "AbortError") location.assign(address);
  }
};

// The style sheet shows the buttons where there is room beside the list.
document.body.dataset.live = "";
document.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-preview]");
  if (!button) return;
  if (button === opened) close();
  else openPreview(button);
});
document.addEventListener("keydown", ({ key }) => {
  if (key === "Escape" && opened) close();
});
