// Synthesizes an app of one function and one table, and runs it until Ctrl-C: node example/run.ts FOLDER
import { join } from "node:path";
import { App, Duration, Stack } from "aws-cdk-lib";
import { LambdaIntegration, RestApi } from "aws-cdk-lib/aws-apigateway";
import { AttributeType, Table } from "aws-cdk-lib/aws-dynamodb";
import { Code, Function as Lambda, Runtime } from "aws-cdk-lib/aws-lambda";
import { openDatabase } from "../database.ts";
import { startPlatform } from "../platform.ts";
import { readTemplate } from "../template.ts";

const folder = process.argv[2] ?? ".";
const app = new App({ outdir: join(folder, "cdk.out"), context: { "aws:cdk:enable-asset-metadata": true } });
const stack = new Stack(app, "example");
const visits = new Table(stack, "Visits", { partitionKey: { name: "name", type: AttributeType.STRING } });
const visit = new Lambda(stack, "Visit", {
  code: Code.fromAsset(join(import.meta.dirname, "function")),
  handler: "index.handler",
  runtime: Runtime.NODEJS_24_X,
  timeout: Duration.seconds(10),
  memorySize: 128,
  environment: { VISITS: visits.tableName },
});
const api = new RestApi(stack, "Api", { deployOptions: { stageName: "v1" } });
api.root.addResource("visits").addResource("{name}").addMethod("POST", new LambdaIntegration(visit));

const template = readTemplate(app.synth().directory);
const database = await openDatabase(template.tables, folder);
const platform = await startPlatform(template, database);
process.stdout.write(`${platform.baseUrl}\n`);
process.once("SIGTERM", () => platform.stop().then(database.stop));
