/** Error whose message is one sentence for the operator: what is wrong, and what to do. */
export class OperationError extends Error {
  override readonly name = "OperationError";
}

/** Our own errors, and those of AWS whose messages quote names and ARNs only. */
const READABLE = ["OperationError", "OperatorError", "AccessDenied", "AccessDeniedException"];

/**
 * Describes an error in one sentence. Messages of unrecognized errors are omitted, because they may quote the request,
 * which contains API keys, or the keys of items, which are phone numbers.
 *
 * @param error from a script, the AWS SDK or the system
 * @param resource what the script works on, such as `secret`
 */
export function explain(error: unknown, resource: string): string {
  const { name, message, code, $metadata } = error as Error & { code?: string; $metadata?: { requestId?: string } };
  if (READABLE.includes(name)) {
    return message;
  }
  if (name === "ResourceNotFoundException") {
    return `The ${resource} does not exist in this account and region.`;
  }
  if (name === "CredentialsProviderError") {
    return "No AWS credentials were found; sign in, or set AWS_PROFILE.";
  }
  if (code === "ECONNREFUSED") {
    return "The endpoint refused the connection; check that the local service is running and that this is the address it printed.";
  }
  if (message === "Region is missing") {
    return "No AWS region is configured; set AWS_REGION.";
  }
  return `The request to AWS failed: ${[name, code, $metadata?.requestId].filter(Boolean).join(", ")}.`;
}

/**
 * Runs a script, and ends the process with its exit code; if it throws, with 1 after {@link explain}.
 *
 * @param resource what the script works on
 */
export async function runScript(main: () => Promise<number>, resource: string): Promise<void> {
  try {
    process.exitCode = await main();
  } catch (error) {
    process.stderr.write(`${explain(error, resource)}\n`);
    process.exitCode = 1;
  }
}
