import { expect } from "@jest/globals";
import type { Reply, TestService } from "./service/service.ts";

/** The expected state of a thread, according to the tenant's own requests. */
interface KnownThread {
  patientId: string | null;
  bound: string | undefined;
  messageCount: number;
  /** The answers by client and idempotency key. */
  answers: Map<string, { request: string; response: string; messageCount: number }>;
}

interface KnownPatient {
  name: string;
  phone: string;
}

/** Every id that any tenant received. All tenants use all of them. */
export interface Pool {
  threads: string[];
  patients: string[];
}

/** Few numbers, so that the tenants use the same ones constantly. */
const PHONES = Array.from({ length: 8 }, (_, number) => `1555010${String(number).padStart(4, "0")}`);
const KEYS = ["key-1", "key-2", "key-3"];
const NEVER_THREADS = ["00000", "00001"];
const NEVER_PATIENTS = ["00000000-0000-4000-8000-000000000000", "no-uuid"];

/**
 * One tenant's view of the service: sends random requests and compares each response with the one expected from the
 * tenant's own requests, as if it were alone. The requests of a tenant are sequential; tenants run at the same time.
 */
export class TenantWorld {
  readonly threads = new Map<string, KnownThread>();
  readonly patients = new Map<string, KnownPatient>();
  private readonly service: TestService;
  private readonly random: () => number;
  private readonly pool: Pool;
  /** A mark in everything that this tenant stores and sends. No other tenant may ever see it. */
  readonly mark: string;
  private readonly keys: string[];
  private next = 0;

  /** @param keys the API keys of the tenant's clients */
  constructor(service: TestService, mark: string, keys: string[], pool: Pool, random: () => number) {
    this.service = service;
    this.mark = mark;
    this.keys = keys;
    this.pool = pool;
    this.random = random;
  }

  /** Sends one random request and checks its response. */
  async step(): Promise<void> {
    const steps = [
      () => this.createPatient(),
      () => this.getPatient(),
      () => this.createThread(),
      () => this.getThread(),
      () => this.getThread(),
      () => this.chat(),
      () => this.chat(),
      () => this.chat(),
      () => this.deleteThread(),
    ];
    await this.pick(steps)();
  }

  /** Compares the tenant's stored data with the expected data. */
  async checkAll(): Promise<void> {
    for (const id of this.pool.threads) {
      await this.getThread(id);
    }
    for (const id of this.pool.patients) {
      await this.getPatient(id);
    }
  }

  private async createPatient(): Promise<void> {
    const phone = this.pick(PHONES);
    const name = `${this.mark} ${this.next++}`;
    const body = { name, phone_number: phone, conditions: [this.mark], age: 40, gender: "x" };
    const reply = await this.call("POST", "/patients", body);
    const [existing] = [...this.patients].find(([, patient]) => patient.phone === phone) ?? [];
    if (existing === undefined) {
      expect(reply).toMatchObject({ status: 201, body: { patient: { name, phone_number: phone } } });
      this.patients.set(reply.body.patient.id, { name, phone });
      this.pool.patients.push(reply.body.patient.id);
    } else {
      const patient = { id: existing, name: this.patients.get(existing)?.name, phone_number: phone };
      const error = "Patient with this phone number already exists";
      expect(reply).toMatchObject({ status: 409, body: { error, patient } });
    }
  }

  private async getPatient(id = this.pick([...this.pool.patients, ...NEVER_PATIENTS])): Promise<void> {
    const reply = await this.call("GET", `/patients/${id}`);
    const own = this.patients.get(id);
    if (own) {
      expect(reply).toMatchObject({ status: 200, body: { patient: { id, name: own.name, phone_number: own.phone } } });
    } else {
      expect([reply.status, reply.body]).toEqual([404, { error: "Patient not found" }]);
    }
  }

  private async createThread(): Promise<void> {
    const by = this.someone();
    const reply = await this.call("POST", "/threads", { ...by, metadata: { mark: this.mark } });
    if (by.patientId !== undefined && !this.patients.has(by.patientId)) {
      expect([reply.status, reply.body]).toEqual([404, { error: "Patient not found with the provided ID" }]);
      return;
    }
    expect(reply).toMatchObject({ status: 201, body: { messageCount: 0 } });
    const { threadId } = reply.body;
    this.threads.set(threadId, {
      patientId: this.patientOf(by) ?? null,
      bound: undefined,
      messageCount: 0,
      answers: new Map(),
    });
    this.pool.threads.push(threadId);
  }

