/** The element of the page with an id. */
export function byId<E extends HTMLElement = HTMLElement>(id: string): E {
  const element = document.getElementById(id);
  if (!element) {
    throw new Error(`The page has no element ${id}.`);
  }
  return element as E;
}

/** A new element with a class and with children; text stays text. */
export function create<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  className = "",
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  if (className) {
    element.className = className;
  }
  element.append(...children);
  return element;
}

/** A button that does something. */
export function button(label: string | Node, onClick: () => void): HTMLButtonElement {
  const element = create("button", "", label);
  element.type = "button";
  element.addEventListener("click", onClick);
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

/** One of the page's icons; decoration only. */
export function icon(
  name: "emergency" | "crisis" | "caution" | "phone" | "check" | "good" | "bad" | "person",
): SVGElement {
  const svg = document.createElementNS(SVG, "svg");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `#icon-${name}`);
  svg.setAttribute("aria-hidden", "true");
  svg.append(use);
  return svg;
}
