import { parse } from "yaml";

/** Calls moto's CloudFormation, and returns its answer as text. */
export type Call = (parameters: Record<string, string>) => Promise<string>;

interface Template {
  Outputs?: Record<string, { Value: unknown; Export?: { Name: string } }>;
}

/** A stack as it was deployed last, or will be when its change set is executed. */
interface State {
  stack: string;
  /** The expression of each exported value. */
  exports: Map<string, string>;
  imports: Set<string>;
}

/**
 * CloudFormation's exports and imports, which moto lacks for stacks that are deployed by change sets: it replaces each
 * import by the value, and refuses what CloudFormation refuses ("Get exported outputs from a deployed CloudFormation
 * stack"): to import what nobody exports, to export what another stack exports, and to remove or change what another one imports.
 */
export class Exports {
  private readonly call: Call;
  private readonly deployed = new Map<string, State>();
  private readonly prepared = new Map<string, State>();
  private updates = 0;

  constructor(call: Call) {
    this.call = call;
  }

  /**
   * Prepares a request for moto.
   *
   * @returns the reason if CloudFormation refuses it
   */
  async before(form: URLSearchParams): Promise<string | undefined> {
    const [stack = "", changeSet = ""] = ["StackName", "ChangeSetName"].map((name) => form.get(name) ?? "");
    switch (form.get("Action")) {
      case "CreateChangeSet":
        return this.prepare(form, stack, changeSet);
      case "ExecuteChangeSet":
        return this.execute(stack, changeSet);
      case "DeleteStack": {
        const refused = this.refusal({ stack, exports: new Map(), imports: new Set() });
        if (refused === undefined) {
          this.deployed.delete(stack);
        }
        return refused;
      }
      default:
        return undefined;
    }
  }

  private async prepare(form: URLSearchParams, stack: string, changeSet: string): Promise<string | undefined> {
    const template = parse(form.get("TemplateBody") ?? "{}") as Template;
    const imports = new Set<string>(JSON.stringify(template).match(/(?<="Fn::ImportValue":")[^"]+/g));
    const values = imports.size > 0 ? await this.values() : new Map<string, string>();
    const unknown = [...imports].find((name) => !values.has(name));
    if (unknown !== undefined) {
      return `No export named ${unknown} found.`;
    }
    const named = Object.values(template.Outputs ?? {}).flatMap(({ Value, Export }): [string, string][] =>
      Export ? [[Export.Name, JSON.stringify(Value)]] : [],
    );
    this.prepared.set(changeSet, { stack, exports: new Map(named), imports });
    const resolve = (_: string, value: { "Fn::ImportValue"?: string } | null) =>
      value?.["Fn::ImportValue"] ? values.get(value["Fn::ImportValue"]) : value;
    if (imports.size > 0) {
      form.set("TemplateBody", JSON.stringify(template, resolve));
    }
    return undefined;
  }

  private execute(stack: string, changeSet: string): string | undefined {
    const next = this.prepared.get(changeSet.split("/").at(-2) ?? "") ?? this.prepared.get(changeSet);
    const refused = next && this.refusal(next);
    if (next && refused === undefined) {
      this.deployed.set(stack, next);
    }
    return refused;
  }

  /** Why a stack cannot become what it should be. */
  private refusal({ stack, exports }: State): string | undefined {
    for (const other of this.deployed.values()) {
      const taken = other.stack === stack ? undefined : [...exports.keys()].find((name) => other.exports.has(name));
      if (taken !== undefined) {
        return `Export with name ${taken} is already exported by stack ${other.stack}.`;
      }
    }
    for (const [name, value] of this.deployed.get(stack)?.exports ?? []) {
      const user = [...this.deployed.values()].find(({ imports }) => imports.has(name))?.stack;
      if (user !== undefined && exports.get(name) !== value) {
        return exports.has(name)
          ? `Export ${name} cannot be updated as it is in use by ${user}.`
          : `Export ${name} cannot be deleted as it is in use by ${user}.`;
      }
    }
    return undefined;
  }

  /** The values of all exports. */
  private async values(): Promise<Map<string, string>> {
    const exporting = [...this.deployed.values()].filter(({ exports }) => exports.size > 0);
    const values = new Map<string, string>();
    for (const { stack } of exporting) {
      for (const [name, value] of await this.exportsOf(stack)) {
        values.set(name, value);
      }
    }
    return values;
  }

  /**
   * The exports of a stack. moto computes outputs when a stack is updated, but not when a change set is executed, so the
   * stack is updated with a template that only has one more line break.
   */
  private async exportsOf(StackName: string): Promise<[name: string, value: string][]> {
    const answer = await this.call({ Action: "GetTemplate", StackName });
    const [, text = ""] = /<TemplateBody>(.*)<\/TemplateBody>/s.exec(answer) ?? [];
    const template = parse(text.replaceAll("&quot;", '"').replaceAll("&amp;", "&")) as Template;
    const TemplateBody = `${JSON.stringify(template)}${"\n".repeat(++this.updates)}`;
    await this.call({ Action: "UpdateStack", StackName, TemplateBody });
    const described = await this.call({ Action: "DescribeStacks", StackName });
    const outputs = described.matchAll(/<OutputKey>([^<]*)<\/OutputKey>\s*<OutputValue>([^<]*)<\/OutputValue>/g);
    return [...outputs].flatMap(([, key = "", value = ""]): [string, string][] => {
      const name = template.Outputs?.[key]?.Export?.Name;
      return name === undefined ? [] : [[name, value]];
    });
  }
}
