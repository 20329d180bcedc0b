import { readTemplate } from "../../local/template.ts";
import { type EndpointName, endpoints } from "../../shared/openapi/registry.ts";

/** The name of a function's file under `functions/`. The playground is only in stacks with its context value. */
export type BenchedName = Exclude<EndpointName, "playground"> | "sweep-threads";

/** A function of the synthesized stack. */
export interface BenchedFunction {
  name: BenchedName;
  asksModel: boolean;
  /** The directory of its bundle in the cloud assembly. */
  codePath: string;
  memoryMegabytes: number;
}

/**
 * Lists the functions of a synthesized stack, those without a model first.
 *
 * @param assembly the directory that `cdk synth` wrote
 */
export function benchedFunctions(assembly: string): BenchedFunction[] {
  const templates = [...readTemplate(assembly).functions.values()];
  const all = [...endpoints, { name: "sweep-threads" as const }] as { name: BenchedName; model?: true }[];
  return all
    .map(({ name, model = false }) => {
      const id = name.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
      const template = templates.find((candidate) => new RegExp(`^[A-Z][a-z]+${id}[0-9A-F]{8}$`).test(candidate.name));
      if (!template) {
        throw new Error(`The stack has no function for functions/${name}.ts.`);
      }
      const { codePath, memoryMegabytes } = template;
      return { name, asksModel: model, codePath, memoryMegabytes };
    })
    .toSorted((a, b) => Number(a.asksModel) - Number(b.asksModel) || a.name.localeCompare(b.name));
}
