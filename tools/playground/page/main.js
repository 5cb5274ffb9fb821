// The page: joins the editor, the compiler, the device, the forms and the results.

import { Compiler } from "./compiler.js";
import { Editor } from "./editor.js";
import { EXAMPLES, load as loadExample } from "./examples.js";
import { argumentForm, element, launchForm } from "./forms.js";
import { Gpu } from "./gpu.js";
import { Output } from "./output.js";
import { Picture } from "./pictures.js";
import { cleanPlan, fitPlan, parameters, pictureSize, specOf } from "./plan.js";
import { Results } from "./results.js";
import { imageFormats, Runner } from "./runner.js";
import { fromFragment, toFragment } from "./share.js";
import { decode } from "./data.js";

const $ = (id) => document.getElementById(id);

// Milliseconds of rest after which an edited source is compiled.
const REST = 250;

const compiler = new Compiler();
const results = new Results($("results"), { onMove: moved, onMouse: (mouse) => (state.mouse = mouse) });
const editor = new Editor($("editor"), () => edited());
const output = new Output(compiler, () => ({
  source: editor.text,
  options: state.plan.options,
  formats: formats(),
}));

const state = {
  plan: cleanPlan({}),
  compiled: undefined,
  // The formats that it was compiled for, as JSON.
  formats: "",
  gpu: undefined,
  runner: undefined,
  pictures: new Map(),
  mouse: [0, 0, 0, 0],
  start: performance.now(),
  times: {},
  animating: false,
};

const formats = () => imageFormats(state.plan, editor.text);

function picture(key) {
  if (!state.pictures.has(key)) state.pictures.set(key, new Picture());
  return state.pictures.get(key);
}

// One thing happens after another: what is asked for while something runs waits, and only the last one
// counts.
let running = Promise.resolve();
let latest = 0;

function enqueue(work) {
  const own = ++latest;
  running = running.then(async () => {
    try {
      await work(() => own === latest);
    } catch (error) {
      tell(error.message);
    }
  });
  return running;
}

function tell(problem) {
  $("problem").hidden = !problem;
  $("problem").textContent = problem ?? "";
}

// --- compile ---

let timer;

function edited() {
  clearTimeout(timer);
  timer = setTimeout(() => build(state.animating), REST);
}

// Compiles the source, and runs it if asked to.
function build(runs) {
  clearTimeout(timer);
  return enqueue(async (isLatest) => {
    const request = {
      ask: "compile",
      language: "wgsl",
      source: editor.text,
      options: state.plan.options,
      formats: formats(),
    };
    const answer = await compiler.ask(request);
    if (!isLatest()) return;
    state.formats = JSON.stringify(request.formats);
    state.times = { compile: answer.time };
    showMessages(answer.messages);
    output.refresh();
    drop();
    if (!answer.text) {
      state.compiled = undefined;
      stop();
    } else {
      state.compiled = answer;
      state.plan = fitPlan(state.plan, answer.interface.module);
      tell();
      showForms();
      if (runs) await runOnce();
    }
    showTimes();
  });
}

function showMessages(found) {
  // Those without a place come first.
  const at = ({ place }) => (place ? 1e6 * place.line + place.column : 0);
  const messages = found.toSorted((one, other) => at(one) - at(other));
  editor.mark(messages);
  $("messages").replaceChildren(...messages.map(messageRow));
  $("messages").classList.toggle("empty", messages.length === 0);
}

function messageRow(message) {
  const { severity, text, place, label, related = [], notes = [] } = message;
  const where = place ? `${place.line}:${place.column}` : "";
  const lines = [
    element("p", {}, [element("b", { className: severity, textContent: severity }), ` ${text}`]),
  ];
  if (label) lines.push(element("p", { className: "faint", textContent: label }));
  for (const it of related) {
    const at = it.place ? `${it.place.line}:${it.place.column} ` : "";
    lines.push(element("p", { className: "faint", textContent: at + it.text }));
  }
  lines.push(...notes.map((note) => element("p", { className: "faint", textContent: note })));
  const button = element("button", {
    type: "button",
    className: "place",
    textContent: where,
    disabled: !place,
  });
  button.addEventListener("click", () => editor.go(place));
  return element("div", { className: "message" }, [button, element("div", {}, lines)]);
}

// --- run ---

// The device, as a promise; another one after it was lost.
function gpu() {
  state.gpu ??= openGpu();
  return state.gpu;
}

