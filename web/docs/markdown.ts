import { Marked } from "marked";
import { Markup } from "../html.ts";

const marked = new Marked({ async: false });

/** Renders Markdown of this project, which is trusted, as markup. */
export function markdown(text: string): Markup {
  return new Markup(marked.parse(text) as string);
}

/** Renders a description, in which a paragraph that begins with bold words is a part with a heading. */
export function parts(description: string): Markup {
  return markdown(description.replaceAll(/^\*\*([^*]+)\.\*\* /gm, "#### $1\n\n"));
}

/** Renders Markdown within a line. */
export function inline(text: string): Markup {
  return new Markup(marked.parseInline(text) as string);
}
