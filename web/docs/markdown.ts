import { Marked, type Tokens } from "marked";
import { html, Markup } from "../html.ts";

const marked = new Marked({
  async: false,
  renderer: {
    /** Each cell names its column, for narrow windows, where a row is a list. The roles last when it looks like one. */
    table({ header, rows }) {
      const names = header.map(({ text }) => text.replaceAll("`", ""));
      const content = (cell: Tokens.TableCell) => new Markup(this.parser.parseInline(cell.tokens));
      return html`<table role="table"><thead><tr role="row">${header.map((cell) => html`<th role="columnheader">${content(cell)}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr role="row">${row.map((cell, column) => html`<td role="cell" data-column="${names[column]}">${content(cell)}</td>`)}</tr>`)}</tbody></table>`
        .text;
    },
  },
});

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
