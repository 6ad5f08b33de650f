// For web sites that embed boards: frames of this server are as high as their content. Accepts heights only from this server's frames.
{
  const server = new URL(document.currentScript.src).origin, frames = () => [...document.querySelectorAll("iframe")];
  addEventListener("message", ({ origin, source, data }) => {
    const height = Number(data?.damcastHeight);
    if (origin !== server || !(height > 0 && height < 100000)) return;
    // Borders are outside of the height.
    for (const frame of frames()) if (frame.contentWindow === source) Object.assign(frame.style, { boxSizing: "content-box", height: Math.ceil(height) + "px" });
  });
  // Ask for heights that frames sent before this script ran.
  for (const frame of frames()) frame.contentWindow?.postMessage("damcast-height", "*");
}
