/** The repair of a refused request, by the code of its refusal. */
import { type ProxyCode, proxyRefusals, type Repair } from '#contract/gateway/refusals'
import { pools } from '#contract/wire'
import { tabHref } from '#contract/account-tabs'

const isKnown = (code: string): code is ProxyCode => Object.hasOwn(proxyRefusals, code)

/** The code, if this release knows it: a record may be of another one. */
export const knownCode = (code: string | null): ProxyCode | null =>
  code !== null && isKnown(code) ? code : null

/** A failed request, as far as its repair depends on it. */
export interface Failed {
  outcome: string
  code: string | null
  pool: string | null
  /** The login of the proxy user; null or missing: the account's own, or unknown. */
  user?: string | null
  /** The gateway's message. */
  sentence?: string | null
}

/** The repair of a failed request. */
export function repairFor({ outcome, code, user = null }: Omit<Failed, 'pool'>): Repair {
  if (code === null) return outcome === 'no_traffic' ? 'buy' : 'retry'
  const known = knownCode(code)
  if (known === null) return 'support'
  // The connections of a proxy user may be fewer than those of the pool: its form has them.
  return known === 'too_many_connections' && user !== null ? 'users' : proxyRefusals[known].repair
}

/** The window whose cap was reached, as the sentence of the gateway names it. */
export const capWindow = (sentence: string | null): string | null =>
  /per (hour|day|month) is used up/.exec(sentence ?? '')?.[1] ?? null

/** The field of the limits that a refusal is about. */
function limitField(code: string | null, sentence: string | null): string {
  if (code === 'too_many_connections') return 'connections'
  return code === 'target_denied' ? 'denied' : (capWindow(sentence) ?? 'day')
}

const ipv4 = /(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])/

/**
 * Where a failed request is repaired, with what is known filled in; null: nowhere, or the shop has no
 * contact.
 */
export function repairHref(failed: Failed, support: string | null): string | null {
  const pool = pools.find((each) => each === failed.pool) ?? null
  const { code, user = null, sentence = null } = failed
  const at = (tab: Parameters<typeof tabHref>[0], more: Record<string, string | null> = {}) => {
    const search = new URLSearchParams(tabHref(tab).split('?')[1])
    for (const [name, value] of Object.entries({ pool, ...more }))
      if (value !== null && value !== undefined) search.set(name, value)
    return `/account?${search.toString()}`
  }
  switch (repairFor(failed)) {
    case 'buy':
      return pool === null ? '/purchase' : `/purchase?pool=${pool}`
    case 'generator':
      return at('panel')
    case 'security':
      return at('changePass')
    case 'limits':
      return at('limits', { limits: limitField(code, sentence) })
    case 'whitelist':
      return at('whitelist', { ip: ipv4.exec(sentence ?? '')?.[0] ?? null })
    case 'users':
      return at('proxyUsers', { user })
    case 'rules':
      return '/rules'
    case 'support':
      return support
    case 'retry':
      return null
  }
}

/** Caps are reset with each UTC day: one of an earlier day has no effect any more. */
export const isToday = (at: string): boolean => at.slice(0, 10) === new Date().toISOString().slice(0, 10)
