// What pages do beyond forms and links: events as they happen, copying, and uploads. Without it everything still works on reload.
"use strict";

function listen(place) {
  const source = new EventSource(place.dataset.events);
  const bar = place.querySelector("progress");
  let last = null;

  function news(event) {
    const told = JSON.parse(event.data);
    if (bar && told.total > 0) {
      bar.max = told.total;
      bar.value = told.done;
    }
    if (place.dataset.fragment && told.waiting !== last) {
      last = told.waiting;
      refresh(place);
    }
  }

  source.addEventListener("news", news);
  source.addEventListener("end", async (event) => {
    source.close();
    if (place.dataset.fragment) await refresh(place);
    else if ("reload" in place.dataset) location.reload();
    news(event);
  });
}

async function refresh(place) {
  const answer = await fetch(place.dataset.fragment);
  if (!answer.ok) return;
  const open = new Set([...place.querySelectorAll("details[open] > summary")].map((each) => each.textContent));
  place.innerHTML = await answer.text();
  for (const each of place.querySelectorAll("details > summary")) each.parentElement.open = open.has(each.textContent);
}

async function upload(file) {
  const state = document.getElementById("upload-state");
  state.textContent = `Copying ${file.name} …`;
  const answer = await fetch(`/upload?name=${encodeURIComponent(file.name)}`, {
    method: "POST",
    headers: { "X-Studio-Token": document.body.dataset.token, "Content-Type": "application/octet-stream" },
    body: file,
  });
  const told = answer.ok || answer.status === 422 ? await answer.json() : { refusal: await answer.text() };
  if (told.refusal) {
    state.textContent = told.refusal;
    return;
  }
  const files = document.getElementById("file");
  files.prepend(new Option(told.file, told.file, true, true));
  files.value = told.file;
  state.textContent = `${told.file} is chosen.`;
}

for (const place of document.querySelectorAll("[data-events]")) listen(place);

for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(button.previousElementSibling.textContent);
    button.textContent = "Copied";
  });
}

const chooser = document.getElementById("upload");
if (chooser) {
  chooser.addEventListener("change", () => chooser.files.length && upload(chooser.files[0]));
  const drop = document.getElementById("drop");
  for (const name of ["dragover", "drop"]) drop.addEventListener(name, (event) => event.preventDefault());
  drop.addEventListener("drop", (event) => event.dataTransfer.files.length && upload(event.dataTransfer.files[0]));
}
