/** Logins at sellers, stored sealed for one exit. */
import { replacesIn, type SealedColumn } from '#db/sealed'

/** The context of the seal: the password opens only for the exit with this name and pool. */
export const aboutPassword = (exit: { pool: string; name: string }) =>
  `exit-password:${exit.pool}:${exit.name}`

/** The passwords of all exits that have one. */
export const sealedExitPasswords: SealedColumn = {
  what: 'logins of exits',
  async read(db, { after, limit }) {
    const rows = await db
      .selectFrom('exit')
      .select(['id', 'pool', 'name', 'password_sealed'])
      .where('id', '>', after === null ? 0n : BigInt(after))
      .where('password_sealed', 'is not', null)
      .orderBy('id')
      .limit(limit)
      .execute()
    return rows.flatMap(({ id, pool, name, password_sealed: sealed }) =>
      sealed === null
        ? []
        : [{ key: String(id), sealed, about: aboutPassword({ pool, name }), name: `${name} of ${pool}` }],
    )
  },
  write: replacesIn({ table: 'exit', id: 'id', column: 'password_sealed' }),
}