async function openGpu() {
  try {
    const opened = await Gpu.open();
    $("device").textContent = opened.name;
    opened.device.lost.then(({ message }) => {
      state.gpu = undefined;
      drop();
      stop();
      tell(`The device was lost, perhaps by a kernel that runs for too long. ${message}`);
    });
    return opened;
  } catch (error) {
    state.gpu = undefined;
    throw error;
  }
}

// Frees what the last program has on the device.
function drop() {
  state.runner?.free();
  state.runner = undefined;
}

async function runOnce() {
  const start = performance.now();
  if (!state.runner) {
    const device = await gpu();
    const { compiled, plan } = state;
    state.runner = await Runner.make(device, compiled, plan, picture);
    state.times.pipeline = performance.now() - start;
    state.start = performance.now();
    showForms();
  }
  const { runner, plan } = state;
  const size = pictureSize(runner.all, plan) ?? [0, 0];
  const time = (performance.now() - state.start) / 1000;
  state.times.run = await runner.run({ time, mouse: state.mouse, size, view: plan.view });
  await results.show(runner, plan);
  playground.firstResult ??= performance.now();
  if (runner.program.printHead && !state.animating) await showPrinted(runner);
  runner.swap();
  tell();
  showTimes();
}

async function showPrinted(runner) {
  const { print_formats, print_strings } = runner.module;
  const words = await runner.program.printed();
  const answer = await compiler.ask({
    ask: "printed",
    words,
    formats: print_formats,
    strings: print_strings,
  });
  $("printed").hidden = false;
  $("printed").textContent = answer.text;
}

// Runs everything from the start.
function run() {
  return enqueue(async () => {
    drop();
    $("printed").hidden = true;
    if (!state.compiled) return;
    await runOnce();
  });
}

function start() {
  if (state.animating) return;
  state.animating = true;
  $("animate").setAttribute("aria-pressed", "true");
  $("animate").textContent = "Pause";
  frame();
}

function stop() {
  state.animating = false;
  $("animate").setAttribute("aria-pressed", "false");
  $("animate").textContent = "Animate";
  for (const it of state.pictures.values()) it.stopCamera();
}

function frame() {
  requestAnimationFrame(async () => {
    if (!state.animating) return;
    // Frames leave work that was asked for in its place.
    running = running.then(async () => {
      if (!state.animating || !state.compiled) return;
      try {
        await runOnce();
      } catch (error) {
        stop();
        tell(error.message);
      }
    });
    await running;
    frame();
  });
}

// The picture was dragged or zoomed.
function moved(view) {
  state.plan.view = view;
  const uses = state.runner?.all.some((parameter) =>
    ["centre", "scale"].includes(specOf(state.plan, parameter).from),
  );
  if (uses && !state.animating) {
    enqueue(async (isLatest) => {
      if (isLatest() && state.compiled) await runOnce();
    });
  }
}

function showTimes() {
  const { compile, pipeline, run: onDevice } = state.times;
  const text = (name, time) =>
    time === undefined ? [] : [`${name} ${time < 10 ? time.toFixed(2) : Math.round(time)} ms`];
  $("times").textContent = [
    ...text("compiled in", compile),
    ...text("pipelines", pipeline),
    ...text("ran in", onDevice),
  ].join(" · ");
}

// --- forms ---

function showForms() {
  if (!state.compiled) return;
  const { module } = state.compiled.interface;
  const all = parameters(module, state.plan);
  const sizes = state.plan.launches.map(
    (launch) => state.runner?.sizes(launch) ?? { global: launch.global, local: launch.local },
  );
  const root = document.activeElement?.closest?.("#launches, #arguments");
  const position = root
    ? [...root.querySelectorAll("input, select, button")].indexOf(document.activeElement)
    : -1;
  const changed = (change) => {
    change();
    // The shader has the formats of images.
    if (JSON.stringify(formats()) !== state.formats) build(true);
    else run();
    showForms();
  };
  launchForm($("launches"), { module, plan: state.plan, sizes, changed });
  argumentForm($("arguments"), { all, plan: state.plan, pictures: picture, changed });
  if (position >= 0) [...root.querySelectorAll("input, select, button")][position]?.focus();
}

