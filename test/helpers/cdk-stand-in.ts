/**
 * Run as a program, in place of the CDK's, where moto lacks what the CDK needs: synthesizes the template that
 * `REHEARSED_TEMPLATE` names, and creates the stack, or prepares or executes a change set. Logs its commands.
 */
import { appendFileSync, copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import {
  CloudFormationClient,
  CreateChangeSetCommand,
  CreateStackCommand,
  DeleteChangeSetCommand,
  ExecuteChangeSetCommand,
  ListChangeSetsCommand,
} from "@aws-sdk/client-cloudformation";

const { REHEARSED_TEMPLATE = "", REHEARSED_LOG = "" } = process.env;
const args = process.argv.slice(2);
const text = { type: "string", default: "" } as const;
const options = { method: text, output: text, "change-set-name": text, app: text, context: { ...text, short: "c" } };
const { values, positionals } = parseArgs({ args, options, strict: false, allowPositionals: true });
const [command = "", StackName = "health-assistant-dev"] = positionals;
const { method = "", output = "", "change-set-name": ChangeSetName } = values as Record<string, string>;
const client = new CloudFormationClient();
const TemplateBody = readFileSync(REHEARSED_TEMPLATE, "utf8");
appendFileSync(
  REHEARSED_LOG,
  `${[command, method, ...args.filter((arg) => arg === "creating=true")].join(" ").trim()}\n`,
);

if (command === "synth") {
  copyFileSync(REHEARSED_TEMPLATE, join(output, "stack.template.json"));
} else if (method === "prepare-change-set") {
  const { Summaries = [] } = await client.send(new ListChangeSetsCommand({ StackName }));
  if (Summaries.some((summary) => summary.ChangeSetName === ChangeSetName)) {
    await client.send(new DeleteChangeSetCommand({ StackName, ChangeSetName }));
  }
  await client.send(new CreateChangeSetCommand({ StackName, ChangeSetName, TemplateBody, ChangeSetType: "UPDATE" }));
} else if (method === "execute-change-set") {
  await client.send(new ExecuteChangeSetCommand({ StackName, ChangeSetName }));
} else if (args.includes("creating=true")) {
  await client.send(new CreateStackCommand({ StackName, TemplateBody }));
}
