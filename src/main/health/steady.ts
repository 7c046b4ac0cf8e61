/** Whether the database has been reachable for long enough that missing heartbeats mean silent gateways. */

/** Gateways send a heartbeat every 5 s. */
const steadyMs = 60_000

/**
 * Returns a function that says whether this process has had the database for a minute without interruption.
 * During an outage no heartbeat can arrive, and a process that has just started does not know of an outage
 * before its start.
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
