// Colours of OpenCL C.

const KEYWORDS = new Set(
  (
    "__attribute__ auto break case const constant continue default do else enum extern for generic global goto " +
    "if inline kernel local private read_only read_write register restrict return sizeof static struct switch " +
    "typedef union volatile while write_only __constant __generic __global __kernel __local __private " +
    "__read_only __read_write __write_only"
  ).split(" "),
);

const TYPE =
  /^(?:void|bool|(?:(?:u?(?:char|short|int|long))|half|float|double)(?:2|3|4|8|16)?|unsigned|signed|size_t|ptrdiff_t|u?intptr_t|image[123]d_\w+|sampler_t|event_t|pipe|queue_t|atomic_(?:u?int|u?long|float|double|half|flag|size_t|ptrdiff_t|u?intptr_t))$/;

const TOKEN =
  /(?<comment>\/\/[^\n]*|\/\*[^]*?(?:\*\/|$))|(?<directive>^[ \t]*#(?:[^\n\\]|\\[^]?)*)|(?<string>"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?)|(?<number>\.?\d(?:[eEpP][+-]|[\w.])*)|(?<word>[A-Za-z_]\w*)/gm;

// The coloured parts of a text: `{start, end, kind}`, in order.
export function tokens(text) {
  const found = [];
  for (const match of text.matchAll(TOKEN)) {
    const end = match.index + match[0].length;
    let kind = Object.keys(match.groups).find((name) => match.groups[name] !== undefined);
    if (kind === "word") {
      kind = KEYWORDS.has(match[0]) ? "keyword" : TYPE.test(match[0]) ? "type" : undefined;
      if (!kind && /^\s*\(/.test(text.slice(end, end + 8))) kind = "call";
      if (!kind && /^[A-Z][A-Z0-9_]+$/.test(match[0])) kind = "constant";
    }
    if (kind) found.push({ start: match.index, end, kind });
  }
  return found;
}

const escape = (text) => text.replace(/[&<>]/g, (char) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[char]);

// The text as HTML, with its colours and the marks `{start, end, kind}`, which may overlap them.
export function toHtml(text, marks = [], parts = tokens(text)) {
  const cuts = new Set([0, text.length]);
  for (const { start, end } of [...parts, ...marks]) cuts.add(start).add(end);
  const places = [...cuts].sort((one, other) => one - other);
  let part = 0;
  let html = "";
  for (let index = 0; index + 1 < places.length; ++index) {
    const [start, end] = [places[index], places[index + 1]];
    while (part < parts.length && parts[part].end <= start) ++part;
    const names = [];
    if (part < parts.length && parts[part].start <= start) names.push(`t-${parts[part].kind}`);
    for (const mark of marks) if (mark.start <= start && end <= mark.end) names.push(`m-${mark.kind}`);
    const shown = escape(text.slice(start, end));
    html += names.length > 0 ? `<span class="${names.join(" ")}">${shown}</span>` : shown;
  }
  return html;
}
