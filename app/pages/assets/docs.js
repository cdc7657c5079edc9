/** The documentation's script: results while one types, and a form that sends an operation to this registry. Nothing that is typed is kept. */
const PAUSE_MS = 200;
const MOST_SHOWN = 100_000;

const search = document.querySelector("form[data-search]");
if (search) {
  const field = search.querySelector("input[name=q]");
  const found = document.getElementById("found");
  const whole = new URLSearchParams(location.search).has("q") ? undefined : found.innerHTML;
  let timer;
  let asked = 0;
  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(async () => {
      const q = field.value.trim();
      const mine = ++asked;
      if (q === "" && whole !== undefined) {
        found.innerHTML = whole;
        return;
      }
      const reply = await fetch(q === "" ? "/docs" : `/docs?q=${encodeURIComponent(q)}`).catch(
        () => undefined,
      );
      if (!reply?.ok || mine !== asked) return;
      // The registry's own page, which escapes what was asked for.
      const page = new DOMParser().parseFromString(await reply.text(), "text/html");
      if (mine === asked) found.replaceChildren(...page.getElementById("found").childNodes);
    }, PAUSE_MS);
  });
}

const reveal = () => {
  const target = location.hash.length > 1 ? document.getElementById(location.hash.slice(1)) : null;
  const closed = target?.closest("details");
  if (!closed) return;
  closed.open = true;
  target.scrollIntoView();
};
addEventListener("hashchange", reveal);
reveal();

const shown = async (reply) => {
  const text = (await reply.text()).slice(0, MOST_SHOWN);
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};

const section = document.querySelector("[data-try]");
if (section) {
  section.hidden = false;
  const form = section.querySelector("form");
  const output = section.querySelector("output");
  const typed = (id) => document.getElementById(id)?.value ?? "";
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    output.textContent = output.dataset.sending;
    const address = new URL(typed("try-path"), location.origin);
    const [token, body] = [typed("try-token"), typed("try-body")];
    const headers = {};
    if (token !== "") headers.authorization = `Bearer ${token}`;
    if (body !== "") headers["content-type"] = "application/json";
    try {
      if (address.origin !== location.origin) throw new Error("another origin");
      const reply = await fetch(address, {
        ...{
          method: section.dataset.method,
          headers,
          credentials: "omit",
          redirect: "manual",
          cache: "no-store",
        },
        ...(body !== "" && { body }),
      });
      const status = document.createElement("p");
      const strong = document.createElement("b");
      strong.textContent = `${reply.status} ${reply.statusText}`;
      strong.className = reply.ok ? "good" : "bad";
      status.append(strong);
      const block = document.createElement("pre");
      block.tabIndex = 0;
      block.textContent = await shown(reply);
      output.replaceChildren(status, block);
    } catch {
      output.textContent = output.dataset.failed;
    }
  });
}
