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
