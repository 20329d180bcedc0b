import { STAGES } from "../../infra/stages.ts";
import { readArguments, usageError } from "../../shared/command-line.ts";
import { explain, runScript } from "../aws/explain.ts";
import { type Account, type Check, openAccount } from "./account.ts";
import { CHECKS } from "./checks.ts";
import { MODEL_QUESTIONS } from "./model-questions.ts";
import { TRIALS } from "./trials.ts";

const USAGE = `Checks what only an AWS account can confirm about a deployed stage, and prints what remains to be checked by hand.

  npm run check:account -- --stage STAGE         reads the account, and changes nothing
  npm run check:account -- --stage STAGE --try   also tries out: the live check, a backup, a restore drill, an alarm, a
                                                 chat that the firewall has to notice, and what a model on Amazon Bedrock
                                                 accepts; takes up to an hour, and notifies whoever is notified of alarms

  --stage  ${Object.keys(STAGES).join(", ")}; account and region come from the AWS SDK's configuration (AWS_PROFILE, AWS_REGION, …)

With --try, CHECK_API_KEY must be a client's API key. Exit code: 0 if everything that was checked holds, 1 if not, 2 for an
invalid command line.
`;

/** What cannot be checked from here. */
const BY_HAND = [
  "The notification of the alarm tokens has arrived, by every subscription (--try sets it off).",
  "The loss of a key, in dev with alarms=true: disable a KMS key of the stack. The notification of key-disabled arrives; enable the key again.",
  "A failing hook, in staging: deploy a version that fails in it. It is rolled back, and the hook passes during the rollback.",
  "Rollback, in staging: deploy a function that always fails, and call it until its alarm goes off. The stack rolls back.",
  'Then deploy the same code again. It is deployed, or fails in its hook, but not with "A version for this Lambda function exists".',
  "After some requests, no graph of the dashboard is unexpectedly empty.",
  "Pipeline: a pull request shows a diff, and a push to main deploys to staging.",
];

async function main(): Promise<number> {
  const options = { stage: { type: "string", default: "" }, try: { type: "boolean", default: false } } as const;
  const { stage, try: tries } = readArguments(USAGE, { options }).values;
  if (!Object.hasOwn(STAGES, stage)) {
    usageError(USAGE, `--stage must be one of ${Object.keys(STAGES).join(", ")}.`);
  }
  if (tries && !process.env.CHECK_API_KEY) {
    usageError(USAGE, "--try needs CHECK_API_KEY.");
  }
  const account = await openAccount(stage);
  let failed = 0;
  // First the trials, because they make the metrics and logs that the checks look for.
  for (const check of [...(tries ? [...TRIALS, ...MODEL_QUESTIONS] : []), ...CHECKS].filter(
    ({ concerns }) => concerns?.(account) ?? true,
  )) {
    const fault = await faultOf(check, account);
    failed += fault === undefined ? 0 : 1;
    print(fault === undefined ? `  ok    ${check.name}` : `  FAIL  ${check.name}: ${fault}\n          ${check.remedy}`);
  }
  const untried = tries ? [] : TRIALS.map(({ name }) => `${name} (--try).`);
  print(`\nTo be checked by hand:\n${[...untried, ...BY_HAND].map((item) => `  [ ]   ${item}`).join("\n")}`);
  return failed === 0 ? 0 : 1;
}

async function faultOf(check: Check, account: Account): Promise<string | undefined> {
  try {
    return await check.run(account);
  } catch (error) {
    return explain(error, "resource");
  }
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

await runScript(main, "stack");
