import { statSync } from "node:fs";
import { join } from "node:path";
import { pascalCase } from "../../infra/pascal-case.ts";
import { type FunctionTemplate, readTemplate } from "../../local/template.ts";
import type { Endpoint } from "../../shared/endpoint.ts";
import { endpoints } from "../../shared/openapi/registry.ts";
import { round } from "./statistics.ts";
import type { Table } from "./table.ts";

/** The function of an endpoint. */
export interface BenchedFunction {
  endpoint: Endpoint;
  template: FunctionTemplate;
}

/**
 * Lists the functions of the API's endpoints.
 *
 * @param assembly the directory that `cdk synth` wrote
 */
export function benchedFunctions(assembly: string): BenchedFunction[] {
  const templates = [...readTemplate(assembly).functions.values()];
  return endpoints.map((endpoint) => {
    const template = templates.find(({ name }) => name.startsWith(`Api${pascalCase(endpoint.name)}`));
    return { endpoint, template: template as FunctionTemplate };
  });
}

/** Measures the size of each function's bundle, in kilobytes of 1024 bytes as in esbuild's reports. */
export function measureBundles(functions: BenchedFunction[]): Table {
  return {
    title: "Bundles",
    columns: ["function", "KB"],
    rows: functions.map(({ endpoint: { name }, template: { codePath } }) => [
      name,
      round(statSync(join(codePath, "index.mjs")).size / 1024),
    ]),
  };
}
