/** Proxy passwords as they are kept: sealed for one customer and one pool. */
import { replacesIn, type SealedColumn } from '#db/sealed'

/** Sealed for this customer's access to the pool: copied to another row it does not open. */
export const aboutPassword = ({ accountId, pool }: { accountId: bigint; pool: string }) =>
  `proxy-password:${accountId}:${pool}`

/** The proxy passwords of all customers. */
export const sealedProxyPasswords: SealedColumn = {
  what: 'proxy passwords',
  async read(db, { after, limit }) {
    const rows = await db
      .selectFrom('access')
      .select(['id', 'account_id', 'pool', 'password_sealed'])
      .where('id', '>', after === null ? 0n : BigInt(after))
      .orderBy('id')
      .limit(limit)
      .execute()
    return rows.map(({ id, account_id: accountId, pool, password_sealed: sealed }) => ({
      key: String(id),
      sealed,
      about: aboutPassword({ accountId, pool }),
      name: `account #${accountId}, ${pool}`,
    }))
  },
  write: replacesIn({ table: 'access', id: 'id', column: 'password_sealed' }),
}