// A picture that is dropped beside the source becomes the first argument that can hold one.
async function dropped(event) {
  event.preventDefault();
  const file = [...event.dataTransfer.files].find(({ type }) => type.startsWith("image/"));
  const takes = (parameter) =>
    parameter.kind === "image" ? !parameter.written : specOf(state.plan, parameter).data === "picture";
  const parameter = state.compiled && parameters(state.compiled.interface.module, state.plan).find(takes);
  if (!file || !parameter) return;
  await picture(parameter.key).useFile(file);
  state.plan.arguments[parameter.key] = { ...state.plan.arguments[parameter.key], picture: "file" };
  await run();
  showForms();
}

// --- examples, links, look ---

async function open(source, plan, name = "") {
  stop();
  results.clear();
  for (const id of ["launches", "arguments"]) $(id).replaceChildren();
  $("examples").value = name;
  $("printed").hidden = true;
  state.plan = cleanPlan(plan);
  state.mouse = [0, 0, 0, 0];
  results.view = state.plan.view;
  $("options").value = state.plan.options;
  editor.text = source;
  await build(true);
  if (state.plan.animate && state.compiled) start();
}

async function openExample(name) {
  const { source, plan } = await loadExample(name);
  await open(source, plan, name);
}

async function openFragment() {
  const fragment = location.hash.slice(1);
  if (EXAMPLES.some(({ name }) => name === fragment)) return openExample(fragment);
  if (!fragment) return openExample(EXAMPLES[0].name);
  try {
    const { source, plan } = await fromFragment(fragment);
    await open(String(source), plan);
  } catch (error) {
    await openExample(EXAMPLES[0].name);
    tell(`The link is damaged: ${error.message}`);
  }
}

async function share() {
  const fragment = await toFragment({
    source: editor.text,
    plan: { ...state.plan, animate: state.animating },
  });
  history.replaceState(null, "", `#${fragment}`);
  await navigator.clipboard?.writeText(location.href).catch(() => undefined);
  $("share").textContent = "Link copied";
  setTimeout(() => ($("share").textContent = "Share"), 1500);
}

function wire() {
  const theme = localStorage.getItem("clvk-theme");
  if (theme) document.documentElement.dataset.theme = theme;
  for (const { name, title } of EXAMPLES)
    $("examples").append(element("option", { value: name, textContent: title }));
  $("examples").addEventListener("change", () => {
    history.replaceState(null, "", `#${$("examples").value}`);
    openExample($("examples").value);
  });
  $("run").addEventListener("click", () => build(true));
  $("animate").addEventListener("click", () => (state.animating ? stop() : start()));
  $("share").addEventListener("click", share);
  $("options").addEventListener("change", () => {
    state.plan.options = $("options").value;
    build(true);
  });
  $("theme").addEventListener("click", () => {
    const { dataset } = document.documentElement;
    const isDark = dataset.theme
      ? dataset.theme === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;
    dataset.theme = isDark ? "light" : "dark";
    localStorage.setItem("clvk-theme", dataset.theme);
    // Plots are in the page's colours.
    enqueue(() => state.runner && results.show(state.runner, state.plan));
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      build(true);
    }
  });
  for (const tab of document.querySelectorAll("[role=tab]")) {
    tab.addEventListener("click", () => {
      for (const other of document.querySelectorAll("[role=tab]")) {
        other.setAttribute("aria-selected", String(other === tab));
        $(other.dataset.tab).hidden = other !== tab;
      }
      output.isShown = tab.dataset.tab === "output-tab";
      output.refresh();
    });
  }
  window.addEventListener("hashchange", openFragment);
  $("side").addEventListener("dragover", (event) => event.preventDefault());
  $("side").addEventListener("drop", dropped);
}

// For the console and for tests: the plan, and what an argument holds after the last run.
globalThis.playground = {
  plan: () => state.plan,
  open,
  openExample,
  start,
  stop,
  async idle() {
    await running;
    return { messages: $("messages").textContent, problem: $("problem").textContent, times: state.times };
  },
  async run(plan) {
    if (plan) state.plan = cleanPlan(plan);
    await build(true);
  },
  async step() {
    await enqueue(() => runOnce());
  },
  // Milliseconds from the navigation to the first result.
  firstResult: undefined,
  // The numbers of an argument, as the kernels of the last run left them.
  async read(key) {
    const parameter = state.runner.all.find((it) => it.key === key);
    const { bytes, texture } = await state.runner.read(key);
    return Array.from(texture ? bytes : decode(parameter.argument.element, bytes));
  },
};

wire();
// Opened while the compiler is loaded. A run says what is wrong if it cannot be.
gpu().catch(() => undefined);
openFragment().then(() => (document.documentElement.dataset.ready = "true"));
