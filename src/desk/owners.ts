/** The accounts behind the rows of a list. */
import { type AccountLine, accountById } from '#accounts'

/** The accounts of these ids that exist; each is read once. */
export async function ownersOf(
  db: Parameters<typeof accountById>[0],
  ids: readonly (bigint | null)[],
): Promise<Map<bigint, AccountLine>> {
  const known = [...new Set(ids)].filter((id) => id !== null)
  const owners = await Promise.all(known.map((id) => accountById(db, id)))
  return new Map(owners.filter((owner) => owner !== null).map((owner) => [owner.id, owner]))
}
