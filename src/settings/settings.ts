/**
 * Settings that staff change while the shop runs. They are read where they are used, so that a change is in
 * force in all processes with its commit; none of the readers is frequent (acts of staff, hourly jobs), so
 * nothing is cached.
 */
import { type Kysely, sql, type Transaction } from 'kysely'
import { settingNames, type SettingName, shopSettings } from '#contract/desk/shop-settings'
import { type DB, lockName } from '#db'

export {
  lockVariables,
  readVariables,
  sealedVariables,
  storeVariables,
  type Variables,
  variableChanges,
  variablesChannel,
} from './variables.ts'

/** The settings that the environment of this process sets. */
export type PinnedSettings = Partial<Record<SettingName, bigint>>
export type ShopSettings = Record<SettingName, bigint>

export interface KnownSetting {
  name: SettingName
  value: bigint
  source: 'environment' | 'changed' | 'default'
  /** The last change, which an environment variable may override. */
  changed: { at: Date; by: string } | null
}

/**
 * All settings in the order of the contract: the environment's value, else the last change, else the default.
 */
export async function listSettings(db: Kysely<DB>, pinned: PinnedSettings): Promise<KnownSetting[]> {
  const rows = await db
    .selectFrom('shop_setting')
    .distinctOn('name')
    .select(['name', 'value', 'changed_at', 'changed_by'])
    .orderBy('name')
    .orderBy('id', 'desc')
    .execute()
  const stored = new Map(rows.map((row) => [row.name, row]))
  return settingNames.map((name) => {
    const last = stored.get(name)
    const [inEnvironment, changedTo] = [pinned[name], last?.value ?? undefined]
    return {
      name,
      value: inEnvironment ?? changedTo ?? shopSettings[name].default,
      source: inEnvironment === undefined ? (changedTo === undefined ? 'default' : 'changed') : 'environment',
      changed: last === undefined ? null : { at: last.changed_at, by: last.changed_by },
    }
  })
}

/** The values that are in force. */
export async function readShopSettings(db: Kysely<DB>, pinned: PinnedSettings): Promise<ShopSettings> {
  const known = await listSettings(db, pinned)
  return Object.fromEntries(known.map(({ name, value }) => [name, value])) as ShopSettings
}

/**
 * Stores a change; null restores the default. Returns the previous value, or null when it is the same: then
 * nothing is stored. The caller checks the value.
 */
export async function storeSetting(
  tx: Transaction<DB>,
  change: { name: SettingName; value: bigint | null; by: string; reason: string | null },
  now: Date,
): Promise<{ before: bigint; after: bigint } | null> {
  const { name, value, by, reason } = change
  await lockName(tx, `setting ${name}`)
  const known = (await listSettings(tx, {})).find((each) => each.name === name)
  const [before, after] = [known?.value ?? shopSettings[name].default, value ?? shopSettings[name].default]
  const isSame =
    value === null ? known?.source === 'default' : before === after && known?.source === 'changed'
  if (isSame) return null
  await tx
    .insertInto('shop_setting')
    .values({ name, value, changed_by: by, reason, changed_at: now })
    .execute()
  return { before, after }
}

export interface SettingChange {
  id: bigint
  name: SettingName
  before: bigint
  after: bigint
  by: string
  reason: string | null
  at: Date
}

/** Changes of settings, newest first, before the change `before` where one is given. */
export async function settingHistory(
  db: Kysely<DB>,
  { name, before, limit }: { name: SettingName | undefined; before: bigint | null; limit: number },
): Promise<SettingChange[]> {
  const { rows } = await sql<{
    id: bigint
    name: SettingName
    value: bigint | null
    value_before: bigint | null
    changed_by: string
    reason: string | null
    changed_at: Date
  }>`
    select s.*, (select b.value from shop_setting b where b.name = s.name and b.id < s.id
                 order by b.id desc limit 1) as value_before
    from shop_setting s
    where s.name = any(${settingNames}) and (${name ?? null}::text is null or s.name = ${name ?? null})
      and (${before}::bigint is null or s.id < ${before})
    order by s.id desc limit ${limit}`.execute(db)
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    before: row.value_before ?? shopSettings[row.name].default,
    after: row.value ?? shopSettings[row.name].default,
    by: row.changed_by,
    reason: row.reason,
    at: row.changed_at,
  }))
}
