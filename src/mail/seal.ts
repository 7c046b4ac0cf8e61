/**
 * The tokens of links are sealed while a letter waits in the database: a reader of the table or of a backup
 * cannot use them.
 */
import { sql } from 'kysely'
import type { SealedColumn } from '#db/sealed'
import type { Secrets } from '#lib/secret'

const printed = (sealed: Buffer) => sealed.toString('base64url')
const aboutToken = (to: string) => `token in a letter to ${to}`

/** Seals the token of a letter's link; it can be opened only for a letter to the same address. */
export function sealToken(secrets: Secrets, token: string, to: string): string {
  return printed(secrets.seal(token, aboutToken(to)))
}

/** Opens a sealed token; throws SealBroken when SECRET_KEY or the address differs. */
export function openToken(secrets: Secrets, sealed: string, to: string): string {
  return secrets.open(Buffer.from(sealed, 'base64url'), aboutToken(to))
}

/** The tokens of waiting letters. */
export const sealedLetterTokens: SealedColumn = {
  what: 'tokens in letters',
  async read(db, { after, limit }) {
    const { rows } = await sql<{ id: string; recipient: string; token: string }>`
      select id, recipient, data ->> 'sealed_token' as token from mail
      where id > ${after ?? '00000000-0000-0000-0000-000000000000'}::uuid and data ? 'sealed_token'
      order by id limit ${limit}`.execute(db)
    return rows.map(({ id, recipient, token }) => ({
      key: id,
      sealed: Buffer.from(token, 'base64url'),
      about: aboutToken(recipient),
      name: `letter ${id}`,
    }))
  },
  async write(tx, { key, sealed: before }, sealed) {
    const done = await sql`
      update mail set data = jsonb_set(data, '{sealed_token}', to_jsonb(${printed(sealed)}::text))
      where id = ${key}::uuid and data ->> 'sealed_token' = ${printed(before)}`.execute(tx)
    return (done.numAffectedRows ?? 0n) > 0n
  },
}
