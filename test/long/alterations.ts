/** A recorded response of the service. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

/** A response with one alteration. */
export interface Alteration {
  what: string;
  answer: Answer;
}

/** Texts that the contract leaves to the service or the model; they only need to be non-empty. */
const FREE =
  /^(response|details\.\d+\.message|error\.message|choices\.0\.message\.content|.*\bcreated|.*\.cached_tokens)$/;

/**
 * Returns every single alteration of a response: of its status, of each header, and of each field of its body (missing,
 * of another type, with another value).
 */
export function alterationsOf(answer: Answer): Alteration[] {
  const ofText = answer.headers.get("content-type")?.startsWith("text/event-stream")
    ? (answer.text.startsWith("event:") ? streamAlterations : chunkAlterations)(answer.text)
    : /^[<#]/.test(answer.text) // a page
      ? { nothing: "" }
      : bodyAlterations(answer.text);
  return [
    { what: "another status", answer: { ...answer, status: answer.status + 1 } },
    ...headerAlterations(answer),
    ...Object.entries(ofText).map(([what, text]) => ({ what, answer: { ...answer, text } })),
  ];
}

function headerAlterations(answer: Answer): Alteration[] {
  const others: Record<string, string> = {
    "content-type": "text/csv",
    "x-request-id": "another-request",
    "cache-control": "max-age=60",
    "x-content-type-options": "none",
    "idempotent-replayed": "false",
    "ai-disclosure": "mode=none",
  };
  const present = Object.entries(others).filter(([name]) => answer.headers.has(name));
  return present.flatMap(([name, other]) => {
    const [without, changed] = [new Headers(answer.headers), new Headers(answer.headers)];
    without.delete(name);
    changed.set(name, other);
    return [
      { what: `no header ${name}`, answer: { ...answer, headers: without } },
      { what: `another header ${name}`, answer: { ...answer, headers: changed } },
    ];
  });
}

/** Altered texts of a body, by what was altered. */
function bodyAlterations(text: string): Record<string, string> {
  const body = JSON.parse(text);
  const alterations = [...fields(body)].flatMap(({ path, value }) => {
    const name = path.join(".");
    const free = FREE.test(name) || (name === "message" && "threadId" in body); // how to use a new thread
    return [
      [`no ${name}`, changed(body, path, undefined)],
      [`${name} of another type`, changed(body, path, typeof value === "string" ? 5 : "5")],
      free ? [`an empty ${name}`, changed(body, path, "")] : [`another ${name}`, changed(body, path, other(value))],
    ] as const;
  });
  const bodies = [...alterations, ["one more field", { ...body, one_more: 1 }] as const];
  return {
    ...Object.fromEntries(bodies.map(([what, altered]) => [what, JSON.stringify(altered)])),
    "no JSON": "<html></html>",
    nothing: "",
  };
}

/** Every field at any depth, with its path. */
function* fields(value: unknown, path: string[] = []): Generator<{ path: string[]; value: unknown }> {
  for (const [key, child] of Object.entries(typeof value === "object" && value !== null ? value : {})) {
    yield { path: [...path, key], value: child };
    yield* fields(child, [...path, key]);
  }
}

/** A copy of a body with one field changed or removed. */
function changed(body: unknown, path: string[], value: unknown): unknown {
  const copy = structuredClone(body);
  const parent = path
    .slice(0, -1)
    .reduce((at, key) => at[key] as Record<string, unknown>, copy as Record<string, unknown>);
  parent[path.at(-1) ?? ""] = value;
  return copy;
}

/** Another value of the same type. */
function other(value: unknown): unknown {
  switch (typeof value) {
    case "string":
      return `${value} x`;
    case "number":
      return value + 1;
    case "boolean":
      return !value;
    default:
      return Array.isArray(value) ? [...value, "x"] : { ...(value as object), one_more: 1 };
  }
}

/** Altered texts of a stream, by what was altered. */
function streamAlterations(text: string): Record<string, string> {
  const events = text.split(/(?<=\n\n)/);
  const done = events.findIndex((event) => event.startsWith("event: done"));
  const without = (index: number) => events.toSpliced(index, 1).join("");
  return {
    "no done": without(done),
    "no delta": events[done] ?? "",
    "one delta less": without(0),
    "an error for done": text.replace("event: done", "event: error"),
    "done before the rest": [events[done], ...events.toSpliced(done, 1)].join(""),
    "another text in a delta": text.replace('{"text":"', '{"text":"x'),
    "another response in done": text.replace('"response":"', '"response":"x'),
    "another count in done": text.replace(/"messageCount":(\d+)/, '"messageCount":1$1'),
    "no threadId in done": text.replace(/"threadId":"\d+",/, ""),
    "one more field in done": text.replace('"success":true', '"success":true,"one_more":1'),
    "no success in done": text.replace('"success":true,', ""),
    "no stream": "{}",
  };
}

/** Altered texts of a streamed completion, by what was altered. */
function chunkAlterations(text: string): Record<string, string> {
  const events = text.split(/(?<=\n\n)/);
  const without = (index: number) => events.toSpliced(index, 1).join("");
  return {
    "no role": without(0),
    "no pieces": events.toSpliced(1, events.length - 3).join(""),
    "no end": without(events.length - 2),
    "no [DONE]": without(events.length - 1),
    "names of events": text.replaceAll("data:", "event: delta\ndata:"),
    "another ID": text.replace('"id":"', '"id":"x'),
    "another object": text.replace('"chat.completion.chunk"', '"chat.completion"'),
    "another reason for the end": text.replace('"stop"', '"length"'),
    "an error for a piece": text.replace('{"content":"', '{"error":"'),
    "no stream": "{}",
  };
}
