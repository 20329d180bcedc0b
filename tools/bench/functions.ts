import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { readTemplate } from "../../local/template.ts";

/** The functions that carry the model's SDK. */
const WITH_MODEL = new Set(["chat", "create-thread"]);

/** A function as it would be deployed. */
export interface BenchedFunction {
  /** That of its file under `functions/`. */
  name: string;
  asksModel: boolean;
  /** The folder of its bundle, in the cloud assembly. */
  codePath: string;
  memoryMegabytes: number;
}

/**
 * The functions of a synthesized stack, those without a model first.
 *
 * @param assembly the folder that `cdk synth` wrote
 */
export function benchedFunctions(assembly: string): BenchedFunction[] {
  const templates = [...readTemplate(assembly).functions.values()];
  return readdirSync(join(import.meta.dirname, "..", "..", "functions"))
    .map((file) => basename(file, ".ts"))
    .filter((name) => name !== "playground") // no part of a stack that does not ask for it
    .map((name) => {
      const id = name.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
      const template = templates.find((candidate) => new RegExp(`^[A-Z][a-z]+${id}[0-9A-F]{8}$`).test(candidate.name));
      if (!template) {
        throw new Error(`The stack has no function of functions/${name}.ts.`);
      }
      const { codePath, memoryMegabytes } = template;
      return { name, asksModel: WITH_MODEL.has(name), codePath, memoryMegabytes };
    })
    .toSorted((a, b) => Number(a.asksModel) - Number(b.asksModel));
}
