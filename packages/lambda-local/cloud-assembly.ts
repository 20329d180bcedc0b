import { readFileSync } from "node:fs";
import { join } from "node:path";

// biome-ignore lint/suspicious/noExplicitAny: CloudFormation properties depend on the resource type
export type Properties = Record<string, any>;

export interface Resource {
  Type: string;
  Properties?: Properties;
  Metadata?: Properties;
}

/** The parts of a template that are read here. */
export interface StackTemplate {
  Resources: Record<string, Resource>;
  Outputs?: Record<string, { Value: unknown; Export?: { Name: string } }>;
  Metadata?: Properties;
}

/**
 * Reads the templates of a cloud assembly. What one stack imports from another one becomes the reference that is the
 * export's value, as if both stacks were one.
 *
 * @param assembly the folder that `cdk synth` wrote; it may also contain templates of earlier runs
 * @param change is applied to each template's text
 * @returns the templates by the names of their stacks
 * @throws Error if there is no stack
 */
export function readTemplates(
  assembly: string,
  change: (text: string) => string = (text) => text,
): Map<string, StackTemplate> {
  const { artifacts } = JSON.parse(readFileSync(join(assembly, "manifest.json"), "utf8")) as {
    artifacts: Record<string, { type: string; properties: { templateFile: string } }>;
  };
  const texts = Object.entries(artifacts)
    .filter(([, { type }]) => type === "aws:cloudformation:stack")
    .map(
      ([name, { properties }]) =>
        [name, change(readFileSync(join(assembly, properties.templateFile), "utf8"))] as const,
    );
  if (texts.length === 0) {
    throw new Error(`There is no synthesized stack in ${assembly}.`);
  }
  const outputs = texts.flatMap(([, text]) => Object.values((JSON.parse(text) as StackTemplate).Outputs ?? {}));
  const exported = new Map(outputs.flatMap(({ Value, Export }) => (Export ? [[Export.Name, Value]] : [])));
  const resolve = (_: string, value: Properties | null) => {
    const name = value?.["Fn::ImportValue"];
    if (name && !exported.has(name)) {
      throw new Error(`No stack exports ${name}, which another stack imports.`);
    }
    return name ? exported.get(name) : value;
  };
  return new Map(texts.map(([name, text]) => [name, JSON.parse(text, resolve) as StackTemplate]));
}

/** Reads the resources of all stacks of a cloud assembly ({@link readTemplates}), by their logical IDs. */
export function readResources(assembly: string, change?: (text: string) => string): Record<string, Resource> {
  const templates = [...readTemplates(assembly, change).values()];
  return Object.assign({}, ...templates.map(({ Resources }) => Resources));
}
