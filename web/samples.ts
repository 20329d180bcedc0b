import { type ApiRequest, toCurl } from "./curl.ts";

/** A request, and the call of the project's own client that makes it, if it has one. */
export interface SampleRequest extends ApiRequest {
  call?: { method: string; parameters: readonly string[] } | undefined;
}

/** The languages of the samples, by the name under which they are shown. */
export const SAMPLES: Record<string, (request: SampleRequest) => string> = {
  curl: toCurl,
  JavaScript: (request) => (request.call ? toClient(request.call, request.body) : toFetch(request)),
  Python: toPython,
};

/** A call of the project's own client, which has a method for each operation: the path's parameters, then the body. */
function toClient({ method, parameters }: NonNullable<SampleRequest["call"]>, body: string | undefined): string {
  const values = [
    ...parameters.map((value) => JSON.stringify(value)),
    ...(body === undefined ? [] : [indented(body, 0)]),
  ];
  return `import { HealthAssistantClient } from "health-assistant-client";

const { BASE_URL, API_KEY } = process.env;
const client = new HealthAssistantClient({ baseUrl: BASE_URL, apiKey: API_KEY });
console.log(await client.${method}(${values.join(", ")}));`;
}

/** A request with `fetch`, which browsers and Node have. */
function toFetch({ method, path, withKey, headers = {}, body }: ApiRequest): string {
  const sent = Object.entries(headers).map(([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)},`);
  const lines = [
    ...(method === "GET" ? [] : [`  method: "${method}",`]),
    ...(withKey || sent.length > 0
      ? ["  headers: {", ...(withKey ? ['    "X-API-Key": process.env.API_KEY,'] : []), ...sent, "  },"]
      : []),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${indented(body, 2)}),`]),
  ];
  const address = `\`\${process.env.BASE_URL}${path}\``;
  return [
    lines.length > 0
      ? `const response = await fetch(${address}, {\n${lines.join("\n")}\n});`
      : `const response = await fetch(${address});`,
    "console.log(response.status, await response.json());",
  ].join("\n");
}

/** A request with Python's standard library. */
function toPython({ method, path, withKey, headers = {}, body }: ApiRequest): string {
  const sent = Object.entries(headers).map(
    ([name, value]) => `        ${JSON.stringify(name)}: ${JSON.stringify(value)},`,
  );
  return [
    "import json, os, urllib.request",
    "",
    "request = urllib.request.Request(",
    `    os.environ["BASE_URL"] + ${JSON.stringify(path)},`,
    `    method="${method}",`,
    "    headers={",
    ...(withKey ? ['        "X-API-Key": os.environ["API_KEY"],'] : []),
    ...sent,
    "    },",
    ...(body === undefined ? [] : [`    data=json.dumps(${pythonLiteral(indented(body, 4))}).encode(),`]),
    ")",
    "with urllib.request.urlopen(request) as response:",
    "    print(response.status, json.load(response))",
  ]
    .join("\n")
    .replace("    headers={\n    },\n", "");
}

/** JSON over several lines, to stand after some spaces. */
function indented(json: string, spaces: number): string {
  return JSON.stringify(JSON.parse(json), undefined, 2).replaceAll("\n", `\n${" ".repeat(spaces)}`);
}

/** Python's names for JSON's three words, outside of strings. */
function pythonLiteral(json: string): string {
  const words: Record<string, string> = { true: "True", false: "False", null: "None" };
  return json.replaceAll(/"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b/g, (token) => words[token] ?? token);
}
