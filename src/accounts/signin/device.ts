/** The devices and countries that an account was signed in to from, and the letter about a new one. */
import { type Kysely, sql } from 'kysely'
import { languageOfCode } from '#contract/language'
import type { DB } from '#db'
import { sendMail } from '#mail'
import type { Origin } from './origin.ts'
import { deviceName } from './user-agent.ts'

/** Those of an account that are remembered, the latest. */
const mostRemembered = 50

/**
 * Remembers where a sign-in comes from. The owner gets a letter when the account was signed in to before, but neither by this
 * browser and system nor, where the country is known, from this country; once for each.
 */
export async function noteDevice(
  tx: Kysely<DB>,
  { accountId, origin }: { accountId: bigint; origin: Origin },
  now: Date,
): Promise<void> {
  const device = deviceName(origin.userAgent) ?? ''
  const country = origin.country ?? ''
  const known = await tx
    .selectFrom('account_device')
    .select(['device', 'country'])
    .where('account_id', '=', accountId)
    .execute()
  await tx
    .insertInto('account_device')
    .values({ account_id: accountId, device, country, first_at: now, last_at: now })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'device', 'country']).doUpdateSet({ last_at: now }),
    )
    .execute()
  await forgetBeyond(tx, accountId)
  const isNewDevice = !known.some((row) => row.device === device)
  const isNewCountry = country !== '' && !known.some((row) => row.country === country)
  if (known.length > 0 && (isNewDevice || isNewCountry)) await tellOfDevice(tx, accountId, origin, now)
}

async function forgetBeyond(tx: Kysely<DB>, accountId: bigint): Promise<void> {
  await sql`
    delete from account_device where account_id = ${accountId} and (device, country) in (
      select device, country from account_device where account_id = ${accountId}
      order by last_at desc, device, country offset ${mostRemembered})`.execute(tx)
}

async function tellOfDevice(
  tx: Kysely<DB>,
  accountId: bigint,
  { ip, userAgent, country }: Origin,
  now: Date,
): Promise<void> {
  const {
    email,
    lang,
    tells_of_devices: isTold,
  } = await tx
    .selectFrom('account')
    .select(['email', 'lang', 'tells_of_devices'])
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow()
  if (email === null || !isTold) return
  const data = { device: deviceName(userAgent), ip, country, at: now.toISOString() }
  await sendMail(tx, { template: 'new_sign_in', to: email, language: languageOfCode(lang), data })
}

/**
 * Since when a session's device and its country, whichever was seen later, are known of its account; null: there is no such session,
 * or it used a second factor. A first device counts as new too, since an attacker may be the first to use a browser.
 */
export async function strangeSince(db: Kysely<DB>, tokenSha256: Buffer): Promise<Date | null> {
  const session = await db
    .selectFrom('session')
    .select(['account_id', 'created_at', 'user_agent', 'country', 'factor_at'])
    .where('token_sha256', '=', tokenSha256)
    .executeTakeFirst()
  if (session === undefined || session.factor_at !== null) return null
  const { account_id: accountId, created_at: opened, country } = session
  const device = deviceName(session.user_agent) ?? ''
  const { rows } = await sql<{ device: Date | null; country: Date | null }>`
    select min(first_at) filter (where device = ${device}) as device,
      min(first_at) filter (where country = ${country}) as country
    from account_device where account_id = ${accountId}`.execute(db)
  // What is not remembered any more was known at the sign-in at the latest.
  const since = [rows[0]?.device ?? opened, country === null ? null : (rows[0]?.country ?? opened)]
  return new Date(Math.max(...since.map((at) => at?.getTime() ?? 0)))
}

/** Whether a letter tells the owner of sign-ins from new devices and countries. */
export async function tellsOfDevices(db: Kysely<DB>, accountId: bigint): Promise<boolean> {
  const row = await db
    .selectFrom('account')
    .select('tells_of_devices')
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow()
  return row.tells_of_devices
}

/** Turns the letters about new devices and countries on or off. */
export async function setTellsOfDevices(db: Kysely<DB>, accountId: bigint, isTold: boolean): Promise<void> {
  await db.updateTable('account').set({ tells_of_devices: isTold }).where('id', '=', accountId).execute()
}
