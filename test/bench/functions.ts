import { pascalCase } from "../../infra/pascal-case.ts";
import { type FunctionTemplate, readTemplate } from "../../packages/lambda-local/template.ts";
import { type Endpoint, functionOf } from "../../shared/contract/endpoint.ts";
import { endpoints, functionNames } from "../../shared/openapi/registry.ts";

/** A function of the API. */
export interface BenchedFunction {
  name: string;
  /** The first of the endpoints that it serves. */
  endpoint: Endpoint;
  template: FunctionTemplate;
}

/**
 * Lists the API's functions.
 *
 * @param assembly the directory that `cdk synth` wrote
 */
export function benchedFunctions(assembly: string): BenchedFunction[] {
  const templates = [...readTemplate(assembly).functions.values()];
  return functionNames.map((name) => {
    const template = templates.find((one) => one.name.startsWith(`Api${pascalCase(name)}`));
    const endpoint = endpoints.find((one) => functionOf(one) === name);
    return { name, endpoint: endpoint as Endpoint, template: template as FunctionTemplate };
  });
}
