// For web sites that embed boards: frames of this server are as high as their content. Accepts heights only from this server's frames.
{
  const server = new URL(document.currentScript.src).origin, frames = () => [...document.querySelectorAll("iframe")];
  addEventListener("message", ({ origin, source, data }) => {
    const height = Number(data?.damcastHeight);
    if (origin !== server || !(height > 0 && height < 100000)) return;
    const borders = (frame) => (getComputedStyle(frame).boxSizing === "border-box" ? frame.offsetHeight - frame.clientHeight : 0);
    for (const frame of frames()) if (frame.contentWindow === source) frame.style.height = Math.ceil(height) + borders(frame) + "px";
  });
  // Ask for heights that frames sent before this script ran.
  for (const frame of frames()) frame.contentWindow?.postMessage("damcast-height", "*");
}
