/** Gives every block of commands a button that copies it. */
/** @param textOf what it copies, when it is pressed */
const copyButton = (textOf) => {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "quiet";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(textOf());
    button.textContent = "Copied";
    setTimeout(() => {
      button.textContent = "Copy";
    }, 2_000);
  });
  return button;
};
const shownIn = (group) => [...group.querySelectorAll("pre")].find((block) => block.offsetParent !== null);
// Browsers give the clipboard to secure contexts alone.
if (navigator.clipboard)
  for (const part of document.querySelectorAll("main .tabs, main pre:not(.tabs pre)")) {
    const around = document.createElement("div");
    around.className = "copyable";
    part.replaceWith(around);
    around.append(
      part,
      copyButton(() => (part.matches("pre") ? part : shownIn(part)).textContent),
    );
  }
