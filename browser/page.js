// The page: inputs on one side, the distribution of the target on the other. It asks the core (core.js) and draws.
"use strict";

const levels = [0.05, 0.25, 0.5, 0.75, 0.95];
const element = (id) => document.getElementById(id);

/** An element, or one of SVG, with attributes and children; what is null or false is left out. */
function make(name, attributes = {}, ...children) {
  const svg = ["svg", "path", "line", "rect", "circle", "text", "g"].includes(name);
  const out = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === false) continue;
    if (key.startsWith("on")) out.addEventListener(key.slice(2), value);
    else out.setAttribute(key, value === true ? "" : value);
  }
  out.append(...children.filter((child) => child !== null));
  return out;
}

// --- numbers ---------------------------------------------------------------------------------------------------------

/** With as many digits as tell apart a thousandth of `span` or less. */
function shown(value, span) {
  if (value === null) return "∞";
  const size = Math.max(Math.abs(value), span);
  if (size !== 0 && (size >= 1e7 || size < 1e-4)) return value.toExponential(3).replace("e+", "e");
  const decimals = span > 0 ? Math.min(12, Math.max(0, 4 - Math.ceil(Math.log10(span)))) : 3;
  const text = value.toLocaleString("en", { maximumFractionDigits: decimals, useGrouping: size >= 1e5 });
  return (text === "-0" ? "0" : text).replace("-", "−");
}

function percent(share) {
  const value = 100 * share;
  return `${value >= 99.95 || value < 0.05 ? value.toPrecision(2) : value.toFixed(value < 9.95 ? 1 : 0)} %`;
}

const dayLength = 86400000;
const dateOf = (days) => new Date(Math.round(days) * dayLength).toISOString().slice(0, 10);
const daysOf = (date) => Date.parse(`${date}T00:00:00Z`) / dayLength;

/** Round numbers, about `count` of them, from low to high. */
function ticks(low, high, count) {
  const raw = (high - low) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= raw);
  const out = [];
  for (let k = Math.ceil(low / step); k * step <= high; ++k) out.push(k * step);
  return out;
}

// --- inputs ----------------------------------------------------------------------------------------------------------

/** The control of one input: `read()` and `write(value)`; null is unknown. */
function numberControl(input, changed) {
  const isDate = input.kind === "date";
  const id = `input-${input.name}`;
  const span = input.high - input.low;
  const unit = isDate ? 1 : 10 ** Math.floor(Math.log10(span / 200));
  const slider = make("input", {
    type: "range", min: input.low, max: input.high, step: isDate ? 1 : "any", "aria-label": input.name,
    oninput: () => {
      const at = Number(slider.value);
      // Round numbers inside; the ends as they are.
      const value = at <= input.low || at >= input.high ? at : Number((Math.round(at / unit) * unit).toPrecision(12));
      set(value);
      changed();
    },
  });
  const box = make("input", {
    id, type: isDate ? "date" : "number", step: "any", required: true,
    oninput: () => {
      const value = isDate ? daysOf(box.value) : box.valueAsNumber;
      if (!Number.isFinite(value)) return;
      slider.value = value;
      tell(value);
      changed();
    },
  });
  const far = make("span", { class: "far" });
  const tell = (value) => {
    far.textContent = value < input.low || value > input.high ? "outside of the training rows" : "";
  };
  const set = (value) => {
    slider.value = value;
    box.value = isDate ? dateOf(value) : String(value);
    tell(value);
  };
  const text = (value) => (isDate ? dateOf(value) : shown(value, span));
  return {
    id,
    parts: [
      make("div", { class: "row" }, span > 0 ? slider : null, box),
      make("div", { class: "note" }, make("span", {}, span > 0 ? `${text(input.low)} – ${text(input.high)}` : "constant in the training rows"), far),
    ],
    read: () => (isDate ? box.value : box.valueAsNumber),
    write: (value) => set(isDate && typeof value === "string" ? daysOf(value) : Number(value)),
  };
}

