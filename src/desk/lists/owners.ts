/** The accounts behind the rows of a list. */
import { type AccountLine, accountsById } from '#accounts'

/** The accounts of these ids that exist. */
export async function ownersOf(
  db: Parameters<typeof accountsById>[0],
  ids: readonly (bigint | null)[],
): Promise<Map<bigint, AccountLine>> {
  const known = [...new Set(ids)].filter((id) => id !== null)
  return new Map((await accountsById(db, known)).map((owner) => [owner.id, owner]))
}
