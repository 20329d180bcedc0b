import { type Thread, turnCount } from "./thread.ts";

/** The places of a turn's messages in its thread, where the first message has place 0. */
export const questionPlace = (turnNumber: number): number => 2 * turnNumber;
export const answerPlace = (turnNumber: number): number => 2 * turnNumber + 1;

/** A message's id names the thread's generation, which is never reused, and the place in the thread. */
export function messageId({ generation }: Pick<Thread, "generation">, place: number): string {
  return `${generation}-${place}`;
}

/** Returns the place of a message; undefined if the id is none of this thread's. */
export function placeOf(id: string, thread: Thread): number | undefined {
  const [, ofGeneration, place] = /^(\w+)-(\d{1,9})$/.exec(id) ?? [];
  return ofGeneration === thread.generation && Number(place) <= 2 * turnCount(thread) ? Number(place) : undefined;
}