function levelControl(input, changed) {
  const id = `input-${input.name}`;
  const list = make("select", { id, onchange: changed }, ...input.levels.map((level) => make("option", {}, level)));
  return {
    id,
    parts: [make("div", { class: "row" }, list)],
    read: () => list.value,
    write: (value) => {
      if (input.levels.includes(String(value))) list.value = String(value);
    },
  };
}

function inputControl(input, mayBeMissing, changed) {
  const control = (input.kind === "levels" ? levelControl : numberControl)(input, changed);
  const known = make("input", { type: "checkbox", checked: true, onchange: () => { dim(); changed(); } });
  const dim = () => {
    for (const part of control.parts) {
      for (const field of part.querySelectorAll("input, select")) field.disabled = !known.checked;
    }
  };
  const parts = [make("label", { class: "name", for: control.id }, input.name), ...control.parts];
  if (mayBeMissing) parts.push(make("label", { class: "note" }, make("span", {}, known, " known")));
  return {
    name: input.name,
    field: make("div", { class: "input" }, ...parts),
    read: () => (known.checked ? control.read() : null),
    write: (value) => {
      known.checked = value !== null;
      dim();
      if (value !== null) control.write(value);
    },
    reset: () => {
      known.checked = true;
      dim();
      control.write(input.typical);
    },
  };
}

// --- picture ---------------------------------------------------------------------------------------------------------

/** Draws an answer; `before` is the curve at typical inputs, or null. */
class Chart {
  constructor(place, reading) {
    this.place = place;
    this.reading = reading;
    this.range = [];
    this.top = 0;
    this.cursor = null;
    place.addEventListener("pointermove", (event) => this.point(this.valueAt(event.offsetX)));
    place.addEventListener("pointerleave", () => this.point(null));
    place.addEventListener("keydown", (event) => {
      const steps = { ArrowLeft: -1, ArrowRight: 1, PageDown: -10, PageUp: 10 }[event.key];
      if (event.key === "Escape") this.point(null);
      if (steps === undefined) return;
      event.preventDefault();
      const [low, high] = this.range;
      const at = (this.cursor ?? this.answer.mean ?? (low + high) / 2) + (steps * (high - low)) / 100;
      this.point(Math.min(high, Math.max(low, at)));
    });
    new ResizeObserver(() => this.answer && this.draw()).observe(place);
  }

  valueAt(pixel) {
    const [low, high] = this.range;
    return Math.min(high, Math.max(low, low + ((pixel - this.left) / this.width) * (high - low)));
  }

  point(y) {
    this.cursor = y;
    this.draw();
    this.onpoint(y);
  }

  show(answer, curve, ghost, target) {
    Object.assign(this, { answer, curve, ghost, target, range: answer.range });
    const highest = answer.is_discrete
      ? Math.max(...answer.masses.map((one) => one.p))
      : curve.reduce((most, value, i) => (i % 2 === 1 ? Math.max(most, value) : most), 0);
    // The scale stays while it serves, so that one sees the curve move and not the axis.
    if (highest > this.top || highest < 0.3 * this.top) this.top = 1.12 * highest;
    this.draw();
  }

