// The core in WebAssembly (exports.cpp): questions and answers as objects, for browsers and for Node.

/** Takes the bytes of condens.wasm; gives { open(modelBytes), distribution(question), curve() }. */
async function condensCore(bytes) {
  let memory;
  const view = () => new DataView(memory.buffer);
  // What the C library asks of a system; there are no files, and nothing is printed.
  const notSupported = 52;
  const system = {
    clock_time_get(_clock, _precision, at) {
      view().setBigUint64(at, BigInt(Math.round(performance.now() * 1e6)), true);
      return 0;
    },
    environ_sizes_get(count, size) {
      view().setUint32(count, 0, true);
      view().setUint32(size, 0, true);
      return 0;
    },
    environ_get: () => 0,
    proc_exit(code) {
      throw new Error(`the computation ended with code ${code}`);
    },
  };
  const module = await WebAssembly.compile(bytes);
  const imports = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    imports[from] ??= {};
    imports[from][name] = system[name] ?? (() => notSupported);
  }
  const { exports } = await WebAssembly.instantiate(module, imports);
  memory = exports.memory;
  exports._initialize();

  const text = (at) => {
    const all = new Uint8Array(memory.buffer);
    return new TextDecoder().decode(all.subarray(at, all.indexOf(0, at)));
  };
  const ask = (name, given) => {
    const place = exports.malloc(Math.max(1, given.length));
    if (place === 0) throw new Error("not enough memory for the model");
    new Uint8Array(memory.buffer).set(given, place);
    try {
      const answer = JSON.parse(text(exports[name](place, given.length)));
      if (answer.error !== undefined) throw new Error(answer.error);
      return answer;
    } finally {
      exports.free(place);
    }
  };
  return {
    open: (model) => ask("open_model", model),
    distribution: (question) => ask("distribution", new TextEncoder().encode(JSON.stringify(question))),
    /** Of the last distribution: [y0, density0, y1, density1, ...]. */
    curve: () => new Float64Array(memory.buffer, exports.curve_data(), 2 * exports.curve_points()).slice(),
  };
}

if (typeof module === "object") module.exports = { condensCore };
