/** The desk's calls about alerts: the shop's settings, the group, and the choices of each member. */
import { alertKindsOf, parseClock, printClock } from '#contract/desk/alerts'
import type { DeskOutput } from '#contract/desk/contract'
import { Refusal } from '#lib/refusal'
import { authorOf, type DeskHandlers, memberOf } from '#staff/call'
import { sendTest } from './staff-alerts.ts'
import { groupState, makeGroupCode, unlinkGroup } from './group.ts'
import { confirmAddress, pendingAddress } from './own.address.ts'
import { ownAlerts, readAlertSettings, recipients, setAlertSettings, setOwnAlerts } from './settings.ts'
import type { TellDeps } from './tell.ts'

export interface AlertCallDeps extends TellDeps {
  /** The name of the shop's bot, where it is known. */
  botName: string | null
}

/** The schema has validated the time of day. */
function minuteOf(text: string): number {
  const minute = parseClock(text)
  if (minute === null) throw new Refusal('invalid_field', { field: 'time' })
  return minute
}

function shownGroup(group: Awaited<ReturnType<typeof groupState>>): DeskOutput<'alert_settings'>['group'] {
  if (group === null) return null
  const { title, isForum, linkedAt, linkedBy, brokenAt, brokenReason } = group
  return {
    title,
    is_forum: isForum,
    linked_at: linkedAt.toISOString(),
    linked_by: linkedBy,
    broken_at: brokenAt?.toISOString() ?? null,
    broken_reason: brokenReason,
  }
}

export function alertCalls(deps: AlertCallDeps) {
  return {
    alert_settings: async (_input, { database: { db }, language: own }) => {
      const { language, quiet, digestMinute, groupOff } = await readAlertSettings(db, own)
      const members = await recipients(db)
      return {
        language,
        quiet: quiet === null ? null : { from: printClock(quiet.from), until: printClock(quiet.until) },
        digest: digestMinute === null ? null : printClock(digestMinute),
        group_off: groupOff,
        has_bot: deps.hasBot,
        bot_name: deps.botName,
        group: shownGroup(await groupState(db)),
        mailed: members.filter(({ kinds }) => kinds.length > 0).length,
      }
    },
    set_alert_settings: async ({ language, quiet, digest, group_off: groupOff }, context) => {
      const wanted = {
        language,
        quiet: quiet === null ? null : { from: minuteOf(quiet.from), until: minuteOf(quiet.until) },
        digestMinute: digest === null ? null : minuteOf(digest),
        groupOff,
      }
      const at = { now: context.now(), zone: context.zone }
      await setAlertSettings(context.database.db, authorOf(context), wanted, at)
      return true as const
    },
    make_alert_code: async (_input, context) => {
      if (!deps.hasBot) throw new Refusal('no_bot')
      const author = { ...authorOf(context), staffId: memberOf(context).id }
      const { code, expiresAt } = await makeGroupCode(context.database.db, author, context)
      return { code, expires_at: expiresAt.toISOString() }
    },
    unlink_alert_group: async (_input, context) => ({
      changed: await unlinkGroup(context.database.db, authorOf(context), context.now()),
    }),
    test_alert: async (_input, context) => {
      await sendTest(context.database.db, deps, authorOf(context), context.now())
      return true as const
    },
    my_alerts: async (_input, context) => {
      const member = memberOf(context)
      const own = await ownAlerts(context.database.db, member, context.language)
      const pending = await pendingAddress(context.database.db, member.id, context.now())
      return {
        ...own,
        known: alertKindsOf(member.role),
        pending: pending && { email: pending.email, expires_at: pending.expiresAt.toISOString() },
      }
    },
    set_my_alerts: async (input, context) => {
      const own = { member: memberOf(context), author: authorOf(context) }
      const { deskUrl } = deps
      await setOwnAlerts(context.database.db, own, input, { deskUrl, now: context.now() })
      return true as const
    },
    confirm_alert_address: async ({ code }, context) => {
      const author = { ...authorOf(context), staffId: memberOf(context).id }
      await confirmAddress(context.database.db, author, code, context.now())
      return true as const
    },
  } satisfies Partial<DeskHandlers>
}
