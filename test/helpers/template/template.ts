import { readTemplates } from "../../../packages/lambda-local/cloud-assembly.ts";
import { readTemplate } from "../../../packages/lambda-local/template.ts";
import { endpoints } from "../../../shared/openapi/registry.ts";

// biome-ignore lint/suspicious/noExplicitAny: the properties depend on the resource type
export type Properties = Record<string, any>;

export interface Resource {
  Type: string;
  Properties: Properties;
  DeletionPolicy?: string;
  UpdateReplacePolicy?: string;
  UpdatePolicy?: Properties;
  DependsOn?: string[];
}

/** The synthesized templates of an assembly, as if they were one. */
export class Template {
  readonly resources: Record<string, Resource>;
  readonly outputs: Record<string, { Value: Properties }>;
  readonly metadata: Properties;

  /**
   * @param assembly the directory that `cdk synth` wrote
   * @param of whether to read a stack, by its name; all by default
   */
  constructor(assembly: string, of: (stack: string) => boolean = () => true) {
    const templates = [...readTemplates(assembly)].flatMap(([name, template]) => (of(name) ? [template] : []));
    this.resources = Object.assign({}, ...templates.map(({ Resources }) => Resources));
    this.outputs = Object.assign({}, ...templates.map(({ Outputs }) => Outputs));
    this.metadata = Object.assign({}, ...templates.map(({ Metadata }) => Metadata));
  }

  ofType(type: string): [id: string, resource: Resource][] {
    return Object.entries(this.resources).filter(([, { Type }]) => Type === type);
  }

  /** The only matching resource of a type. */
  one(type: string, fits: (properties: Properties) => boolean = () => true): [id: string, resource: Resource] {
    const [found, ...more] = this.ofType(type).filter(([, resource]) => fits(resource.Properties));
    if (!found || more.length > 0) {
      throw new Error(`expected one ${type}; found ${more.length + (found ? 1 : 0)}`);
    }
    return found;
  }

  /** The properties of every matching resource of a type. */
  all(type: string, fits: (properties: Properties) => unknown = () => true): Properties[] {
    return this.ofType(type).flatMap(([, { Properties }]) => (fits(Properties) ? [Properties] : []));
  }

  /** The properties of the only matching resource of a type. */
  only(type: string, fits?: (properties: Properties) => boolean): Properties {
    return this.one(type, fits)[1].Properties;
  }

  properties(id: string): Properties {
    return this.resources[id]?.Properties ?? {};
  }

  /** Every statement in a role's policies. */
  statementsOf(roleId: string): Properties[] {
    return this.ofType("AWS::IAM::Policy")
      .filter(([, { Properties }]) => Properties.Roles.some((role: Properties) => target(role) === roleId))
      .flatMap(([, { Properties }]) => Properties.PolicyDocument.Statement);
  }
}

/** The logical id of each function by its route, such as `POST /chat`, or `sweep`. */
export function functionsByCaller(assembly: string): Record<string, string> {
  const { routes, schedules } = readTemplate(assembly);
  return {
    ...Object.fromEntries(
      endpoints.map(({ method, path }) => {
        const ofPath = routes.filter((route) => route.path === path);
        const route = ofPath.find((one) => one.method === method) ?? ofPath.find((one) => one.method === "ANY");
        return [`${method} ${path}`, route?.functionId ?? ""];
      }),
    ),
    sweep: schedules.find(({ functionId }) => functionId.startsWith("Sweep"))?.functionId ?? "",
    delivery: schedules.find(({ functionId }) => functionId.startsWith("Delivery"))?.functionId ?? "",
  };
}

/** The logical id that a `Ref` or `Fn::GetAtt` refers to. */
export function target(reference: Properties | undefined): string {
  return reference?.Ref ?? reference?.["Fn::GetAtt"]?.[0];
}

/** What precedes a table's name in its ARN, where the service stack composes it. */
const ARN_OF_TABLE = "arn:<AWS::Partition>:dynamodb:<AWS::Region>:<AWS::AccountId>:table/";

/**
 * Formats a value as one line, with `Fn::Join` resolved and references as logical ids in angle brackets. The ARN of a
 * table is the reference to it.
 */
export function flat(value: unknown): string {
  if (typeof value !== "object" || value === null) {
    return String(value);
  }
  const join = (value as Properties)["Fn::Join"];
  if (join) {
    return join[1].map(flat).join(join[0]).replaceAll(ARN_OF_TABLE, "");
  }
  return target(value) ? `<${target(value)}>` : JSON.stringify(value);
}
