/** Checks that a peer makes calls only in the name of a gateway for which its token speaks. */

import { ReportRefused } from './feed.ts'
import type { FeedCall } from './frames.ts'

/** Finds the gateway's or worker's name in the arguments of a call; null: the call is made in no name. */
type NameOf = ((args: Partial<Record<string, unknown>>) => unknown) | null

const byGateway: NameOf = ({ gateway }) => gateway

const names: Record<FeedCall, NameOf> = {
  hello: byGateway,
  permits: byGateway,
  lease: byGateway,
  leasesOfUsers: byGateway,
  report: byGateway,
  heartbeat: byGateway,
  sessions: byGateway,
  record: ({ batch }) => (batch as { gateway?: unknown } | undefined)?.gateway,
  present: ({ name }) => name,
  account: null,
  users: null,
  places: null,
  whitelisted: null,
  prove: null,
  named: null,
  unknown: null,
  slot: null,
  exits: null,
}

/** Throws `ReportRefused` for a call in a name for which the peer may not speak. */
export function checkSpeaker(
  mayBe: (name: string) => boolean,
  { call, args }: { call: FeedCall; args: unknown[] },
): void {
  const nameOf = names[call]
  if (nameOf === null) return
  const name = nameOf((args[0] ?? {}) as Partial<Record<string, unknown>>)
  if (typeof name !== 'string' || !mayBe(name))
    throw new ReportRefused(
      `the token of this connection does not speak for the gateway “${String(name).slice(0, 100)}”`,
    )
}
