import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { pathParameters } from "../../packages/lambda-local/path-parameters.ts";

type Json = Record<string, unknown>;
interface Operation {
  responses: Record<string, { content?: Record<string, { schema: Json }> }>;
}

/** Validates responses against a published OpenAPI document. */
export class Contract {
  private readonly document: { paths: Record<string, Record<string, Operation>> };
  private readonly validators = new Map<string, ValidateFunction>();
  /** Not optimized: most schemas validate few responses, and compile in less than half of the time. */
  private readonly ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    validateSchema: false,
    inlineRefs: false,
    code: { optimize: false },
  });

  constructor(document: unknown) {
    this.document = document as Contract["document"];
    (addFormats as unknown as (ajv: Ajv2020) => void)(this.ajv);
    this.ajv.addSchema({ ...(closed(document) as Json), $id: "openapi" });
  }

  /**
   * @param path relative to the base URL, without a query string
   * @param mediaType of the body
   * @returns why a response is invalid: the operation does not document its status, or its body does not match the
   *   schema. Undefined for a valid response, and for an operation that the document does not contain
   */
  violation(
    method: string,
    path: string,
    status: number,
    body: unknown,
    mediaType = "application/json",
  ): string | undefined {
    const [template, methods] =
      Object.entries(this.document.paths).find(
        ([candidate, has]) => has[method.toLowerCase()] && pathParameters(candidate, path),
      ) ?? [];
    const operation = methods?.[method.toLowerCase()];
    if (!template || !operation) {
      return undefined;
    }
    const response = operation.responses[status];
    if (!response) {
      return `${method} ${template} does not document the status ${status}`;
    }
    if (!response.content) {
      return body === undefined ? undefined : `${method} ${template} ${status}: must have no body`;
    }
    const validate = this.validator(template, method.toLowerCase(), status, mediaType);
    return validate(body) ? undefined : `${method} ${template} ${status}: ${this.ajv.errorsText(validate.errors)}`;
  }

  private validator(template: string, method: string, status: number, mediaType: string): ValidateFunction {
    const [path, type] = [template, mediaType].map((part) =>
      encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1")),
    );
    const ref = `openapi#/paths/${path}/${method}/responses/${status}/content/${type}/schema`;
    const validator = this.validators.get(ref) ?? this.ajv.compile({ $ref: ref });
    this.validators.set(ref, validator);
    return validator;
  }
}

/**
 * Returns a copy of a document in which objects have no fields other than those described, and what is described as
 * always having one value has it. The published document allows others, because generated clients would otherwise
 * reject a response as soon as it has a new field, or not compile.
 */
function closed(document: unknown): unknown {
  return JSON.parse(JSON.stringify(document), (_, value) => {
    if ([value?.type].flat().includes("object") && value.properties && value.additionalProperties === undefined) {
      return { ...value, additionalProperties: false };
    }
    const [, always] = /^Always (true|false|null|\d+)$/.exec(value?.description) ?? [];
    return always ? { ...value, const: JSON.parse(always) } : value;
  });
}
