/** Matches strings (field names separately), comments, and keywords of JSON, JavaScript, Python and the shell. */
const TOKENS =
  /(?<name>"(?:[^"\\\n]|\\.)*"(?=\s*:))|(?<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`)|(?<word>(?<![\w$/.]|\d:)(?:-?\d+(?:\.\d+)?|true|false|null|True|False|None|const|await|import|with|as|curl|event:|data:)(?![\w]))/g;

/**
 * Colors the code on the page with the CSS Custom Highlight API. It needs no markup, so copying and screen readers get
 * the plain code, and trusted types do not apply. Browsers without the API show plain code, and so do forced colors, in
 * which a highlight looks like a selection.
 */
export function highlightCode(): void {
  if (!("highlights" in CSS) || matchMedia("(forced-colors: active)").matches) {
    return;
  }
  const highlights = { name: new Highlight(), string: new Highlight(), word: new Highlight() };
  for (const code of document.querySelectorAll("pre code")) {
    const { firstChild: text } = code;
    for (const { groups = {}, index, 0: token } of (text?.textContent ?? "").matchAll(TOKENS)) {
      const range = new StaticRange({
        startContainer: text as Node,
        startOffset: index,
        endContainer: text as Node,
        endOffset: index + token.length,
      });
      for (const [kind, highlight] of Object.entries(highlights)) {
        if (groups[kind] !== undefined) {
          highlight.add(range);
        }
      }
    }
  }
  for (const [kind, highlight] of Object.entries(highlights)) {
    CSS.highlights.set(kind, highlight);
  }
}
