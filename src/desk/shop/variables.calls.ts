/** The desk's calls about variables: keys of payment processors, the mail server, the bot. */
import {
  connectionOf,
  type TestedGroup,
  type VariableGroup,
  variableGroupNames,
  variableOf,
  variablesOf,
} from '#contract/desk/variables'
import { type Said, sentenceOf } from '#contract/desk/faults'
import type { Language } from '#contract/language'
import { type Database, transaction } from '#db'
import { isEmail } from '#contract/account-rules'
import { Refusal } from '#lib/refusal'
import type { Secrets } from '#lib/secret'
import { openBusiness } from '#purchase'
import { lockVariables, readVariables, storeVariables, variableChanges, type Variables } from '#settings'
import { type Author, record } from '#staff'
import { authorOf, type DeskHandlers } from '#staff/call'
import { countSaved } from '#topup'

/** The variables as the process of the desk has them. */
export interface VariablesAtDesk {
  /** The groups that the environment sets, wholly or in part. */
  pinned: () => VariableGroup[]
  /** The value of a variable that is in force; null: it has none, or is a secret. */
  shown: (name: string) => string | null
  /** Refuses values that do not fit together. */
  check: (variables: Variables) => void
  /** Refuses addresses of servers that staff may not choose. */
  judgeAddresses: (values: Variables) => Promise<void>
}

/** The result of a test; its facts contain no key. */
export interface TestedConnection {
  isGood: boolean
  said: Said
}

/** Tests a connection with the keys in force in this process. `to`: the recipient of the test letter. */
export type TestConnection = (
  group: TestedGroup,
  by: { to: string | null; language: Language },
) => Promise<TestedConnection>

export interface VariableDeps {
  secrets: Secrets
  variables: VariablesAtDesk
  testConnection: TestConnection
}

interface VariableOrder {
  group: VariableGroup
  /** Values by name; empty: removes the variable. Of those left out, secrets are kept and others removed. */
  values: Readonly<Record<string, string>>
  /** Whether staff accept another account although something is open at the present one. */
  leavesOpen: boolean
  reason: string
}

const isSecret = (name: string): boolean => variableOf(name).isSecret === true

/**
 * Replaces the variables of a group; returns the names of those with another value than before. Refuses with
 * `variables_pinned` a group of the environment, with `unknown_variable` a name that is not in the group, with
 * `secrets_needed` another address without the secrets, with `connection_in_use` another account while
 * something is open at the present one, and as `judgeAddresses` and `check` do.
 */
