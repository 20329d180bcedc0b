import { Duration } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { byDimension, type Graph } from "./metrics.ts";

/** Feedback is rare: shorter periods would show the ratings of single answers. */
const DAY = Duration.days(1);

/** What patients think of the answers, by model and version of its instructions, to judge a change of either. */
export function feedbackGraphs(scope: Construct): Graph[] {
  return [
    { title: "Share of bad answers, a day (1 means all)", left: [byDimension(scope, "BadFeedback", "Average", DAY)] },
    { title: "Rated answers, a day", left: [byDimension(scope, "BadFeedback", "SampleCount", DAY)] },
  ];
}
