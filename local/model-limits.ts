import type { ServiceTemplate } from "../packages/lambda-local/template.ts";
import { chatLimits } from "../shared/time-limits.ts";

/**
 * Gives the functions that call the model as much time as the limits of the local settings ask for: on a processor, a
 * model may need a minute for its first word. On AWS, all these follow from the setting `modelSeconds` instead.
 *
 * @param limits the variables that are set, `MODEL_TOTAL_MILLISECONDS` and `MODEL_FIRST_TOKEN_MILLISECONDS`; of the two,
 *   a missing one is extended so that it does not end an answer earlier than the other one allows
 */
export function applyModelLimits({ functions, routes }: ServiceTemplate, limits: Record<string, string>): void {
  const { MODEL_TOTAL_MILLISECONDS: total, MODEL_FIRST_TOKEN_MILLISECONDS: firstToken } = limits;
  for (const fn of functions.values()) {
    const { environment } = fn;
    if (!(total || firstToken) || !environment.MODEL_TOTAL_MILLISECONDS) {
      continue;
    }
    const before = Number(environment.MODEL_TOTAL_MILLISECONDS);
    const after = total ? Number(total) : Math.max(before, totalFor(Number(firstToken)));
    const { firstTokenMilliseconds, functionSeconds, gatewaySeconds } = chatLimits(after / 1_000);
    environment.MODEL_TOTAL_MILLISECONDS = String(after);
    environment.MODEL_FIRST_TOKEN_MILLISECONDS =
      firstToken ?? String(Math.max(Number(environment.MODEL_FIRST_TOKEN_MILLISECONDS), firstTokenMilliseconds));
    fn.timeoutSeconds = Math.max(fn.timeoutSeconds, functionSeconds);
    for (const route of routes.filter(({ functionId }) => functionId === fn.name)) {
      route.timeoutMilliseconds = Math.max(route.timeoutMilliseconds, gatewaySeconds * 1_000);
    }
  }
}

/** The total with which the first word has a given limit. */
function totalFor(firstToken: number): number {
  return Math.ceil((firstToken * firstToken) / chatLimits(firstToken / 1_000).firstTokenMilliseconds);
}
