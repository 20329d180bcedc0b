import type { Properties } from "./template.ts";

/**
 * Resolves a template value as CloudFormation would, for the intrinsic functions that `pipeline-role.json` uses.
 *
 * @param parameters the values for `Ref` and `Fn::Sub`, including pseudo parameters
 * @throws Error for an unknown function; an unknown name becomes the text `undefined`
 */
export function resolveIntrinsics(value: unknown, template: Properties, parameters: Record<string, string>): unknown {
  // biome-ignore lint/suspicious/noExplicitAny: the argument depends on the function
  const functions: Record<string, (argument: any) => unknown> = {
    Ref: (name) => String(parameters[name]),
    "Fn::Sub": ([text, values]) =>
      text.replace(/\$\{([\w:]+)\}/g, (_: string, name: string) => String({ ...parameters, ...values }[name])),
    "Fn::Select": ([index, list]) => list[index],
    "Fn::Split": ([separator, text]) => text.split(separator),
    "Fn::FindInMap": ([map, top, second]) => template.Mappings[map][top][second],
    "Fn::If": ([, then]) => then,
  };
  const resolve = (inner: unknown): unknown => {
    if (typeof inner !== "object" || inner === null) {
      return inner;
    }
    if (Array.isArray(inner)) {
      return inner.map(resolve);
    }
    const entries = Object.entries(inner).map(([name, argument]) => [name, resolve(argument)] as const);
    const [[name, argument] = ["", undefined]] = entries;
    if (!/^(Ref|Fn::\w+)$/.test(name)) {
      return Object.fromEntries(entries);
    }
    const apply = functions[name];
    if (!apply) {
      throw new Error(`${name} is not known here`);
    }
    return apply(name === "Fn::Sub" ? [argument].flat() : argument);
  };
  return resolve(value);
}
