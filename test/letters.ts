/** Letters that a shop has queued, for tests that follow their links. */
import type { Kysely } from 'kysely'
import type { DB } from '#db'
import type { Secrets } from '#lib/secret'

/** A shop, or the parts of one. */
interface Shop {
  database: { db: Kysely<DB> }
  services: { secrets: Secrets }
}

/** The token of the link in the latest letter of this kind that is not sent yet. */
export async function tokenInLetter(
  { database, services }: Shop,
  { template, to }: { template: string; to: string },
): Promise<string> {
  const { data } = await database.db
    .selectFrom('mail')
    .select('data')
    .where('recipient', '=', to)
    .where('template', '=', template)
    .orderBy('created_at', 'desc')
    .executeTakeFirstOrThrow()
  const { sealed_token: sealed } = data as { sealed_token: string }
  return services.secrets.open(Buffer.from(sealed, 'base64url'), `token in a letter to ${to}`)
}