export async function changeVariables(
  { db }: Database,
  { secrets, variables }: Pick<VariableDeps, 'secrets' | 'variables'>,
  author: Author,
  { group, values, leavesOpen, reason }: VariableOrder,
  now: Date,
): Promise<string[]> {
  const names: readonly string[] = variablesOf(group)
  const stray = Object.keys(values).find((name) => !names.includes(name))
  if (stray !== undefined) throw new Refusal('unknown_variable', { variable: stray })
  if (variables.pinned().includes(group))
    throw new Refusal('variables_pinned', { variables: names.join(', ') })
  // Before the transaction, because host names are looked up.
  await variables.judgeAddresses(values)
  return transaction(db, async (tx) => {
    await lockVariables(tx)
    const before = await readVariables(tx, secrets)
    const next = Object.fromEntries(names.map((name) => [name, nextOf(name, values[name], before)]))
    // Who changes the address that gets a group's secrets must give all secrets anew.
    const address = names.find((name) => variableOf(name).isAddress)
    const kept = names.filter((name) => isSecret(name) && values[name] === undefined && next[name] !== null)
    if (address !== undefined && next[address] !== (before[address] ?? null) && kept.length > 0)
      throw new Refusal('secrets_needed', { variables: kept.join(', ') })
    const all = Object.entries({ ...before, ...next })
    variables.check(
      Object.fromEntries(all.flatMap(([name, value]) => (value === null ? [] : [[name, value]]))),
    )
    if (!leavesOpen && isAnotherAccount(group, before, next)) refuseOpen(await openIn(tx, now)(group))
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

/**
 * Whether the processor may no longer know what is open there after the change. False for a first key:
 * nothing is open yet.
 */
function isAnotherAccount(
  group: VariableGroup,
  before: Variables,
  next: Readonly<Record<string, string | null>>,
): boolean {
  const changed = variablesOf(group).filter(
    (name) => before[name] !== undefined && before[name] !== next[name],
  )
  return changed.some((name) => {
    const { isAccount } = variableOf(name)
    return isAccount === true || (isAccount === 'if_removed' && next[name] === null)
  })
}

const nothing = { invoices: 0, refunds: 0, disputes: 0, saved_methods: 0 }

/** Counts what is open at the processor of a group. */
function openIn(db: Database['db'], now: Date): (group: VariableGroup) => Promise<typeof nothing> {
  const read = Promise.all([openBusiness(db, now), countSaved(db)])
  return async (group) => {
    const [open, saved] = await read
    return connectionOf(group).methods.reduce((sum, method) => {
      const { invoices, refunds, disputes } = open.get(method) ?? nothing
      return {
        invoices: sum.invoices + invoices,
        refunds: sum.refunds + refunds,
        disputes: sum.disputes + disputes,
        saved_methods: sum.saved_methods + (saved.get(method) ?? 0),
      }
    }, nothing)
  }
}

function refuseOpen(open: typeof nothing): void {
  if (Object.values(open).some((count) => count > 0)) throw new Refusal('connection_in_use', open)
}

function nextOf(name: string, given: string | undefined, before: Variables): string | null {
  if (given === undefined) return isSecret(name) ? (before[name] ?? null) : null
  const value = given.trim()
  return value === '' ? null : value
}

/** The changed values for the audit trail; in place of a new secret `changed`. */
const noted = (next: Readonly<Record<string, string | null>>, changed: readonly string[]) =>
  Object.fromEntries(
    changed.map((name) => {
      const value = next[name] ?? null
      return [name, value !== null && isSecret(name) ? 'changed' : value]
    }),
  )

export function variableCalls(deps: VariableDeps) {
  const { secrets, variables, testConnection } = deps
  return {
    variables: async (_input, { database: { db }, now }) => {
      const [stored, changes] = [await readVariables(db, secrets), await variableChanges(db)]
      const pinned = variables.pinned()
      const openOf = openIn(db, now())
      const shown = variableGroupNames.map(async (group) => ({
        group,
        is_pinned: pinned.includes(group),
        open: await openOf(group),
        variables: variablesOf(group).map((name) => {
          const last = changes.get(name)
          return {
            name,
            is_secret: isSecret(name),
            is_set: stored[name] !== undefined,
            value: isSecret(name) ? null : (stored[name] ?? null),
            in_force: variables.shown(name),
            changed: last === undefined ? null : { at: last.at.toISOString(), by: last.by },
          }
        }),
      }))
      return Promise.all(shown)
    },
    test_connection: async ({ group, to = null }, context) => {
      if (group === 'mail' && (to === null || !isEmail(to))) throw new Refusal('invalid_email')
      const { database, language, now } = context
      const { isGood, said } = await testConnection(group, { to, language })
      const subject = { kind: 'setting', id: group } as const
      const after = { answer: said.code }
      await transaction(database.db, (tx) =>
        record(tx, authorOf(context), { action: 'test_connection', subject, after }, now()),
      )
      return { is_good: isGood, sentence: sentenceOf(said, language) }
    },
    change_variables: async ({ group, values, leaves_open: leavesOpen, reason }, context) => {
      const order = { group, values, leavesOpen, reason }
      const changed = await changeVariables(context.database, deps, authorOf(context), order, context.now())
      return { changed: changed.length > 0 }
    },
  } satisfies Partial<DeskHandlers>
}
