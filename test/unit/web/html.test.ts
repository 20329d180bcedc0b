import { describe, expect, test } from "@jest/globals";
import { html, Markup } from "../../../web/html.ts";

describe("a template of markup", () => {
  test("escapes inserted values", () => {
    const text = `<script>"&'</script>`;
    expect(html`<p title="${text}">${text}</p>`.text).toBe(
      `<p title="&lt;script&gt;&quot;&amp;'&lt;/script&gt;">&lt;script&gt;&quot;&amp;'&lt;/script&gt;</p>`,
    );
  });

  test("leaves markup unchanged, also in lists", () => {
    expect(html`<ul>${["a<b", html`<li>c</li>`, [new Markup("<li>d</li>")]]}</ul>`.text).toBe(
      "<ul>a&lt;b<li>c</li><li>d</li></ul>",
    );
  });

  test("renders nothing for false and undefined, and renders zero", () => {
    expect(html`[${false}${undefined}${0}]`.text).toBe("[0]");
  });
});
