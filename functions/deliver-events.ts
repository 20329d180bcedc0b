import type { Context, DynamoDBRecord } from "aws-lambda";
import { type DeliveryResult, deliverEvents } from "../shared/events/deliver-events.ts";
import { readWebhook } from "../shared/events/webhook-repository.ts";
import { SERVICE } from "../shared/request/caller.ts";

/** What the schedule sends, and the deployment's hook (`infra/deployment-hook/handler.ts`). */
interface Other {
  source?: string;
}

/**
 * Run by the schedule, and for new events, with the keys of which the stream of the events table tells; without keys,
 * it looks for new ones. For the deployment's hook, it delivers nothing, and fails if it lacks a setting or cannot read
 * its table.
 */
export async function handler(
  event: DynamoDBRecord[] | Other | null,
  context: Context,
): Promise<DeliveryResult | { checked: true }> {
  const remaining = () => context.getRemainingTimeInMillis();
  if (Array.isArray(event)) {
    const created = event.map(({ dynamodb }) => ({ pk: dynamodb?.Keys?.pk?.S ?? "", sk: dynamodb?.Keys?.sk?.S ?? "" }));
    return deliverEvents(remaining, created);
  }
  if (event?.source === "deployment-hook") {
    await readWebhook(SERVICE.tenant, "none");
    return { checked: true };
  }
  return deliverEvents(remaining, event?.source === "aws.events" ? "schedule" : "new-events");
}
