// The compiled program: shaders, or SPIR-V for a device of choice.

const LANGUAGES = [
  ["wgsl", "WGSL (WebGPU)"],
  ["spirv", "SPIR-V (Vulkan)"],
  ["msl", "MSL (Metal)"],
  ["hlsl", "HLSL (Direct3D)"],
  ["glsl", "GLSL (OpenGL)"],
];
const ENDINGS = { wgsl: "wgsl", spirv: "spv", msl: "metal", hlsl: "hlsl", glsl: "comp" };

// The device that SPIR-V is for unless another is chosen.
const USUAL_DEVICE = "lavapipe-22.3";

const $ = (id) => document.getElementById(id);

export class Output {
  isShown = false;
  #answer;
  #number = 0;

  // `program` gives the source, the options and the formats of images.
  constructor(compiler, program) {
    this.compiler = compiler;
    this.program = program;
    for (const [value, text] of LANGUAGES) $("language").append(new Option(text, value));
    $("language").addEventListener("change", () => this.refresh());
    $("profile").addEventListener("change", () => this.refresh());
    $("download").addEventListener("click", () => this.#download());
    $("download-interface").addEventListener("click", () => this.#downloadInterface());
  }

  // Compiles anew if the text is on the screen.
  async refresh() {
    if (!this.isShown) return;
    const own = ++this.#number;
    const language = $("language").value;
    $("profile-label").hidden = language !== "spirv";
    try {
      await this.#profiles();
      const profile = language === "spirv" ? $("profile").value : "webgpu";
      const answer = await this.compiler.ask({ ask: "compile", ...this.program(), language, profile });
      if (own !== this.#number) return;
      this.#answer = { ...answer, language };
      const problems = answer.messages.map(({ severity, text, notes }) =>
        [`${severity}: ${text}`, ...(notes ?? [])].join("\n    "),
      );
      $("output").textContent = answer.text ?? problems.join("\n");
    } catch (error) {
      $("output").textContent = error.message;
    }
    for (const button of ["download", "download-interface"]) $(button).disabled = !this.#answer?.text;
  }

  async #profiles() {
    if ($("profile").options.length > 0) return;
    const { presets } = await this.compiler.ask({ ask: "presets" });
    for (const name of presets) $("profile").append(new Option(name, name));
    $("profile").value = USUAL_DEVICE;
  }

  #download() {
    const { language, words, text } = this.#answer;
    save(`kernel.${ENDINGS[language]}`, words ? Uint32Array.from(words) : text);
  }

  #downloadInterface() {
    save("kernel.json", JSON.stringify(this.#answer.interface, null, 2));
  }
}

function save(name, contents) {
  const address = URL.createObjectURL(new Blob([contents]));
  const link = Object.assign(document.createElement("a"), { href: address, download: name });
  link.click();
  URL.revokeObjectURL(address);
}
