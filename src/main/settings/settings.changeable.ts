/**
 * The variables that staff may set at the desk in place of the environment, in groups: a group of which the
 * environment sets one variable belongs to the environment as a whole, so that nobody at the desk can send
 * its keys elsewhere. Addresses of processors' APIs and of Telegram's are the environment's for the same
 * reason.
 */
import { type VariableGroup, variableGroupNames, variableGroups } from '#contract/desk/variables'
import type { VariablesAtDesk } from '#desk'
import { Refusal } from '#lib/refusal'
import type { Variables } from '#settings'
import { type Env, SettingFault, text } from './settings.env.ts'
import { shownVariable } from './settings.listed.ts'
import { sourceInUse } from './settings.source.ts'
import { readSettings, type Settings } from './settings.ts'

/** The groups that the environment sets, or a part of. */
export const pinnedGroups = (env: Env): VariableGroup[] =>
  variableGroupNames.filter((group) => variableGroups[group].some((name) => text(env, name) !== null))

/** The environment, with the desk's values of the groups that it leaves to the desk. */
export function overlaid(env: Env, variables: Variables): Env {
  const pinned = pinnedGroups(env)
  const free = variableGroupNames
    .filter((group) => !pinned.includes(group))
    .flatMap((group) => variableGroups[group])
  const values = free.flatMap((name) => (variables[name] === undefined ? [] : [[name, variables[name]]]))
  return { ...env, ...Object.fromEntries(values) }
}

/** The settings that a process takes over while it runs. */
const liveSettings = ['mail', 'telegram', 'payments', 'receipts', 'automatic'] as const

/** Takes over what the desk has changed; throws `SettingFault`, and then nothing has changed. */
export function takeOver(settings: Settings, env: Env, variables: Variables, cwd: string): void {
  const next = readSettings(overlaid(env, variables), cwd)
  Object.assign(settings, Object.fromEntries(liveSettings.map((name) => [name, next[name]])))
}

/** What the desk knows of the variables of its process, and how it checks a change. */
export function variablesAtDesk(settings: Settings): VariablesAtDesk {
  return {
    pinned: () => pinnedGroups(sourceInUse().env),
    shown: (name) => shownVariable(settings, name),
    check: (variables) => {
      try {
        readSettings(overlaid(sourceInUse().env, variables), process.cwd())
      } catch (error) {
        if (!(error instanceof SettingFault)) throw error
        throw refusalOf(error)
      }
    },
  }
}

function refusalOf({ message, variable: fault }: SettingFault): Refusal {
  if (fault === null) return new Refusal('invalid_variable', { fault: message })
  const { variable } = fault
  return fault.kind === 'missing'
    ? new Refusal('variable_missing', { variable, needs: fault.needs })
    : new Refusal('variable_malformed', { variable, example: fault.example })
}
