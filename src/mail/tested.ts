/** Which mail server has taken a test letter: until one has, an owner does not know that letters arrive. */
import { createHash } from 'node:crypto'
import type { Kysely } from 'kysely'
import { type DB, transaction } from '#db'

/** The part of the settings of mail that decides whether letters arrive, without the password. */
export interface TestedServer {
  host: string
  port: number
  user: string | null
  from: string
}

const digestOf = ({ host, port, user, from }: TestedServer) =>
  createHash('sha256')
    .update(JSON.stringify([host, port, user, from]))
    .digest()

/** Notes that the server has taken a test letter, in place of any other server. */
export const noteMailTest = (db: Kysely<DB>, server: TestedServer, now: Date): Promise<void> =>
  transaction(db, async (tx) => {
    await tx.deleteFrom('mail_tested').execute()
    await tx
      .insertInto('mail_tested')
      .values({ server_sha256: digestOf(server), tested_at: now })
      .onConflict((conflict) => conflict.column('server_sha256').doUpdateSet({ tested_at: now }))
      .execute()
  })

/** When the server last took a test letter; null: never, or another server has taken one since. */
export async function mailTestedAt(db: Kysely<DB>, server: TestedServer): Promise<Date | null> {
  const row = await db
    .selectFrom('mail_tested')
    .select('tested_at')
    .where('server_sha256', '=', digestOf(server))
    .executeTakeFirst()
  return row?.tested_at ?? null
}
