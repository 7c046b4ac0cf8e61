/**
 * Notifies customers about their traffic: little or nothing is left in a pool, or one of their caps is
 * reached. A job searches for events since its last run; each crossing is reported once, in the transaction
 * that records it (`told.ts`).
 */
import { type Db, transaction } from '#db'
import type { Pool } from '#contract/wire'
import { hourOf } from '#lib/zone'
import { capsOf } from '#limits'
import { type TrafficLeft, trafficLeft, usageBy, usedInWindows } from '#traffic'
import { thresholdsOf } from './choices.ts'
import { hoursLeft, shareLeft, type ShareLevel, shareLevels } from './crossing.ts'
import { type Notice, tell } from './tell.ts'
import { noteTold, type Occasion, untold } from './told.ts'

export { sendBillNotices } from './bill.ts'
export { chooseNotice, type NoticeSettings, noticeSettings, setThreshold } from './choices.ts'
export { eraseNotices, noticeParts } from './export.and.erase.ts'
export { sendTroubleNotices } from './trouble.ts'
export { type TelegramNotice, telegramNoticeTask, tell } from './tell.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
/** A run looks back this far, in whole hours: longer than any pause between two runs of one process. */
const usualLookMs = 30 * minuteMs
/** The first run of a process looks back this far: it finds events that happened while no process ran. */
export const firstLookMs = 7 * 24 * hourMs

/** A notice that is due, and the key that makes it unique. */
interface Due extends Occasion {
  accountId: bigint
  pool: Pool
  notice: () => Promise<Notice>
}

/**
 * Sends the notices due for traffic used in the last `lookBackMs`, and returns their number.
 * Safe to run in several processes at once.
 */
export async function sendNotices(db: Db, now: Date, { lookBackMs = usualLookMs } = {}): Promise<number> {
  const used = await trafficLeft(db, { since: hourOf(new Date(now.getTime() - lookBackMs)) })
  const due = await untold(db, [...(await lowIn(db, used, now)), ...(await cappedIn(db, used, now))])
  let sent = 0
  for (const one of due) {
    const notice = await one.notice()
    const isSent = await transaction(
      db,
      async (tx) => (await noteTold(tx, one, now)) && (await tell(tx, one.accountId, notice, now)),
    )
    if (isSent) sent += 1
  }
  return sent
}

async function lowIn(db: Db, used: readonly TrafficLeft[], now: Date): Promise<Due[]> {
  const thresholds = await thresholdsOf(
    db,
    used.map(({ accountId }) => accountId),
  )
  return used.flatMap((left): Due[] => {
    const { accessId, accountId, pool, bytes, creditedBytes, credits } = left
    const notice = (share: ShareLevel | null) => async () => {
      const hours = hoursLeft(bytes, await usedInDay(db, left, now))
      return { kind: 'traffic' as const, pool, share, left_bytes: String(bytes), hours_left: hours }
    }
    const share = shareLeft(bytes, creditedBytes)
    const due: Due[] = []
    if (share !== null) {
      const level = shareLevels.indexOf(share) + 1
      due.push({
        accessId,
        accountId,
        pool,
        matter: 'share',
        occasion: String(credits),
        level,
        notice: notice(share),
      })
    }
    const threshold = thresholds.get(accountId)
    // An empty balance has a notice of its own.
    if (threshold !== undefined && bytes < threshold && bytes > 0n) {
      const occasion = `${credits} ${threshold}`
      due.push({ accessId, accountId, pool, matter: 'threshold', occasion, notice: notice(null) })
    }
    return due
  })
}

/** The bytes charged in a pool in the last 24 hours. */
async function usedInDay(db: Db, { accountId, pool }: TrafficLeft, now: Date): Promise<bigint> {
  const to = new Date(hourOf(now).getTime() + hourMs)
  const sums = await usageBy(db, {
    by: 'pool',
    from: new Date(to.getTime() - 24 * hourMs),
    to,
    pool,
    accountId,
  })
  return sums.find(({ key }) => key === pool)?.chargedBytes ?? 0n
}

/** The beginnings of the UTC hour, day and month of a time. */
function windowsOf(now: Date) {
  const text = now.toISOString()
  return { hour: text.slice(0, 13), day: text.slice(0, 10), month: text.slice(0, 7) }
}

async function cappedIn(db: Db, used: readonly TrafficLeft[], now: Date): Promise<Due[]> {
  const byAccess = new Map(used.map((left) => [left.accessId, left]))
  const due: Due[] = []
  for (const { accessId, ...caps } of await capsOf(db, [...byAccess.keys()], now)) {
    const left = byAccess.get(accessId)
    if (left === undefined) continue
    const { accountId, pool } = left
    const charged = await usedInWindows(db, { accessId, now })
    const starts = windowsOf(now)
    for (const window of ['hour', 'day', 'month'] as const) {
      const cap = caps[`${window}Bytes`]
      if (cap === null || charged[`${window}Bytes`] < cap) continue
      const notice = async () => ({ kind: 'cap' as const, pool, window, cap_bytes: String(cap) })
      due.push({ accessId, accountId, pool, matter: window, occasion: `${starts[window]} ${cap}`, notice })
    }
  }
  return due
}
