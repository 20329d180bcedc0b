import { CfnQueue, Queue } from "aws-cdk-lib/aws-sqs";
import cdkJson from "../../../cdk.json" with { type: "json" };
import { ServiceApp } from "../../../infra/service-app.ts";

/**
 * Run as a program: synthesizes the service's stack with resources that violate the checks.
 *
 * Argument: a directory for the assembly.
 */
const app = new ServiceApp({ context: cdkJson.context, outdir: process.argv[2] ?? "" });
const { data, service } = app.addStacks();
new Queue(service, "PlainHttp");
new CfnQueue(service, "OutOfRange", { delaySeconds: 901 });
const chicken = new CfnQueue(service, "Chicken");
chicken.queueName = new CfnQueue(service, "Egg", { queueName: chicken.ref }).ref;
data.tables.patients.grantFullAccess(service.functions.openapi);
app.synth();
