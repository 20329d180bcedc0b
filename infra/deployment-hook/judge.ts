/** A version of a function: the one that is being deployed, or the one that serves callers. */
export type Version = "new" | "live";

/** What the rules found about one version of a function. */
export interface VersionFindings {
  /** The number of rules that passed. */
  held: number;
  /** The rules that failed, each with expected and actual results, but no contents. */
  broken: Map<string, string>;
}

/** How a check ended. */
export interface CheckResult {
  passed: boolean;
  /** The number of rules that the new version passed. */
  held: number;
  /** The rules that only the new version fails. */
  broken: string[];
  /** The rules that the version that serves callers fails too, so that the new version is not to blame. */
  brokenBefore: string[];
}

/**
 * Judges a new version by what the version that serves callers does at the same time: during an outage, of the model
 * for example, both fail the same rules, and stopping the deployment would help nobody. The new version is compared a
 * second time before it is blamed, so that a single hiccup does not stop a deployment.
 *
 * @param findingsOf runs the rules against a version
 * @returns passed if no rule is broken by the new version alone, and there was a rule to run
 */
export async function judge(findingsOf: (version: Version) => Promise<VersionFindings>): Promise<CheckResult> {
  let result = await compare(findingsOf);
  if (result.broken.length > 0) {
    result = await compare(findingsOf);
  }
  return result;
}

async function compare(findingsOf: (version: Version) => Promise<VersionFindings>): Promise<CheckResult> {
  const { held, broken } = await findingsOf("new");
  const before = broken.size > 0 ? (await findingsOf("live")).broken : broken;
  const described = (blameless: boolean) =>
    [...broken].filter(([rule]) => before.has(rule) === blameless).map(([rule, fault]) => `${rule}: ${fault}`);
  const [own, shared] = [described(false), described(true)];
  return { passed: own.length === 0 && held + shared.length > 0, held, broken: own, brokenBefore: shared };
}
