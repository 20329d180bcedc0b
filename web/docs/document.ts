/** The parts of an OpenAPI 3.1 document that the reference shows. */
export interface ApiDocument {
  info: { title: string; version: string; description: string };
  tags: { name: string; description: string }[];
  components: { schemas: Record<string, Schema> };
  paths: Record<string, Record<string, ApiOperation>>;
}

interface ApiOperation {
  operationId: string;
  tags: [string];
  summary: string;
  description: string;
  /** Empty for an operation without a key; otherwise the document's own value applies. */
  security?: unknown[];
  parameters?: ApiParameter[];
  requestBody?: { required: boolean; content: Record<string, ApiContent> };
  responses: Record<string, { description: string; content?: Record<string, ApiContent> }>;
}

export interface ApiParameter {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  description: string;
  example?: string;
}

export interface ApiContent {
  schema: Schema;
  /** An error's example has its code as its summary, and what to do as its description. */
  examples?: Record<string, { summary?: string; description?: string; value: unknown }>;
  example?: string;
}

export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  maxItems?: number;
  pattern?: string;
}

/** An operation with its method and path. */
export interface PlacedOperation extends ApiOperation {
  method: string;
  path: string;
}

/**
 * The order of operations, by what their names begin with: what ends something comes last, so that all before it can be
 * tried.
 */
const VERBS = "create hold give get add update test rotate list search count export return withdraw stop delete".split(
  " ",
);

/** The order of resources: each needs the one before. */
const TAGS = "Patients Threads Chat Handoff Feedback Events Profile Sources FHIR OpenAI-compatible Description".split(
  " ",
);

/** Returns all operations by the document's tags. */
export function operationsOf({
  tags,
  paths,
}: ApiDocument): { tag: ApiDocument["tags"][number]; operations: PlacedOperation[] }[] {
  const placed = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  );
  const rank = ({ operationId }: PlacedOperation) => VERBS.findIndex((verb) => operationId.startsWith(verb));
  placed.sort((one, other) => rank(one) - rank(other));
  return tags
    .toSorted((one, other) => TAGS.indexOf(one.name) - TAGS.indexOf(other.name))
    .map((tag) => ({ tag, operations: placed.filter((operation) => operation.tags[0] === tag.name) }));
}

/** Returns the content of a body or a response that is JSON, also that of FHIR. */
export function jsonOf(content: Record<string, ApiContent>): ApiContent | undefined {
  return content["application/json"] ?? content["application/fhir+json"];
}

/** Returns the schema that a reference points to, or the schema itself. */
export function resolve({ components }: ApiDocument, schema: Schema): Schema {
  const name = schema.$ref?.replace("#/components/schemas/", "");
  const target = name === undefined ? undefined : components.schemas[name];
  return target
    ? resolve({ components } as ApiDocument, {
        ...target,
        ...(schema.description && { description: schema.description }),
      })
    : schema;
}
