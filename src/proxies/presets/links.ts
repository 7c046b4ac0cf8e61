/** The answer to a secret link: fresh lines of its preset, or a PAC file. */
import { type Kysely, sql } from 'kysely'
import type { Parsed } from '#contract/contract'
import { languageOfCode, type Language } from '#contract/language'
import { parseLine } from '#contract/proxy-lines'
import type { Pool } from '#contract/wire'
import type { DB } from '#db'
import { Refusal } from '#lib/refusal'
import { sha256 } from '#lib/secret'
import { makeLines, type ProxiesDeps } from '../order.ts'
import { pacFile } from './pac.ts'
import type { PresetSettings } from './presets.ts'

export interface Link {
  id: bigint
  /** The language of the customer. */
  language: Language
  accountId: bigint
  /** The order that its lines fulfil. */
  input: Parsed<'get_proxy'>
  /**
   * The lines, one on each line of text, as bytes in UTF-8, or the PAC file. Refuses as `get_proxy` does, and with
   * `account_blocked`.
   */
  text: (kind: 'lines' | 'pac') => Promise<string | Buffer>
}

/** The link of a token; null: there is none, whether revoked or never made. */
export async function findLink(
  deps: ProxiesDeps,
  db: Kysely<DB>,
  { token, now }: { token: string; now: Date },
): Promise<Link | null> {
  // Not the form of a token: no digest needs to be computed.
  if (!/^[\w-]{43}$/.test(token)) return null
  const row = await db
    .selectFrom('preset')
    .innerJoin('account', 'account.id', 'preset.account_id')
    .select(['preset.id', 'preset.account_id', 'preset.pool', 'preset.settings'])
    .select(['account.lang', 'account.blocked_at'])
    .where('link_sha256', '=', sha256(token))
    .executeTakeFirst()
  if (row === undefined) return null
  const settings = row.settings as unknown as PresetSettings
  const input = { ...settings, pool: row.pool as Pool }
  const text: Link['text'] = async (kind) => {
    if (row.blocked_at !== null) throw new Refusal('account_blocked')
    await noteUse(db, row.id, now)
    const customer = { accountId: row.account_id, isView: false }
    // Programs fetch a link often, and several may use the same one.
    const made = (wish: typeof input) => makeLines(deps, db, customer, wish, { keepsSlots: true })
    if (kind === 'lines') return Buffer.concat([(await made(input)).lines, Buffer.from('\n')])
    const { lines } = await made({ ...input, quantity: 1 })
    const endpoint = parseLine(settings.format, lines.toString())
    if (endpoint === null) throw new Error('a line is not of its own format')
    return pacFile(endpoint, settings.protocol)
  }
  return { id: row.id, language: languageOfCode(row.lang), accountId: row.account_id, input, text }
}

/** Records the time of use, at most once a minute, because programs fetch often. */
const noteUse = (db: Kysely<DB>, id: bigint, now: Date) =>
  sql`
    update preset set link_used_at = ${now}
    where id = ${id} and link_sha256 is not null
      and (link_used_at is null or link_used_at < ${now}::timestamptz - interval '1 minute')`.execute(db)
