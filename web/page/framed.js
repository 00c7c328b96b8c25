// The page of `report` in a frame: its data come from the page around it, its script and style are those of the command.

window.addEventListener("message", ({ origin, data }) => {
  if (origin !== location.origin || typeof data?.data !== "string" || document.querySelector("#data")) {
    return;
  }
  const kept = document.createElement("script");
  kept.type = "application/json";
  kept.id = "data";
  kept.textContent = data.data;
  const script = document.createElement("script");
  script.src = "report.js";
  document.body.append(kept, script);
});
parent.postMessage("data", location.origin);
