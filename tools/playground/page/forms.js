// Forms for launches and arguments. They change the plan and tell by `changed`.

import { isFloat } from "./data.js";
import { LIVE, isDeep, specOf } from "./plan.js";
import { SOURCES, VOLUMES } from "./pictures.js";
import { VIEWS } from "./results.js";

function element(name, properties = {}, children = []) {
  const it = Object.assign(document.createElement(name), properties);
  it.append(...children);
  return it;
}

function labelled(text, control, hint) {
  const label = element("label", { className: "field", title: hint ?? "" }, [
    element("span", { textContent: text }),
    control,
  ]);
  return label;
}

function select(choices, value, onChange) {
  const options = choices.map(([name, text]) => element("option", { value: name, textContent: text }));
  const it = element("select", {}, options);
  it.value = value;
  it.addEventListener("change", () => onChange(it.value));
  return it;
}

function numberInput(value, onChange, { least = -Infinity, step = "any", wide = 7 } = {}) {
  const it = element("input", { type: "number", value, step });
  if (least > -Infinity) it.min = least;
  it.style.width = `${wide}em`;
  it.addEventListener("change", () => {
    const number = Number(it.value);
    if (it.value !== "" && number >= least) onChange(number);
    else it.value = value;
  });
  return it;
}

function textInput(value, onChange, placeholder = "") {
  const it = element("input", { type: "text", value, placeholder, spellcheck: false });
  it.addEventListener("change", () => onChange(it.value));
  return it;
}

const sizeText = (size) =>
  size ? size.filter((side, at) => at === 0 || size.slice(at).some((it) => it > 1)).join(", ") : "";

function readSize(text) {
  const sides = text
    .split(/[\s,x×]+/)
    .filter(Boolean)
    .map(Number);
  return sides.length > 0 && sides.every((side) => Number.isInteger(side) && side > 0)
    ? sides.slice(0, 3)
    : null;
}

// The list of launches.
export function launchForm(root, { module, plan, sizes, changed }) {
  const names = module.kernels.filter((kernel) => !kernel.is_block).map(({ name }) => [name, name]);
  const rows = plan.launches.map((launch, index) => {
    const set = (change) => changed(() => Object.assign(launch, change));
    const global = textInput(
      sizeText(launch.global),
      (text) => set({ global: readSize(text) }),
      sizeText(sizes[index].global),
    );
    const local = textInput(
      sizeText(launch.local),
      (text) => set({ local: readSize(text) }),
      sizeText(sizes[index].local),
    );
    const fields = [
      labelled(
        "kernel",
        select(names, launch.kernel, (kernel) => set({ kernel })),
      ),
      labelled("global size", global, "x, y, z; chosen from the arguments if it is empty"),
      labelled("local size", local, "x, y, z; chosen if it is empty"),
      labelled(
        "repeat",
        numberInput(launch.repeat, (repeat) => set({ repeat }), { least: 1, step: 1, wide: 4.5 }),
      ),
    ];
    if (plan.launches.length > 1) {
      const remove = element("button", {
        type: "button",
        className: "quiet",
        textContent: "✕",
        title: "Remove this launch",
      });
      remove.addEventListener("click", () => changed(() => plan.launches.splice(index, 1)));
      fields.push(remove);
    }
    return element("div", { className: "row" }, fields);
  });
  const add = element("button", {
    type: "button",
    className: "quiet",
    textContent: "+ launch",
    title: "Launch another kernel after these",
  });
  add.addEventListener("click", () =>
    changed(() => plan.launches.push({ ...plan.launches.at(-1), global: null, local: null, repeat: 1 })),
  );
  root.replaceChildren(element("h2", { textContent: "Launches" }, [add]), ...rows);
}

