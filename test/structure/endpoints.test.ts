import { expect, test } from "@jest/globals";
import { build } from "esbuild";
import { FUNCTIONS } from "../../infra/bundling/bundle.ts";
import { HealthAssistantClient } from "../../packages/client/client.js";
import { type Endpoint, functionOf } from "../../shared/contract/endpoint.ts";
import { endpoints, functionNames } from "../../shared/openapi/registry.ts";
import { documentedTable } from "../helpers/documented-table.ts";

/** The functions that serve no endpoint of the API. */
const OTHERS = ["deliver-events", "playground", "sweep-threads"];

test("every endpoint has a function, and every function what it imports", async () => {
  // Packages are left out: they only take time.
  const options = { write: false, minify: false, packages: "external", logLevel: "silent" } as const;
  const { outputFiles = [] } = await build({ ...FUNCTIONS, ...options });
  const names = outputFiles.map(({ path }) => path.split(/[\\/]/).at(-2));
  expect(names.sort()).toEqual([...functionNames, ...OTHERS].sort());
});

test("the client has a method for every endpoint except pages and those for OpenAI's clients", () => {
  const own = endpoints.filter(({ content, openAiClients }) => !content?.startsWith("text/") && !openAiClients);
  expect(own.length).toBeGreaterThan(6);
  for (const { name } of own) {
    const method = name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());
    expect(HealthAssistantClient.prototype).toHaveProperty(method, expect.any(Function));
  }
});

test("the size of every function is documented", () => {
  const documented = documentedTable("function").map(([name]) => name);
  expect(documented.sort()).toEqual(functionNames.toSorted());
});

test("how urgent failures are is said only where it has an effect: once, by all endpoints of a function", () => {
  const urgency = ({ model, public: isPublic, canWait, rarelyCalled }: Endpoint) =>
    Object.entries({ model, isPublic, canWait, rarelyCalled })
      .flatMap(([name, set]) => (set ? [name] : []))
      .join(" and ");
  for (const [name, served] of Map.groupBy(endpoints, functionOf)) {
    const said = [...new Set(served.map(urgency))];
    // A function with an endpoint that uses the model has an alarm of its own, whatever else it does.
    expect([name, said.includes("model") ? said.filter((one) => one !== "") : said]).toEqual([
      name,
      [expect.not.stringContaining(" and ")],
    ]);
  }
});
