// For web sites that embed boards: frames of this server are as high as their content. A frame says its height; other senders do not count.
const server = new URL(document.currentScript.src).origin;
addEventListener("message", ({ origin, source, data }) => {
  const height = Number(data?.damcastHeight);
  if (origin !== server || !(height > 0 && height < 100000)) return;
  for (const frame of document.querySelectorAll("iframe")) if (frame.contentWindow === source) frame.style.height = Math.ceil(height) + "px";
});
