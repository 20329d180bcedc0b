import { describe, expect, test } from "@jest/globals";
import { openStream, textOf } from "../helpers/service/event-stream.ts";
import { setUpService } from "../helpers/service/service.ts";

/** Markup that a model may write despite its instructions. */
const WORST = [
  "# Heading\n\n| a | b |\n|---|---|\n| **1** | [x](javascript:alert(1)) |",
  "```html\n<script>alert(1)</script>\n```\n<img src=x onerror=alert(1)>",
  "- one\n  1. two\n\n> quote\n\n![image](https://example.org/x.png)\n\n***",
  "\\*not bold\\* &lt;b&gt; &amp; <b>bold</b> \u202eright to left\u202c \u0000\u001b[31m",
];

const service = setUpService();

describe("Markdown and markup from the model", () => {
  test("is ruled out by the instructions, which allow only paragraphs and simple lists", async () => {
    await service.chat({ message: "Hello" });
    const [instructions] = service.prompt();
    expect(instructions?.content).toMatch(
      /plain paragraphs and, if needed, simple lists .*no headings, tables, bold, links or code/,
    );
  });

  test.each(WORST)("is returned unchanged, plain and streamed: %j", async (content) => {
    service.model.script = () => ({ content });
    const { body } = await service.chat({ message: "Hello" });
    expect(body.response).toBe(content);
    const stream = await openStream(service, { message: "Hello" });
    expect(stream.headers.get("content-type")).toMatch(/^text\/event-stream/);
    const events = await stream.rest();
    expect(textOf(events)).toBe(content);
    expect(events.at(-1)?.data.response).toBe(content);
  });
});
