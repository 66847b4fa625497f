// A list that is drawn by a framework, which redraws it after the event is over.
const { html, render, useState, useEffect } = htmPreact;

function List() {
  const [items, add] = useState(["Milk"]);
  const [text, type] = useState("");
  const [told, tell] = useState("");
  useEffect(() => { const t = setTimeout(() => tell(items.length + " in the list"), 60); return () => clearTimeout(t); }, [items]);
  return html`<h1>Shopping</h1>
    <label>New <input data-testid="new" value=${text} onInput=${(e) => type(e.target.value)} /></label>
    <button data-testid="add" disabled=${!text} onClick=${() => { add([...items, text]); type(""); }}>Add</button>
    <ul>${items.map((i) => html`<li key=${i}>${i}</li>`)}</ul><p role="status">${told}</p>`;
}
render(html`<${List} />`, document.getElementById("app"));
