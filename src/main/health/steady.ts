/** Whether the database has been reachable for long enough that the silence of others says something about them. */

/** Gateways send a sign of life every 5 s. */
const steadyMs = 60_000

/**
 * Answers a function that tells whether this process has had the database for a minute without a break. During an outage no
 * gateway can be heard, and a process that has just started does not know of one.
 */
export function steadiness(
  database: { readonly awaySeconds: number },
  now: () => number = () => performance.now(),
): () => boolean {
  let known = { awaySeconds: database.awaySeconds, since: now() }
  return () => {
    const { awaySeconds } = database
    if (awaySeconds !== known.awaySeconds) known = { awaySeconds, since: now() }
    return now() - known.since >= steadyMs
  }
}
