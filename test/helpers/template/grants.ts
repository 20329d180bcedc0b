import { flat, Template, target } from "./template.ts";

/**
 * Lists the DynamoDB permissions of a template's functions.
 *
 * @param assembly the directory that `cdk synth` wrote
 * @returns `<function> <action> <table or index>`, such as `ApiChat Query Threads/index/by-sweep`; names are logical ids
 */
export function grantsOf(assembly: string): string[] {
  const template = new Template(assembly);
  return template.ofType("AWS::Lambda::Function").flatMap(([name, { Properties }]) =>
    template.statementsOf(target(Properties.Role)).flatMap(({ Action, Resource }) => {
      const actions: string[] = [Action].flat().filter((action) => action.startsWith("dynamodb:"));
      const tables = [Resource].flat().map((resource) => flat(resource).replaceAll(/[<>]/g, ""));
      return actions.flatMap((action) => tables.map((table) => `${name} ${action.replace("dynamodb:", "")} ${table}`));
    }),
  );
}
