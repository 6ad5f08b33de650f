// Page of the studio: copies an address, and shows each choice at once. The page works without it.
document.addEventListener("click", async (click) => {
  const button = click.target.closest?.("[data-copied]"), field = button && document.querySelector("#address");
  if (!field) return;
  field.select();
  // Browsers offer no clipboard without TLS.
  try { await navigator.clipboard.writeText(field.value); } catch { document.execCommand("copy"); }
  button.dataset.text ??= button.textContent;
  button.textContent = button.dataset.copied;
  setTimeout(() => { button.textContent = button.dataset.text; }, 1500);
});
// The page that follows gives the focus back to the field that has it.
document.addEventListener("change", ({ target: { form, name } }) => form && setTimeout(() => {
  form.action = "/studio#" + (document.activeElement?.name || name);
  form.requestSubmit();
}));
// An overlay that is wider than the page is shown smaller, as OBS shows it.
const frame = document.querySelector(".pv iframe"), [width, height] = [frame.width, frame.height].map(Number);
function fit() {
  const room = frame.parentElement, scale = Math.min(1, room.clientWidth / width);
  frame.style.transform = scale < 1 ? `scale(${scale})` : "";
  room.style.height = scale < 1 ? (height || (width * 9) / 16) * scale + 2 + "px" : "";
  room.style.overflow = scale < 1 ? "hidden" : "";
}
if (width) { frame.style.transformOrigin = "0 0"; fit(); addEventListener("resize", fit); }
// After *Back* the choices are those of the address.
addEventListener("pageshow", ({ persisted }) => persisted && document.querySelector(".stu form").reset());
document.getElementsByName(location.hash.slice(1))[0]?.focus();
