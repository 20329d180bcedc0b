/**
 * Says in a sentence what went wrong. The messages of errors that are not known here are left out: they may quote what
 * was sent, and keys are sent.
 *
 * @param error ours, the AWS SDK's, or the system's
 */
export function explain(error: unknown): string {
  const { name, message, code, $metadata } = error as Error & { code?: string; $metadata?: { requestId?: string } };
  switch (name) {
    case "KeysError":
    case "OperatorError":
    case "AccessDeniedException":
      return message;
    case "ResourceNotFoundException":
      return "There is no such secret in this account and region.";
    case "CredentialsProviderError":
      return "There are no AWS credentials; sign in, or set AWS_PROFILE.";
  }
  if (code === "ECONNREFUSED") {
    return "Nothing answers at the endpoint; is the local service running, and is it the address that it shows?";
  }
  if (message === "Region is missing") {
    return "It is not known in which region the stack is; set AWS_REGION.";
  }
  return `Secrets Manager could not be used: ${[name, code, $metadata?.requestId].filter(Boolean).join(", ")}.`;
}
