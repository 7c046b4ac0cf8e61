/**
 * The devices, networks and countries that an account was signed in to from, and the letter about a new one.
 * A device is a random secret of this account in the cookie of a browser, of which the SHA-256 is stored.
 * A client without such a secret is new; its User-Agent is only displayed.
 */
import { type Kysely, sql, type Transaction } from 'kysely'
import { languageOfCode } from '#contract/language'
import type { DB } from '#db'
import { networksOf } from '#lib/ip'
import { randomToken, sha256 } from '#lib/secret'
import { sendMail } from '#mail'
import { accountSubject, tryCount } from './throttle.ts'
import type { Origin } from './origin.ts'
import { deviceName } from './user-agent.ts'

/** The number of devices remembered for an account; older ones are forgotten. */
const mostRemembered = 50

/**
 * A program that stores no cookies is new at each sign-in: its owner gets at most this many letters a day.
 */
const letterLimits = (accountId: bigint) => [
  { kind: 'device_letter', subject: accountSubject(accountId), max: 10, windowMinutes: 24 * 60 },
]

/** A device that is known to one account. */
interface KnownDevice {
  secret: Buffer
  network: string
  country: string
}

/**
 * Remembers where a sign-in, or a proof of the owner, comes from, and returns the id of its row. A browser
 * without a secret of this account gets a fresh one, so that nobody can plant a secret that another person's
 * sign-in makes a known one. The owner gets a letter when the account was signed in to before, but not by
 * this device, from this network or, where it is known, this country.
 */
export async function noteDevice(
  tx: Kysely<DB>,
  { accountId, origin }: { accountId: bigint; origin: Origin },
  now: Date,
): Promise<bigint> {
  const [network] = networksOf(origin.ip)
  const country = origin.country ?? ''
  const rows = await tx
    .selectFrom('account_device')
    .select(['secret_sha256 as secret', 'network', 'country'])
    .where('account_id', '=', accountId)
    .execute()
  const held = heldBy(origin.devices, rows)
  const secret = held ?? randomToken()
  origin.keepDevice?.(secret)
  const { id } = await tx
    .insertInto('account_device')
    .values({
      account_id: accountId,
      secret_sha256: sha256(secret),
      network,
      country,
      name: deviceName(origin.userAgent),
      first_at: now,
      last_at: now,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['account_id', 'secret_sha256', 'network', 'country'])
        .doUpdateSet({ last_at: now, name: deviceName(origin.userAgent) }),
    )
    .returning('id')
    .executeTakeFirstOrThrow()
  await forgetBeyond(tx, accountId)
  const isNew =
    held === null ||
    !rows.some((row) => row.network === network) ||
    (country !== '' && !rows.some((row) => row.country === country))
  if (isNew) await tellOfDevice(tx, accountId, origin, now)
  return id
}

/**
 * Records the device on which a session's owner was proved: the session belongs to that device from then on.
 */
export async function noteProofDevice(
  tx: Kysely<DB>,
  { accountId, tokenSha256, origin }: { accountId: bigint; tokenSha256: Buffer; origin: Origin },
  now: Date,
): Promise<void> {
  const deviceId = await noteDevice(tx, { accountId, origin }, now)
  await tx
    .updateTable('session')
    .set({ device_id: deviceId })
    .where('token_sha256', '=', tokenSha256)
    .execute()
}

/** The secret of a known device among those that a browser holds; null: there is none. */
function heldBy(devices: readonly string[] = [], rows: readonly KnownDevice[]): string | null {
  return (
    devices.find((secret) => {
      const digest = sha256(secret)
      return rows.some((row) => row.secret.equals(digest))
    }) ?? null
  )
}

async function forgetBeyond(tx: Kysely<DB>, accountId: bigint): Promise<void> {
  await sql`
    delete from account_device where id in (
      select id from account_device where account_id = ${accountId}
      order by last_at desc, id desc offset ${mostRemembered} for update skip locked)`.execute(tx)
}

