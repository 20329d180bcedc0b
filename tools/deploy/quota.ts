import type { AccountLimit } from "@aws-sdk/client-lambda";

/**
 * The minimum concurrency that Lambda keeps for functions without a reservation ("Configuring reserved concurrency for
 * a function").
 */
const UNRESERVED = 100;

/** The parts of a template that specify reserved concurrency. */
export interface Reserving {
  Resources: Record<string, { Type: string; Properties?: { ReservedConcurrentExecutions?: number } }>;
}

/** The total concurrency that a template's functions reserve. */
export function reservedBy({ Resources }: Reserving): number {
  return Object.values(Resources)
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
    `The stack reserves ${reserved} concurrent executions, and ${UNRESERVED} must stay unreserved; the account's quota is ` +
    `${quota}, of which ${unreserved} are unreserved. Creating the stack would fail. ` +
    "Request a higher quota:\n\n" +
    `  aws service-quotas request-service-quota-increase --service-code lambda --quota-code L-B99A9384 --desired-value ${wanted}\n\n` +
    'or set "reserveConcurrency": false in the stage\'s file until it is granted; the quota is then the only limit.\n'
  );
}
