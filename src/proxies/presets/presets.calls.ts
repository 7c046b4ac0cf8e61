/** The calls for presets of the generator and their secret links. */
import type { Transaction } from 'kysely'
import type { Output } from '#contract/contract'
import { linkPath, mostLinks, mostPresets } from '#contract/presets/rules'
import type { presetsWire } from '#contract/presets/calls'
import { type DB, transaction } from '#db'
import { callerOf, type Context, type HandlersOf } from '#db/call'
import { checkOrder, type ProxiesDeps } from '../order.ts'
import {
  changePreset,
  deletePreset,
  type Preset,
  presetById,
  presetsOf,
  renewLink,
  revokeLink,
  savePreset,
} from './presets.ts'

/** Passed in, since the slice of accounts depends on this one. */
export interface OwnerDeps {
  /** Notifies the owner of a new link. */
  tellOfLink: (tx: Transaction<DB>, context: Context) => Promise<void>
}

export function presetsCalls(deps: ProxiesDeps, { tellOfLink }: OwnerDeps) {
  return {
    get_presets: async (_input, context) => {
      const presets = await presetsOf(context.database.db, callerOf(context).id)
      return { presets: presets.map(answerOf), most: mostPresets, most_links: mostLinks }
    },
    save_preset: async ({ pool, label, settings }, context) => {
      const { db } = context.database
      const accountId = callerOf(context).id
      await checkOrder(deps, db, { accountId, isView: false }, { pool, ...settings })
      const given = { accountId, pool, label: label.trim(), settings }
      return answerOf(await transaction(db, (tx) => savePreset(tx, given)))
    },
    change_preset: async ({ number, label, settings }, context) => {
      const { db } = context.database
      const key = { accountId: callerOf(context).id, id: BigInt(number) }
      const { pool } = await presetById(db, key)
      if (settings !== undefined)
        await checkOrder(deps, db, { accountId: key.accountId, isView: false }, { pool, ...settings })
      const changes = { label: label?.trim(), settings }
      return answerOf(await transaction(db, (tx) => changePreset(tx, key, changes)))
    },
    delete_preset: async ({ number }, context) => {
      const key = { accountId: callerOf(context).id, id: BigInt(number) }
      await deletePreset(context.database.db, key)
      return true
    },
    renew_preset_link: async ({ number }, context) => {
      const key = { accountId: callerOf(context).id, id: BigInt(number) }
      const { token, preset } = await transaction(context.database.db, async (tx) => {
        const made = await renewLink(tx, key, context.now())
        await tellOfLink(tx, context)
        return made
      })
      return { path: `${linkPath}/${token}`, preset: answerOf(preset) }
    },
    revoke_preset_link: async ({ number }, context) => {
      const key = { accountId: callerOf(context).id, id: BigInt(number) }
      return answerOf(await revokeLink(context.database.db, key))
    },
  } satisfies HandlersOf<typeof presetsWire>
}

function answerOf({ id, pool, label, settings, createdAt, link }: Preset): Output<'save_preset'> {
  return {
    number: Number(id),
    pool,
    label,
    settings,
    created_at: createdAt.toISOString(),
    link:
      link === null
        ? null
        : { created_at: link.madeAt.toISOString(), last_used_at: link.usedAt?.toISOString() ?? null },
  }
}