async function tellOfDevice(
  tx: Kysely<DB>,
  accountId: bigint,
  { ip, userAgent, country }: Origin,
  now: Date,
): Promise<void> {
  const account = await tx
    .selectFrom('account')
    .select(['email', 'lang', 'tells_of_devices', 'signed_in_at'])
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow()
  const { email, lang, tells_of_devices: isTold, signed_in_at: signedInAt } = account
  // The account's first sign-in is not reported.
  if (email === null || !isTold || signedInAt === null) return
  if ('waitSeconds' in (await tryCount(tx, letterLimits(accountId), now))) return
  const data = { device: deviceName(userAgent), ip, country, at: now.toISOString() }
  await sendMail(tx, { template: 'new_sign_in', to: email, language: languageOfCode(lang), data })
}

/**
 * Since when the session's device, network and country have all been known to its account; null: there is no
 * such session, or it used a second factor. A browser that does not hold the secret of the session's device
 * is new as of now, whatever token it has. A first device counts as new too, since an attacker may be the
 * first to use one.
 */
export async function strangeSince(
  db: Kysely<DB>,
  { tokenSha256, devices }: { tokenSha256: Buffer; devices: readonly string[] },
  now: Date,
): Promise<Date | null> {
  const session = await db
    .selectFrom('session')
    .leftJoin('account_device as device', 'device.id', 'session.device_id')
    .select(['session.account_id', 'factor_at', 'secret_sha256', 'network', 'device.country'])
    .where('token_sha256', '=', tokenSha256)
    .executeTakeFirst()
  if (session === undefined || session.factor_at !== null) return null
  const { account_id: accountId, secret_sha256: digest, network, country } = session
  if (digest === null || !devices.some((secret) => sha256(secret).equals(digest))) return now
  const { rows } = await sql<{ since: Date }>`
    select greatest(
      min(first_at) filter (where secret_sha256 = ${digest}),
      min(first_at) filter (where network = ${network}),
      min(first_at) filter (where country = ${country} and country <> '')) as since
    from account_device where account_id = ${accountId}`.execute(db)
  return rows[0]?.since ?? now
}

/**
 * Forgets the devices of an account that none of its open sessions uses: all, or those of sessions that were
 * ended.
 */
export async function forgetDevices(
  tx: Kysely<DB>,
  accountId: bigint,
  of: 'all' | readonly bigint[],
): Promise<void> {
  await sql`
    delete from account_device where account_id = ${accountId}
      and secret_sha256 not in (
        select d.secret_sha256 from session s join account_device d on d.id = s.device_id where s.account_id = ${accountId})
      ${of === 'all' ? sql`` : sql`and secret_sha256 in (select secret_sha256 from account_device where id = any(${[...of]}::bigint[]))`}`.execute(
    tx,
  )
}

/** Whether a letter notifies the owner of sign-ins from new devices, networks and countries. */
export async function tellsOfDevices(db: Kysely<DB>, accountId: bigint): Promise<boolean> {
  const row = await db
    .selectFrom('account')
    .select('tells_of_devices')
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow()
  return row.tells_of_devices
}

/** Turns the letters about new devices on or off; returns whether they were on. */
export async function setTellsOfDevices(
  tx: Transaction<DB>,
  accountId: bigint,
  isTold: boolean,
): Promise<boolean> {
  const { tells_of_devices: wasTold } = await tx
    .selectFrom('account')
    .select('tells_of_devices')
    .where('id', '=', accountId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  await tx.updateTable('account').set({ tells_of_devices: isTold }).where('id', '=', accountId).execute()
  return wasTold
}

/**
 * Those of the accounts `others` that have a session with the same address and browser as one of this
 * account.
 */
export async function sharesDevice(
  db: Kysely<DB>,
  accountId: bigint,
  others: readonly bigint[],
): Promise<bigint[]> {
  const { rows } = await sql<{ id: bigint }>`
    select distinct o.account_id as id from session s join session o on o.ip = s.ip and o.user_agent = s.user_agent
    where s.account_id = ${accountId} and o.account_id = any(${others.map(String)}::bigint[])`.execute(db)
  return rows.map(({ id }) => id)
}
