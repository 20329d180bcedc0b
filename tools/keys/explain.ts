/**
 * Describes an error in one sentence. Messages of unrecognized errors are omitted, because they may quote the request,
 * which contains keys.
 *
 * @param error from this tool, the AWS SDK or the system
 */
export function explain(error: unknown): string {
  const { name, message, code, $metadata } = error as Error & { code?: string; $metadata?: { requestId?: string } };
  switch (name) {
    case "KeysError":
    case "OperatorError":
    case "AccessDeniedException":
      return message;
    case "ResourceNotFoundException":
      return "The secret does not exist in this account and region.";
    case "CredentialsProviderError":
      return "No AWS credentials were found; sign in, or set AWS_PROFILE.";
  }
  if (code === "ECONNREFUSED") {
    return "The endpoint refused the connection; check that the local service is running and that this is the address it printed.";
  }
  if (message === "Region is missing") {
    return "No AWS region is configured; set AWS_REGION.";
  }
  return `The request to Secrets Manager failed: ${[name, code, $metadata?.requestId].filter(Boolean).join(", ")}.`;
}
