import { AsyncLocalStorage } from "node:async_hooks";
import type { Clinic, TenantState } from "../clinic.ts";
import type { Caller } from "./caller.ts";
import type { FailureKind } from "./failure-kind.ts";
import type { MetricLine } from "./metric-line.ts";
import type { Admission, QuotaName } from "./quota-limits.ts";

/** The tokens that a request has used in all its calls to models. */
export interface TokenUsage {
  inputTokens: number;
  /** The number of them read from the provider's prompt cache, at a lower price. */
  cachedInputTokens: number;
  /** The number of them written to it, at a higher price with some models. */
  cacheWriteTokens: number;
  outputTokens: number;
  /** Whether some of them are estimated from the characters, because the provider did not state them. */
  estimated?: true | undefined;
}

/** Whom a user may call whose message is not answered: for the body of the failure. */
export interface FailureHelp {
  /** One or two sentences, in the language of the message. */
  text: string;
  emergencyNumber: string;
  crisisLine: string;
  /** null if there is no such line. */
  poisonControl: string | null;
  abuseLine: string | null;
}

/** `invalid`: the number cannot be one. */
export type PhoneLookup = "found" | "not-found" | "invalid";

/** Fields of a request's log line that nothing else reads. They contain nothing that a patient or caller said. */
export interface LogFields {
  threadId?: string | undefined;
  patientId?: string | undefined;
  /** Which state of the tenant's profile applied. */
  profileVersion?: string | undefined;
  /** The gateway's ID of the request, as in the access log, if the caller sent another. */
  gatewayRequestId?: string;
  /** Whether the caller's key has been replaced by a rotation. */
  previousKey?: true | undefined;
  /** The error's code, where it says more than the kind of failure. */
  code?: string;
  /** The exceeded quota. */
  quota?: QuotaName;
  /** The model that answered, and how long it took, in OpenTelemetry's names (`observability/gen-ai.ts`). */
  "gen_ai.operation.name"?: string;
  "gen_ai.provider.name"?: string;
  "gen_ai.request.model"?: string;
  modelMs?: number;
  /** Whether there was a second call to the first model, and one to the fallback model. */
  modelRetry?: true;
  fallback?: true;
  /** Whether the user has stopped the answer. */
  stopped?: true | undefined;
  screenMs?: number;
  /** What did not fit into the prompt. */
  omittedMessages?: number | undefined;
  omittedFacts?: number | undefined;
  openingQuestion?: "failed" | "no-consent";
  /** Whether the failure came after the first event of a stream, so that the status is that of success. */
  streamFailed?: true;
}

/** Stands for a request's system messages in `ignored`, where no other name has a hyphen. */
export const SYSTEM_MESSAGES = "system-messages";

/**
 * What one request knows about itself. The pipeline creates it, passes it to the use case, and at the end settles
 * quotas and writes the metrics and the log line from it (`http/pipeline.ts`).
 */
export class RequestContext {
  /** The caller's ID or the gateway's: in the header `x-request-id` and in every log line of the request. */
  readonly id: string;
  /** The name of the endpoint. */
  readonly route: string;
  /** When the platform ends the invocation, in milliseconds since the epoch. */
  readonly deadline: number;
  readonly startedAt = performance.now();
  /** Undefined until the request is authenticated. */
  caller: Caller | undefined;
  /** The result of the quota check, which never rejects; undefined if no quota applies. */
  admission: Promise<Admission> | undefined;
  /** The caller's profile and the version of its sources, which never reject; undefined if the endpoint needs neither. */
  tenantState: Promise<TenantState> | undefined;
  /** The clinic in it, once it is known. */
  clinic: Clinic | undefined;
  /** Undefined until a model reports any. */
  usage: TokenUsage | undefined;
  /** The models that wrote text of the response, or may do so, for the mark of text by an AI. */
  models: string[] = [];
  /** The result of looking up the patient by phone number, which bodies do not have. */
  phoneLookup: PhoneLookup | undefined;
  /** The known fields that ignored fields of the body were probably meant to be. */
  likelyMeant: string[] = [];
  /** What OpenAI's clients sent and the service ignored: {@link SYSTEM_MESSAGES}, and names of parameters. */
  ignored: string[] = [];
  /** Whom to call, if a message could not be answered, and whether the request asked for more than specified bodies have. */
  help: { lines: FailureHelp; isAskedFor: boolean } | undefined;
  /** Whether the response is that of an earlier request with the same idempotency key. */
  replayed = false;
  /** Resolves when the use case of a stream has ended, which may be later than the response. */
  finished: Promise<void> | undefined;
  /** Whether a deployment's hook sent it to a version that has no traffic: the only caller that names a version. */
  isCheck = false;
  /** Why the request failed. */
  failure: FailureKind | undefined;
  /** The time spent waiting for the database. */
  readonly databaseTime = new Stopwatch();
  /** Recorded and not yet written (`metrics.ts`). */
  readonly metrics: MetricLine[] = [];
  readonly log: LogFields = {};

  constructor(id: string, route: string, deadline: number) {
    this.id = id;
    this.route = route;
    this.deadline = deadline;
  }
}

/** The context of an authenticated request. */
export type CallerContext = RequestContext & { caller: Caller };

/** Measures the time during which at least one of several overlapping tasks is in progress. */
class Stopwatch {
  /** Undefined until a task has ended. */
  milliseconds: number | undefined;
  private inProgress = 0;
  private since = 0;

  start(): void {
    if (this.inProgress++ === 0) {
      this.since = performance.now();
    }
  }

  stop(): void {
    if (--this.inProgress === 0) {
      this.milliseconds = (this.milliseconds ?? 0) + performance.now() - this.since;
    }
  }
}

const requests = new AsyncLocalStorage<RequestContext>();

/**
 * Runs a request. Code that the context cannot be passed to, because a library is in between or because it only writes
 * a log line or a metric, finds it with {@link currentRequest}. Everything else receives it as an argument.
 */
export function inRequest<Result>(context: RequestContext, run: () => Result): Result {
  return requests.run(context, run);
}

/** Returns the request that this code runs for; undefined during initialization and in a sweep. */
export function currentRequest(): RequestContext | undefined {
  return requests.getStore();
}