  draw() {
    const { answer, curve, place } = this;
    const [total, height] = [place.clientWidth, place.clientHeight];
    this.left = answer.is_discrete ? 26 : 4;
    this.width = total - 2 * this.left;
    const bottom = height - 38;
    const [low, high] = this.range;
    const x = (y) => this.left + (this.width * (y - low)) / (high - low);
    const h = (density) => bottom - Math.min(1.2, density / (this.top || 1)) * (bottom - 16);
    const svg = make("svg", { viewBox: `0 0 ${total} ${height}` });
    const marks = ticks(low, high, Math.min(10, total / 75));
    const anchor = (at, margin) => (at < margin ? "start" : at > total - margin ? "end" : "middle");
    for (const mark of marks) {
      const at = x(mark);
      svg.append(make("line", { class: "grid", x1: at, x2: at, y1: 8, y2: bottom }));
      svg.append(make("text", { x: at, y: bottom + 16, "text-anchor": anchor(at, 14) }, shown(mark, high - low)));
    }
    svg.append(make("text", { x: total / 2, y: height - 4, "text-anchor": "middle" }, this.target));

    const [from, to] = answer.interval.map((end, k) => end ?? [low, high][k]);
    const isInside = (y) => y >= from && y <= to;
    const mean = answer.mean === null
      ? "" : make("line", { class: "mean", x1: x(answer.mean), x2: x(answer.mean), y1: 8, y2: bottom });
    if (answer.is_discrete && answer.masses.length > 0) {
      svg.append(mean);
      this.bars(svg, x, h, bottom, isInside);
    } else {
      this.area(svg, x, h, bottom, isInside);
      svg.append(mean);
    }
    if (!answer.is_discrete) this.atoms(svg, x, bottom, anchor);
    svg.append(make("line", { class: "axis", x1: 4, x2: total - 4, y1: bottom, y2: bottom }));
    if (this.cursor !== null) {
      svg.append(make("line", { class: "cursor", x1: x(this.cursor), x2: x(this.cursor), y1: 8, y2: bottom }));
    }
    place.replaceChildren(svg);
  }

  path(values, x, h) {
    let out = "";
    for (let i = 0; i < values.length; i += 2) {
      out += `${i === 0 ? "M" : "L"}${x(values[i]).toFixed(2)} ${h(values[i + 1]).toFixed(2)}`;
    }
    return out;
  }

  area(svg, x, h, bottom, isInside) {
    const line = this.path(this.curve, x, h);
    const [low, high] = this.range;
    svg.append(make("path", { class: "outside", d: `${line}L${x(high)} ${bottom}L${x(low)} ${bottom}Z` }));
    const inside = [];
    for (let i = 0; i < this.curve.length; i += 2) {
      if (isInside(this.curve[i])) inside.push(this.curve[i], this.curve[i + 1]);
    }
    if (inside.length > 2) {
      const [first, last] = [inside[0], inside[inside.length - 2]];
      const d = `${this.path(inside, x, h)}L${x(last)} ${bottom}L${x(first)} ${bottom}Z`;
      svg.append(make("path", { class: "inside", d }));
    }
    if (this.ghost) svg.append(make("path", { class: "ghost", d: this.path(this.ghost, x, h) }));
    svg.append(make("path", { class: "curve", d: line }));
  }

  bars(svg, x, h, bottom, isInside) {
    const { masses } = this.answer;
    const gaps = masses.slice(1).map((one, k) => x(one.y) - x(masses[k].y));
    const width = Math.max(1, Math.min(46, 0.72 * Math.min(46, ...gaps)));
    for (const { y, p } of masses) {
      const top = h(p);
      svg.append(make("rect", { class: isInside(y) ? "inside" : "outside", x: x(y) - width / 2, y: top, width, height: Math.max(0, bottom - top) }));
      svg.append(make("line", { class: "curve", x1: x(y) - width / 2, x2: x(y) + width / 2, y1: top, y2: top }));
      if (width > 26) svg.append(make("text", { x: x(y), y: top - 6, "text-anchor": "middle" }, percent(p)));
    }
  }

  /** Atoms stand beside the density: their height is their probability, the whole height one. */
  atoms(svg, x, bottom, anchor) {
    for (const { y, p } of this.answer.masses) {
      if (y < this.range[0] || y > this.range[1]) continue;
      const top = bottom - p * (bottom - 26);
      svg.append(make("line", { class: "atom", x1: x(y), x2: x(y), y1: bottom, y2: top }));
      svg.append(make("circle", { class: "atom-head", cx: x(y), cy: top, r: 4.5 }));
      svg.append(make("text", { class: "atom-label", x: x(y), y: top - 9, "text-anchor": anchor(x(y), 24) }, percent(p)));
    }
  }
}

