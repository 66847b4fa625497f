// This runs in a world of its own in every document, before the page's scripts: it
// sees the page's elements, and nothing that the page does to its own world.
"use strict";
(() => {
if (globalThis.warden) return;

// A page can name elements so that they hide a document's or a form's own members;
// the prototypes' cannot be hidden.
const member = (proto, name) => {
  const d = Object.getOwnPropertyDescriptor(proto, name);
  return Function.prototype.call.bind(d.get || d.value);
};
const rectOf = member(Element.prototype, "getBoundingClientRect");
const attr = member(Element.prototype, "getAttribute");
const tagOf = member(Element.prototype, "localName");
const idOf = member(Element.prototype, "id");
const matches = member(Element.prototype, "matches");
const shadowOf = member(Element.prototype, "shadowRoot");
const within = member(Element.prototype, "closest");
const textOf = member(Node.prototype, "textContent");
const parentOf = member(Node.prototype, "parentNode");
const rootOf = member(Node.prototype, "getRootNode");
const docOf = member(Node.prototype, "ownerDocument");
const innerOf = member(HTMLElement.prototype, "innerText");
const seen = member(Element.prototype, "checkVisibility");
const frameDoc = member(HTMLIFrameElement.prototype, "contentDocument");
const walker = member(Document.prototype, "createTreeWalker");
const kindOf = member(Node.prototype, "nodeType");
const spaceOf = member(Element.prototype, "namespaceURI");
const top = document;

// What is in a frame has that frame's classes, so instanceof would not know it.
const isElement = (n) => !!n && kindOf(n) === 1;
const isDocument = (n) => !!n && kindOf(n) === 9;
const isHTML = (el) => spaceOf(el) === "http://www.w3.org/1999/xhtml";
const is = (el, ...tags) => isHTML(el) && tags.includes(tagOf(el));

const most = 10001; // elements that one matcher may bring
const clean = (s) => String(s ?? "").replace(/\s+/g, " ").trim();
const cut = (s, n) => { const r = Array.from(s); return r.length > n ? r.slice(0, n - 1).join("") + "…" : s; };
const bare = (s) => String(s ?? "").replace(/\s+/g, "").toLowerCase();
const now = () => performance.now();
const frame = () => new Promise((done) => {
  const bound = setTimeout(done, 1000); // a page that is not drawn has no frames
  requestAnimationFrame(() => { clearTimeout(bound); done(); });
});

function innerDoc(el) {
  if (tagOf(el) !== "iframe") return null;
  try { return frameDoc(el); } catch { return null; }
}

// roots are the document, its open shadow roots and the documents of its frames of
// the same origin.
function roots() {
  const out = [top];
  for (let i = 0; i < out.length && out.length < 2000; i++) {
    const doc = isDocument(out[i]) ? out[i] : docOf(out[i]);
    const w = walker(doc, out[i], NodeFilter.SHOW_ELEMENT);
    for (let el = w.currentNode; el; el = w.nextNode()) {
      if (!isElement(el)) continue;
      const inner = shadowOf(el) || innerDoc(el);
      if (inner) out.push(inner);
    }
  }
  return out;
}

// shift is where the frames that hold an element's document lie in the window.
function shift(el) {
  let x = 0, y = 0;
  for (let f = docOf(el).defaultView?.frameElement; f; f = docOf(f).defaultView?.frameElement) {
    const r = rectOf(f);
    x += r.left + f.clientLeft;
    y += r.top + f.clientTop;
  }
  return { x, y };
}

function boxOf(el) {
  let r = rectOf(el);
  if (r.width === 0 && r.height === 0 && getComputedStyle(el).display === "contents") {
    const range = docOf(el).createRange();
    range.selectNodeContents(el);
    r = range.getBoundingClientRect();
  }
  return { left: r.left, top: r.top, right: r.right, bottom: r.bottom, width: r.width, height: r.height };
}

// above is the next element outwards, through shadow roots.
function above(el) {
  const slot = el.assignedSlot;
  if (isElement(slot)) return slot;
  const p = parentOf(el);
  return !p ? null : kindOf(p) === 11 ? p.host ?? null : isElement(p) ? p : null;
}

function inside(outer, el) {
  for (let at = el; at; at = above(at)) if (at === outer) return true;
  return false;
}

function describe(el) {
  if (!el) return "";
  const id = idOf(el), test = attr(el, "data-testid") ?? attr(el, "data-test-id") ?? attr(el, "data-test"), role = attr(el, "role");
  const cls = attr(el, "class");
  let s = "<" + tagOf(el);
  if (id) s += ` id="${cut(clean(id), 40)}"`;
  else if (test) s += ` data-testid="${cut(clean(test), 40)}"`;
  else if (cls) s += ` class="${cut(clean(cls), 40)}"`;
  if (role) s += ` role="${cut(clean(role), 30)}"`;
  s += ">";
  const said = cut(clean(said1(el)), 40);
  return said ? s + " " + said : s;
}

const said1 = (el) => attr(el, "aria-label") || (isHTML(el) ? innerOf(el) : textOf(el)) || valueOf(el) || "";

function valueOf(el) {
  if (is(el, "input")) return el.type === "password" ? "" : el.value;
  if (is(el, "textarea", "select")) return el.value;
  return "";
}

// hiddenWhy says why nobody sees the element, or "".
function hiddenWhy(el) {
  if (!el.isConnected) return "it is not in the page";
  if (!seen(el)) return "display: none or content-visibility";
  const style = getComputedStyle(el);
  if (style.visibility !== "visible") return "visibility: " + style.visibility;
  let opacity = 1, fixed = false;
  let box = boxOf(el);
  if (box.width < 2 || box.height < 2) return `it is ${Math.round(box.width)}x${Math.round(box.height)} pixels small`;
  let place = style.position, last = style;
  for (let at = el; at; at = above(at)) {
    const s = at === el ? style : getComputedStyle(at);
    opacity *= Number(s.opacity);
    if (/^(inset\((5\d|[6-9]\d|100)(\.\d+)?%\)|circle\(0(px|%)? )/.test(s.clipPath)) return "clip-path of " + describe(at);
    if (at !== el && at !== docOf(el).documentElement && at !== docOf(el).body) {
      const holds = place === "fixed" ? s.transform !== "none" : place !== "absolute" || s.position !== "static" || s.transform !== "none";
      if (holds) {
        const r = rectOf(at);
        const cutX = /hidden|clip/.test(s.overflowX), cutY = /hidden|clip/.test(s.overflowY);
        if (cutX && (Math.min(box.right, r.right) - Math.max(box.left, r.left)) < 2 || cutY && (Math.min(box.bottom, r.bottom) - Math.max(box.top, r.top)) < 2) return "it is cut off by " + describe(at);
        place = s.position;
        // What lies in something that scrolls can be brought to where that lies.
        if (/auto|scroll/.test(s.overflowX + s.overflowY)) {
          if (box.bottom + at.scrollTop < r.top + 2 || s.direction !== "rtl" && box.right + at.scrollLeft < r.left + 2) return "it lies outside of " + describe(at);
          box = r;
        }
      }
    }
    fixed = s.position === "fixed" || fixed && s.transform === "none";
    last = s;
  }
  if (opacity < 0.05) return "opacity " + Number(opacity.toFixed(3));
  if (outOfReach(docOf(el), box, fixed)) return "it lies outside of the page";
  const frame = docOf(el).defaultView.frameElement, why = frame && hiddenWhy(frame);
  return why ? "of its frame, " + why : "";
}

// outOfReach reports whether nobody can scroll a document to a box of it.
function outOfReach(doc, box, fixed) {
  const view = doc.defaultView, html = getComputedStyle(doc.documentElement), body = doc.body && getComputedStyle(doc.body);
  const stuck = (side) => fixed || /hidden|clip/.test(html[side] === "visible" && body ? body[side] : html[side]);
  const beyond = (from, to, size, shift, stuck, back) =>
    stuck ? to < 2 || from > size - 2 : back ? from + shift > size - 2 : to + shift < 2;
  return beyond(box.top, box.bottom, view.innerHeight, view.scrollY, stuck("overflowY"), false) ||
    beyond(box.left, box.right, view.innerWidth, view.scrollX, stuck("overflowX"), html.direction === "rtl");
}

const interactive = "a[href],button,input,select,textarea,summary,label,option,[role=button],[role=link],[role=tab],[role=menuitem],[role=checkbox],[role=radio],[role=switch],[role=option],[tabindex],[onclick],[contenteditable]";
const silent = new Set(["script", "style", "noscript", "template", "head", "title", "meta", "link"]);

function area(el) { const b = boxOf(el); return b.width * b.height; }

// byText are the elements that say the text, those around others that do too.
function byText(needle) {
  const want = clean(needle).toLowerCase(), raw = bare(needle), out = [];
  const says = (s) => clean(s).toLowerCase().includes(want);
  for (const root of roots()) {
    const doc = isDocument(root) ? root : docOf(root);
    const filter = (el) => silent.has(tagOf(el)) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT;
    const w = walker(doc, root, NodeFilter.SHOW_ELEMENT, filter);
    for (let el = w.nextNode(); el && out.length < most; el = w.nextNode()) {
      if (attr(el, "aria-label") !== null && says(attr(el, "aria-label")) || says(valueOf(el))) { out.push(el); continue; }
      if (!bare(textOf(el)).includes(raw)) continue;
      if (says(isHTML(el) ? innerOf(el) : textOf(el))) out.push(el);
    }
  }
  return out;
}

// find returns the elements of a matcher, the one that is meant first.
function find(m, given) {
  let all = [];
  switch (m.by) {
    case "css":
      for (const r of roots()) { for (const el of r.querySelectorAll(m.value)) if (all.push(el) >= most) break; }
      break;
    case "testid":
      for (const r of roots()) for (const el of r.querySelectorAll("[data-testid],[data-test-id],[data-test]")) {
        if ([attr(el, "data-testid"), attr(el, "data-test-id"), attr(el, "data-test")].includes(m.value)) all.push(el);
      }
      break;
    case "role":
      all = (given || []).filter((el) => isElement(el) && el.isConnected);
      break;
    case "text": {
      all = byText(m.value);
      const rank = new Map(all.map((el) => [el, [hiddenWhy(el) ? 1 : 0, matches(el, interactive) ? 0 : 1, area(el)]]));
      // Of two alike the inner one is meant, which comes later in the document.
      const place = new Map(all.map((el, i) => [el, i]));
      return all.sort((a, b) => { const x = rank.get(a), y = rank.get(b); return x[0] - y[0] || x[1] - y[1] || x[2] - y[2] || place.get(b) - place.get(a); });
    }
  }
  const shown = all.filter((el) => !hiddenWhy(el));
  return shown.concat(all.filter((el) => !shown.includes(el)));
}

function labels() {
  const out = [];
  for (const r of roots()) for (const el of r.querySelectorAll("button,a[href],[role=button],[role=link],input[type=submit],input[type=button],summary,[role=tab],[role=menuitem]")) {
    if (hiddenWhy(el)) continue;
    const s = cut(clean(said1(el)), 60);
    if (s && !out.includes(s)) out.push(s);
    if (out.length >= 40) return out;
  }
  return out;
}

// unseen says of how much of the page a search tells nothing.
const unseen = (n) => n ? `; ${n} ${n > 1 ? "frames" : "frame"} of another origin not looked into` : "";

const miss = (m) => {
  const unsearched = frames().other;
  const r = { ok: false, unsearched, why: "nothing in the page matches" + unseen(unsearched) };
  if (m.by === "text" || m.by === "role") { const l = labels(); r.why += l.length ? "; its buttons and links say: " + l.map((s) => JSON.stringify(s)).join(", ") : "; it shows no button and no link"; }
  return r;
};

function content(el) {
  if (is(el, "input") && (el.type === "checkbox" || el.type === "radio")) return el.checked ? "checked" : "";
  if (is(el, "input", "textarea")) return el.value;
  if (is(el, "select")) return clean(el.selectedOptions[0]?.label ?? "");
  return clean(isHTML(el) ? innerOf(el) : textOf(el));
}

// innermost leaves out the elements that hold another one of the list.
function innermost(list) {
  const outer = new Set();
  for (const el of list) for (let at = above(el); at; at = above(at)) outer.add(at);
  return list.filter((el) => !outer.has(el));
}

// same compares a part of an address with one that was written by a person.
function same(is, written) {
  const plain = (s) => { try { return decodeURI(s); } catch { return s; } };
  return is === written || plain(is) === plain(written);
}

// judge says at once whether a check holds.
function judge(q, given) {
  if (q.act === "url") {
    const here = location.pathname + location.search + location.hash;
    const [, path, query, part] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(q.value);
    const ok = same(location.pathname, path) && (query === undefined || same(location.search, query)) && (part === undefined || same(location.hash, part));
    return { ok, why: ok ? "" : "the page's address is " + cut(here, 200) };
  }
  const all = find(q.m, given);
  const el = all[0], why = el ? hiddenWhy(el) : "";
  const r = { element: describe(el), visible: !!el && !why, ok: true, why: "", count: q.m.by === "text" ? innermost(all).length : all.length };
  switch (q.act) {
    case "hidden":
      r.ok = !r.visible;
      if (r.ok) r.unsearched = frames().other;
      r.why = r.visible ? "it can be seen" : (el ? "present but hidden: " + why : q.m.by === "role" ? "absent from the accessibility tree" : "absent") + unseen(r.unsearched);
      return r;
    case "count": {
      let shown = all.filter((e) => !hiddenWhy(e));
      if (q.m.by === "text") shown = innermost(shown);
      r.count = shown.length;
      r.ok = shown.length === q.count;
      r.unsearched = frames().other;
      if (!r.ok) r.why = `${shown.length} can be seen, not ${q.count}` + unseen(r.unsearched);
      return r;
    }
  }
  if (!el) return { ...miss(q.m), visible: false, element: "", count: 0 };
  if (!r.visible) { r.ok = false; r.why = "it cannot be seen: " + why; return r; }
  if (q.act === "text-equals") {
    const says = content(el);
    r.ok = clean(says) === clean(q.value);
    if (!r.ok) r.why = "it says " + JSON.stringify(cut(says, 200));
  }
  return r;
}

// watch tells whether something in the page has changed since it was last asked.
function watch() {
  let hit = null;
  const o = new MutationObserver((list) => { hit = list[list.length - 1]; });
  const known = new Set();
  const again = () => { for (const r of roots()) if (!known.has(r)) { known.add(r); o.observe(r, { subtree: true, childList: true, attributes: true, characterData: true }); } };
  again();
  return {
    changed() { for (const m of o.takeRecords()) hit = m; const m = hit; hit = null; if (m) again(); return m; },
    end() { o.disconnect(); },
  };
}

// until asks try_ again at every change, and after so many frames, until it holds
// or the time is over. On a busy machine frames are rare: it is tried a few times
// whatever the clock says.
async function until(limit, try_, every = 6) {
  const end = now() + limit;
  let r = try_();
  if (r.ok || limit <= 0) return r;
  const w = watch();
  try {
    for (let i = 1; (now() < end || i < 8) && !r.ok; i++) {
      await frame();
      if (w.changed() || i % every === 0) r = try_();
    }
    if (r.ok) return r;
    await frame(); // what compares two looks is never given one frame twice
    return try_();
  } finally { w.end(); }
}

const at = (m) => m.type === "attributes" ? `attribute ${m.attributeName} of ${describe(m.target)}` : m.type === "characterData" ? "text of " + describe(m.target.parentElement) : "children of " + (isElement(m.target) ? describe(m.target) : "a root");

function busy(w) {
  const m = w.changed();
  if (m) return { kind: "document", detail: at(m) };
  for (const r of roots()) {
    if (!(isDocument(r))) continue;
    for (const a of r.getAnimations()) {
      if (a.playState !== "running" || a.timeline !== r.timeline) continue;
      const t = a.effect?.getComputedTiming();
      if (t && Number.isFinite(t.endTime)) return { kind: "animation", detail: (a.animationName || a.transitionProperty || "animation") + " of " + describe(a.effect.target) };
    }
    if (r.fonts.status === "loading") return { kind: "fonts", detail: "" };
  }
  return null;
}

const titleOf = member(Document.prototype, "title");
const found = () => ({ ready: top.readyState, url: location.href, title: cut(clean(titleOf(top)), 200), frames: frames(), view: view() });
const view = () => ({ width: innerWidth, height: innerHeight, scale: devicePixelRatio, zoom: visualViewport.scale });

// settle waits until the document is there and two frames have passed in which
// nothing changed, no animation that has an end was running and no font was loading.
async function settle(load, limit) {
  const late = now() + load;
  while (top.readyState !== "complete" && now() < late) await frame();
  const w = watch(), end = now() + limit;
  let last = null;
  try {
    for (let calm = 0; calm < 2;) {
      await frame();
      const b = busy(w);
      if (!b) { calm++; continue; }
      calm = 0;
      last = b;
      if (now() > end) return { quiet: false, ...last, ...found() };
    }
    return { quiet: true, ...found() };
  } finally { w.end(); }
}

function hash(s, h) {
  for (let i = 0; i < s.length; i++) h = Math.imul(h ^ s.charCodeAt(i), 16777619);
  return h >>> 0;
}

// digest is what a person could tell two states of the page apart by.
function digest() {
  let dom = 2166136261, state = 2166136261;
  for (const r of roots()) {
    dom = hash(isDocument(r) ? r.documentElement?.outerHTML ?? "" : r.innerHTML, dom);
    for (const el of r.querySelectorAll("input,textarea,select,details,dialog,[popover]")) {
      state = hash([valueOf(el), el.checked, el.selectedIndex, el.open, matches(el, ":popover-open")].join("|"), state);
    }
    const a = r.activeElement;
    if (isElement(a) && matches(a, "input:not([type=button]):not([type=submit]),textarea,select,[contenteditable]")) state = hash(describe(a), state);
  }
  return { dom, state, scroll: scrollX + "," + scrollY, url: location.href, document: performance.timeOrigin };
}

// hitAt is the innermost element at a point of the window.
function hitAt(x, y) {
  let root = top, hit = null;
  for (let i = 0; i < 50; i++) {
    const el = root.elementFromPoint(x, y);
    if (!el || el === hit) return hit;
    hit = el;
    const doc = innerDoc(el);
    if (doc) { const r = rectOf(el); x -= r.left + el.clientLeft; y -= r.top + el.clientTop; root = doc; continue; }
    if (!shadowOf(el)) return hit;
    root = shadowOf(el);
  }
  return hit;
}

let expected = null, pressed = null;
addEventListener("mousedown", (e) => { if (e.isTrusted && pressed === null) pressed = e.composedPath()[0]; }, true);

// target is the element of an act, ready for it, or why it is not.
function target(q, given) {
  const el = find(q.m, given)[0];
  if (!el) return miss(q.m);
  const why = hiddenWhy(el);
  if (why) return { ok: false, element: describe(el), why: "it cannot be seen: " + why };
  if (matches(el, ":disabled") || within(el, "fieldset:disabled") && matches(el, "button,input,select,textarea")) return { ok: false, element: describe(el), visible: true, why: "it is disabled" };
  return { ok: true, el, element: describe(el), visible: true };
}

function pointIn(el, p) {
  const b = boxOf(el), s = shift(el);
  return { x: s.x + b.left + Math.min(Math.max(b.width * p.x, 0.5), b.width - 0.5), y: s.y + b.top + Math.min(Math.max(b.height * p.y, 0.5), b.height - 0.5) };
}

// aim brings the element into view and finds the point at which the pointer meets
// it and nothing else.
async function aim(q, limit, given) {
  let last = null, brought = null;
  return until(limit, () => {
    const t = target(q, given);
    if (!t.ok) return t;
    let p = pointIn(t.el, q.at);
    const meets = (hit) => inside(t.el, hit) || hit && within(hit, "label")?.control === t.el;
    // What it lies in may scroll too, and what covers it there may not elsewhere.
    if (brought !== t.el && !meets(hitAt(p.x, p.y)) || p.x < 0 || p.y < 0 || p.x >= innerWidth || p.y >= innerHeight) {
      t.el.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
      p = pointIn(t.el, q.at);
      brought = t.el;
    }
    const { el, ...r } = t;
    const hit = hitAt(p.x, p.y);
    r.hit = describe(hit);
    if (!hit) { r.ok = false; r.why = "it cannot be brought into view"; return r; }
    if (!meets(hit)) { r.ok = false; r.why = "it is covered by " + describe(hit); return r; }
    if (last && (last.x !== p.x || last.y !== p.y) || !last) { last = p; r.ok = false; r.why = "it does not stay where it is"; return r; }
    expected = el; pressed = null;
    const doc = docOf(hit);
    if (doc !== top) doc.defaultView.addEventListener("mousedown", (e) => { if (e.isTrusted) pressed = e.composedPath()[0]; }, { capture: true, once: true });
    return { ...r, ...p, canvas: roots().some((x) => x.querySelector("canvas") !== null) };
  }, 1).then(({ el, ...r }) => r);
}

// struck tells which element the press came to.
function struck() {
  const hit = isElement(pressed) ? pressed : null, el = expected;
  const label = hit && within(hit, "label");
  return { hit: describe(hit), ok: !!hit && !!el && (inside(el, hit) || !!label && label.control === el) };
}

const typed = new Set(["text", "search", "url", "tel", "email", "password", "number"]);

// ready focuses a field and selects its content, or sets one that is not typed in.
async function ready(q, limit, given) {
  const r = await until(limit, () => {
    const t = target(q, given);
    if (t.ok && (t.el.readOnly === true)) return { ...t, ok: false, why: "it is read-only" };
    return t;
  });
  const { el, ...out } = r;
  if (!r.ok) return out;
  expected = el;
  el.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
  el.focus({ preventScroll: true });
  if (q.act === "press") return out;
  const input = is(el, "input");
  if (input && !typed.has(el.type)) {
    if (["checkbox", "radio", "file", "button", "submit", "reset", "image", "hidden"].includes(el.type)) return { ...out, ok: false, why: `an input of type ${el.type} takes no text` };
    el.value = q.value;
    el.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
    el.dispatchEvent(new Event("change", { bubbles: true }));
    return { ...out, set: true };
  }
  if (input || is(el, "textarea")) { el.select(); return out; }
  if (el.isContentEditable) {
    const s = docOf(el).defaultView.getSelection();
    s.selectAllChildren(el);
    return out;
  }
  return { ...out, ok: false, why: "it is no field that takes text" };
}

const erase = () => top.execCommand("delete");

// filled tells whether the field holds what was typed.
function filled(value) {
  const el = expected;
  const held = el.isContentEditable ? clean(innerOf(el)) : el.value;
  const want = el.isContentEditable ? clean(value) : is(el, "textarea") ? value.replace(/\r\n?/g, "\n") : value;
  return { ok: held === want, why: held === want ? "" : "it then held " + JSON.stringify(cut(String(held), 200)) };
}

async function choose(q, limit, given) {
  const r = await until(limit, () => {
    const t = target(q, given);
    if (!t.ok) return t;
    if (!is(t.el, "select")) return { ...t, ok: false, why: "it is no list to select from" };
    const all = Array.from(t.el.options);
    const o = all.find((o) => clean(o.label) === clean(q.value)) || all.find((o) => o.value === q.value);
    if (!o) return { ...t, ok: false, why: "it has no such option; it has " + cut(all.slice(0, 40).map((o) => JSON.stringify(clean(o.label))).join(", "), 400) };
    if (o.disabled) return { ...t, ok: false, why: "the option is disabled" };
    return { ...t, o };
  });
  const { el, o, ...out } = r;
  if (!r.ok) return out;
  el.focus({ preventScroll: true });
  if (!o.selected) {
    if (el.multiple) o.selected = true; else el.selectedIndex = o.index;
    el.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
    el.dispatchEvent(new Event("change", { bubbles: true }));
  }
  return out;
}

// regions are the boxes of what a comparison leaves out, in the window.
function regions(selectors) {
  const out = [];
  const all = (r, s) => { try { return r.querySelectorAll(s); } catch { throw new Error("visual_qa.baseline_ignore: the browser does not take " + s + " for a selector"); } };
  for (const s of selectors) for (const r of roots()) for (const el of all(r, s)) {
    const b = boxOf(el), d = shift(el);
    const x = Math.max(0, Math.floor(b.left + d.x)), y = Math.max(0, Math.floor(b.top + d.y));
    const right = Math.min(innerWidth, Math.ceil(b.right + d.x)), bottom = Math.min(innerHeight, Math.ceil(b.bottom + d.y));
    if (right > x && bottom > y && out.length < 500) out.push({ selector: s, x, y, width: right - x, height: bottom - y });
  }
  return out;
}

// changedBy waits for the next change of the page, at most limit.
async function changedBy(limit) {
  const w = watch(), end = now() + limit;
  try { for (let i = 0; now() < end && i < 6; i++) { await frame(); if (w.changed()) return true; } return false; } finally { w.end(); }
}

const frames = () => ({ same: roots().filter((r) => isDocument(r)).length - 1, other: roots().reduce((n, r) => n + Array.from(r.querySelectorAll("iframe,frame,fencedframe")).filter((f) => !innerDoc(f)).length, 0) });

globalThis.warden = { settle, check: (q, limit, given) => until(limit, () => judge(q, given)), aim, struck, ready, erase, filled, choose, digest, regions, changedBy, frames };
})();
