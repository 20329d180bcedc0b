import { Duration } from "aws-cdk-lib";
import type { GraphWidgetProps } from "aws-cdk-lib/aws-cloudwatch";

/** What a graph shows: its title, the lines on the left and, in another unit, those on the right. */
export type Graph = Pick<GraphWidgetProps, "title" | "left" | "right" | "stacked">;

/** One point of a graph; a dashboard that shows days takes longer ones by itself. */
export const POINT = Duration.minutes(1);
