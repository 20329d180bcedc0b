/**
 * Waits before the next attempt of a write.
 *
 * @param error the error of the last attempt
 * @throws the error, if there is no further attempt
 */
export type Pause = (error: unknown) => Promise<void>;

/** How often a write is repeated that has no time limit: together, the pauses take 3 s on average. */
const RETRIES = 20;

/**
 * Limits and spaces out the attempts of one write. Each pause is a random part of a growing span, so that writers that
 * collided do not collide again ("full jitter", AWS Architecture Blog, "Exponential Backoff And Jitter").
 *
 * @param limit the number of retries, or the time (milliseconds since the epoch) after which there are none
 */
export function retries(limit: { attempts: number } | { until: number } = { attempts: RETRIES }): Pause {
  let attempt = 0;
  return async (error) => {
    if ("until" in limit ? Date.now() > limit.until : attempt >= limit.attempts) {
      throw error;
    }
    const span = Math.min(400, 10 * 2 ** attempt++);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * span));
  };
}