// --- the page --------------------------------------------------------------------------------------------------------

async function unpacked(id) {
  const text = element(id).textContent;
  element(id).remove();
  const bytes = Uint8Array.from(atob(text.trim()), (letter) => letter.charCodeAt(0));
  if (id !== "core") return bytes;
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function complain(sentence) {
  element("trouble").textContent = sentence;
  element("trouble").hidden = sentence === "";
}

function headings(model) {
  const count = model.inputs.length;
  const given = count === 0 ? "" : count <= 3 ? ` given ${model.inputs.map((one) => one.name).join(", ")}` : ` given ${count} inputs`;
  element("title").textContent = `How ${model.targets.join(", ")} is distributed${given}`;
  document.title = element("title").textContent;
  const rows = model.rows > 0 ? `, fitted on ${model.rows.toLocaleString("en")} rows` : "";
  const kind = model.target_kind === "real" ? "" : ` The target is of kind ${model.target_kind}.`;
  element("about").textContent = `${model.name}${rows}. ${model.title}${kind}`;
}

function start(core, model) {
  headings(model);
  const chart = new Chart(element("chart"), element("reading"));
  const state = { target: 0, interval: 0.9, ghost: null };
  let waiting = false;
  const changed = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      update();
    });
  };
  const controls = model.inputs.map((input) => inputControl(input, model.may_be_missing, changed));

  const question = (at = []) => ({
    inputs: Object.fromEntries(controls.map((control) => [control.name, control.read()])),
    target: state.target, levels, interval: state.interval, at, range: chart.range,
  });

  const numbers = (answer) => {
    const span = answer.range[1] - answer.range[0];
    const cell = (label, values, wide) =>
      make("div", wide ? { class: "wide" } : {}, make("dt", {}, label), make("dd", { "data-values": JSON.stringify(values) },
        values.map((value, k) => (value === null && k === 0 && values.length > 1 ? "−∞" : shown(value, span))).join(" to ")));
    const choice = make("select", {
      "aria-label": "Probability of the interval",
      onchange: () => { state.interval = Number(choice.value); changed(); },
    }, ...[0.5, 0.8, 0.9, 0.95, 0.99].map((p) =>
      make("option", { value: p, selected: p === state.interval }, `${Math.round(100 * p)} %`)));
    const interval = make("span", {}, choice, model.guaranteed ? " interval, guaranteed" : " interval");
    const [q05, q25, q50, q75, q95] = answer.quantiles;
    const focused = document.activeElement?.closest("#numbers select") !== null;
    element("numbers").replaceChildren(
      cell("mean", [answer.mean]), cell("std. dev.", [answer.std]), cell("mode", [answer.mode]),
      cell(interval, answer.interval, true), cell("5 %", [q05]), cell("25 %", [q25]), cell("median", [q50]),
      cell("75 %", [q75]), cell("95 %", [q95]));
    if (focused && document.activeElement === document.body) choice.focus();
  };

  const key = (answer) => {
    const swatch = (color, text, stroke) =>
      make("span", {}, make("i", { class: stroke ? "stroke" : false, style: stroke ? `border-top: 2px ${stroke === true ? "solid" : stroke} var(${color})` : `background: var(${color})` }), text);
    element("key").replaceChildren(
      swatch("--inside", `${Math.round(100 * state.interval)} % interval`), swatch("--mean", "mean", true),
      ...(!answer.is_discrete && answer.masses.length > 0 ? [swatch("--accent", "probability of a single value", true)] : []),
      ...(state.ghost && !answer.is_discrete && controls.length > 0 ? [swatch("--ghost", "at typical inputs", "dashed")] : []));
  };

  const remember = () => {
    const given = new URLSearchParams(controls.map((control) => [control.name, control.read() ?? ""]));
    if (model.targets.length > 1) given.set("target:", model.targets[state.target]);
    if (state.interval !== 0.9) given.set("interval:", state.interval);
    history.replaceState(null, "", `#${given}`);
  };

  function update() {
    try {
      const begin = performance.now();
      const answer = core.distribution(question());
      const curve = core.curve();
      element("speed").textContent = `The last distribution took ${Math.max(1, Math.round(performance.now() - begin))} ms.`;
      const target = model.targets[state.target];
      chart.show(answer, curve, state.ghost, target);
      const span = answer.range[1] - answer.range[0];
      chart.place.setAttribute("aria-label", `${answer.is_discrete ? "Probabilities" : "Density"} of ${target}: mean ` +
        `${shown(answer.mean, span)}, median ${shown(answer.quantiles[2], span)}. Arrow keys move a cursor.`);
      numbers(answer);
      key(answer);
      complain("");
      remember();
    } catch (error) {
      complain(`These inputs have no distribution: ${error.message}`);
    }
  }

  chart.onpoint = (y) => {
    if (y === null) return element("reading").replaceChildren();
    const { masses, is_discrete } = chart.answer;
    const near = is_discrete && masses.length > 0
      ? masses.reduce((best, one) => (Math.abs(one.y - y) < Math.abs(best.y - y) ? one : best)) : null;
    const answer = core.distribution(question([near ? near.y : y])).at[0];
    const name = model.targets[state.target];
    const value = shown(answer.y, chart.range[1] - chart.range[0]);
    const density = answer.log_density === null ? 0 : Math.exp(answer.log_density);
    element("reading").textContent = near
      ? `P(${name} = ${value}) = ${percent(density)},  P(${name} ≤ ${value}) = ${percent(answer.cdf)}`
      : `${name} = ${value}:  density ${density.toPrecision(3)},  P(${name} ≤ ${value}) = ${percent(answer.cdf)}`;
  };

  // The curve at typical inputs, for comparison, of each target; then what the address asks for.
  const begin = () => {
    const before = controls.map((control) => control.read());
    for (const control of controls) control.reset();
    chart.range = [];
    chart.top = 0;
    state.ghost = null;
    try {
      chart.range = core.distribution(question()).range;
      state.ghost = core.curve();
    } catch {
      // What is wrong with them is told when they are shown.
    }
    controls.forEach((control, k) => control.write(before[k]));
  };
  for (const control of controls) control.reset();
  const asked = new URLSearchParams(location.hash.slice(1));
  const target = model.targets.indexOf(asked.get("target:"));
  if (target > 0) state.target = target;
  if (Number(asked.get("interval:")) > 0 && Number(asked.get("interval:")) < 1) state.interval = Number(asked.get("interval:"));
  begin();
  for (const control of controls) {
    const value = asked.get(control.name);
    if (value !== null) control.write(value === "" ? null : value);
  }

  const form = element("inputs");
  if (model.targets.length > 1) {
    const list = make("select", { id: "target", onchange: () => { state.target = list.selectedIndex; begin(); update(); } },
      ...model.targets.map((name, k) => make("option", { selected: k === state.target }, name)));
    form.append(make("div", { class: "input" }, make("label", { class: "name", for: "target" }, "Shown target"), make("div", { class: "row" }, list)));
  }
  if (controls.length > 0) {
    const reset = make("button", { type: "button", onclick: () => { controls.forEach((control) => control.reset()); update(); } }, "Typical values");
    form.append(make("h2", {}, "Inputs", reset), ...controls.map((control) => control.field));
  }
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = form.childElementCount === 0;
  element("main").classList.toggle("alone", form.hidden);
  element("main").hidden = false;
  update();
}

(async () => {
  try {
    const core = await condensCore(await unpacked("core"));
    start(core, core.open(await unpacked("model")));
  } catch (error) {
    element("title").textContent = "This model cannot be shown";
    complain(error.message);
  }
  document.body.dataset.ready = "yes";
})();
