import { Marked } from "marked";
import { Markup } from "../html.ts";

const marked = new Marked({ async: false });

/** Renders Markdown of this project, which is trusted, as markup. */
export function markdown(text: string): Markup {
  return new Markup(marked.parse(text) as string);
}
