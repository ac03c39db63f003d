"use strict";
(() => {
  const run = JSON.parse(document.getElementById("run").textContent);
  const marks = run.marks || [], lanes = run.lanes || [], findings = run.findings || [], bodies = run.bodies || [];
  const rows = [...document.querySelectorAll("#log tbody tr")]; // row i describes mark i
  const [chart, overview, axis, stage, drawn, panel, tip] =
    ["chart", "overview", "axis", "lanes", "drawn", "panel", "tip"].map((id) => document.getElementById(id));

  // ---- making elements: whatever comes from the run is set as text or attribute, never as markup

  const fill = (element, attributes, children) => {
    for (const [name, value] of Object.entries(attributes)) if (value !== undefined) element.setAttribute(name, value);
    element.append(...children.filter((child) => child !== undefined && child !== ""));
    return element;
  };
  const svg = (name, attributes = {}, ...children) =>
    fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
  const html = (name, attributes = {}, ...children) => fill(document.createElement(name), attributes, children);

  // ---- words

  const pen = document.createElement("canvas").getContext("2d");
  pen.font = `12px ${getComputedStyle(document.body).fontFamily}`;
  const widths = new Map();
  const widthOf = (text) => {
    if (!widths.has(text)) widths.set(text, pen.measureText(text).width);
    return widths.get(text);
  };
  // fit shortens a text to a width; what would be too short to be understood is left out.
  const fit = (text, width) => {
    if (!text || widthOf(text) <= width) return text;
    const letters = Math.floor((text.length * width) / widthOf(text)) - 1;
    return letters < 4 ? "" : text.slice(0, letters) + "…";
  };
  const seconds = (t, digits = 3) => `${(t / 1e6).toFixed(digits)} s`;

  // ---- where things are

  const heights = { process: 24, fault: 22, stimulus: 24, write: 26, read: 20, object: 28, watch: 54 };
  const gap = 8;
  const whole = run.whole;
  let view = run.focus.slice();
  let width = 0, gutter = 0;
  let tops = [], height = 0;
  const x = (t) => gutter + ((t - view[0]) / (view[1] - view[0])) * (width - gutter);
  const timeAt = (px) => view[0] + ((px - gutter) / (width - gutter)) * (view[1] - view[0]);

  function measure() {
    width = chart.clientWidth;
    gutter = Math.min(180, width * 0.25);
    tops = [];
    height = gap / 2;
    for (const lane of lanes) {
      tops.push(height);
      height += heights[lane.kind] * lane.rows + gap;
    }
  }

  // look shows the run between two times. It stays within the run, and shows no span too short to show anything.
  function look(from, to) {
    const span = Math.min(Math.max(to - from, 500), whole[1] - whole[0]);
    const start = Math.min(Math.max((from + to - span) / 2, whole[0]), whole[1] - span);
    view = [start, start + span];
    redraw();
  }
  const zoom = (factor, t = (view[0] + view[1]) / 2) => look(t - (t - view[0]) * factor, t + (view[1] - t) * factor);
  const move = (share) => look(view[0] + share * (view[1] - view[0]), view[1] + share * (view[1] - view[0]));

  // ---- shapes of marks. Colours, patterns and strokes are the style sheet's.

  const outcomes = {
    ok: (r) => `M${-r},0a${r},${r} 0 1,0 ${2 * r},0a${r},${r} 0 1,0 ${-2 * r},0Z`,
    refused: (r) => `M0,${-r * 1.3}L${r * 1.3},0L0,${r * 1.3}L${-r * 1.3},0Z`,
    failed: (r) => `M0,${-r * 1.2}L${r * 1.2},${r}L${-r * 1.2},${r}Z`,
    unanswered: (r) => `M${-r},${-r}L${r},${r}M${r},${-r}L${-r},${r}`,
  };
  const bolt = "M3,-8L-4,1.5L0,1.5L-3,8L4,-1.5L0,-1.5Z";
  const at = (px, y) => `translate(${px},${y})`;
  const box = (from, to, y, h, extra = {}) =>
    svg("rect", { class: "shape", x: from, y, width: Math.max(to - from, 2), height: h, rx: 3, ...extra });
  const words = (text, px, y, room, extra = {}) => {
    const short = fit(text, room);
    return short ? svg("text", { x: px, y, ...extra }, short) : undefined;
  };
  const inside = (text, from, to, y) => {
    const start = Math.max(from, gutter) + 6;
    return words(text, start, y, Math.min(to, width) - start - 4);
  };

  // Each takes a mark, its beginning and end, its top, and where the next mark of its row begins.
  const shapes = {
    process: (m, from, to, y) => [box(from, to, y + 2, 20), inside(m.label, from, to, y + 16)],
    moment: (m, from, to, y, next) =>
      [svg("path", { class: "shape", transform: at(from, y + 12), d: outcomes.unanswered(6) }), words(m.label, from + 11, y + 16, next - from - 14)],
    fault: (m, from, to, y, next) =>
      [box(from, to, y + 1, 20), inside(m.label, from, to, y + 15) || words(m.label, to + 6, y + 15, next - to - 10)],
    stimulus: (m, from, to, y, next) =>
      [svg("path", { class: "shape", transform: at(from, y + 12), d: "M-6,-6L6,-6L0,7Z" }), words(m.label, from + 10, y + 16, next - from - 14)],
    request: (m, from, to, y, next) => {
      const write = lanes[m.lane].kind === "write", r = write ? 6 : 3.5, middle = y + heights[lanes[m.lane].kind] / 2;
      const extra = (m.done ? 13 : 0) + (m.struck ? 13 : 0);
      return [
        svg("line", { class: "wire", x1: from, x2: to, y1: middle, y2: middle }),
        svg("path", { class: "shape", transform: at(to, middle), d: outcomes[m.look](r) }),
        m.done ? svg("path", { class: "done", transform: at(to + 14, middle), d: outcomes.ok(4) }) : undefined,
        m.struck ? svg("path", { class: "bolt", transform: at(to + (m.done ? 27 : 14), middle), d: bolt }) : undefined,
        m.cited ? svg("circle", { class: "ring", cx: to, cy: middle, r: 11 }) : undefined,
        words(m.label, to + 13 + extra, middle + 4, next - to - 20 - extra),
      ];
    },
    state: (m, from, to, y) => m.look === "gone"
      ? [svg("path", { class: "shape", transform: at(from, y + 14), d: outcomes.unanswered(5) }), words("gone", from + 10, y + 18, width - from - 12)]
      : [box(from, to, y + 3, 22), inside(m.label, from, to, y + 18)],
    stream: (m, from, to, y) => [box(from, to, y + 4, 46)],
    frame: (m, from, to, y, next) => {
      const [top, bottom] = [y + 9, y + 45], lost = m.look === "lost";
      const line = { x1: from, y1: top, x2: to, y2: lost ? top : bottom };
      const room = Math.min(next - from, lost ? to - from : (to - from) * 0.6) - 12;
      return [
        svg("line", { class: "reach", ...line }),
        svg("line", { class: "wire", ...line }),
        svg("circle", { class: "shape", cx: from, cy: top, r: 3 }),
        svg("path", { class: "shape", transform: at(to, line.y2), d: lost ? outcomes.unanswered(5) : "M0,3L-4,-4L4,-4Z" }),
        words(m.label, Math.max(from, gutter) + 8, lost ? top + 16 : bottom + 2, room),
      ];
    },
  };

  // ---- drawing

  let selected = -1;
  let pointed = ""; // what all marks of the resourceVersion that is pointed at have in common
  const byRow = new Map();
  marks.forEach((m, i) => {
    const key = `${m.kind === "stream" ? "under" : ""}${m.lane}/${m.row}`;
    if (!byRow.has(key)) byRow.set(key, []);
    byRow.get(key).push(i);
  });

  function drawMark(i, next) {
    const m = marks[i];
    const names = ["mark", m.kind, m.look, lanes[m.lane].kind, m.cited && "cited", m.open && "open", i === selected && "selected",
      m.same && m.same === pointed && "same"];
    return svg("g", { class: names.filter(Boolean).join(" "), "data-mark": i },
      ...shapes[m.kind](m, x(m.from), x(m.to), tops[m.lane] + m.row * heights[lanes[m.lane].kind], next));
  }

  function drawRow(indices) {
    const seen = new Set(); // marks that would cover each other are drawn once
    const elements = [];
    let taken = 0; // up to where events have words already
    indices.forEach((i, place) => {
      const m = marks[i];
      if (m.to < view[0] || m.from > view[1]) return;
      const key = `${m.look} ${Math.round(x(m.from) / 3)} ${Math.round(x(m.to) / 3)}`;
      if (seen.has(key) && !m.cited && i !== selected) return;
      seen.add(key);
      // A mark's words end where the next mark begins; those of events are below the marks, where the first wins.
      const event = m.kind === "frame" && m.label;
      const beyond = event ? x(m.from) + 150 : -Infinity;
      const following = indices.slice(place + 1, place + 40).find((j) => marks[j].label && x(marks[j].from) >= beyond);
      let next = Math.min(following === undefined ? width : x(marks[following].from), width);
      if (event && x(m.from) < taken) next = x(m.from);
      else if (event) taken = Math.min(next, x(m.from) + widthOf(m.label));
      elements.push(drawMark(i, next));
    });
    return elements;
  }

  function drawBackground() {
    return lanes.map((lane, i) => svg("rect", { class: i % 2 ? "lane odd" : "lane", x: 0, y: tops[i] - gap / 2, width, height: heights[lane.kind] * lane.rows + gap }));
  }

  function drawNames() {
    return lanes.map((lane, i) => svg("g", { class: "name", transform: at(10, tops[i]) },
      svg("title", {}, `${lane.name}, ${lane.note}`),
      svg("text", { y: 12 }, fit(lane.name, gutter - 24)),
      svg("text", { class: "note", y: 25 }, heights[lane.kind] * lane.rows > 22 ? fit(lane.note, gutter - 24) : ""),
      lane.kind === "watch" ? svg("text", { class: "note", y: 48 }, "↘ delivered") : undefined));
  }

  const bands = (top, bottom, place) => marks.filter((m) => m.kind === "fault")
    .map((m) => svg("rect", { class: "band", x: place(m.from), y: top, width: Math.max(place(m.to) - place(m.from), 1.5), height: bottom - top }));
  const violations = (top, bottom, place) => findings.filter((f) => f.at)
    .map((f) => svg("line", { class: "violation", x1: place(f.at), x2: place(f.at), y1: top, y2: bottom }));

  function drawAxis() {
    const flagged = findings.filter((f) => f.at);
    const flags = Math.min(flagged.length, 3), size = 24 + 22 * flags;
    fill(axis, { width, height: size }, []);
    const raw = (view[1] - view[0]) / Math.max(2, (width - gutter) / 110);
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = power * [1, 2, 5, 10].find((n) => n * power >= raw);
    const digits = Math.max(0, Math.ceil(6 - Math.log10(step) - 1e-9));
    const ticks = [];
    for (let t = Math.ceil(Math.max(view[0], 0) / step) * step; t <= view[1]; t += step) {
      ticks.push(svg("g", { class: "tick" }, svg("line", { x1: x(t), x2: x(t), y1: size - 5, y2: size }),
        svg("text", { x: x(t), y: size - 9, "text-anchor": "middle" }, seconds(t, digits))));
    }
    const titles = flagged.map((f, i) => {
      const px = x(f.at), y = 2 + (i % 3) * 22, text = fit(`✗ ${f.check}  ${f.title}`, (width - gutter) * 0.85);
      if (px < gutter || px > width) return undefined;
      const long = widthOf(text) * 1.12 + 16, start = Math.max(gutter, Math.min(px, width - long - 2));
      return svg("g", { class: "flag" }, svg("line", { class: "violation", x1: px, x2: px, y1: y, y2: size }),
        svg("rect", { x: start, y, width: long, height: 19, rx: 3 }), svg("text", { x: start + 8, y: y + 14 }, text));
    });
    axis.replaceChildren(...ticks, ...titles.filter(Boolean));
    return ticks.map((tick) => tick.firstChild.getAttribute("x1"));
  }

  function drawOverview() {
    const size = 34, place = (t) => gutter + ((t - whole[0]) / (whole[1] - whole[0])) * (width - gutter - 2);
    fill(overview, { width, height: size }, []);
    const seen = new Set();
    const ticks = marks.filter((m) => m.kind === "request" || m.kind === "state").map((m) => {
      const write = m.kind === "request" && lanes[m.lane].kind === "write";
      const key = `${m.kind} ${write} ${Math.round(place(m.from))}`;
      if (seen.has(key)) return undefined;
      seen.add(key);
      const [y1, y2] = m.kind === "state" ? [22, 31] : write ? [3, 21] : [12, 21];
      return svg("line", { class: write ? "tick write" : "tick", x1: place(m.from), x2: place(m.from), y1, y2 });
    });
    const from = place(view[0]), to = place(view[1]);
    overview.replaceChildren(svg("text", { x: 10, y: 21 }, "whole run"), svg("rect", { class: "ground", x: gutter, y: 0, width: width - gutter, height: size }),
      ...bands(0, size, place), ...ticks.filter(Boolean), ...violations(0, size, place),
      svg("rect", { class: "window", x: from, y: 1, width: Math.max(to - from, 6), height: size - 2, rx: 3 }));
  }

  function drawAll() {
    fill(stage, { width, height }, []);
    fill(document.getElementById("plot-area"), { x: gutter, y: 0, width: Math.max(width - gutter, 0), height }, []);
    const ticks = drawAxis();
    drawOverview();
    const groups = [...byRow.entries()].sort((a, b) => b[0].startsWith("under") - a[0].startsWith("under"));
    const elements = groups.flatMap(([, indices]) => drawRow(indices));
    elements.sort((a, b) => a.classList.contains("cited") - b.classList.contains("cited")); // what matters most, on top
    drawn.replaceChildren(...drawBackground(), svg("g", { "clip-path": "url(#plot)" },
      ...ticks.map((px) => svg("line", { class: "grid", x1: px, x2: px, y1: 0, y2: height })),
      ...bands(0, height, x), ...elements, ...violations(0, height, x)), ...drawNames());
  }

  let asked = false;
  function redraw() {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => { asked = false; measure(); drawAll(); });
  }

  // ---- what is pointed at

  const markOf = (target) => {
    const element = target.closest && target.closest("[data-mark]");
    return element ? Number(element.dataset.mark) : -1;
  };
  const relatives = (i) => marks[i].same ? marks.flatMap((m, j) => m.same === marks[i].same && j !== i ? [j] : []) : [];

  function point(i, event) {
    pointed = (i >= 0 && marks[i].same) || "";
    for (const element of drawn.querySelectorAll(".mark")) element.classList.toggle("same", pointed !== "" && marks[element.dataset.mark].same === pointed);
    tip.hidden = i < 0;
    if (i < 0) return;
    const [time, where, what, more] = rows[i].cells;
    tip.replaceChildren(html("strong", {}, what.textContent), html("div", {}, `${time.textContent} · ${where.textContent}`), html("div", { class: "more" }, ...more.cloneNode(true).childNodes));
    const edge = document.documentElement.clientWidth - tip.offsetWidth - 8;
    tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, edge))}px`;
    tip.style.top = `${event.clientY + tip.offsetHeight + 30 > innerHeight ? event.clientY - tip.offsetHeight - 12 : event.clientY + 18}px`;
  }

  // select keeps a mark's details open and, if asked to, brings it into view.
  function select(i, reveal) {
    if (selected >= 0) rows[selected].classList.remove("selected");
    selected = i;
    panel.hidden = i < 0;
    document.body.classList.toggle("aside", i >= 0);
    if (i >= 0) {
      rows[i].classList.add("selected");
      describe(i);
      const m = marks[i], half = (view[1] - view[0]) / 2;
      if (reveal && (m.from < view[0] || m.from > view[1])) return look(m.from - half, m.from + half);
    }
    redraw();
  }

  function describe(i) {
    const m = marks[i], [time, where, what, more] = rows[i].cells;
    const close = html("button", { type: "button", class: "close", "aria-label": "Close" }, "✕");
    close.onclick = () => select(-1);
    const list = html("dl");
    for (const span of more.children) list.append(html("dt", {}, span.firstChild.textContent), html("dd", {}, span.lastChild.textContent.trim()));
    const parts = [close, html("h2", {}, ...what.cloneNode(true).childNodes), html("p", {}, `${time.textContent} · ${where.textContent}`), list];
    const others = relatives(i).slice(0, 12).map((j) => {
      const button = html("button", { type: "button", class: "link" }, `${rows[j].cells[0].textContent}  ${rows[j].cells[2].textContent}`);
      button.onclick = () => select(j, true);
      return html("li", {}, button);
    });
    if (others.length) parts.push(html("h3", {}, "The same resourceVersion"), html("ul", {}, ...others));
    if (m.body) {
      parts.push(html("h3", {}, m.before ? "The object, compared with its version before" : "The object"),
        m.before ? comparison(bodies[m.before - 1], bodies[m.body - 1]) : html("pre", {}, bodies[m.body - 1]));
    }
    panel.replaceChildren(...parts);
  }

  // ---- what differs between two versions of an object

  // compare returns the lines of both texts in order, each with "-", "+" or " ": the longest common subsequence.
  function compare(before, after) {
    const a = before.split("\n"), b = after.split("\n"), n = a.length, m = b.length;
    const common = Array.from({ length: n + 1 }, () => new Uint16Array(m + 1));
    for (let i = n - 1; i >= 0; i--) {
      for (let j = m - 1; j >= 0; j--) common[i][j] = a[i] === b[j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
    }
    const lines = [];
    for (let i = 0, j = 0; i < n || j < m;) {
      if (i < n && j < m && a[i] === b[j]) { lines.push([" ", a[i]]); i++; j++; }
      else if (i < n && (j === m || common[i + 1][j] >= common[i][j + 1])) lines.push(["-", a[i++]]);
      else lines.push(["+", b[j++]]);
    }
    return lines;
  }

  // comparison shows what differs with a few lines around it; the rest can be unfolded.
  function comparison(before, after) {
    const lines = compare(before, after), out = html("pre");
    const near = (i) => lines.slice(Math.max(0, i - 3), i + 4).some(([sign]) => sign !== " ");
    for (let i = 0; i < lines.length;) {
      let end = i;
      while (end < lines.length && near(end) === near(i)) end++;
      const part = lines.slice(i, end).map(([sign, line]) =>
        sign === " " ? html("span", {}, `  ${line}\n`) : html(sign === "+" ? "ins" : "del", {}, `${sign} ${line}\n`));
      if (near(i)) out.append(...part);
      else out.append(html("details", {}, html("summary", {}, `  … ${end - i} lines as before`), ...part));
      i = end;
    }
    return out;
  }

  // ---- mouse and keys

  let drag = null;
  stage.addEventListener("pointerdown", (event) => {
    if (event.button === 0) drag = { px: event.clientX, view: view.slice(), moved: false };
  });
  addEventListener("pointermove", (event) => {
    if (!drag) return;
    const by = ((event.clientX - drag.px) / (width - gutter)) * (drag.view[1] - drag.view[0]);
    if (Math.abs(event.clientX - drag.px) > 4) drag.moved = true;
    if (drag.moved) { point(-1); look(drag.view[0] - by, drag.view[1] - by); }
  });
  addEventListener("pointerup", (event) => {
    if (drag && !drag.moved) select(markOf(event.target), false);
    drag = null;
  });
  addEventListener("pointercancel", () => { drag = null; });
  stage.addEventListener("pointerover", (event) => { if (!drag) point(markOf(event.target), event); });
  stage.addEventListener("pointerleave", () => point(-1));
  stage.addEventListener("wheel", (event) => {
    const px = event.clientX - stage.getBoundingClientRect().left;
    if (px < gutter) return; // over the names the page scrolls
    event.preventDefault();
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) move(event.deltaX / 800);
    else zoom(Math.exp(event.deltaY * 0.0015), timeAt(px));
  }, { passive: false });
  const jump = (event) => {
    if (!(event.buttons & 1)) return;
    const px = event.clientX - overview.getBoundingClientRect().left;
    const t = whole[0] + ((px - gutter) / (width - gutter)) * (whole[1] - whole[0]), half = (view[1] - view[0]) / 2;
    look(t - half, t + half);
  };
  overview.addEventListener("pointerdown", jump);
  overview.addEventListener("pointermove", jump);

  const keys = {
    "+": () => zoom(0.6), "=": () => zoom(0.6), "-": () => zoom(1 / 0.6), 0: () => look(...whole),
    ArrowLeft: () => move(-0.15), ArrowRight: () => move(0.15),
  };
  const step = (by) => {
    if (!marks.length) return;
    const near = marks.findIndex((m) => m.from >= view[0]);
    select(selected < 0 ? Math.max(near, 0) : Math.min(Math.max(selected + by, 0), marks.length - 1), true);
  };
  chart.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const turn = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const action = event.shiftKey && turn ? () => step(turn) : keys[event.key];
    if (action) { event.preventDefault(); action(); }
  });
  addEventListener("keydown", (event) => { if (event.key === "Escape" && selected >= 0) select(-1); });
  document.getElementById("closer").onclick = keys["+"];
  document.getElementById("farther").onclick = keys["-"];
  document.getElementById("whole").onclick = keys[0];
  for (const button of document.querySelectorAll("[data-focus]")) {
    button.onclick = () => { look(...findings[button.dataset.focus].focus); chart.scrollIntoView({ block: "nearest" }); };
  }

  // ---- the table

  const filter = document.getElementById("filter"), count = document.getElementById("count");
  const texts = rows.map((row) => row.textContent.toLowerCase());
  function sift() {
    const wanted = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    rows.forEach((row, i) => {
      row.hidden = !wanted.every((word) => texts[i].includes(word));
      if (!row.hidden) shown++;
    });
    count.textContent = `${shown} of ${rows.length}`;
  }
  filter.addEventListener("input", sift);
  rows.forEach((row, i) => {
    row.onclick = () => select(i, true);
    row.onkeydown = (event) => { if (event.key === "Enter") select(i, true); };
  });

  // ---- the legend, drawn like the marks

  const sample = (kind, lane, look, ...children) => svg("svg", { width: 34, height: 24 }, svg("g", { class: `mark ${kind} ${lane} ${look}` }, ...children));
  const glyph = (look, d) => sample("request", "write", look, svg("path", { class: "shape", transform: at(17, 12), d }));
  const swatch = (kind, look) => sample(kind, kind, look, box(2, 32, 3, 18));
  const line = (look, x2, y2) => sample("frame", "watch", look, svg("line", { class: "wire", x1: 4, y1: 4, x2, y2 }));
  const legend = [
    [glyph("ok", outcomes.ok(6)), "request that succeeded"],
    [glyph("refused", outcomes.refused(6)), "refused (4xx)"],
    [glyph("failed", outcomes.failed(6)), "failed (5xx)"],
    [glyph("unanswered", outcomes.unanswered(6)), "never answered"],
    [sample("request", "write", "ok", svg("path", { class: "done", transform: at(17, 12), d: outcomes.ok(4) })), "next to it: done nevertheless"],
    [sample("request", "write", "ok", svg("path", { class: "bolt", transform: at(17, 12), d: bolt })), "struck by a fault"],
    [sample("request", "read", "ok", svg("path", { class: "shape", transform: at(17, 12), d: outcomes.ok(3.5) })), "small and hollow: a read"],
    [swatch("state", "new"), "created"], [swatch("state", "running"), "running"], [swatch("state", "suspended"), "suspended"],
    [swatch("state", "succeeded"), "succeeded"], [swatch("state", "failed"), "failed"], [swatch("state", "deleting"), "being deleted"],
    [swatch("fault", "fault"), "a fault, from its beginning to its end"], [swatch("process", "starting"), "starting, not up to date yet"],
    [line("prompt", 8, 20), "event of a watch: received above, delivered below"], [line("held", 30, 20), "held back"], [line("lost", 30, 4), "never delivered"],
    [sample("request", "write", "cited", svg("circle", { class: "ring", cx: 17, cy: 12, r: 9 })), "shows what is wrong"],
    ["○ ► ✓ ✗ ↷", "steps: pending, running, succeeded, failed, skipped"],
  ];
  document.getElementById("legend").append(...legend.map(([picture, text]) => html("li", {}, picture, html("span", {}, text))));

  sift();
  new ResizeObserver(redraw).observe(chart);
})();
