/** What Lambda keeps for functions without a reservation, at least ("Configuring reserved concurrency for a function"). */
const UNRESERVED = 100;

/** What `aws lambda get-account-settings` says of concurrency. */
export interface AccountLimit {
  ConcurrentExecutions: number;
  UnreservedConcurrentExecutions: number;
}

/** As much of a template as says what it reserves. */
export interface Reserving {
  Resources: Record<string, { Type: string; Properties?: { ReservedConcurrentExecutions?: number } }>;
}

/** The concurrency that a template's functions reserve, together. */
export function reservedBy({ Resources }: Reserving): number {
  return Object.values(Resources)
    .filter(({ Type }) => Type === "AWS::Lambda::Function")
    .reduce((sum, { Properties }) => sum + (Properties?.ReservedConcurrentExecutions ?? 0), 0);
}

/**
 * Looks whether the account's quota of concurrency is enough for a stack that is to be created.
 *
 * @param reserved by the stack's functions, together
 * @returns what to do when it is not; undefined when it is
 */
export function quotaProblem(reserved: number, { ConcurrentExecutions: quota, ...limit }: AccountLimit) {
  const missing = reserved + UNRESERVED - limit.UnreservedConcurrentExecutions;
  if (reserved === 0 || missing <= 0) {
    return undefined;
  }
  const wanted = Math.max(1_000, quota + missing);
  return (
    `The stack reserves ${reserved} concurrent executions, and ${UNRESERVED} must stay unreserved; the account's quota is ` +
    `${quota}, of which ${limit.UnreservedConcurrentExecutions} are unreserved. Its creation would fail. Ask for more:\n\n` +
    `  aws service-quotas request-service-quota-increase --service-code lambda --quota-code L-B99A9384 --desired-value ${wanted}\n\n` +
    'or set "reserveConcurrency": false in the stage\'s file until it is granted; the quota is then the only ceiling.\n'
  );
}