  private async getThread(id = this.someThread()): Promise<void> {
    const reply = await this.call("GET", `/threads/${id}`);
    const own = this.threads.get(id);
    if (own) {
      const { patientId, messageCount } = own;
      expect(reply).toMatchObject({ status: 200, body: { thread: { threadId: id, patientId, messageCount } } });
    } else {
      expect([reply.status, reply.body]).toEqual([404, { error: "Thread not found or expired" }]);
    }
  }

  private async deleteThread(): Promise<void> {
    const id = this.someThread();
    const reply = await this.call("DELETE", `/threads/${id}`);
    if (this.threads.delete(id)) {
      expect([reply.status, reply.body]).toEqual([200, { success: true, message: "Thread deleted successfully" }]);
    } else {
      expect([reply.status, reply.body]).toEqual([404, { error: "Thread not found" }]);
    }
  }

  private async chat(): Promise<void> {
    const threadId = this.random() < 0.8 ? this.someThread() : undefined;
    const by = this.random() < 0.5 ? this.someone() : {};
    const client = this.pick(this.keys);
    const key = this.random() < 0.4 ? this.pick(KEYS) : undefined;
    // Few messages, so that a key is reused with the same request.
    const message = `When does the pharmacy open? ${this.mark} ${key === undefined ? this.next++ : this.pick([1, 2])}`;
    const body = { message, threadId, ...by };
    const reply = await this.call("POST", "/chat", body, client, key === undefined ? {} : { "idempotency-key": key });
    const failed = (status: number, error: unknown) =>
      expect([reply.status, reply.body.success, reply.body.error]).toEqual([status, false, error]);
    const thread = threadId === undefined ? undefined : this.threads.get(threadId);
    if (threadId !== undefined && !thread) {
      failed(404, "Thread not found or expired");
      return;
    }
    const before = thread?.answers.get(`${client} ${key}`);
    if (before) {
      const { response, messageCount } = before;
      if (before.request === JSON.stringify(body)) {
        expect([reply.status, reply.body]).toEqual([200, { success: true, response, threadId, messageCount }]);
      } else {
        failed(422, "Idempotency-Key was used with another request");
      }
      return;
    }
    const own = thread?.patientId ?? thread?.bound;
    const foreign = expect.stringContaining("names another patient");
    if (own !== undefined && by.patientId !== undefined && by.patientId !== own) {
      failed(400, foreign);
      return;
    }
    if (by.patientId !== undefined && !this.patients.has(by.patientId)) {
      failed(404, "Patient not found with the provided ID");
      return;
    }
    const named = this.patientOf(by);
    if (own !== undefined && named !== undefined && named !== own) {
      failed(400, foreign);
      return;
    }
    const response = `answer to: ${message}`;
    expect(reply).toMatchObject({ status: 200, body: { success: true, response } });
    if (thread && threadId !== undefined) {
      thread.messageCount += 2;
      thread.bound = thread.patientId === null ? (thread.bound ?? named) : undefined;
      const { messageCount } = thread;
      expect([reply.body.threadId, reply.body.messageCount]).toEqual([threadId, messageCount]);
      if (key !== undefined) {
        thread.answers.set(`${client} ${key}`, { request: JSON.stringify(body), response, messageCount });
      }
    }
  }

  /** No patient, a patient id of any tenant, or a phone number. */
  private someone(): { patientId?: string; phone?: string } {
    const patientId = this.pick([...this.pool.patients, ...NEVER_PATIENTS]);
    return this.pick([{}, { patientId }, { phone: this.pick(PHONES) }]);
  }

  private patientOf({ patientId, phone }: { patientId?: string; phone?: string }): string | undefined {
    return patientId ?? [...this.patients].find(([, patient]) => patient.phone === phone)?.[0];
  }

  /** One of the newest threads of any tenant, which are still active. */
  private someThread(): string {
    return this.pick([...this.pool.threads.slice(-20), ...NEVER_THREADS]);
  }

  private async call(
    method: string,
    path: string,
    body?: unknown,
    key = this.pick(this.keys),
    headers: Record<string, string> = {},
  ): Promise<Reply> {
    const reply = await this.service.call(method, path, { body, key, headers });
    for (const other of MARKS.filter((mark) => mark !== this.mark)) {
      expect(JSON.stringify(reply.body)).not.toContain(other);
    }
    return reply;
  }

  private pick<T>(from: T[]): T {
    return from[Math.floor(this.random() * from.length)] as T;
  }
}

/** One mark per tenant. */
export const MARKS = ["Alder", "Birch"];
