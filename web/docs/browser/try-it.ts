import { copy } from "../../browser/copy.ts";
import { toCurl } from "../../curl.ts";
import { forget, idOf, learn, type Result } from "./known-ids.ts";
import { creationOf, isCreatedAgain, type Need, needOf, offerFor } from "./needs.ts";

const WAITING = "Sent. Waiting for the answer.";

/** How long a form waits for what it needs, in milliseconds: longer than the gateway. */
const PATIENCE = 30_000;

const UNREACHABLE = "No whole answer came: the service cannot be reached, or the connection was lost.";

/** The request of a form. */
interface FilledRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
}

/**
 * Lets a form of the reference send its request and shows the response as it arrives.
 *
 * @param keyOf reads the key at the moment of sending; it goes into the header and nowhere else
 */
export function bindTryForm(form: HTMLFormElement, baseUrl: string, keyOf: () => string): void {
  const isPublic = form.dataset.public === "true";
  const part = <E extends HTMLElement>(selector: string) => form.querySelector(selector) as E; // of `tryForm`
  const send = part<HTMLButtonElement>("button[type=submit]");
  const stop = part<HTMLButtonElement>("button[name=stop]");
  const answer = part<HTMLPreElement>(".answer");
  const status = part(".sent");
  const command = part<HTMLPreElement>(".command");
  let abort: AbortController | undefined;

  const needs = part(".needs");
  const why = part(".why");
  const create = part<HTMLButtonElement>("button[name=create]");
  const showCommand = () => {
    const request = requestOf(form);
    command.textContent = toCurl({ ...request, withKey: !isPublic });
    const need = needOf(request);
    const offer = need && offerFor(need, request);
    needs.hidden = offer === undefined;
    why.textContent = offer?.why ?? "";
    create.textContent = offer?.button ?? "";
    create.hidden = create.textContent === "";
  };
  /** @returns whether it was created */
  const createNeeded = async (need: Need | undefined, signal: AbortSignal): Promise<boolean> => {
    const request = need && creationOf(need);
    if (!request) {
      return false;
    }
    const response = await play(baseUrl, request, keyOf(), signal, (said) => {
      status.textContent = said;
    }).catch((): Result => ({ error: UNREACHABLE }));
    status.append(response.error ? ` ${response.error}` : "");
    learn(request.path, response);
    return response.error === undefined;
  };
  create.addEventListener("click", async () => {
    await createNeeded(needOf(requestOf(form)), AbortSignal.timeout(PATIENCE));
    send.focus();
  });
  form.querySelector<HTMLSelectElement>("select[name=example]")?.addEventListener("change", ({ target }) => {
    part<HTMLTextAreaElement>("textarea[name=body]").value = (target as HTMLSelectElement).value;
    showCommand();
  });
  form.addEventListener("input", showCommand);
  showCommand();

  part("button[name=copy]").addEventListener("click", async () => {
    status.textContent = (await copy(command)) ? "Copied." : "Selected; copy it with your keyboard.";
  });
  stop.addEventListener("click", () => abort?.abort());
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (abort) {
      return;
    }
    if (!isPublic && keyOf() === "") {
      status.textContent = "Enter the API key first, at the top of this page.";
      document.querySelector<HTMLInputElement>("#api-key")?.focus();
      return;
    }
    abort = new AbortController();
    markRefused(form, []);
    stop.hidden = false;
    answer.hidden = false;
    answer.textContent = "";
    status.textContent = WAITING;
    try {
      let request = requestOf(form);
      let created: Need | undefined;
      for (let need = needOf(request); need && isCreatedAgain(need, request); need = needOf(request)) {
        if (need === created || !(await createNeeded(need, abort.signal))) {
          abort.signal.throwIfAborted();
          return;
        }
        created = need;
        request = requestOf(form);
        status.textContent = WAITING;
      }
      const body = await play(baseUrl, request, isPublic ? "" : keyOf(), abort.signal, (said, text) => {
        status.textContent = said;
        answer.append(text);
      });
      learn(request.path, body);
      markRefused(form, body.details ?? []);
      if (isChatOnThread(request) && !body.ids && status.textContent.startsWith("Status 200")) {
        const path = `/threads/${idOf("thread")}/messages?limit=2`;
        const list = { method: "GET", path, headers: {}, body: undefined };
        learn(list.path, await play(baseUrl, list, keyOf(), abort.signal, () => {}).catch(() => ({})));
      }
      const deletes = form.dataset.method === "DELETE" && form.dataset.path?.endsWith("{id}");
      if (deletes && status.textContent.startsWith("Status 200")) {
        forget(part<HTMLInputElement>("input[name=path]").value);
      }
    } catch {
      status.textContent = abort.signal.aborted ? "Stopped." : UNREACHABLE;
    } finally {
      abort = undefined;
      stop.hidden = true;
    }
  });
}

