import { html, type Markup } from "../html.ts";
import { type ApiDocument, operationsOf } from "./document.ts";
import { GUIDES, guideText } from "./guides.ts";
import { markdown } from "./markdown.ts";
import { anchorOf, operationSection, samples } from "./operation.ts";

/** Renders the body of the reference page: guides and every operation of the document. */
export function referenceBody(document: ApiDocument): Markup {
  const groups = operationsOf(document);
  return html`<a class="skip" href="#content">Skip to the content</a>
<header class="top">
<p class="brand"><svg aria-hidden="true" viewBox="0 0 24 24"><path d="M12 20.5S3.5 15.6 3.5 9.3A4.6 4.6 0 0 1 12 6.8a4.6 4.6 0 0 1 8.5 2.5c0 6.3-8.5 11.2-8.5 11.2Z"/><path d="M6.5 12h3l1.5-3 2.2 5 1.3-2h3"/></svg> <span class="more">Health Assistant</span> <span class="tag">Reference</span></p>
${keyForm()}
<nav aria-label="Page"><a id="playground" hidden>Playground</a>
<button type="button" id="menu" aria-controls="contents" aria-expanded="false" hidden>Contents</button> <button type="button" id="theme" hidden>Dark mode</button></nav>
</header>
<nav id="contents" aria-label="Contents">
<search id="search" hidden><label for="search-text">Search</label>
<input id="search-text" type="search" autocomplete="off" spellcheck="false" placeholder="/ or Ctrl K">
<p id="search-result" class="muted" role="status"></p></search>
<ul id="results" class="operations" aria-label="Found sections"></ul>
<ul><li><a href="#start">Your first request</a></li></ul>
<h2>Guides</h2>
<ul>${GUIDES.map(([name, title]) => html`<li><a href="#guide-${name}">${title}</a></li>`)}</ul>
${groups.map(
  ({ tag, operations }) => html`<h2>${tag.name}</h2>
<ul class="operations">${operations.map((operation) => html`<li><a href="#${anchorOf(operation)}" data-method="${operation.method}">${operation.summary}</a></li>`)}</ul>`,
)}
</nav>
<main id="content" tabindex="-1">
<h1>API reference</h1>
<section class="page" id="start">
<div class="intro">
<div>${firstRequest(document)}</div>
${aboutForms()}
</div>
${markdown(document.info.description)}
<p class="muted">${document.info.title}, version ${document.info.version} · <a href="openapi.json">openapi.json</a> · as Markdown for a program or a model: <code>curl -H "Accept: text/markdown" "$BASE_URL"/docs</code>, with an index at <a href="llms.txt">llms.txt</a></p>
</section>
<section class="group"><h2>Guides</h2>${GUIDES.map(([name, title]) => guide(name, title))}</section>
${groups.map(
  ({ tag, operations }) => html`<section class="group">
<h2>${tag.name}</h2>
<p>${tag.description}.</p>
${operations.map((operation) => operationSection(document, operation))}
</section>`,
)}
</main>`;
}

/** What a reader wants to see before anything else: that it works, in two commands. */
function firstRequest(document: ApiDocument): Markup {
  const chat = operationsOf(document)
    .flatMap(({ operations }) => operations)
    .find(({ operationId }) => operationId === "chat");
  return html`<h2>Your first request</h2>
${markdown(
  "Set the address and your key, and for JavaScript install the [client](#guide-clients). This one is the key of `npm start`; your operator gives you that of a deployment:\n\n```sh\nexport BASE_URL=http://127.0.0.1:3000/v1 API_KEY=local-dev-key\n```\n\nThen ask something:",
)}
${samples({
  method: "POST",
  path: "/chat",
  withKey: true,
  headers: { "Content-Type": "application/json" },
  body: '{"message": "Which vitamins do I need in winter?"}',
  call: { method: "chat", parameters: [] },
})}
<p>${chat && html`<a href="#${anchorOf(chat)}">Everything about this request</a> · `}<a href="#guide-threads">Go on with a patient and a thread</a></p>`;
}

/** The same as in the playground's header (web/playground/body.html). */
function keyForm(): Markup {
  return html`<form id="key-form" autocomplete="off" hidden>
<label for="api-key">API key</label>
<input id="api-key" type="password" autocomplete="off" spellcheck="false" aria-describedby="key-help">
</form>`;
}

function aboutForms(): Markup {
  return html`<section class="key">
<h2>Try it here</h2>
<p>Base URL: <code id="base-url">the address of this page, without /docs</code></p>
<p>Commands on this page expect it in <code>$BASE_URL</code>, and your key in <code>$API_KEY</code>.</p>
<noscript><p>To send requests from this page, turn on JavaScript. Everything can be read without it.</p></noscript>
<p id="key-help" class="muted" hidden>The API key at the top stays in this page's memory, is sent in the header <code>X-API-Key</code> to this service alone, and is gone when the page is.
The page of each operation has a form that sends real requests: what they create or delete is real.</p>
</section>`;
}

function guide(name: (typeof GUIDES)[number][0], title: string): Markup {
  return html`<section class="guide page"><h3 id="guide-${name}">${title}</h3>${markdown(guideText(name))}</section>`;
}
