/** The notices that a customer has chosen, by channel. */
import { type Kysely, sql } from 'kysely'
import { type NoticeKind, noticeKinds, type NoticeWay, noticeWays } from '#contract/account-rules'
import type { DB } from '#db'

/** Whether a notice is sent, by kind and channel. */
export type NoticeChoices = Record<NoticeKind, Record<NoticeWay, boolean>>

export interface NoticeSettings {
  choices: NoticeChoices
  /** A notice is sent when a pool has less than this; null: only at fractions of the last credit. */
  thresholdBytes: bigint | null
}

/** The settings of a customer; until they change them, everything is sent. */
export async function noticeSettings(db: Kysely<DB>, accountId: bigint): Promise<NoticeSettings> {
  const { rows } = await sql<{ off: string[]; thresholdBytes: bigint | null }>`
    select array(select kind || ' ' || via from notice_off where account_id = ${accountId}) as off,
      (select bytes from notice_threshold where account_id = ${accountId}) as "thresholdBytes"`.execute(db)
  const off = new Set(rows[0]?.off)
  const waysOf = (kind: NoticeKind) =>
    Object.fromEntries(noticeWays.map((via) => [via, !off.has(`${kind} ${via}`)]))
  return {
    choices: Object.fromEntries(noticeKinds.map((kind) => [kind, waysOf(kind)])) as NoticeChoices,
    thresholdBytes: rows[0]?.thresholdBytes ?? null,
  }
}

/** Switches the notices of a kind on or off for one channel. */
export async function chooseNotice(
  tx: Kysely<DB>,
  accountId: bigint,
  { kind, via, isOn }: { kind: NoticeKind; via: NoticeWay; isOn: boolean },
): Promise<void> {
  await (
    isOn
      ? sql`delete from notice_off where account_id = ${accountId} and kind = ${kind} and via = ${via}`
      : sql`insert into notice_off (account_id, kind, via) values (${accountId}, ${kind}, ${via})
        on conflict do nothing`
  ).execute(tx)
}

/** Sets the amount under which a notice is sent; null removes it. */
export async function setThreshold(tx: Kysely<DB>, accountId: bigint, bytes: bigint | null): Promise<void> {
  await (
    bytes === null
      ? sql`delete from notice_threshold where account_id = ${accountId}`
      : sql`insert into notice_threshold (account_id, bytes) values (${accountId}, ${bytes})
        on conflict (account_id) do update set bytes = excluded.bytes`
  ).execute(tx)
}

/** The thresholds of these customers. */
export async function thresholdsOf(
  db: Kysely<DB>,
  accountIds: readonly bigint[],
): Promise<Map<bigint, bigint>> {
  const { rows } = await sql<{ account_id: bigint; bytes: bigint }>`
    select account_id, bytes from notice_threshold where account_id = any(${accountIds}::bigint[])`.execute(
    db,
  )
  return new Map(rows.map((row) => [row.account_id, row.bytes]))
}
