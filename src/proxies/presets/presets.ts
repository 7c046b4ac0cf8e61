/** Presets: settings of the generator that a customer saved under a name. */
import { type Kysely, type Selectable, sql } from 'kysely'
import type { Parsed } from '#contract/contract'
import { longestSettings, mostLinks, mostPresets } from '#contract/presets/rules'
import type { Pool } from '#contract/wire'
import type { DB } from '#db'
import { Refusal } from '#lib/refusal'
import { randomToken, sha256 } from '#lib/secret'

export type PresetSettings = Parsed<'save_preset'>['settings']

export interface Preset {
  id: bigint
  pool: Pool
  label: string
  settings: PresetSettings
  createdAt: Date
  link: { madeAt: Date; usedAt: Date | null } | null
}

interface PresetKey {
  accountId: bigint
  id: bigint
}

const columns = ['id', 'pool', 'label', 'settings', 'created_at', 'link_made_at', 'link_used_at'] as const

function presetOf(row: Pick<Selectable<DB['preset']>, (typeof columns)[number]>): Preset {
  const { id, label, created_at, link_made_at, link_used_at } = row
  return {
    id,
    // The database allows the pools of the contract only, and the settings were parsed when saved.
    pool: row.pool as Pool,
    label,
    settings: row.settings as unknown as PresetSettings,
    createdAt: created_at,
    link: link_made_at === null ? null : { madeAt: link_made_at, usedAt: link_used_at },
  }
}

/** All presets of a customer, in the order in which they were made. */
export async function presetsOf(db: Kysely<DB>, accountId: bigint): Promise<Preset[]> {
  const rows = await db
    .selectFrom('preset')
    .select(columns)
    .where('account_id', '=', accountId)
    .orderBy('id')
    .execute()
  return rows.map(presetOf)
}

/** A preset of this customer. Refuses with `preset_not_found`, for those of others too. */
export async function presetById(db: Kysely<DB>, { accountId, id }: PresetKey): Promise<Preset> {
  const row = await db
    .selectFrom('preset')
    .select(columns)
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (row === undefined) throw new Refusal('preset_not_found')
  return presetOf(row)
}

/** One change of a customer's presets at a time, so that their number and names can be checked. */
const lockPresets = (tx: Kysely<DB>, accountId: bigint) =>
  sql`select from account where id = ${accountId} for no key update`.execute(tx)

function textOf(settings: PresetSettings): string {
  const text = JSON.stringify(settings)
  if (text.length > longestSettings) throw new Refusal('preset_too_large', { limit: longestSettings })
  return text
}

async function refuseTaken(
  tx: Kysely<DB>,
  { accountId, pool, label, but }: { accountId: bigint; pool: Pool; label: string; but: bigint | null },
): Promise<void> {
  const taken = await tx
    .selectFrom('preset')
    .select('id')
    .where('account_id', '=', accountId)
    .where('pool', '=', pool)
    .where(sql`lower(label)`, '=', sql`lower(${label})`)
    .$if(but !== null, (query) => query.where('id', '<>', but ?? 0n))
    .executeTakeFirst()
  if (taken !== undefined) throw new Refusal('preset_label_taken')
}

/** Saves a new preset. Refuses with `too_many_presets`, `preset_label_taken` and `preset_too_large`. */
export async function savePreset(
  tx: Kysely<DB>,
  { accountId, pool, label, settings }: { accountId: bigint } & Pick<Preset, 'pool' | 'label' | 'settings'>,
): Promise<Preset> {
  const text = textOf(settings)
  await lockPresets(tx, accountId)
  const { count } = await tx
    .selectFrom('preset')
    .select(sql<bigint>`count(*)`.as('count'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  if (count >= BigInt(mostPresets)) throw new Refusal('too_many_presets', { limit: mostPresets })
  await refuseTaken(tx, { accountId, pool, label, but: null })
  const row = await tx
    .insertInto('preset')
    .values({ account_id: accountId, pool, label, settings: text })
    .returning(columns)
    .executeTakeFirstOrThrow()
  return presetOf(row)
}

/**
 * Changes the name, the settings or both. Refuses with `preset_not_found`, `preset_label_taken` and
 * `preset_too_large`.
 */
export async function changePreset(
  tx: Kysely<DB>,
  key: PresetKey,
  { label, settings }: { label?: string | undefined; settings?: PresetSettings | undefined },
): Promise<Preset> {
  await lockPresets(tx, key.accountId)
  const known = await presetById(tx, key)
  if (label !== undefined)
    await refuseTaken(tx, { accountId: key.accountId, pool: known.pool, label, but: key.id })
  const row = await tx
    .updateTable('preset')
    .set({
      label: label ?? known.label,
      ...(settings === undefined ? {} : { settings: textOf(settings) }),
    })
    .where('account_id', '=', key.accountId)
    .where('id', '=', key.id)
    .returning(columns)
    .executeTakeFirstOrThrow()
  return presetOf(row)
}

/** Deletes a preset, and its link with it. Refuses with `preset_not_found`. */
export async function deletePreset(tx: Kysely<DB>, { accountId, id }: PresetKey): Promise<void> {
  const deleted = await tx
    .deleteFrom('preset')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  if (deleted === undefined) throw new Refusal('preset_not_found')
}

/**
 * Makes a new secret link; an existing link stops working. Refuses with `preset_not_found` and
 * `too_many_links`.
 */
export async function renewLink(
  tx: Kysely<DB>,
  key: PresetKey,
  now: Date,
): Promise<{ token: string; preset: Preset }> {
  await lockPresets(tx, key.accountId)
  const known = await presetById(tx, key)
  const { count } = await tx
    .selectFrom('preset')
    .select(sql<bigint>`count(*)`.as('count'))
    .where('account_id', '=', key.accountId)
    .where('link_sha256', 'is not', null)
    .executeTakeFirstOrThrow()
  if (known.link === null && count >= BigInt(mostLinks))
    throw new Refusal('too_many_links', { limit: mostLinks })
  const token = randomToken()
  const preset = await setLink(tx, key, {
    link_sha256: sha256(token),
    link_made_at: now,
    link_used_at: null,
  })
  return { token, preset }
}

/** Revokes the link, if there is one. Refuses with `preset_not_found`. */
export const revokeLink = (tx: Kysely<DB>, key: PresetKey): Promise<Preset> =>
  setLink(tx, key, { link_sha256: null, link_made_at: null, link_used_at: null })

/** Revokes all secret links of a customer. */
export async function revokeLinks(tx: Kysely<DB>, accountId: bigint): Promise<void> {
  await tx
    .updateTable('preset')
    .set({ link_sha256: null, link_made_at: null, link_used_at: null })
    .where('account_id', '=', accountId)
    .execute()
}

async function setLink(
  tx: Kysely<DB>,
  { accountId, id }: PresetKey,
  link: { link_sha256: Buffer | null; link_made_at: Date | null; link_used_at: null },
): Promise<Preset> {
  const row = await tx
    .updateTable('preset')
    .set(link)
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirst()
  if (row === undefined) throw new Refusal('preset_not_found')
  return presetOf(row)
}
