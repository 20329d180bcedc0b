import type { AccountLimit } from "@aws-sdk/client-lambda";

/** Lambda keeps it for functions without a reservation ("Configuring reserved concurrency for a function"). */
const UNRESERVED = 100;

/** The parts of a resource that specify reserved concurrency. */
interface Reserving {
  Type: string;
  Properties?: { ReservedConcurrentExecutions?: number };
}

/** The total concurrency that a template's functions reserve. */
export function reservedBy(resources: Record<string, Reserving>): number {
  return Object.values(resources)
    .filter(({ Type }) => Type === "AWS::Lambda::Function")
    .reduce((sum, { Properties }) => sum + (Properties?.ReservedConcurrentExecutions ?? 0), 0);
}

/**
 * Checks whether the account's concurrency quota is sufficient to create a stack.
 *
 * @param reserved the total concurrency that the stack's functions reserve
 * @param limit of `GetAccountSettings`
 * @returns what to do if it is not; undefined if it is
 */
export function quotaProblem(reserved: number, limit: AccountLimit): string | undefined {
  const { ConcurrentExecutions: quota = 0, UnreservedConcurrentExecutions: unreserved = 0 } = limit;
  const missing = reserved + UNRESERVED - unreserved;
  if (reserved === 0 || missing <= 0) {
    return undefined;
  }
  const wanted = Math.max(1_000, quota + missing);
  return (
    `This stage needs a concurrency quota of ${wanted}, but the account has ${quota}, of which ${unreserved} are unreserved: it ` +
    `reserves ${reserved} executions, and ${UNRESERVED} must stay unreserved. Request it, and deploy again when it is granted:\n\n` +
    `  aws service-quotas request-service-quota-increase --service-code lambda --quota-code L-B99A9384 --desired-value ${wanted}\n\n` +
    'Until then, "reserveConcurrency": false in the stage\'s file leaves the limit on concurrent chats to the quota.\n'
  );
}
