import type { Context, DynamoDBStreamEvent } from "aws-lambda";
import { type DeliveryResult, deliverEvents } from "../shared/events/deliver-events.ts";

/** Run by the stream of the events table with the keys of new events, and by the schedule. */
export const handler = (event: Partial<DynamoDBStreamEvent> | null, context: Context): Promise<DeliveryResult> =>
  deliverEvents(
    () => context.getRemainingTimeInMillis(),
    event?.Records?.map(({ dynamodb }) => ({ pk: dynamodb?.Keys?.pk?.S ?? "", sk: dynamodb?.Keys?.sk?.S ?? "" })),
  );
