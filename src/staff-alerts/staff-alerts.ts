/**
 * Alerts to staff, in their Telegram group and by mail. A job supplies the conditions that need attention
 * (`#desk`); each is reported once when it begins and once when it ends, in the transaction that records it.
 */
import type { Kysely } from 'kysely'
import { type DB, lockName, transaction } from '#db'
import { type Author, record } from '#staff'
import { isQuiet } from './clock.ts'
import { groupState } from './group.ts'
import { followNeeds, hold, noteTold, openAlerts, untoldAlerts } from './lifecycle.ts'
import type { Need } from './need.ts'
import { type DayFigures, itemsOf } from './news.ts'
import { claimDigest, readAlertSettings, recipients } from './settings.ts'
import { tellAlerts, tellAll, type TellDeps } from './tell.ts'

export {
  type Group,
  groupState,
  linkGroup,
  type NewGroup,
  noteMoved,
  noteTopic,
  noteWithoutTopics,
  topicThread,
} from './group.ts'
export { type Finding, machineNeeds, noteFindings } from './machine.ts'
export { forgetAlerts } from './lifecycle.ts'
export type { Need, NeedSubject } from './need.ts'
export type { DayFigures, News } from './news.ts'
export {
  type AlertMessageJob,
  alertMessageTask,
  noteSent,
  type OutMessage,
  queueSending,
  waitingMessage,
} from './outbox.ts'
export { readAlertSettings } from './settings.ts'
export { mailInstead, type TellDeps } from './tell.ts'
export { buttonText, wordsOf } from './texts.ts'

export interface FollowDeps extends TellDeps {
  /** The time zone of the shop. */
  zone: string
  /** The shop's figures for a period, for the daily message. */
  figures: (period: { from: Date; until: Date }) => Promise<DayFigures>
}

const dayMs = 24 * 60 * 60_000

/**
 * Opens, reports and ends alerts by the current conditions, and sends the daily message when it is due. In
 * quiet hours only urgent alerts are reported; the others follow together afterwards. Safe to run
 * concurrently in several processes. Returns the number of alerts reported.
 */
export function followAlerts(
  db: Kysely<DB>,
  deps: FollowDeps,
  needs: readonly Need[],
  now: Date,
): Promise<number> {
  return transaction(db, async (tx) => {
    await lockName(tx, 'alerts')
    await followNeeds(tx, needs, now)
    const untold = await untoldAlerts(tx)
    const isQuietNow = isQuiet((await readAlertSettings(tx)).quiet, deps.zone, now)
    const due = isQuietNow ? untold.filter(({ isUrgent }) => isUrgent) : untold
    if (isQuietNow)
      await hold(
        tx,
        untold.filter(({ isUrgent }) => !isUrgent),
      )
    const [held, fresh] = [due.filter(({ isHeld }) => isHeld), due.filter(({ isHeld }) => !isHeld)]
    await tellAlerts(tx, deps, { alerts: held, about: 'held' }, now)
    await tellAlerts(tx, deps, { alerts: fresh, about: 'alerts' }, now)
    await noteTold(tx, due, now)
    const day = await claimDigest(tx, deps.zone, now)
    if (day !== null) {
      const figures = await deps.figures({ from: new Date(now.getTime() - dayMs), until: now })
      await tellAll(tx, deps, { about: 'digest', day, figures, items: itemsOf(await openAlerts(tx)) }, now)
    }
    return due.length
  })
}

/**
 * Whether alerts reach any staff: a group that accepts messages, or a member with an e-mail address.
 */
export async function isAnybodyTold(
  db: Kysely<DB>,
  { hasBot, hasMail }: { hasBot: boolean; hasMail: boolean },
): Promise<boolean> {
  const group = await groupState(db)
  if (hasBot && group !== null && group.brokenAt === null) return true
  return hasMail && (await recipients(db)).some(({ kinds, role }) => role === 'owner' || kinds.length > 0)
}

/** Sends a test message to all recipients of alerts, and records that. */
export function sendTest(db: Kysely<DB>, deps: TellDeps, author: Author, now: Date): Promise<void> {
  return transaction(db, async (tx) => {
    await tellAll(tx, deps, { about: 'test', by: author.name }, now)
    await record(tx, author, { action: 'test_alert', subject: { kind: 'alerts', id: 'test' } }, now)
  })
}
