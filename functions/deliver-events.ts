import type { Context, DynamoDBStreamEvent } from "aws-lambda";
import { type DeliveryResult, deliverEvents } from "../shared/events/deliver-events.ts";
import { readWebhook } from "../shared/events/webhook-repository.ts";
import { SERVICE } from "../shared/request/caller.ts";

/** What the deployment's hook sends (`infra/deployment-hook/handler.ts`). */
interface Check {
  source?: string;
}

/**
 * Run by the stream of the events table with the keys of new events, and by the schedule. For the deployment's hook, it delivers
 * nothing, and fails if it lacks a setting or cannot read its table.
 */
export async function handler(
  event: (Partial<DynamoDBStreamEvent> & Check) | null,
  context: Context,
): Promise<DeliveryResult | { checked: true }> {
  if (event?.source === "deployment-hook") {
    await readWebhook(SERVICE.tenant, "none");
    return { checked: true };
  }
  return deliverEvents(
    () => context.getRemainingTimeInMillis(),
    event?.Records?.map(({ dynamodb }) => ({ pk: dynamodb?.Keys?.pk?.S ?? "", sk: dynamodb?.Keys?.sk?.S ?? "" })),
  );
}
