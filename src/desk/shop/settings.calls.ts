/** The desk's calls about settings; the command line changes them by the same function. */
import type { Kysely } from 'kysely'
import type { DeskOutput } from '#contract/desk/contract'
import { printSetting, type SettingName, shopSettings } from '#contract/desk/shop-settings'
import { type DB, transaction } from '#db'
import { Refusal } from '#lib/refusal'
import { listSettings, type PinnedSettings, settingHistory, storeSetting } from '#settings'
import { type Author, record } from '#staff'
import { authorOf, type DeskHandlers } from '#staff/call'
import { amount, idAfter, pageOf } from '../lists/page.ts'

interface SettingOrder {
  name: SettingName
  /** Null: resets the setting to the program's default. */
  value: bigint | null
  reason: string | null
}

/**
 * Sets a setting; false: nothing changed. Refuses with `setting_pinned` a setting that the environment sets,
 * and with `invalid_setting` a value outside of its range.
 */
export function changeSetting(
  db: Kysely<DB>,
  author: Author,
  { pinned, ...order }: SettingOrder & { pinned: PinnedSettings },
  now: Date,
): Promise<boolean> {
  const { name, value, reason } = order
  const { least, most, variable } = shopSettings[name]
  if (variable !== null && pinned[name] !== undefined) throw new Refusal('setting_pinned', { variable })
  if (value !== null && (value < least || value > most))
    throw new Refusal('invalid_setting', {
      least: printSetting(name, least),
      most: printSetting(name, most),
    })
  return transaction(db, async (tx) => {
    const done = await storeSetting(tx, { name, value, by: author.name, reason }, now)
    if (done === null) return false
    const entry = {
      action: 'change_setting',
      subject: { kind: 'setting', id: name },
      before: { value: printSetting(name, done.before) },
      after: { value: printSetting(name, done.after), ...(value === null ? { default: true } : {}) },
    } as const
    await record(tx, author, { ...entry, reason }, now)
    return true
  })
}

export interface SettingDeps {
  /** Settings of the environment that take the place of stored ones. */
  pinned: PinnedSettings
  /** The settings of this process, without secrets, and the file they were read from. */
  environment: () => Pick<DeskOutput<'settings'>, 'environment' | 'file'>
}

export function settingCalls({ pinned, environment }: SettingDeps) {
  return {
    settings: async (_input, { database }) => ({
      changeable: (await listSettings(database.db, pinned)).map(({ changed, value, ...rest }) => ({
        ...rest,
        value: amount(value),
        changed: changed === null ? null : { at: changed.at.toISOString(), by: changed.by },
      })),
      ...environment(),
    }),
    setting_changes: async ({ after, limit = 50, name }, { database }) => {
      const rows = await settingHistory(database.db, { name, before: idAfter(after), limit: limit + 1 })
      return pageOf(rows, limit, {
        next: (last) => String(last.id),
        shown: (row) => ({
          ...row,
          id: String(row.id),
          at: row.at.toISOString(),
          before: amount(row.before),
          after: amount(row.after),
        }),
      })
    },
    change_setting: async ({ name, value, reason }, context) => {
      const order = { name, value: value === null ? null : BigInt(value), reason, pinned }
      return { changed: await changeSetting(context.database.db, authorOf(context), order, context.now()) }
    },
  } satisfies Partial<DeskHandlers>
}
