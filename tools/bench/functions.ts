import { readTemplate } from "../../local/template.ts";
import { endpoints } from "../../shared/openapi/registry.ts";

/** A function of the synthesized stack. */
export interface BenchedFunction {
  /** The name of its file under `functions/`. */
  name: string;
  asksModel: boolean;
  /** The directory of its bundle in the cloud assembly. */
  codePath: string;
  memoryMegabytes: number;
}

/**
 * Lists the functions of a synthesized stack, those without a model first. The playground is only in stacks with its
 * context value.
 *
 * @param assembly the directory that `cdk synth` wrote
 */
export function benchedFunctions(assembly: string): BenchedFunction[] {
  const templates = [...readTemplate(assembly).functions.values()];
  const all: { name: string; model?: true | undefined }[] = [...endpoints, { name: "sweep-threads" }];
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
