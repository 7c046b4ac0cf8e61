/** The desk's calls about variables: keys of payment processors, the mail server, the bot. */
import {
  secretVariables,
  type VariableGroup,
  variableGroupNames,
  variableGroups,
} from '#contract/desk/variables'
import { type Database, transaction } from '#db'
import { Refusal } from '#lib/refusal'
import type { Secrets } from '#lib/secret'
import { lockVariables, readVariables, storeVariables, variableChanges, type Variables } from '#settings'
import { type Author, record } from '#staff'
import { authorOf, type DeskHandlers } from '#staff/call'

/** The variables as the process of the desk has them. */
export interface VariablesAtDesk {
  /** The groups that the environment sets, wholly or in part. */
  pinned: () => VariableGroup[]
  /** What is in force of a variable; null: nothing, or a secret. */
  shown: (name: string) => string | null
  /** Refuses values that do not fit together. */
  check: (variables: Variables) => void
}

export interface VariableDeps {
  secrets: Secrets
  variables: VariablesAtDesk
}

interface VariableOrder {
  group: VariableGroup
  /** By name; empty: not set any more. A secret that is left out stays. */
  values: Readonly<Record<string, string>>
  reason: string
}

/** The addresses to which the secrets of a group are sent: with another one, all of them are given anew. */
const addressOf: Partial<Record<VariableGroup, string>> = { crypto: 'BTCPAY_URL' }

/**
 * Replaces the variables of a group; returns the names of those with another value than before. Refuses with
 * `variables_pinned` a group of the environment, with `unknown_variable` a name that is not in the group, with
 * `secrets_needed` another address without the secrets, and as `check` does.
 */
export function changeVariables(
  { db }: Database,
  { secrets, variables }: VariableDeps,
  author: Author,
  { group, values, reason }: VariableOrder,
  now: Date,
): Promise<string[]> {
  const names: readonly string[] = variableGroups[group]
  const stray = Object.keys(values).find((name) => !names.includes(name))
  if (stray !== undefined) throw new Refusal('unknown_variable', { variable: stray })
  if (variables.pinned().includes(group))
    throw new Refusal('variables_pinned', { variables: names.join(', ') })
  return transaction(db, async (tx) => {
    await lockVariables(tx)
    const before = await readVariables(tx, secrets)
    const next = Object.fromEntries(names.map((name) => [name, nextOf(name, values[name], before)]))
    const address = addressOf[group]
    const kept = names.filter(
      (name) => secretVariables.has(name) && values[name] === undefined && next[name] !== null,
    )
    if (address !== undefined && next[address] !== (before[address] ?? null) && kept.length > 0)
      throw new Refusal('secrets_needed', { variables: kept.join(', ') })
    const all = Object.entries({ ...before, ...next })
    variables.check(
      Object.fromEntries(all.flatMap(([name, value]) => (value === null ? [] : [[name, value]]))),
    )
    const changed = await storeVariables(tx, secrets, { values: next, by: author.name, reason }, now)
    if (changed.length > 0)
      await record(
        tx,
        author,
        {
          action: 'change_variables',
          subject: { kind: 'setting', id: group },
          after: noted(next, changed),
          reason,
        },
        now,
      )
    return changed
  })
}

function nextOf(name: string, given: string | undefined, before: Variables): string | null {
  if (given === undefined) return secretVariables.has(name) ? (before[name] ?? null) : null
  const value = given.trim()
  return value === '' ? null : value
}

/** What the audit trail keeps: of secrets only that they have changed. */
const noted = (next: Readonly<Record<string, string | null>>, changed: readonly string[]) =>
  Object.fromEntries(
    changed.map((name) => {
      const value = next[name] ?? null
      return [name, value !== null && secretVariables.has(name) ? 'changed' : value]
    }),
  )

export function variableCalls(deps: VariableDeps) {
  const { secrets, variables } = deps
  return {
    variables: async (_input, { database: { db } }) => {
      const [stored, changes] = [await readVariables(db, secrets), await variableChanges(db)]
      const pinned = variables.pinned()
      return variableGroupNames.map((group) => ({
        group,
        is_pinned: pinned.includes(group),
        variables: variableGroups[group].map((name) => {
          const last = changes.get(name)
          const isSecret = secretVariables.has(name)
          return {
            name,
            is_secret: isSecret,
            is_set: stored[name] !== undefined,
            value: isSecret ? null : (stored[name] ?? null),
            in_force: variables.shown(name),
            changed: last === undefined ? null : { at: last.at.toISOString(), by: last.by },
          }
        }),
      }))
    },
    change_variables: async ({ group, values, reason }, context) => {
      const order = { group, values, reason }
      const changed = await changeVariables(context.database, deps, authorOf(context), order, context.now())
      return { changed: changed.length > 0 }
    },
  } satisfies Partial<DeskHandlers>
}
