/** legacy_profile: the stored record and the session view of one account, in one object. */
import type { Kysely } from 'kysely'
import type { Output } from '#contract/contract'
import type { LanguageCode } from '#contract/language'
import { trafficText, trafficToWire } from '#contract/traffic'
import { type Pool, pools } from '#contract/wire'
import type { DB } from '#db'
import type { Secrets } from '#lib/secret'
import { referralBalance } from '#ledger'
import { accessesOf } from '#proxies'
import { balancesOf } from '#traffic'
import { telegramLinkCode } from './telegram.ts'

type Profile = Output<'legacy_profile'>[number]

/** `linkAt` is the time for the Telegram link code; null leaves the code out, for reseller tokens. */
export async function profileOf(
  db: Kysely<DB>,
  secrets: Secrets,
  { accountId, linkAt }: { accountId: bigint; linkAt: Date | null },
): Promise<Profile> {
  const [row, balances, accesses, referralMicros, link] = await Promise.all([
    db.selectFrom('account').selectAll().where('id', '=', accountId).executeTakeFirstOrThrow(),
    balancesOf(db, accountId),
    accessesOf(db, secrets, accountId),
    referralBalance(db, accountId),
    linkAt === null ? null : telegramLinkCode(db, secrets, accountId, linkAt),
  ])
  const poolOf = (pool: Pool) => {
    const { total: bytes, reserved } = balances.get(pool) ?? { total: 0n, reserved: 0n }
    return {
      balance: trafficToWire(bytes),
      balance_format: trafficText(bytes),
      ...(reserved === 0n
        ? {}
        : { reserved: trafficToWire(reserved), reserved_format: trafficText(reserved) }),
      password: accesses.find((access) => access.pool === pool)?.password ?? null,
    }
  }
  const views = Object.fromEntries(pools.map((pool) => [pool, poolOf(pool)])) as Pick<Profile, Pool>
  return {
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    reg_date: row.created_at.toISOString(),
    user_id: Number(row.id),
    lang: row.lang as LanguageCode,
    invited_by: row.invited_by === null ? null : Number(row.invited_by),
    pers_percent: String(row.pers_percent_ppm / 1e6),
    username: row.username,
    email: row.email,
    password: row.password_hash === null ? null : '*',
    role_id: 1,
    confirmed: row.email_confirmed_at !== null,
    tgcode: link?.code ?? null,
    tgcode_expires: link?.expiresAt.toISOString() ?? null,
    ref_balance_usd: Number(referralMicros) / 1e6,
    token: null,
    ...views,
  }
}
