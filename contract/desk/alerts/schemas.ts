/** Alerts to staff: who gets which, and how. */
import * as z from 'zod'
import { alertKinds } from '../alerts.ts'
import { changed, done, empty, time } from '../schemas.ts'

const language = z.enum(['ru', 'en'])

const kinds = z.array(z.enum(alertKinds)).max(alertKinds.length)

/** A time of day in the shop's zone, 00:00 to 23:59. */
const clock = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/)

const howToTell = {
  /** The language of messages in the group. */
  language,
  /** The quiet hours; null: there are none. */
  quiet: z.object({ from: clock, until: clock }).nullable(),
  /** The time at which the daily summary is sent; null: it is not sent. */
  digest: clock.nullable(),
  /** The kinds that are not sent to the group. */
  group_off: kinds,
}

export const alertSettings = z.object({
  ...howToTell,
  has_bot: z.boolean(),
  bot_name: z.string().nullable(),
  group: z
    .object({
      title: z.string(),
      is_forum: z.boolean(),
      linked_at: time,
      linked_by: z.string(),
      /** Since when Telegram permanently refuses messages to the group, and its error message. */
      broken_at: time.nullable(),
      broken_reason: z.string().nullable(),
    })
    .nullable(),
  /** The number of members who get alerts by mail. */
  mailed: z.number(),
})

export const setAlertSettingsInput = z.strictObject(howToTell)

/** The member sends this code in the group, as `/staff CODE`. */
export const alertCode = z.object({ code: z.string(), expires_at: time })

const ownAlerts = {
  /** Null: the member gets no alerts by mail. */
  email: z.string().trim().max(320).nullable(),
  language,
  kinds,
}

export const myAlerts = z.object({
  ...ownAlerts,
  /** The kinds that a member with this role may get. */
  known: kinds,
  /** An address that takes effect once the member enters the code mailed to it; null: there is none. */
  pending: z.object({ email: z.string(), expires_at: time }).nullable(),
})

export const confirmAlertAddressInput = z.strictObject({ code: z.string().trim().min(1).max(20) })

export const setMyAlertsInput = z.strictObject(ownAlerts)

export const alertsDeskSchemas = {
  my_alerts: { input: empty, output: myAlerts },
  set_my_alerts: { input: setMyAlertsInput, output: done },
  confirm_alert_address: { input: confirmAlertAddressInput, output: done },
  alert_settings: { input: empty, output: alertSettings },
  set_alert_settings: { input: setAlertSettingsInput, output: done },
  make_alert_code: { input: empty, output: alertCode },
  unlink_alert_group: { input: empty, output: changed },
  test_alert: { input: empty, output: done },
} as const
