import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { readTemplate } from "../../local/template.ts";

/** The functions whose bundle contains the model's SDK. */
const WITH_MODEL = new Set(["chat", "create-thread"]);

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
 * Lists the functions of a synthesized stack, those without a model first.
 *
 * @param assembly the directory that `cdk synth` wrote
 */
export function benchedFunctions(assembly: string): BenchedFunction[] {
  const templates = [...readTemplate(assembly).functions.values()];
  return readdirSync(join(import.meta.dirname, "..", "..", "functions"))
    .map((file) => basename(file, ".ts"))
    .filter((name) => name !== "playground") // only in stacks with the context value `playground`
    .map((name) => {
      const id = name.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
      const template = templates.find((candidate) => new RegExp(`^[A-Z][a-z]+${id}[0-9A-F]{8}$`).test(candidate.name));
      if (!template) {
        throw new Error(`The stack has no function for functions/${name}.ts.`);
      }
      const { codePath, memoryMegabytes } = template;
      return { name, asksModel: WITH_MODEL.has(name), codePath, memoryMegabytes };
    })
    .toSorted((a, b) => Number(a.asksModel) - Number(b.asksModel));
}