// The list of arguments.
export function argumentForm(root, { all, plan, pictures, changed }) {
  const cards = all.map((parameter) => {
    const spec = specOf(plan, parameter);
    const set = (change) =>
      changed(() => (plan.arguments[parameter.key] = { ...plan.arguments[parameter.key], ...change }));
    const fields = FIELDS[parameter.kind]?.(parameter, spec, set, { all, plan, pictures, changed }) ?? [];
    const head = element("div", { className: "name" }, [
      element("strong", { textContent: parameter.key }),
      element("code", { textContent: parameter.argument.type_name }),
    ]);
    return element("div", { className: "row named" }, [
      head,
      element("div", { className: "fields" }, fields),
    ]);
  });
  root.replaceChildren(...(cards.length > 0 ? [element("h2", { textContent: "Arguments" }), ...cards] : []));
}

const FIELDS = {
  "storage-buffer": bufferFields,
  image: imageFields,
  value: valueFields,
  local: (_, spec, set) => [
    labelled(
      "bytes",
      numberInput(spec.size, (size) => set({ size }), { least: 1, step: 1 }),
      "local memory for each work-group",
    ),
  ],
  sampler: (_, spec, set) => [
    labelled(
      "beyond the edge",
      select(
        ["none", "clamp-to-edge", "clamp", "repeat", "mirrored-repeat"].map((it) => [it, it]),
        spec.addressing,
        (addressing) => set({ addressing }),
      ),
    ),
    labelled(
      "filter",
      select(
        [
          ["linear", "linear"],
          ["nearest", "nearest"],
        ],
        spec.linear ? "linear" : "nearest",
        (it) => set({ linear: it === "linear" }),
      ),
    ),
    labelled(
      "coordinates",
      select(
        [
          ["pixels", "pixels"],
          ["normalised", "0 to 1"],
        ],
        spec.normalized ? "normalised" : "pixels",
        (it) => set({ normalized: it === "normalised" }),
      ),
    ),
  ],
};

function bufferFields(parameter, spec, set, context) {
  const kinds = [
    ["zeros", "zeros"],
    ["random", "random numbers"],
    ["ramp", "0, 1, 2, …"],
    ["values", "these numbers"],
  ];
  if ([1, 4].includes(parameter.argument.lanes)) kinds.push(["picture", "a picture"]);
  const fields = [
    labelled(
      "begins with",
      select(kinds, spec.data, (data) => set({ data })),
    ),
    labelled(
      "elements",
      numberInput(spec.length, (length) => set({ length }), { least: 1, step: 1 }),
    ),
  ];
  if (spec.data === "random") {
    fields.push(
      labelled(
        "from",
        numberInput(spec.low, (low) => set({ low })),
      ),
      labelled(
        "to",
        numberInput(spec.high, (high) => set({ high })),
      ),
      labelled(
        "seed",
        numberInput(spec.seed, (seed) => set({ seed }), { least: 0, step: 1, wide: 5 }),
      ),
    );
  } else if (spec.data === "values") {
    fields.push(
      labelled(
        "numbers",
        textInput(spec.values, (values) => set({ values }), "1, 2, 3"),
      ),
    );
  } else if (spec.data === "picture") {
    fields.push(...pictureFields(parameter, spec, set, context));
  }
  fields.push(
    labelled(
      "show",
      select(
        VIEWS.map((it) => [it, it]),
        spec.show,
        (show) => set({ show }),
      ),
    ),
  );
  if (spec.show === "picture" || spec.data === "picture") {
    fields.push(
      labelled(
        "width",
        numberInput(spec.width, (width) => set({ width }), { least: 1, step: 1, wide: 5 }),
      ),
    );
  }
  return fields;
}

const FORMATS = {
  f32: ["rgba8unorm", "rgba8snorm", "rgba16float", "rgba32float", "r32float", "rg32float"],
  i32: ["rgba32sint", "rgba16sint", "rgba8sint", "r32sint", "rg32sint"],
  u32: ["rgba32uint", "rgba16uint", "rgba8uint", "r32uint", "rg32uint"],
};

