// Keeps the status page up to date: each event brings the changed part as this registry renders it.
const part = document.getElementById("live");
const following = document.getElementById("following");
const source = new EventSource(part.dataset.events);
source.addEventListener("page", (event) => {
  // Escaped by the same templates as the page itself; the page's policy runs no script that text could bring.
  part.innerHTML = JSON.parse(event.data);
  following.hidden = false;
});
source.addEventListener("error", () => {
  following.hidden = true;
});
