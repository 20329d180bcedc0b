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
export function button(label: string, onClick: () => void): HTMLButtonElement {
  const element = create("button", "", label);
  element.type = "button";
  element.addEventListener("click", onClick);
  return element;
}
