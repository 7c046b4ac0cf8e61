/** The stored passwords of proxy users: each is sealed for its proxy user. */
import { sql } from 'kysely'
import { replacesIn, type SealedColumn } from '#db/sealed'

/** How many passwords are sealed, and how many unsealed, in one turn of the event loop: a few milliseconds. */
export const sealedAtOnce = 100
export const openedAtOnce = 200

/** Binds a sealed password to its proxy user: copied to another row, it does not open. */
export const aboutUserPassword = (id: bigint) => `proxy-user-password:${id}`

/** The passwords of all proxy users. */
export const sealedUserPasswords: SealedColumn = {
  what: 'passwords of proxy users',
  async read(db, { after, limit }) {
    const { rows } = await sql<{ id: bigint; login: string; sealed: Buffer }>`
      select id, login, password_sealed as sealed from proxy_user
      where id > ${after === null ? 0n : BigInt(after)} order by id limit ${limit}`.execute(db)
    return rows.map(({ id, login, sealed }) => ({
      key: String(id),
      sealed,
      about: aboutUserPassword(id),
      name: `proxy user ${login}`,
    }))
  },
  write: replacesIn({ table: 'proxy_user', id: 'id', column: 'password_sealed' }),
}
