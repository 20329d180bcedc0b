import type { Endpoint } from "../contract/endpoint.ts";
import { shapedError } from "../http/error-shape.ts";
import { contents } from "../openapi/contents.ts";
import { endpoints } from "../openapi/registry.ts";
import { exactly } from "./expected.ts";
import { type Rule, rulesOf } from "./rule.ts";

interface Content {
  content?: Record<string, { examples?: Record<string, { value: unknown }> }>;
}
interface DocumentedOperation {
  parameters?: { in: string; name: string; example?: string; schema: object }[];
  requestBody?: Content;
  responses: Record<string, Content>;
}
interface ErrorBody {
  details?: { path: string }[];
}

/** An operation as the OpenAPI document describes it. */
function documentedAs({ method, path }: Endpoint): DocumentedOperation {
  return PATHS[path]?.[method.toLowerCase()] as DocumentedOperation;
}

const PATHS = contents.paths as unknown as Record<string, Record<string, DocumentedOperation>>;

const examplesOf = (content: Content | undefined) =>
  Object.values(content?.content?.["application/json"]?.examples ?? {}).map(({ value }) => value);

/**
 * A path that leads to nothing: the examples of its parameters, with zeros for their digits. Lower-case letters become
 * zeros too where they are hexadecimal digits.
 */
function pathToNothing({ path }: Endpoint, { parameters = [] }: DocumentedOperation): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name) => {
    const { example = "" } = parameters.find((parameter) => parameter.name === name) ?? {};
    return example.replace(/^(\w+_)?(.*)$/, (_all, prefix = "", id) => prefix + id.replaceAll(/[0-9a-f]/g, "0"));
  });
}

/** The document leaves it out where the specification has one text for all 400s. */
function notJson({ errors }: Endpoint): unknown {
  const message = "Request body is not valid JSON";
  return shapedError(errors.shape, { error: errors.invalid ?? message, details: [{ path: "", message }] }, "invalid");
}

/**
 * The rules for the errors that an endpoint has because of its declaration: without a key; with a path that leads to
 * nothing; with a body that is not JSON; with a query parameter that its schema does not allow.
 */
export function documentedErrors(endpoint: Endpoint): Rule[] {
  const documented = documentedAs(endpoint);
  const { responses, requestBody, parameters = [] } = documented;
  const operation = `${endpoint.method} ${endpoint.path}`;
  const request = `${endpoint.method} ${pathToNothing(endpoint, documented)}`;
  const [body] = examplesOf(requestBody);
  const [unauthorized] = examplesOf(responses["401"]);
  const [notFound] = examplesOf(responses["404"]);
  const rules: Record<string, Rule["play"]> = {};
  if (!endpoint.public) {
    rules["without a key: 401"] = (target) =>
      target.expect(request, 401, exactly(unauthorized), { headers: { "x-api-key": null } });
  }
  if (endpoint.path.includes("{") && notFound) {
    rules["with an unknown id: 404"] = (target) => target.expect(request, 404, exactly(notFound), { body });
  }
  if (requestBody) {
    rules["with a body that is not JSON: 400"] = (target) =>
      target.expect(request, 400, exactly(notJson(endpoint)), { text: "{" });
  }
  for (const { name } of parameters.filter((parameter) => parameter.in === "query")) {
    const invalid = examplesOf(responses["400"]).find((error) => (error as ErrorBody).details?.[0]?.path === name);
    if (invalid && !CURSORS.includes(name)) {
      rules[`with an invalid ${name}: 400`] = (target) =>
        target.expect(`${request}?${name}=invalid`, 400, exactly(invalid));
    }
  }
  return rulesOf(operation, rules);
}

/** They are read after what they belong to, which does not exist. */
const CURSORS = ["before", "after"];

const METHODS: Endpoint["method"][] = ["PUT", "PATCH", "DELETE", "POST", "GET"];

/**
 * The endpoints that the document describes, which are all that can succeed. Their declarations do not say so in the
 * deployment hook, whose bundle leaves the documentation out of them.
 */
export const documentedEndpoints = endpoints.filter(({ method, path }) => PATHS[path]?.[method.toLowerCase()]);

/** The rules for methods that a path does not have: one for each path. */
export function otherMethods(): Rule[] {
  return [...new Set(documentedEndpoints.map(({ path }) => path))].map((path) => {
    const served = documentedEndpoints.filter((endpoint) => endpoint.path === path);
    const method = METHODS.find((other) => served.every((endpoint) => endpoint.method !== other)) as string;
    const example = pathToNothing(served[0] as Endpoint, documentedAs(served[0] as Endpoint));
    const shape = served[0]?.errors.shape === "openai" ? "openai" : "generic";
    const error = exactly(shapedError(shape, { error: "Method not allowed" }, "method-not-allowed"));
    return {
      operation: "",
      name: `${method} ${path}, a method that the path does not have: 405`,
      play: (target) => target.expect(`${method} ${example}`, 405, error),
    };
  });
}
