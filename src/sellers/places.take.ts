/** Takes a seller's list of places over into the inventory, or asks staff whether to. */
import type { Kysely, Selectable } from 'kysely'
import { type DB, type Execute, executeIn, transaction } from '#db'
import type { SellerPlace } from './adapters/adapter.ts'
import { SellerFault } from './adapters/client.ts'
import { type Claim, ClaimLost, lockClaimed } from './claim.ts'
import { hasShrunk, listOf, type PlaceList, nameOfList } from './places.ts'

export interface PlacesDeps {
  /**
   * Replaces the account's list of places in the inventory atomically. `settle` runs in the transaction of
   * the import, after it; the import is rolled back when it throws.
   */
  applyPlaces: (
    list: { accountId: bigint; csv: string },
    settle: (execute: Execute) => Promise<void>,
    now: Date,
  ) => Promise<void>
}

type Known = Pick<
  Selectable<DB['seller_account']>,
  'places_sha256' | 'places_rows' | 'places_addresses' | 'places_kept_sha256'
>

/**
 * 'current': the list is in the inventory; 'import': it replaces that one; 'ask': it has shrunk so much that
 * staff must decide; 'kept': they decided against this list.
 */
function standingOf(known: Known, list: PlaceList): 'current' | 'import' | 'ask' | 'kept' {
  const isSame = (other: Buffer | null) => other !== null && list.sha256.equals(other)
  const { places_rows: rows, places_addresses: addresses } = known
  if (isSame(known.places_sha256)) return 'current'
  if (rows === null || addresses === null || !hasShrunk({ rows, addresses }, list)) return 'import'
  return isSame(known.places_kept_sha256) ? 'kept' : 'ask'
}

/** Imports a list, unless it is unchanged, or has shrunk so much that staff must decide. */
export async function takePlaces(
  db: Kysely<DB>,
  deps: PlacesDeps,
  { claim, places }: { claim: Claim; places: readonly SellerPlace[] },
  now: Date,
): Promise<void> {
  const { accountId } = claim
  const list = listOf(places)
  if (list.rows === 0n) throw new SellerFault('malformed', 'the list of places is empty')
  const standing = await transaction(db, async (tx) => {
    const found = standingOf(await lockClaimed(executeIn(tx), tx, claim), list)
    if (found === 'current') await keepPlaces(executeIn(tx), tx, { accountId, list })
    if (found === 'ask')
      await tx
        .insertInto('seller_places_asked')
        .values({ account_id: accountId, ...list, asked_at: now })
        .onConflict((conflict) =>
          conflict.column('account_id').doUpdateSet(({ ref }) => ({
            csv: ref('excluded.csv'),
            sha256: ref('excluded.sha256'),
            rows: ref('excluded.rows'),
            addresses: ref('excluded.addresses'),
          })),
        )
        .execute()
    return found
  })
  if (standing !== 'import') return
  const settle = async (execute: Execute) => {
    const known = await lockClaimed(execute, db, claim)
    // Staff accepted another list meanwhile: the next reading compares with that one.
    if (standingOf(known, list) !== 'import') throw new ClaimLost('the places were decided meanwhile')
    await keepPlaces(execute, db, { accountId, list })
  }
  await deps.applyPlaces({ accountId, csv: list.csv }, settle, now)
}

/** Makes the list the account's, and clears the pending decision. */
async function keepPlaces(
  execute: Execute,
  db: Kysely<DB>,
  { accountId, list }: { accountId: bigint; list: Omit<PlaceList, 'csv'> },
): Promise<void> {
  const kept = {
    places_sha256: list.sha256,
    places_rows: list.rows,
    places_addresses: list.addresses,
    places_kept_sha256: null,
  }
  await execute(db.updateTable('seller_account').set(kept).where('id', '=', accountId).compile())
  await execute(db.deleteFrom('seller_places_asked').where('account_id', '=', accountId).compile())
}

export type PlacesDecision = 'accept' | 'keep'

/** What was decided: the list of the inventory before, and the one that awaited the decision. */
export interface DecidedPlaces {
  before: { rows: bigint; addresses: bigint } | null
  asked: { rows: bigint; addresses: bigint; at: Date }
}

/** What became of a decision. 'none': no list is pending for the account; 'changed': another one is. */
type Outcome = 'decided' | 'none' | 'changed'

class NotDecided extends Error {
  readonly outcome: Outcome

  constructor(outcome: Outcome) {
    super(`the list of places was not decided: ${outcome}`)
    this.outcome = outcome
  }
}

/**
 * Accepts the pending list with this name, or keeps the current one and dismisses it; `onDecided` runs in the
 * transaction of the decision.
 */
export async function decidePlaces(
  db: Kysely<DB>,
  deps: PlacesDeps,
  {
    id,
    list: seen,
    decision,
    onDecided,
  }: {
    id: bigint
    list: string
    decision: PlacesDecision
    onDecided: (execute: Execute, decided: DecidedPlaces) => Promise<void>
  },
  now: Date,
): Promise<Outcome> {
  const list = await db
    .selectFrom('seller_places_asked')
    .select(['csv', 'sha256', 'rows', 'addresses'])
    .where('account_id', '=', id)
    .executeTakeFirst()
  if (list === undefined) return 'none'
  if (nameOfList(list.sha256) !== seen) return 'changed'
  const settle = async (execute: Execute) => {
    const decided = await lockAsked(execute, db, { id, sha256: list.sha256 })
    if (decision === 'accept') await keepPlaces(execute, db, { accountId: id, list })
    else {
      const declined = { places_kept_sha256: list.sha256 }
      await execute(db.updateTable('seller_account').set(declined).where('id', '=', id).compile())
      await execute(db.deleteFrom('seller_places_asked').where('account_id', '=', id).compile())
    }
    await onDecided(execute, decided)
  }
  try {
    if (decision === 'accept') await deps.applyPlaces({ accountId: id, csv: list.csv }, settle, now)
    else await transaction(db, (tx) => settle(executeIn(tx)))
    return 'decided'
  } catch (error) {
    if (error instanceof NotDecided) return error.outcome
    throw error
  }
}

/** Locks the account whose list awaits a decision. Throws `NotDecided` when that is not this list. */
async function lockAsked(
  execute: Execute,
  db: Kysely<DB>,
  { id, sha256 }: { id: bigint; sha256: Buffer },
): Promise<DecidedPlaces> {
  const account = db
    .selectFrom('seller_account')
    .select(['places_rows', 'places_addresses'])
    .where('id', '=', id)
    .forUpdate()
  const pending = db
    .selectFrom('seller_places_asked')
    .select(['sha256', 'rows', 'addresses', 'asked_at'])
    .where('account_id', '=', id)
  const [known] = (await execute(account.compile())).rows
  const [asked] = (await execute(pending.compile())).rows
  if (known === undefined || asked === undefined) throw new NotDecided('none')
  if (!asked.sha256.equals(sha256)) throw new NotDecided('changed')
  const { places_rows: rows, places_addresses: addresses } = known
  return {
    before: rows === null || addresses === null ? null : { rows, addresses },
    asked: { rows: asked.rows, addresses: asked.addresses, at: asked.asked_at },
  }
}
