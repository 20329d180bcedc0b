/** @import { HealthAssistantClient } from "./client.js" */
/** @import { ApiError } from "./api-error.js" */
/** @import { AnswerPart, ChatRequest } from "./schemas.d.ts" */

/**
 * A message that a user wrote by SMS or in a messenger. What else it has, such as the address to answer to, is passed on.
 *
 * @typedef {{ id: string, phone: string, text: string, [other: string]: unknown }} IncomingMessage `id`: the provider's;
 *   `phone`: with a plus and the country code; `text`: empty for voice and pictures
 */

/**
 * @typedef {object} RelayOptions
 * @property {HealthAssistantClient} client
 * @property {(message: IncomingMessage, text: string) => Promise<void>} send sends a text to whoever wrote a message
 * @property {Pick<Map<string, unknown>, "get" | "set" | "entries">} notes what must survive a restart: which messages
 *   were sent, who wrote STOP, and where a person may write; with phone numbers and without what was said
 * @property {{ stopped?: string, unreadable?: string, failed?: string }} [texts] the texts after STOP, after what is not
 *   text, and if the service cannot answer (followed by whom to call), instead of the English ones
 */

const TEXTS = {
  stopped: "You will get no more messages. Write START to begin again.",
  unreadable:
    "I can only read text, so please write it down. If this may be an emergency, call your emergency number now.",
  failed: "Your message could not be answered. Please write again in a minute.",
};

/** The interval at which what a person writes is read. */
const READ_MILLISECONDS = 2_000;

const NOT_FOUND = 404;
const THROTTLED = 429;

/**
 * Answers the messages of a channel such as SMS, each once, in order, and in one conversation for each phone number,
 * until its user writes STOP. A message is noted once its answer is sent, so if the process ends in between, the answer
 * is sent twice and never lost.
 */
export class MessageRelay {
  #client;
  #send;
  #notes;
  #texts;
  /** @type {Map<string, Promise<void>>} the last message of each phone number */
  #queues = new Map();

  /** @param {RelayOptions} options */
  constructor({ client, send, notes, texts }) {
    this.#client = client;
    this.#send = send;
    this.#notes = notes;
    this.#texts = { ...TEXTS, ...texts };
  }

