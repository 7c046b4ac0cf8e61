/** Credentials of sellers' accounts as they are stored: sealed for one account. */
import { replacesIn, type SealedColumn } from '#db/sealed'
import { openOrNull, type Secrets } from '#lib/secret'

/** Sealed for this account: copied to another one they do not open. */
export const aboutCredentials = ({ seller, label }: { seller: string; label: string }) =>
  `seller-credentials:${seller}:${label}`

/** The credentials; null: no key unseals them. */
export function openCredentials(
  secrets: Secrets,
  account: { seller: string; label: string; credentials_sealed: Uint8Array },
): Record<string, string> | null {
  const text = openOrNull(secrets, account.credentials_sealed, aboutCredentials(account))
  return text === null ? null : (JSON.parse(text) as Record<string, string>)
}

export const sealedSellerCredentials: SealedColumn = {
  what: 'credentials of sellers’ accounts',
  async read(db, { after, limit }) {
    const rows = await db
      .selectFrom('seller_account')
      .select(['id', 'seller', 'label', 'credentials_sealed'])
      .where('id', '>', after === null ? 0n : BigInt(after))
      .orderBy('id')
      .limit(limit)
      .execute()
    return rows.map(({ id, seller, label, credentials_sealed: sealed }) => ({
      key: String(id),
      sealed,
      about: aboutCredentials({ seller, label }),
      name: `${label} at ${seller}`,
    }))
  },
  write: replacesIn({ table: 'seller_account', id: 'id', column: 'credentials_sealed' }),
}
