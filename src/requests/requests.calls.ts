import { callerOf, type Handlers } from '#db/call'
import { Refusal } from '#lib/refusal'
import { findRequest, forgivenBytes, unkeptRequests } from './requests.ts'

/** The call that explains to a customer the outcome of one of their requests. */
export const requestsCalls = {
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
} satisfies Partial<Handlers>
