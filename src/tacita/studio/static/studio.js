// What pages do beyond forms and links: events as they happen, what a form would write, copying, and uploads. Without it everything
// still works on reload.
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

function replaced(place, text) {
  const open = new Set([...place.querySelectorAll("details[open] > summary")].map((each) => each.textContent));
  place.innerHTML = text;
  for (const each of place.querySelectorAll("details > summary")) each.parentElement.open = open.has(each.textContent);
  copying(place);
}

async function refresh(place) {
  const answer = await fetch(place.dataset.fragment);
  if (answer.ok) replaced(place, await answer.text());
}

// What the page would write, while somebody types; the newest answer wins.
function live(form) {
  const aside = document.getElementById("aside");
  const address = form.getAttribute("data-live"); // form.dataset would be its field of that name
  let waiting = null;
  let number = 0;

  async function ask() {
    const own = ++number;
    const answer = await fetch(address, { method: "POST", body: new URLSearchParams(new FormData(form)) });
    if (answer.ok && own === number) replaced(aside, await answer.text());
  }

  form.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(ask, 250);
  });
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

function copying(place) {
  for (const button of place.querySelectorAll("[data-copy]")) {
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(button.previousElementSibling.textContent);
      button.textContent = "Copied";
    });
  }
}

for (const place of document.querySelectorAll("[data-events]")) listen(place);
for (const form of document.querySelectorAll("[data-live]")) live(form);
for (const form of document.querySelectorAll("[data-wait]")) {
  form.addEventListener("submit", (event) => {
    if (event.submitter) event.submitter.textContent = form.getAttribute("data-wait");
  });
}
copying(document);

const chooser = document.getElementById("upload");
if (chooser) {
  chooser.addEventListener("change", () => chooser.files.length && upload(chooser.files[0]));
  const drop = document.getElementById("drop");
  for (const name of ["dragover", "drop"]) drop.addEventListener(name, (event) => event.preventDefault());
  drop.addEventListener("drop", (event) => event.dataTransfer.files.length && upload(event.dataTransfer.files[0]));
}
