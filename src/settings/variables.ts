/**
 * Settings that staff set at the desk in place of variables of the environment: keys of payment processors,
 * the mail server, the bot. Values are sealed. A change is announced with its commit, so that every process
 * reads them again.
 */
import { type Kysely, sql, type Transaction } from 'kysely'
import { type DB, lockName } from '#db'
import { replacesIn, type SealedColumn } from '#db/sealed'
import { openOrNull, type Secrets } from '#lib/secret'

/** The channel on which a change is announced. */
export const variablesChannel = 'shop_variables'

/** Values by the name of the variable. */
export type Variables = Readonly<Record<string, string>>

/** Binds a sealed value to its variable: copied to the row of another one, it does not open. */
const aboutVariable = (name: string) => `shop-variable:${name}`

const rowsInForce = (db: Kysely<DB>) =>
  db.selectFrom('shop_variable').distinctOn('name').selectAll().orderBy('name').orderBy('id', 'desc')

/** The values in force. A value that the key does not open is left out: `turnpike doctor` counts those. */
export async function readVariables(db: Kysely<DB>, secrets: Secrets): Promise<Variables> {
  const rows = await rowsInForce(db).execute()
  const values = rows.flatMap(({ name, value_sealed: sealed }) => {
    const value = sealed === null ? null : openOrNull(secrets, sealed, aboutVariable(name))
    return value === null ? [] : [[name, value] as const]
  })
  return Object.fromEntries(values)
}

/** Who changed each variable last, and when; also of variables that are no longer set. */
export async function variableChanges(db: Kysely<DB>): Promise<Map<string, { at: Date; by: string }>> {
  const rows = await rowsInForce(db).execute()
  return new Map(rows.map((row) => [row.name, { at: row.changed_at, by: row.changed_by }]))
}

export interface VariableChange {
  /** Values by name; null: the variable is removed. */
  values: Readonly<Record<string, string | null>>
  by: string
  reason: string
}

/** Locks the variables, so that no other change replaces the values against which a change is checked. */
export const lockVariables = (tx: Transaction<DB>) => lockName(tx, 'shop variables')

/**
 * Stores a change and announces it; returns the names whose value is another one than before. The caller
 * holds `lockVariables` and has checked the values.
 */
export async function storeVariables(
  tx: Transaction<DB>,
  secrets: Secrets,
  { values, by, reason }: VariableChange,
  now: Date,
): Promise<string[]> {
  const before = await readVariables(tx, secrets)
  const changed = Object.entries(values).filter(([name, value]) => (before[name] ?? null) !== value)
  for (const [name, value] of changed) {
    // Removes the earlier value: the shop no longer needs the key, but a thief could still use it.
    await tx.updateTable('shop_variable').set({ value_sealed: null }).where('name', '=', name).execute()
    await tx
      .insertInto('shop_variable')
      .values({
        name,
        value_sealed: value === null ? null : secrets.seal(value, aboutVariable(name)),
        changed_by: by,
        reason,
        changed_at: now,
      })
      .execute()
  }
  if (changed.length > 0) await sql`select pg_notify(${variablesChannel}, '')`.execute(tx)
  return changed.map(([name]) => name)
}

export const sealedVariables: SealedColumn = {
  what: 'settings of the desk',
  async read(db, { after, limit }) {
    const rows = await db
      .selectFrom('shop_variable')
      .select(['id', 'name', 'value_sealed'])
      .where('value_sealed', 'is not', null)
      .where('id', '>', after === null ? 0n : BigInt(after))
      .orderBy('id')
      .limit(limit)
      .execute()
    return rows.flatMap(({ id, name, value_sealed: sealed }) =>
      sealed === null ? [] : [{ key: String(id), sealed, about: aboutVariable(name), name }],
    )
  },
  write: replacesIn({ table: 'shop_variable', id: 'id', column: 'value_sealed' }),
}
