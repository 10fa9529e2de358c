// Elements are made through the document's own functions and text nodes, never from markup: whatever a manifest
// contains stays text.
const kSvg = "http://www.w3.org/2000/svg";

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "class") element.setAttribute("class", value);
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [key, one] of Object.entries(value)) element.style.setProperty(key, one);
    else element.setAttribute(name, value === true ? "" : value);
  }
  append(element, children);
  return element;
}

export function append(element, children) {
  for (const child of [children].flat(Infinity)) {
    if (child !== undefined && child !== null && child !== false) element.append(child);
  }
}

export const h = (tag, properties, ...children) => fill(document.createElement(tag), properties, children);
export const svg = (tag, properties, ...children) => fill(document.createElementNS(kSvg, tag), properties, children);

export function replace(element, ...children) {
  element.replaceChildren();
  append(element, children);
}

let numbered = 0;
export const fresh_id = (prefix) => `${prefix}-${++numbered}`;
