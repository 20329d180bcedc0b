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
const FREE = /^(response|initialMessage|details\.\d+\.message)$/;

/**
 * Returns every single alteration of a response: of its status, of each header, and of each field of its body (missing,
 * of another type, with another value).
 *
 * @param isFixed whether the contract specifies a text of `error` or `message`
 */
export function alterationsOf(answer: Answer, isFixed: (text: string) => boolean): Alteration[] {
  const ofText = answer.headers.get("content-type")?.startsWith("text/event-stream")
    ? streamAlterations(answer.text)
    : bodyAlterations(answer.text, isFixed);
  return [
    { what: "another status", answer: { ...answer, status: answer.status + 1 } },
    ...headerAlterations(answer),
    ...ofText.map(({ what, text }) => ({ what, answer: { ...answer, text } })),
  ];
}

function headerAlterations(answer: Answer): Alteration[] {
  const others: Record<string, string> = {
    "content-type": "text/html",
    "x-request-id": "another-request",
    "cache-control": "max-age=60",
    "x-content-type-options": "none",
  };
  return Object.entries(others).flatMap(([name, other]) => {
    if (!answer.headers.has(name)) {
      return []; // the gateway's own response
    }
    const without = new Headers(answer.headers);
    without.delete(name);
    const changed = new Headers(answer.headers);
    changed.set(name, other);
    return [
      { what: `no header ${name}`, answer: { ...answer, headers: without } },
      { what: `another header ${name}`, answer: { ...answer, headers: changed } },
    ];
  });
}

interface TextAlteration {
  what: string;
  text: string;
}

function bodyAlterations(text: string, isFixed: (text: string) => boolean): TextAlteration[] {
  const body = JSON.parse(text);
  const alterations = [...fields(body)].flatMap(({ path, value }) => {
    const name = path.join(".");
    const free = typeof value === "string" && (FREE.test(name) || (/^(error|message)$/.test(name) && !isFixed(value)));
    return [
      { what: `no ${name}`, text: JSON.stringify(changed(body, path, undefined)) },
      {
        what: `${name} of another type`,
        text: JSON.stringify(changed(body, path, typeof value === "string" ? 5 : "5")),
      },
      free
        ? { what: `an empty ${name}`, text: JSON.stringify(changed(body, path, "")) }
        : { what: `another ${name}`, text: JSON.stringify(changed(body, path, other(value))) },
    ];
  });
  return [
    ...alterations,
    { what: "one more field", text: JSON.stringify({ ...body, one_more: 1 }) },
    { what: "no JSON", text: "<html></html>" },
    { what: "nothing", text: "" },
  ];
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
  if (typeof value === "string") {
    return `${value} x`;
  }
  if (typeof value === "number") {
    return value + 1;
  }
  if (typeof value === "boolean") {
    return !value;
  }
  return Array.isArray(value) ? [...value, "x"] : { ...(value as object), one_more: 1 };
}

function streamAlterations(text: string): TextAlteration[] {
  const events = text.split(/(?<=\n\n)/);
  const done = events.findIndex((event) => event.startsWith("event: done"));
  const without = (index: number) => events.toSpliced(index, 1).join("");
  return [
    { what: "no done", text: without(done) },
    { what: "no delta", text: events[done] ?? "" },
    { what: "one delta less", text: without(0) },
    { what: "an error for done", text: text.replace("event: done", "event: error") },
    { what: "done before the rest", text: [events[done], ...events.toSpliced(done, 1)].join("") },
    { what: "another text in a delta", text: text.replace('{"text":"', '{"text":"x') },
    { what: "another response in done", text: text.replace('"response":"', '"response":"x') },
    { what: "another count in done", text: text.replace(/"messageCount":(\d+)/, '"messageCount":1$1') },
    { what: "no threadId in done", text: text.replace(/"threadId":"\d+",/, "") },
    { what: "one more field in done", text: text.replace('"success":true', '"success":true,"one_more":1') },
    { what: "no success in done", text: text.replace('"success":true,', "") },
    { what: "no stream", text: "{}" },
  ];
}
