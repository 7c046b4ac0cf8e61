/**
 * The variables that staff may set at the desk in place of the environment, in groups: a group of which the
 * environment sets one variable belongs to the environment as a whole, so that nobody at the desk can send
 * its keys elsewhere. Addresses of processors' APIs and of Telegram's are the environment's for the same
 * reason.
 */
import { lookup } from 'node:dns/promises'
import {
  type VariableGroup,
  variableGroupNames,
  variableNames,
  variableOf,
  variablesOf,
} from '#contract/desk/variables'
import type { VariablesAtDesk } from '#desk'
import { isPublic, parseIp, parseIpAnySpelling, withoutZone } from '#lib/ip'
import { Refusal } from '#lib/refusal'
import { withTimeout } from '#lib/timeout'
import type { Variables } from '#settings'
import { type Env, SettingFault, text } from './settings.env.ts'
import { shownVariable } from './settings.listed.ts'
import { sourceInUse } from './settings.source.ts'
import { isLocalHost, readSettings, type Settings } from './settings.ts'

/** The groups that the environment sets, or a part of. */
export const pinnedGroups = (env: Env): VariableGroup[] =>
  variableGroupNames.filter((group) => variablesOf(group).some((name) => text(env, name) !== null))

/** The groups that both set: the environment of this process takes precedence. */
export const overruledGroups = (env: Env, variables: Variables): VariableGroup[] =>
  pinnedGroups(env).filter((group) => variablesOf(group).some((name) => variables[name] !== undefined))

/** The desk's values of the groups that the environment leaves to it. */
function usedOf(env: Env, variables: Variables): Variables {
  const pinned = pinnedGroups(env)
  const free = variableGroupNames.filter((group) => !pinned.includes(group)).flatMap(variablesOf)
  const values = free.map((name) => [name, variables[name]] as const)
  return Object.fromEntries(values.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
}

/** The environment, with the desk's values of the groups that it leaves to the desk. */
export const overlaid = (env: Env, variables: Variables): Env => ({ ...env, ...usedOf(env, variables) })

/** The settings that a process takes over while it runs. */
const liveSettings = ['mail', 'telegram', 'payments', 'receipts', 'automatic'] as const

/** Takes over what the desk has changed; throws `SettingFault`, and then nothing has changed. */
export function takeOver(settings: Settings, env: Env, variables: Variables, cwd: string): void {
  const next = readSettings(overlaid(env, variables), cwd)
  Object.assign(settings, Object.fromEntries(liveSettings.map((name) => [name, next[name]])))
  settings.fromDesk = new Set(Object.keys(usedOf(env, variables)))
}

/** What the desk knows of the variables of its process, and how it checks a change. */
export function variablesAtDesk(settings: Settings): VariablesAtDesk {
  return {
    pinned: () => pinnedGroups(sourceInUse().env),
    judgeAddresses: (values) => judgeAddresses(settings, values),
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

/** Variables that are the address of a server, which staff choose. */
const addressVariables = variableNames.filter((name) => variableOf(name).isAddress)

/** The maximum time for the lookup of a name. */
const lookUpMs = 5_000

/**
 * Refuses addresses in private networks and on this machine: who has only the desk must not send the shop's
 * requests to servers that trust it. The settings file may name such a server. A shop that is for this machine
 * only has nothing to protect.
 */
async function judgeAddresses({ publicUrl }: Settings, values: Variables): Promise<void> {
  if (isLocalHost(publicUrl.hostname)) return
  for (const variable of addressVariables) {
    const value = values[variable]?.trim() ?? ''
    // An invalid address is refused by the check of the settings.
    if (!URL.canParse(value)) continue
    const host = new URL(value).hostname.replace(/^\[|\]$/g, '')
    const addresses = await addressesOf(host)
    if (addresses.length === 0) throw new Refusal('variable_unresolved', { variable, host })
    if (!addresses.every((ip) => ip !== null && isPublic(ip)))
      throw new Refusal('variable_private', { variable })
  }
}

/** None: the name cannot be looked up. */
async function addressesOf(host: string) {
  const literal = parseIpAnySpelling(host)
  if (literal !== null) return [literal]
  const found = await withTimeout(
    lookup(host, { all: true }).catch(() => []),
    lookUpMs,
    () => [],
  )
  return found.map(({ address }) => parseIp(withoutZone(address)))
}

function refusalOf({ message, variable: fault }: SettingFault): Refusal {
  if (fault === null) return new Refusal('invalid_variable', { fault: message })
  const { variable } = fault
  return fault.kind === 'missing'
    ? new Refusal('variable_missing', { variable, needs: fault.needs })
    : new Refusal('variable_malformed', { variable, example: fault.example })
}
