import { CfnQueue, Queue } from "aws-cdk-lib/aws-sqs";
import cdkJson from "../../../cdk.json" with { type: "json" };
import { ServiceApp } from "../../../infra/service-app.ts";

/**
 * Run as a program: synthesizes the service's stack with resources that violate the checks.
 *
 * Argument: a directory for the assembly.
 */
const app = new ServiceApp({ context: cdkJson.context, outdir: process.argv[2] ?? "" });
const stack = app.addStack();
new Queue(stack, "PlainHttp");
new CfnQueue(stack, "OutOfRange", { delaySeconds: 901 });
const chicken = new CfnQueue(stack, "Chicken");
chicken.queueName = new CfnQueue(stack, "Egg", { queueName: chicken.ref }).ref;
stack.tables.patients.grantFullAccess(stack.functions.openapi);
app.synth();
