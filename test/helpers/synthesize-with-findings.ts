import { CfnQueue, Queue } from "aws-cdk-lib/aws-sqs";
import cdkJson from "../../cdk.json" with { type: "json" };
import { ServiceApp } from "../../infra/service-app.ts";

/**
 * Run as a program: synthesizes the service's stack with things in it that it must not have.
 *
 * Arguments: a folder for the assembly, and `bad`, or anything else for the stack as it is.
 */
const [outdir = "", kind = ""] = process.argv.slice(2);
const app = new ServiceApp({ context: cdkJson.context, outdir });
const stack = app.addStack();
if (kind === "bad") {
  new Queue(stack, "PlainHttp");
  new CfnQueue(stack, "OutOfRange", { delaySeconds: 901 });
  stack.tables.patients.grantFullAccess(stack.functions.openapi);
}
app.synth();
