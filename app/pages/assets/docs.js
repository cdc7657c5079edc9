/** The documentation's script: a form that sends an operation to this registry. Nothing that is typed is kept. */
const MOST_SHOWN = 100_000;

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
