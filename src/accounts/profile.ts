/** legacy_profile: the stored record and the session view of one account, in one object. */
import { type Kysely, sql } from 'kysely'
import type { Output } from '#contract/contract'
import type { LanguageCode } from '#contract/language'
import { trafficText, trafficToWire } from '#contract/traffic'
import { type Pool, pools } from '#contract/wire'
import { type DB, gathered } from '#db'
import type { Secrets } from '#lib/secret'
import { type BalancesJson, balancesJson, readBalances, referralIn } from '#ledger'
import { type PasswordsJson, passwordsJson, readPasswords } from '#proxies'
import { trafficIn } from '#traffic'
import { telegramLinkCode } from './telegram.ts'

type Profile = Output<'legacy_profile'>[number]

interface Row {
  id: bigint
  created: Date
  updated: Date
  lang: string
  invitedBy: bigint | null
  percentPpm: number
  username: string | null
  email: string | null
  passwordHash: string | null
  isConfirmed: boolean
  isBlocked: boolean
  isLinked: boolean
  passwords: PasswordsJson
  balances: BalancesJson
}

/** Every page and the bot make this call, so it is one statement, for all who make it at the same time. */
const readAccount = gathered<bigint, Row>(async (db, accountIds) => {
  const { rows } = await sql<Row>`
    select a.id, a.created_at as created, a.updated_at as updated, a.lang, a.invited_by as "invitedBy",
      a.pers_percent_ppm as "percentPpm", a.username, a.email, a.password_hash as "passwordHash",
      a.email_confirmed_at is not null as "isConfirmed", a.blocked_at is not null as "isBlocked",
      exists (select from telegram_identity t where t.account_id = a.id) as "isLinked",
      ${passwordsJson(sql`a.id`)} as passwords, ${balancesJson(sql`a.id`)} as balances
    from account a where a.id = any(${accountIds}::bigint[])`.execute(db)
  return new Map(rows.map((row) => [row.id, row]))
})

/** `linkAt` is the time for the Telegram link code; null leaves the code out, for reseller tokens. */
export async function profileOf(
  db: Kysely<DB>,
  secrets: Secrets,
  { accountId, linkAt }: { accountId: bigint; linkAt: Date | null },
): Promise<Profile> {
  const row = await readAccount(db, accountId)
  if (row === undefined) throw new Error(`there is no account ${accountId}`)
  const held = readBalances(row.balances)
  const balances = trafficIn(held)
  const passwords = readPasswords(secrets, accountId, row.passwords)
  const link = linkAt === null ? null : telegramLinkCode(secrets, row, linkAt)
  const poolOf = (pool: Pool) => {
    const { total: bytes, reserved } = balances.get(pool) ?? { total: 0n, reserved: 0n }
    return {
      balance: trafficToWire(bytes),
      balance_format: trafficText(bytes),
      ...(reserved === 0n
        ? {}
        : { reserved: trafficToWire(reserved), reserved_format: trafficText(reserved) }),
      password: passwords.get(pool) ?? null,
    }
  }
  const views = Object.fromEntries(pools.map((pool) => [pool, poolOf(pool)])) as Pick<Profile, Pool>
  return {
    created_at: row.created.toISOString(),
    updated_at: row.updated.toISOString(),
    reg_date: row.created.toISOString(),
    user_id: Number(accountId),
    lang: row.lang as LanguageCode,
    invited_by: row.invitedBy === null ? null : Number(row.invitedBy),
    pers_percent: String(row.percentPpm / 1e6),
    username: row.username,
    email: row.email,
    password: row.passwordHash === null ? null : '*',
    role_id: 1,
    confirmed: row.isConfirmed,
    tgcode: link?.code ?? null,
    tgcode_expires: link?.expiresAt.toISOString() ?? null,
    ref_balance_usd: Number(referralIn(held)) / 1e6,
    token: null,
    ...views,
  }
}
