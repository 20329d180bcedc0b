/** What differs from stage to stage; whatever is not here is the same in all of them. */
export interface Stage {
  /** Whether patients, the key they are encrypted with, and logs outlive the stack. */
  keepsData: boolean;
  /** Whether the stack, its tables and its backups refuse to be deleted. */
  deletionProtection: boolean;
  /** How long logs are kept: of requests, of access to patients, of the gateway. One of the periods CloudWatch Logs has. */
  logRetentionDays: number;
  /** How long a nightly backup of the patients is kept. */
  backupDays: number;
  /** Requests per second over all callers, and how many may come at once; more are answered with 429. */
  throttle: { rate: number; burst: number };
  /** Requests from one address in five minutes; more are answered with 429. */
  requestsPerAddress: number;
  /** How many chats may run at once, and a quarter as many new threads: a ceiling on what the model can cost. */
  chatConcurrency: number;
  /** How a function's new version gets its traffic: a part of it for some minutes, then the rest; undefined for all at once. */
  shifting: { percentage: number; minutes: number } | undefined;
}

export const STAGES = {
  /** One developer's, with made-up data: comes and goes with its stack. */
  dev: {
    keepsData: false,
    deletionProtection: false,
    logRetentionDays: 30,
    backupDays: 7,
    throttle: { rate: 20, burst: 40 },
    requestsPerAddress: 2_000,
    chatConcurrency: 10,
    shifting: undefined,
  },
  /** What prod will be, at a smaller scale: deployments are rehearsed here, and their rollback. */
  staging: {
    keepsData: true,
    deletionProtection: true,
    logRetentionDays: 90,
    backupDays: 14,
    throttle: { rate: 50, burst: 100 },
    requestsPerAddress: 5_000,
    chatConcurrency: 20,
    shifting: { percentage: 10, minutes: 5 },
  },
  /** Patients' data. Its logs are the record of who looked at it, to be kept for six years (45 CFR 164.316(b)(2)(i)). */
  prod: {
    keepsData: true,
    deletionProtection: true,
    logRetentionDays: 2_192,
    backupDays: 35,
    throttle: { rate: 100, burst: 200 },
    requestsPerAddress: 10_000,
    chatConcurrency: 200,
    shifting: { percentage: 10, minutes: 10 },
  },
} as const satisfies Record<string, Stage>;

export type StageName = keyof typeof STAGES;
