import { HealthAssistantClient } from "../../packages/client/client.js";
import { html, type Markup } from "../html.ts";
import { SAMPLES, type SampleRequest } from "../samples.ts";
import { type ApiContent, type ApiDocument, type ApiParameter, jsonOf, type PlacedOperation } from "./document.ts";
import { fieldList } from "./fields.ts";
import { inline, parts } from "./markdown.ts";
import { tryForm } from "./try-form.ts";

/** Returns the anchor of an operation on the page. */
export function anchorOf({ operationId }: PlacedOperation): string {
  return `operation-${operationId}`;
}

/** Returns the method and path, such as `POST /chat`. */
function nameOf({ method, path }: PlacedOperation): Markup {
  return html`<span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code>`;
}

/** Renders an operation with everything about it and a form to try it. */
export function operationSection(document: ApiDocument, operation: PlacedOperation): Markup {
  const { summary, description, parameters = [], requestBody, responses } = operation;
  const body = requestBody?.content["application/json"];
  const page = responses[200]?.content?.["text/html"];
  return html`<section class="operation page">
<div>
<h3 id="${anchorOf(operation)}">${summary}</h3>
<p class="endpoint">${nameOf(operation)}</p>
${!page && html`<a class="skip" href="#${operation.operationId}-try">Skip to the form</a>`}
</div>
<div class="beside">
${!page && [samples(exampleRequest(operation, body)), successExample(responses), tryForm(operation)]}
</div>
<div class="about">
${parts(description)}
<h4>Request</h4>
<p>${operation.security?.length === 0 ? "Needs no key." : html`Needs a key, in the header <code>X-API-Key</code>.`}</p>
${parameters.length > 0 && html`<dl class="fields">${parameters.map(parameterEntry)}</dl>`}
${body && html`<details open><summary>Fields of the body</summary>${fieldList(document, body.schema, "required", operation.operationId)}</details>`}
${body && examples(body)}
<h4>Responses</h4>
${Object.entries(responses).map(([status, { description, content = {} }]) =>
  response(document, status, description, content),
)}
</div>
</section>`;
}

/** The first example of what a request that succeeds gets, if it is JSON. */
function successExample(responses: PlacedOperation["responses"]): Markup | false {
  const [status = "", { content = {} } = {}] = Object.entries(responses).find(([code]) => code.startsWith("2")) ?? [];
  const [example] = Object.values(jsonOf(content)?.examples ?? {});
  return (
    example !== undefined &&
    html`<figure class="result"><figcaption>Response ${status}</figcaption><pre><code>${JSON.stringify(example.value, undefined, 2)}</code></pre></figure>`
  );
}

function parameterEntry(parameter: ApiParameter): Markup {
  return html`<dt><code>${parameter.name}</code> <span class="type">in the ${parameter.in}</span>${
    parameter.required && html` <span class="required">required</span>`
  }</dt><dd><p>${inline(parameter.description)}</p></dd>`;
}

function response(
  document: ApiDocument,
  status: string,
  description: string,
  content: Record<string, ApiContent>,
): Markup {
  const { "text/event-stream": events, "text/html": page } = content;
  const json = jsonOf(content);
  const isSuccess = status.startsWith("2");
  return html`<details class="response"><summary><span class="status ${isSuccess ? "success" : "failure"}">${status}</span> ${inline(description)}</summary>
${json && isSuccess && fieldList(document, json.schema, "always there")}
${json && examples(json, isSuccess ? 1 : 0)}
${events && html`<figure><figcaption>Streamed, as <code>text/event-stream</code></figcaption><pre><code>${events.example}</code></pre></figure>`}
${page && html`<p>A page of HTML.</p>`}
</details>`;
}

/** @param shown how many of them are shown elsewhere */
function examples({ examples = {} }: ApiContent, shown = 0): Markup[] {
  return Object.entries(examples)
    .slice(shown)
    .map(
      ([name, { summary: code, description: remedy, value }]) =>
        html`<figure><figcaption>${code !== undefined && html`<a href="#error-${code}"><code>${code}</code></a> `}${name}</figcaption>${
          remedy !== undefined && html`<p>${inline(remedy)}</p>`
        }<pre><code>${JSON.stringify(value, undefined, 2)}</code></pre></figure>`,
    );
}

/** Renders a request in each language. */
export function samples(request: SampleRequest): Markup {
  return html`<div class="samples">${Object.entries(SAMPLES).map(
    ([language, sample]) =>
      html`<figure class="sample" data-language="${language}"><figcaption>${language}</figcaption><pre><code>${sample(request)}</code></pre></figure>`,
  )}</div>`;
}

/** Returns the operation's first example, without optional parameters. */
function exampleRequest(
  { operationId, method, path, parameters = [], security }: PlacedOperation,
  body: ApiContent | undefined,
): SampleRequest {
  const [example] = Object.values(body?.examples ?? {});
  const exampleOf = (name: string) => parameters.find((parameter) => parameter.name === name)?.example ?? "";
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => exampleOf(name));
  return {
    method,
    call: operationId in HealthAssistantClient.prototype ? { method: operationId, parameters: inPath } : undefined,
    path: path.replaceAll(/\{(\w+)\}/g, (_, name: string) => exampleOf(name)),
    withKey: security?.length !== 0,
    headers: {
      ...(body && { "Content-Type": "application/json" }),
      ...(parameters.some(({ name }) => name === "Prefer") && { Prefer: "handling=strict" }),
    },
    body: example && JSON.stringify(example.value, undefined, 2),
  };
}
