/** Text that is markup already. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What may stand in a template; false and undefined leave nothing. */
export type Content = Markup | string | number | false | undefined | readonly Content[];

/** Markup of a template; every text put into it is escaped, for elements and for quoted attributes alike. */
export function html(strings: TemplateStringsArray, ...contents: Content[]): Markup {
  return new Markup(String.raw({ raw: strings }, ...contents.map(render)));
}

function render(content: Content): string {
  if (content instanceof Markup) {
    return content.text;
  }
  if (typeof content === "object") {
    return content.map(render).join("");
  }
  return content === undefined || content === false ? "" : escapeHtml(String(content));
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