/** Marks the fields that a 400 names: those of the path, the query and the headers by their names, the body for all others. */
function markRefused(form: HTMLFormElement, details: readonly { path: string }[]): void {
  const body = form.querySelector<HTMLTextAreaElement>("textarea[name=body]");
  const refused = details.map(
    ({ path }) => form.querySelector<HTMLInputElement>(`input[data-name="${CSS.escape(path)}"]`) ?? body,
  );
  for (const field of form.querySelectorAll<HTMLElement>("input[data-name], textarea[name=body]")) {
    field.ariaInvalid = refused.some((each) => each === field) ? "true" : null;
  }
  refused[0]?.closest("details")?.setAttribute("open", "");
}

function requestOf(form: HTMLFormElement): FilledRequest {
  const values = new FormData(form);
  const text = (name: string) => String(values.get(name) ?? "");
  const headers: Record<string, string> = {};
  if (values.has("body")) {
    headers["Content-Type"] = "application/json";
  }
  if (values.has("stream")) {
    headers.accept = "text/event-stream";
  }
  const filledIn = (name: string): [string, string][] =>
    [...form.querySelectorAll<HTMLInputElement>(`input[name=${name}]`)]
      .filter(({ value }) => value !== "")
      .map(({ dataset, value }) => [dataset.name ?? "", value]);
  const inPath = new Map(filledIn("path"));
  const path = (form.dataset.path ?? "").replaceAll(/\{(\w+)\}/g, (_, name) =>
    encodeURIComponent(inPath.get(name) ?? ""),
  );
  const query = new URLSearchParams(filledIn("query")).toString();
  return {
    method: form.dataset.method ?? "GET",
    path: path + (query && `?${query}`),
    headers: { ...headers, ...Object.fromEntries(filledIn("header")) },
    body: values.has("body") ? text("body") : undefined,
  };
}

/** Whether a chat's answer, to which feedback can be given, becomes part of the page's thread. */
function isChatOnThread({ path, body }: FilledRequest): boolean {
  return path === "/chat" && body?.includes(idOf("thread")) === true;
}

/**
 * Sends the request and reports its status, then its body, piece by piece.
 *
 * @returns the body, if it is a JSON object
 */
async function play(
  baseUrl: string,
  { method, path, headers, body }: FilledRequest,
  key: string,
  signal: AbortSignal,
  tell: (status: string, text: string) => void,
): Promise<Result> {
  const startedAt = performance.now();
  const response = await fetch(baseUrl + path, {
    method,
    headers: { ...headers, ...(key !== "" && { "X-API-Key": key }) },
    ...(body !== undefined && { body }),
    signal,
    credentials: "omit",
    cache: "no-store",
    redirect: "error",
    referrerPolicy: "no-referrer",
  });
  const milliseconds = Math.round(performance.now() - startedAt);
  const said = `Status ${response.status}, after ${milliseconds} ms.`;
  const head = [...response.headers].map(([name, value]) => `${name}: ${value}\n`).join("");
  tell(said, `${head}\n`);
  if (response.headers.get("content-type")?.startsWith("application/json")) {
    const body = parsed(await response.text());
    tell(said, typeof body === "string" ? body : JSON.stringify(body, undefined, 2));
    return typeof body === "string" ? {} : body;
  }
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) {
    tell(said, piece.value);
  }
  return {};
}

/** Returns the JSON, or the text itself if it is not JSON. */
function parsed(text: string): Result | string {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
