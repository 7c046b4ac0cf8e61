/** Proxy users as the calls have them: settings from inputs, and answers. */
import type { Output, Parsed } from '#contract/contract'
import { hiddenSecret } from '#contract/view'
import { callerOf, type Context } from '#db/call'
import { Refusal } from '#lib/refusal'
import type { Secrets } from '#lib/secret'
import { readHosts } from '#limits'
import { readAddresses, readCountries } from './places.ts'
import {
  type Chosen,
  type ListedUser,
  type NewUser,
  passwordOf,
  refuseBoth,
  type UserSettings,
} from './proxy-users.ts'
import type { Used } from './used.ts'

/** A proxy user without limits. */
export const unlimited: Omit<UserSettings, 'label'> = {
  externalId: null,
  totalBytes: null,
  dayBytes: null,
  monthBytes: null,
  connections: null,
  expiresAt: null,
  allowedHosts: [],
  countries: [],
  deniedCountries: [],
  noDoubleTariff: false,
  addresses: [],
  metadata: {},
}

/** A deleted one has no password, and a member of staff who looks at the account sees none. */
export const passwordFor = (context: Context, secrets: Secrets, user: ListedUser) => {
  if (user.deletedAt !== null) return null
  return callerOf(context).view === undefined ? passwordOf(secrets, user) : hiddenSecret
}

/** Metadata may hold the names of other people, which a member of staff who looks at the account does not see. */
export function seenBy(context: Context, user: ListedUser): ListedUser {
  if (callerOf(context).view === undefined) return user
  const hidden = Object.keys(user.metadata).map((key) => [key, hiddenSecret])
  return { ...user, metadata: Object.fromEntries(hidden) as Record<string, string> }
}

/** The names by which an input finds proxy users. */
export function filterOf({
  number,
  login,
  label,
  external_id: externalId,
  metadata,
}: Partial<Pick<Parsed<'get_proxy_users'>, 'number' | 'login' | 'label' | 'external_id' | 'metadata'>>) {
  return { number: number === undefined ? undefined : BigInt(number), login, label, externalId, metadata }
}

export const chosenIn = ({ login, password }: Chosen): Chosen => ({ login, password })

const bytes = (limit: number | null) => (limit === null ? null : BigInt(limit))

/** The settings that are given; null removes a limit. */
export function settingsOf(
  input: Omit<Parsed<'change_proxy_user'>, 'pool' | 'number' | 'label'>,
): Partial<UserSettings> {
  const { total_bytes, day_bytes, month_bytes, connections, expires_at } = input
  const { allowed_hosts, countries, denied_countries, no_double_tariff, addresses, metadata } = input
  return {
    ...(input.external_id === undefined ? {} : { externalId: input.external_id }),
    ...(total_bytes === undefined ? {} : { totalBytes: bytes(total_bytes) }),
    ...(day_bytes === undefined ? {} : { dayBytes: bytes(day_bytes) }),
    ...(month_bytes === undefined ? {} : { monthBytes: bytes(month_bytes) }),
    ...(connections === undefined ? {} : { connections }),
    ...(expires_at === undefined ? {} : { expiresAt: expires_at === null ? null : new Date(expires_at) }),
    ...(allowed_hosts === undefined ? {} : { allowedHosts: readHosts(allowed_hosts) }),
    ...(countries === undefined ? {} : { countries: readCountries(countries) }),
    ...(denied_countries === undefined ? {} : { deniedCountries: readCountries(denied_countries) }),
    ...(no_double_tariff === undefined ? {} : { noDoubleTariff: no_double_tariff }),
    ...(addresses === undefined ? {} : { addresses: readAddresses(addresses) }),
    ...(metadata === undefined ? {} : { metadata }),
  }
}

/** A reserved proxy user that is made without `total_bytes` has 0 bytes; any other is unlimited. */
export function newUser(input: Parsed<'create_proxy_users'>['users'][number]): NewUser {
  const isReserved = input.reserved ?? false
  const { totalBytes = isReserved ? 0n : null, ...settings } = settingsOf(input)
  if (isReserved && totalBytes === null) throw new Refusal('invalid_user_limit')
  const named = { ...chosenIn(input), label: input.label.trim() }
  const made = { ...unlimited, ...settings, ...named, totalBytes, isReserved }
  refuseBoth(made)
  return made
}

const number = (limit: bigint | null) => (limit === null ? null : Number(limit))

export function answerOf(user: ListedUser, used: Used, password: string | null): Output<'create_proxy_user'> {
  return {
    number: Number(user.nr),
    label: user.label,
    external_id: user.externalId,
    login: user.login,
    password,
    frozen: user.frozenAt !== null,
    deleted_at: user.deletedAt?.toISOString() ?? null,
    reserved: user.isReserved,
    created_at: user.createdAt.toISOString(),
    total_bytes: number(user.totalBytes),
    day_bytes: number(user.dayBytes),
    month_bytes: number(user.monthBytes),
    connections: user.connections,
    expires_at: user.expiresAt?.toISOString() ?? null,
    allowed_hosts: user.allowedHosts,
    countries: user.countries,
    denied_countries: user.deniedCountries,
    no_double_tariff: user.noDoubleTariff,
    addresses: user.addresses,
    metadata: user.metadata,
    used: {
      total_bytes: Number(used.totalBytes),
      day_bytes: Number(used.dayBytes),
      month_bytes: Number(used.monthBytes),
      requests: Number(used.requests),
      last_at: used.lastUsedAt?.toISOString() ?? null,
    },
  }
}
