import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

// biome-ignore lint/suspicious/noExplicitAny: the properties depend on the resource type
type Properties = Record<string, any>;

/**
 * Lists the DynamoDB permissions of a template's functions.
 *
 * @param assembly the directory that `cdk synth` wrote
 * @returns `<function> <action> <table or index>`, such as `ApiChat Query Threads/index/by-sweep`; names are logical ids
 */
export function grantsOf(assembly: string): string[] {
  const file = readdirSync(assembly).find((name) => name.endsWith(".template.json")) ?? "";
  const { Resources } = JSON.parse(readFileSync(join(assembly, file), "utf8")) as { Resources: Properties };
  const ofType = (type: string): [string, Properties][] =>
    Object.entries(Resources)
      .filter(([, resource]) => resource.Type === type)
      .map(([id, resource]) => [id, resource.Properties]);

  return ofType("AWS::IAM::Policy").flatMap(([, { PolicyDocument, Roles }]) => {
    const functions = ofType("AWS::Lambda::Function").filter(([, { Role }]) => Role["Fn::GetAtt"][0] === Roles[0].Ref);
    return functions.flatMap(([name]) =>
      (PolicyDocument.Statement as Properties[]).flatMap(({ Action, Resource }) =>
        [Action]
          .flat()
          .flatMap((action: string) =>
            action.startsWith("dynamodb:")
              ? [Resource].flat().map((resource) => `${name} ${action.replace("dynamodb:", "")} ${tableName(resource)}`)
              : [],
          ),
      ),
    );
  });
}

/** The ARN of a table or index, with its logical id. */
function tableName(resource: Properties): string {
  const parts: unknown[] = resource["Fn::Join"]?.[1] ?? [resource];
  return parts.map((part) => (typeof part === "string" ? part : (part as Properties)["Fn::GetAtt"][0])).join("");
}
