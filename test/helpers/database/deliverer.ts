import { setTimeout } from "node:timers/promises";
import { deliverEvents } from "../../../shared/events/deliver-events.ts";

// A process that delivers events until it is killed, as the function does on its schedule.
process.stdout.write("delivering\n");
for (;;) {
  await deliverEvents(() => 60_000, "schedule").catch(() => {}); // the next run tries again
  await setTimeout(20);
}