  /**
   * Answers a message after the earlier ones of its phone number. Whoever delivered it should do so again if this fails.
   *
   * @param {IncomingMessage} message
   * @returns {Promise<void>}
   * @throws {ApiError} a failure that may pass; and what `send` throws
   */
  receive(message) {
    const { phone } = message;
    const before = this.#queues.get(phone) ?? Promise.resolve();
    const next = before.catch(() => {}).then(() => this.#handle(message));
    this.#queues.set(phone, next);
    return next.finally(() => this.#queues.get(phone) === next && this.#queues.delete(phone));
  }

  /** After a restart: passes on what persons write on the conversations that they had taken over before. */
  resume() {
    for (const [key, message] of [...this.#notes.entries()]) {
      if (key.startsWith("follow ") && message) {
        this.#follow(key.slice("follow ".length), /** @type {IncomingMessage} */ (message));
      }
    }
  }

  /** @param {IncomingMessage} message */
  async #handle(message) {
    const { phone, id } = message;
    const command = message.text.trim().toUpperCase();
    if (this.#notes.get(`sent ${id}`) || (this.#notes.get(`stopped ${phone}`) && command !== "START")) {
      return;
    }
    if (command === "STOP" || command === "START") {
      this.#notes.set(`stopped ${phone}`, command === "STOP");
    }
    if (command === "STOP" || command === "") {
      await this.#answer(message, id, command ? this.#texts.stopped : this.#texts.unreadable);
      return;
    }
    const { response, threadId, parts } = await this.#ask(message);
    await this.#answer(message, id, response);
    const awaitsPerson = parts.some(({ kind }) => kind === "held" || kind === "handoff");
    if (awaitsPerson && !this.#notes.get(`follow ${threadId}`)) {
      this.#follow(threadId, { ...message, text: "" });
    }
  }

  /**
   * @param {IncomingMessage} message
   * @param {boolean} [isRepeated]
   * @returns {Promise<{ response: string, threadId: string, parts: AnswerPart[] }>}
   */
  async #ask(message, isRepeated = false) {
    try {
      const threadId = await this.#threadOf(message.phone);
      // The provider's ID: a message that is delivered twice gets the same answer.
      const options = { idempotencyKey: message.id };
      /** @type {ChatRequest} */
      const request = { threadId, message: message.text, include: ["parts"] };
      const { response, parts = [] } = await this.#client.chat(request, options);
      return { response, threadId, parts };
    } catch (error) {
      const { status, code, help } = /** @type {ApiError} */ (error);
      if (code === "thread-not-found" && !isRepeated) {
        return this.#ask(message, true); // it has expired just now
      }
      if (help || (status >= 400 && status < 500 && status !== THROTTLED)) {
        const { failed } = this.#texts;
        return { response: help ? `${failed} ${help.text}` : failed, threadId: "", parts: [] };
      }
      throw error;
    }
  }

  /** @param {string} phone */
  async #threadOf(phone) {
    const { patients } = await this.#client.searchPatients({ phone_number: phone });
    const patientId = patients[0]?.id ?? (await this.#createPatient(phone));
    const { threads } = await this.#client.listPatientThreads(patientId, { limit: 1 });
    return threads[0]?.threadId ?? (await this.#client.createThread({ patientId })).threadId;
  }

  /** @param {string} phone */
  async #createPatient(phone) {
    try {
      return (await this.#client.createPatient({ phone_number: phone })).patient.id;
    } catch (error) {
      const { patient } = /** @type {ApiError} */ (error); // whom another process has just created
      return patient ? patient.id : Promise.reject(error);
    }
  }

  /**
   * Passes on what a person writes until the conversation is given back or expires.
   *
   * @param {string} threadId
   * @param {IncomingMessage} message to whose writer
   */
  async #follow(threadId, message) {
    this.#notes.set(`follow ${threadId}`, message);
    for (let isOpen = true; isOpen; ) {
      isOpen = await this.#passOn(threadId, message).catch(({ status }) => status !== NOT_FOUND);
      if (isOpen) {
        await new Promise((resolve) => setTimeout(resolve, READ_MILLISECONDS));
      }
    }
    this.#notes.set(`follow ${threadId}`, null);
  }

  /**
   * @param {string} threadId
   * @param {IncomingMessage} message
   * @returns {Promise<boolean>} whether a person may write more
   */
  async #passOn(threadId, message) {
    // First: what was written before the conversation was given back is among the messages below.
    const { hold, request } = await this.#client.getHandoff(threadId);
    const { messages } = await this.#client.listMessages(threadId);
    for (const { id, role, content } of messages.reverse()) {
      if (role === "person" && !this.#notes.get(`sent ${id}`)) {
        if (this.#notes.get(`stopped ${message.phone}`)) {
          return false; // it is sent once the user has written START
        }
        await this.#answer(message, id, content);
      }
    }
    return hold !== null || request !== null;
  }

  /**
   * @param {IncomingMessage} message
   * @param {string} id of what is done once the text is sent
   * @param {string} text
   */
  async #answer(message, id, text) {
    await this.#send(message, text);
    this.#notes.set(`sent ${id}`, true);
  }
}

/** Where a text is split: between sentences, then between words, then between characters. */
const SEPARATORS = [/(?<=[.!?。！？।؟]\s|\n)/u, /(?<=\s)/u, ""];

/**
 * Splits a text into messages, between sentences. A sentence is only split, at spaces, if it alone is too long, so one
 * with a number to call stays whole.
 *
 * @param {string} text
 * @param {number} longest the most characters (UTF-16 code units) of a message
 * @returns {string[]}
 */
export function split(text, longest) {
  const messages = [""];
  for (const piece of piecesOf(text, SEPARATORS, longest)) {
    if (`${messages.at(-1)}${piece}`.length > longest) {
      messages.push("");
    }
    messages[messages.length - 1] += piece;
  }
  return messages.map((message) => message.trim()).filter(Boolean);
}

/**
 * @param {string} text
 * @param {(RegExp | string)[]} separators
 * @param {number} longest
 * @returns {string[]} sentences; of those that are too long, words; of those, characters
 */
function piecesOf(text, [separator = "", ...finer], longest) {
  const pieces = separator === "" ? [...text] : text.split(separator);
  return finer.length === 0
    ? pieces
    : pieces.flatMap((piece) => (piece.length > longest ? piecesOf(piece, finer, longest) : [piece]));
}
