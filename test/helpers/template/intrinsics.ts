import type { Properties } from "./template.ts";

/**
 * Resolves a template value as CloudFormation would, for the intrinsic functions that `pipeline-role.json` uses.
 *
 * @param parameters the values for `Ref` and `Fn::Sub`, including pseudo parameters
 * @throws Error for an unknown name
 */
export function resolveIntrinsics(value: unknown, template: Properties, parameters: Record<string, string>): unknown {
  const resolve = (inner: unknown): unknown => resolveIntrinsics(inner, template, parameters);
  if (typeof value !== "object" || value === null) {
    return value;
  }
  if (Array.isArray(value)) {
    return value.map(resolve);
  }
  const [[name, argument] = [], ...more] = Object.entries(value as Record<string, Properties>);
  if (more.length > 0 || !argument || !/^(Ref|Fn::)/.test(name ?? "")) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, resolve(inner)]));
  }
  switch (name) {
    case "Ref":
      return named(parameters, String(argument));
    case "Fn::Sub": {
      const [text, own = {}] = typeof argument === "string" ? [argument] : (argument as unknown as [string, object]);
      const values = { ...parameters, ...(resolve(own) as Record<string, string>) };
      return String(text).replace(/\$\{([\w:]+)\}/g, (_, variable: string) => named(values, variable));
    }
    case "Fn::Select":
      return (resolve(argument[1]) as unknown[])[Number(argument[0])];
    case "Fn::Split":
      return String(resolve(argument[1])).split(argument[0]);
    case "Fn::FindInMap": {
      const [map, top, second] = resolve(argument) as [string, string, string];
      return template.Mappings[map][top][second];
    }
    case "Fn::If":
      return resolve(argument[1]);
    default:
      throw new Error(`${name} is not known here`);
  }
}

function named(values: Record<string, string>, name: string): string {
  const value = values[name];
  if (value === undefined) {
    throw new Error(`there is no parameter ${name}`);
  }
  return value;
}
