/**
 * The call that tries a line: one request to the shop's own echo, never to a target that the caller names,
 * through the entry point that the line names. It is charged as any request of the line is.
 */
import { performance } from 'node:perf_hooks'
import type { Duplex } from 'node:stream'
import type { Output, Parsed } from '#contract/contract'
import { trialsPerMinute } from '#contract/presets/rules'
import { parseLine, type ProxyEndpoint } from '#contract/proxy-lines'
import { type ProxyCode, proxyCodes } from '#contract/gateway/refusals'
import type { trialWire } from '#contract/proxies/calls'
import { callerOf, type HandlersOf } from '#db/call'
import { isIP } from 'node:net'
import { Refusal } from '#lib/refusal'
import { makeLines, type ProxiesDeps } from '../order.ts'
import { autonomousSystemOf, registeredCountryOf } from './networks.ts'
import { getThrough, openTunnel } from './request.ts'
import { openSocksTunnel } from './socks.ts'
import { Turns } from './turns.ts'

/** How long a trial may take. */
const withinMs = 15_000

/** The format of the line that is tried: one with a password, since the request comes from the shop. */
const format = 'login:password@hostname:port'

type Trial = Output<'try_line'>
/** A trial before the network of its address is looked up. */
type Tried = Omit<Trial, 'asn' | 'as_name' | 'registered_country'>

export function trialCalls(deps: ProxiesDeps, { target }: { target: URL }) {
  const turns = new Turns({ perMinute: trialsPerMinute })
  return {
    try_line: async (input, context) => {
      const { id: accountId } = callerOf(context)
      const order = { ...input, format, quantity: 1 } as const
      // Invalid settings are refused first, and do not count as a trial.
      const { lines } = await makeLines(deps, context.database.db, { accountId, isView: false }, order)
      const proxy = parseLine(format, lines.toString())
      if (proxy === null) throw new Refusal('proxy_password_unreadable')
      return turns.take(accountId, context.now(), async () => {
        const tried = await (input.protocol === 'socks5'
          ? tryBySocks(proxy, target, input)
          : tryLine(proxy, target))
        const { address } = tried
        const system = address === null ? null : await autonomousSystemOf(address)
        const registered = address === null ? null : await registeredCountryOf(address)
        return {
          ...tried,
          registered_country: registered,
          asn: system?.asn ?? onlyAsn(input),
          as_name: system?.name ?? null,
        }
      })
    },
  } satisfies HandlersOf<typeof trialWire>
}

/** The AS number where the settings allow only one: for an exit whose address is in no table. */
function onlyAsn({ included_asns: asns }: Parsed<'try_line'>): number | null {
  const [only, ...others] = asns ?? []
  if (only === undefined || others.length > 0) return null
  return Number(String(only).trim().replace(/^as/i, ''))
}

const nothing: Omit<Tried, 'latency_ms'> = {
  ok: false,
  status: null,
  code: null,
  sentence: null,
  address: null,
  country: null,
  connect_ms: null,
  request_id: null,
}

const knownCodes: ReadonlySet<string> = new Set(proxyCodes)
const isProxyCode = (code: string): code is ProxyCode => knownCodes.has(code)
const header = (value: string | string[] | undefined) => (typeof value === 'string' ? value : null)

/** One request through this proxy, and its result. */
async function tryLine(proxy: ProxyEndpoint, target: URL): Promise<Tried> {
  const begun = performance.now()
  const ms = () => Math.round(performance.now() - begun)
  const signal = AbortSignal.timeout(withinMs)
  let known = nothing
  try {
    const opened = await openTunnel(proxy, target, signal)
    known = { ...known, request_id: header(opened.headers['x-request-id']) }
    if (opened.tunnel === null) return { ...known, ...refusalOf(opened), latency_ms: ms() }
    const { tunnel } = opened
    const country = header(opened.headers['x-turnpike-country'])?.toLowerCase() ?? null
    known = { ...known, country, connect_ms: ms() }
    return { ...known, ...(await answered(tunnel, target, signal)), latency_ms: ms() }
  } catch {
    return { ...known, code: failureOf(known, signal), latency_ms: ms() }
  }
}

/**
 * The same by SOCKS5, whose answers have no headers: the country is known only where the settings name a
 * single one, and a refused request is repeated by CONNECT, whose answer gives the reason.
 */
async function tryBySocks(
  proxy: ProxyEndpoint,
  target: URL,
  { countries }: Parsed<'try_line'>,
): Promise<Tried> {
  const begun = performance.now()
  const ms = () => Math.round(performance.now() - begun)
  const signal = AbortSignal.timeout(withinMs)
  let known = nothing
  try {
    const tunnel = await openSocksTunnel(proxy, target, signal)
    if (tunnel === null) return await tryLine(proxy, target)
    const [only = null, ...others] = countries ?? []
    const country = only === null || others.length > 0 ? null : only.toLowerCase()
    known = { ...known, country, connect_ms: ms() }
    return { ...known, ...(await answered(tunnel, target, signal)), latency_ms: ms() }
  } catch {
    return { ...known, code: failureOf(known, signal), latency_ms: ms() }
  }
}

/** The target's answer through a tunnel. */
async function answered(tunnel: Duplex, target: URL, signal: AbortSignal) {
  try {
    const { status, body } = await getThrough(tunnel, target, signal)
    const address = addressOf(body)
    const ok = status === 200 && address !== null
    return { ok, status, code: ok ? null : ('unexpected_answer' as const), address }
  } finally {
    tunnel.destroy()
  }
}

/**
 * Hides the connection error: it concerns the shop's network, and its message could contain internal
 * addresses.
 */
function failureOf(known: typeof nothing, signal: AbortSignal) {
  if (signal.aborted) return 'trial_timeout'
  return known.connect_ms === null ? 'gateway_unreachable' : 'unexpected_answer'
}

/** The gateway's refusal: a status, and `code: sentence` as the body. */
function refusalOf({ status, body }: { status: number; body: string }): Partial<Trial> {
  const { code = '', sentence = null } =
    /^(?<code>[a-z_]{1,64}): (?<sentence>[^\r\n]{0,500})/.exec(body)?.groups ?? {}
  return { status, code: isProxyCode(code) ? code : 'unexpected_answer', sentence }
}

/** The address in the answer of the echo; null: it is none. */
function addressOf(body: string): string | null {
  try {
    const { ip } = JSON.parse(body) as { ip?: unknown }
    return typeof ip === 'string' && isIP(ip) !== 0 ? ip : null
  } catch {
    return null
  }
}
