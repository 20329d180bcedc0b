import { Duration, Stack } from "aws-cdk-lib";
import { type Alarm, AlarmStatusWidget, Dashboard, GraphWidget, TextWidget } from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import type { ServiceStack } from "../service-stack.ts";
import { costGraphs } from "./cost-graphs.ts";
import { databaseGraphs } from "./database-graphs.ts";
import type { Graph } from "./graph.ts";
import { modelGraphs } from "./model-graphs.ts";
import { callerGraphs, latencyGraphs, requestGraphs } from "./request-graphs.ts";
import { sweepGraphs, threadGraphs } from "./thread-graphs.ts";

/** A dashboard is 24 units wide. */
const WIDTH = 24;

/** The questions of an operator, from top to bottom, each with the graphs that answer it. */
export class ServiceDashboard extends Dashboard {
  constructor(scope: Construct, id: string, stack: ServiceStack, alarms: Alarm[]) {
    super(scope, id, { dashboardName: Stack.of(scope).stackName, defaultInterval: Duration.hours(3) });
    this.addWidgets(
      new AlarmStatusWidget({ title: "Alarms (docs/operations.md says what to do)", alarms, width: WIDTH, height: 4 }),
    );
    this.ask("Is it up?", "Requests come, and few of them end with a 5xx.", requestGraphs(stack));
    this.ask("Is it slow?", "A chat takes what the model takes; everything else, milliseconds.", latencyGraphs(stack));
    this.ask(
      "Is it the model?",
      "Retries and the fallback hide failures from callers, not from here.",
      modelGraphs(stack),
    );
    this.ask("Is it the database?", "Throttling and system errors are zero.", databaseGraphs(stack));
    this.ask("Is it the sweep?", "One ends every 10 minutes, and none leaves anything behind.", sweepGraphs(stack));
    this.ask("Are there ids for new threads?", "A free id takes one or two tries.", threadGraphs(stack));
    this.ask("Who is calling?", "No client takes it all, and nobody is guessing keys.", callerGraphs(stack));
    this.ask("What does it cost?", "Tokens first, then functions, the database and logs.", costGraphs(stack));
  }

  private ask(question: string, whenWell: string, graphs: Graph[]): void {
    this.addWidgets(
      new TextWidget({ markdown: `## ${question}\nWhen all is well: ${whenWell}`, width: WIDTH, height: 2 }),
    );
    this.addWidgets(
      ...graphs.map((graph) => new GraphWidget({ ...graph, width: Math.floor(WIDTH / graphs.length), height: 6 })),
    );
  }
}
