import { html, Markup } from "../html.ts";
import type { ApiParameter, PlacedOperation } from "./document.ts";

/**
 * Renders a form that sends an operation's request. `browser/try-it.ts` makes it work; without it, the form is hidden.
 */
export function tryForm(operation: PlacedOperation): Markup {
  const { operationId: id, method, path, parameters = [], requestBody, responses, security } = operation;
  const examples = Object.entries(requestBody?.content["application/json"]?.examples ?? {});
  const [first] = examples;
  const optional = parameters.filter((parameter) => !isInPath(parameter));
  const streams = Object.values(responses).some(({ content }) => content?.["text/event-stream"]);
  return html`<form class="try" data-method="${method}" data-path="${path}" data-public="${String(security?.length === 0)}" aria-labelledby="${id}-try" autocomplete="off" hidden>
<h4 id="${id}-try" tabindex="-1">Try ${method} ${breakable(path)}</h4>
${parameters.filter(isInPath).map((parameter) => parameterInput(id, parameter))}
${
  first &&
  html`<label for="${id}-example">Example</label>
<select id="${id}-example" name="example">${examples.map(
    ([name, { value }]) => html`<option value="${JSON.stringify(value, undefined, 2)}">${name}</option>`,
  )}</select>
<label for="${id}-body">Body</label>
<textarea id="${id}-body" class="code" name="body" rows="8" spellcheck="false" autocomplete="off">${JSON.stringify(first[1].value, undefined, 2)}</textarea>`
}
${streams && html`<label class="check"><input type="checkbox" name="stream" autocomplete="off"> Stream the answer</label>`}
${
  optional.length > 0 &&
  html`<details><summary>${optional.every(isHeader) ? "Headers" : "Parameters and headers"} that may be left out</summary>
${optional.map((parameter) => parameterInput(id, parameter))}</details>`
}
<p class="needs" hidden><span class="why"></span> <button type="button" name="create"></button></p>
<p class="buttons"><button type="submit">Send</button> <button type="button" name="stop" hidden>Stop</button></p>
<p class="sent" role="status"></p>
<pre class="answer" hidden></pre>
<details><summary>This request as curl</summary><pre class="command"></pre><button type="button" name="copy">Copy as curl</button></details>
</form>`;
}

const isInPath = ({ in: place }: ApiParameter) => place === "path";
const isHeader = ({ in: place }: ApiParameter) => place === "header";

/** Headers and parameters of the query are empty by default, because all are optional. */
function parameterInput(id: string, { name, in: place, example }: ApiParameter): Markup {
  const field = `${id}-${name}`;
  const value = place === "path" ? (example ?? "") : "";
  return html`<label for="${field}">${name}</label><input id="${field}" name="${place}" data-name="${name}" value="${value}" autocomplete="off" spellcheck="false">`;
}

/** Returns a path that breaks after its slashes where it is too long for a line. */
function breakable(path: string): Markup {
  return new Markup(html`${path}`.text.replaceAll("/", "/<wbr>"));
}