function imageFields(parameter, spec, set, context) {
  const fields = [];
  if (parameter.written) {
    const formats = FORMATS[parameter.writer.element] ?? FORMATS.f32;
    fields.push(
      labelled(
        "format",
        select(
          formats.map((it) => [it, it]),
          spec.format ?? formats[0],
          (format) => set({ format }),
        ),
      ),
    );
  } else {
    fields.push(...pictureFields(parameter, spec, set, context));
  }
  fields.push(
    labelled(
      "width",
      numberInput(spec.width, (width) => set({ width }), { least: 1, step: 1, wide: 5 }),
    ),
    labelled(
      "height",
      numberInput(spec.height, (height) => set({ height }), { least: 1, step: 1, wide: 5 }),
    ),
    ...sliceFields(parameter, spec, set),
    labelled(
      "show",
      select(
        [
          ["picture", "picture"],
          ["hidden", "hidden"],
        ],
        spec.show,
        (show) => set({ show }),
      ),
    ),
  );
  return fields;
}

// Of a volume, or an array of pictures.
function sliceFields({ argument }, spec, set) {
  if (!isDeep(argument)) return [];
  const count = labelled(
    "slices",
    numberInput(spec.depth, (depth) => set({ depth }), { least: 1, step: 1, wide: 5 }),
  );
  const shown = labelled(
    "slice shown",
    numberInput(spec.slice, (slice) => set({ slice }), { least: 0, step: 1, wide: 5 }),
    "counted from 0",
  );
  return [count, ...(spec.show === "picture" ? [shown] : [])];
}

// Where a picture comes from.
function pictureFields(parameter, spec, set, { pictures }) {
  const picture = pictures(parameter.key);
  const deep = parameter.kind === "image" && isDeep(parameter.argument);
  const sources = deep ? [...VOLUMES, ...SOURCES] : SOURCES;
  const fields = [
    labelled(
      "picture",
      select(sources, spec.picture, (source) => set({ picture: source })),
    ),
  ];
  if (spec.picture === "file") {
    const file = element("input", { type: "file", accept: "image/*" });
    const zone = element("div", { className: "drop" }, [
      element("span", {
        textContent: picture.hasFile ? "another: " : "drop a picture on this side of the page, or ",
      }),
      file,
    ]);
    const use = async (blob) => {
      await picture.useFile(blob);
      set({ picture: "file" });
    };
    file.addEventListener("change", () => file.files[0] && use(file.files[0]));
    fields.push(zone);
  } else if (spec.picture === "painting") {
    fields.push(paintable(picture, () => set({})));
  }
  return fields;
}

function paintable(picture, painted) {
  const canvas = picture.painting;
  canvas.className = "painting";
  canvas.title = "Paint here";
  let last;
  const place = (event) => [event.offsetX / canvas.clientWidth, event.offsetY / canvas.clientHeight];
  canvas.onpointerdown = (event) => {
    canvas.setPointerCapture(event.pointerId);
    last = place(event);
    picture.paint(last, last);
  };
  canvas.onpointermove = (event) => {
    if (!last) return;
    const next = place(event);
    picture.paint(last, next);
    last = next;
  };
  canvas.onpointerup = () => {
    last = undefined;
    painted();
  };
  return canvas;
}

function valueFields(parameter, spec, set) {
  const { argument } = parameter;
  const fields = [];
  if (argument.element !== "opaque")
    fields.push(
      labelled(
        "is",
        select(LIVE, spec.from, (from) => set({ from })),
      ),
    );
  if (spec.from === "value") {
    const control =
      argument.lanes === 1 && argument.element !== "opaque"
        ? numberInput(spec.value, (value) => set({ value: String(value) }), {
            step: isFloat(argument.element) ? "any" : 1,
          })
        : textInput(spec.value, (value) => set({ value }), Array(argument.lanes).fill("0").join(", "));
    fields.push(labelled(argument.element === "opaque" ? "words" : "value", control));
  }
  return fields;
}

export { element };
