/**
 * The operator's command line, the letters sent by the shop, and its database: for tests that need one of
 * them.
 */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { sql } from 'kysely'
import { type ParsedMail, simpleParser } from 'mailparser'
import { openDatabase } from '#db'
import { turnpike as runTurnpike } from '#test/stack'
import { expect, origin } from './shop.ts'

const dataDir = () => process.env['TEST_DATA_DIR'] ?? ''

/** `turnpike …` on the data of the shop under test. */
export const turnpike = (...parameters: string[]) =>
  runTurnpike({ DATA_DIR: dataDir(), PUBLIC_URL: origin() }, ...parameters)

/** The link of a letter to an address, once the letter has arrived. */
export async function linkTo(address: string, part: string): Promise<string> {
  let link: string | undefined
  await expect(async () => {
    const letters = await lettersTo(address)
    link = letters.flatMap(({ text }) => (text ?? '').split(/\s+/)).findLast((word) => word.includes(part))
    expect(link).toBeDefined()
  }).toPass({ timeout: 20_000 })
  return link ?? ''
}

async function lettersTo(address: string): Promise<ParsedMail[]> {
  const outbox = path.join(dataDir(), 'outbox')
  const files = readdirSync(outbox, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.eml'),
  )
  const letters = await Promise.all(files.map((file) => simpleParser(readFileSync(path.join(outbox, file)))))
  return letters
    .filter(({ to }) => JSON.stringify(to ?? '').includes(address))
    .toSorted((a, b) => (a.date?.getTime() ?? 0) - (b.date?.getTime() ?? 0))
}

/**
 * Makes all devices of customers long known, so that gifts and payouts are not delayed for a new device.
 */
export async function knowAllDevices(): Promise<void> {
  const database = await openDatabase({ dataDir: dataDir(), role: 'guest' })
  try {
    await sql`update account_device set first_at = first_at - interval '30 days'`.execute(database.db)
  } finally {
    await database.close()
  }
}

/**
 * Adds a refund in coins whose worth the processor did not report: of the invoice `number`, in USD, or of the
 * newest paid one.
 */
export async function addUnclearReturn(number: string | null = null): Promise<void> {
  const database = await openDatabase({ dataDir: dataDir(), role: 'guest' })
  try {
    await sql`
      insert into processor_refund (method, refund_id, invoice_id, cause, state, currency, amount_micros, made_at, changed_at)
      select method, 'payout-of-coins-' || id, id, 'refund', 'unclear', 'BTC', 420, now(), now() from invoice
      where state = 'paid' and method <> 'referral' and price_currency is null
        and (${number}::text is null or number = ${number}) order by id desc limit 1`.execute(database.db)
  } finally {
    await database.close()
  }
}

/**
 * The list of places of an account at a seller, created if it does not exist, that awaits a decision in place
 * of one of 40 rows and 4,000 addresses. A further list replaces it.
 */
export async function askAboutPlaces(
  label: string,
  { rows, addresses }: { rows: number; addresses: number },
) {
  const database = await openDatabase({ dataDir: dataDir(), role: 'guest' })
  try {
    await sql`
      insert into seller_account (seller, label, counts, credentials_sealed, places_sha256, places_rows, places_addresses)
      values ('webshare', ${label}, 'both', '', sha256('former'), 40, 4000) on conflict do nothing`.execute(
      database.db,
    )
    await sql`
      insert into seller_places_asked (account_id, csv, sha256, rows, addresses, asked_at)
      select id, 'pool,country,count', sha256(${`list of ${addresses}`}::bytea), ${rows}, ${addresses}, now()
      from seller_account where label = ${label}
      on conflict (account_id) do update
        set sha256 = excluded.sha256, rows = excluded.rows, addresses = excluded.addresses`.execute(
      database.db,
    )
  } finally {
    await database.close()
  }
}
