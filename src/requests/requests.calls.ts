import type { requestsWire } from '#contract/requests/calls'
import { callerOf, type HandlersOf } from '#db/call'
import { Refusal } from '#lib/refusal'
import { transaction } from '#db'
import { setWithholdsHosts, withholdsHosts } from './privacy.ts'
import { findRequest, forgivenBytes, listedOnWire, listRequests, unkeptRequests } from './requests.ts'

const pageSize = 100

/**
 * The calls that list a customer's requests, explain the outcome of one, and switch off the storing of hosts.
 */
export const requestsCalls = {
  get_requests: async ({ from, to, ...asked }, context) => {
    const { id: accountId, view } = callerOf(context)
    // A view by staff shows no targets, so it must not filter by them either: that would allow guessing.
    if (view !== undefined && asked.host !== undefined) throw new Refusal('invalid_field', { field: 'host' })
    const page = await listRequests(context.database.db, {
      ...asked,
      accountId,
      from: from === undefined ? undefined : new Date(from),
      to: to === undefined ? undefined : new Date(to),
      limit: pageSize,
    })
    return { ...page, requests: page.requests.map(listedOnWire) }
  },
  explain_request: async ({ id }, context) => {
    const { db } = context.database
    const accountId = callerOf(context).id
    const kept = await findRequest(db, { accountId, id })
    if (kept === null)
      throw new Refusal('request_not_found', { unkept: String(await unkeptRequests(db, accountId)) })
    return {
      id: kept.id,
      accepted_at: kept.accepted_at.toISOString(),
      pool: kept.pool,
      user: kept.user,
      user_label: kept.user_label,
      protocol: kept.protocol,
      target: kept.target,
      settings: kept.settings,
      country: kept.country,
      timeline_ms: {
        authenticated: kept.authenticated_ms,
        exit_chosen: kept.exit_chosen_ms,
        connected: kept.connected_ms,
        first_byte: kept.first_byte_ms,
        ended: kept.ended_ms,
      },
      outcome: kept.outcome,
      refusal:
        kept.code === null ? null : { status: kept.status, code: kept.code, sentence: kept.sentence ?? '' },
      exit_said:
        kept.exit_status === null && kept.exit_word === null
          ? null
          : { status: kept.exit_status, word: kept.exit_word },
      multiplier: kept.multiplier,
      bytes: { up: Number(kept.up_bytes), down: Number(kept.down_bytes) },
      charged_bytes: { up: Number(kept.charged_up_bytes), down: Number(kept.charged_down_bytes) },
      forgiven_bytes: Number(forgivenBytes(kept)),
      unkept_in_this_minute: Number(kept.unkept),
    }
  },
  get_host_privacy: async (_, context) => ({
    withholds_hosts: await withholdsHosts(context.database.db, callerOf(context).id),
  }),
  set_host_privacy: async ({ withholds_hosts }, context) => {
    await transaction(context.database.db, (tx) =>
      setWithholdsHosts(tx, callerOf(context).id, withholds_hosts),
    )
    return { withholds_hosts }
  },
} satisfies HandlersOf<typeof requestsWire>
