import { describe, expect, test } from "@jest/globals";
import { html, Markup } from "../../../web/html.ts";

describe("a template of markup", () => {
  test("escapes what is put into it", () => {
    const text = `<script>"&'</script>`;
    expect(html`<p title="${text}">${text}</p>`.text).toBe(
      `<p title="&lt;script&gt;&quot;&amp;'&lt;/script&gt;">&lt;script&gt;&quot;&amp;'&lt;/script&gt;</p>`,
    );
  });

  test("leaves markup as it is, also in lists", () => {
    expect(html`<ul>${["a<b", html`<li>c</li>`, [new Markup("<li>d</li>")]]}</ul>`.text).toBe(
      "<ul>a&lt;b<li>c</li><li>d</li></ul>",
    );
  });

  test("leaves nothing for false and undefined, and shows zero", () => {
    expect(html`[${false}${undefined}${0}]`.text).toBe("[0]");
  });
});
