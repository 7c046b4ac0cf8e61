/** The operator's desk beside a shop, and browsers of its staff. */
import type { AddressInfo } from 'node:net'
import { generate } from 'otplib'
import type { Registry } from 'prom-client'
import { createDeskClient, type DeskClient } from '#contract/desk/client'
import type { Role } from '#contract/desk/roles'
import { buildDeskServer, type FileLimits } from '#http/desk'
import { parseCidr } from '#lib/ip'
import { inviteStaff } from '#staff'
import type { DeskHandlers } from '#staff/call'
import { shopChecks } from '../src/main/commands/doctor/shop.ts'
import { deskHandlersOf, limitsOf } from '../src/main/desk.ts'
import { openDownload } from '../src/main/services.ts'
import type { App } from './app.ts'

export const deskUrl = new URL('http://localhost:3001')

/** A browser: it keeps the cookie, and sends what browsers send with a request of a page. */
export class Browser {
  readonly origin: string
  readonly call: DeskClient
  cookie: string | null = null
  headers: Record<string, string>

  constructor(origin: string, headers: Record<string, string> = {}) {
    this.origin = origin
    this.headers = { origin: deskUrl.origin, 'sec-fetch-site': 'same-origin', ...headers }
    this.call = createDeskClient({
      baseUrl: origin,
      language: () => 'en',
      timeoutMs: 30_000,
      fetch: (input, init) => this.fetch(input as string, init),
    })
  }

  async fetch(url: string, init: RequestInit = {}): Promise<Response> {
    const cookie: Record<string, string> = this.cookie === null ? {} : { cookie: this.cookie }
    const headers = { ...(init.headers as Record<string, string> | undefined), ...this.headers, ...cookie }
    const answer = await fetch(new URL(url, this.origin), { ...init, headers, redirect: 'manual' })
    const [given] = answer.headers.getSetCookie()
    if (given !== undefined) this.cookie = given.includes('Max-Age=0') ? null : (given.split(';')[0] ?? null)
    return answer
  }

  /** A copy of this browser, cookie included: what a thief of the cookie has. */
  stolen(): Browser {
    const copy = new Browser(this.origin, this.headers)
    copy.cookie = this.cookie
    return copy
  }
}

export interface StaffMember {
  id: bigint
  name: string
  role: Role
  password: string
  /** The secret of the authenticator app. */
  secret: string
  recoveryCodes: string[]
  browser: Browser
  call: DeskClient
}

export interface Desk {
  origin: string
  browser: (headers?: Record<string, string>) => Browser
  /** Invites a person, who joins with an authenticator app and is signed in. */
  staff: (role: Role, name?: string) => Promise<StaffMember>
  /** The next code of an authenticator app: moves the clock on to an unused step. */
  code: (secret: string) => Promise<string>
  /** The code of the last queued letter to an address that a member has entered; no job sends it in tests. */
  codeFor: (email: string) => Promise<string>
  /** Proves the second factor again. */
  stepUp: (member: StaffMember) => Promise<void>
  close: () => Promise<void>
}

let people = 0

export interface DeskOptions {
  allow?: string[]
  trustProxy?: string[]
  webRoot?: string | null
  /** The time zone of the shop; UTC by default. */
  zone?: string
  fileLimits?: FileLimits
  /** The registry of the metric that counts long turns of the event loop. */
  registry?: Registry
  /** Handlers in place of the desk's own. */
  handlers?: Partial<DeskHandlers>
}

/** The desk of a shop, listening on a free port of this machine. */
export async function desk(
  shop: Pick<App, 'services' | 'database' | 'clock'>,
  options: DeskOptions = {},
): Promise<Desk> {
  const { services, database, clock } = shop
  const { zone = 'UTC', fileLimits } = options
  const ofDesk = { ...services.settings.desk, url: deskUrl, zone }
  // Follows the shop's settings when staff change them.
  const settings = new Proxy(services.settings, {
    get: (all, name) => (name === 'desk' ? ofDesk : (Reflect.get(all, name) as unknown)),
  })
  const handlers = { ...(await deskHandlersOf({ ...services, settings }, shopChecks)), ...options.handlers }
  const server = await buildDeskServer({
    database,
    handlers,
    limits: () => limitsOf(services),
    deskUrl,
    networks: (options.allow ?? []).map((text) => parseCidr(text)).filter((network) => network !== null),
    trustProxy: options.trustProxy ?? [],
    download: openDownload(database),
    webRoot: options.webRoot ?? null,
    registry: options.registry ?? null,
    zone,
    ...(fileLimits === undefined ? {} : { fileLimits }),
    now: () => clock.now,
    log: services.log,
  })
  await server.listen({ host: '127.0.0.1', port: 0 })
  const origin = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`
  const system = { kind: 'system', staffId: null, name: 'root', ip: null, requestId: null } as const

  const code = (secret: string) => {
    clock.now = new Date(clock.now.getTime() + 30_000)
    return generate({ secret, epoch: Math.floor(clock.now.getTime() / 1000) })
  }
  const staff = async (role: Role, name = `${role}${++people}`): Promise<StaffMember> => {
    const { staffId: id, token } = await inviteStaff(database.db, system, { name, role }, clock.now)
    const browser = new Browser(origin)
    const { secret } = (await browser.call('join_begin', { token })).totp
    const password = `the password of ${name}`
    const factor = { kind: 'totp', code: await code(secret) } as const
    const { recovery_codes: recoveryCodes } = await browser.call('join_finish', { token, password, factor })
    return { id, name, role, password, secret, recoveryCodes, browser, call: browser.call }
  }
  return {
    origin,
    browser: (headers) => new Browser(origin, headers),
    staff,
    code,
    codeFor: async (email) => {
      const { rows } = await database.pool.query<{ text: string }>(
        `select data->'lines'->>0 as text from mail where recipient = $1 and template = 'staff_alert'
         order by created_at desc limit 1`,
        [email],
      )
      return /[0-9]{8}/.exec(rows[0]?.text ?? '')?.[0] ?? 'none'
    },
    stepUp: async (member) => void (await member.call('confirm_totp', { code: await code(member.secret) })),
    close: async () => {
      server.server.closeAllConnections()
      await server.close()
    },
  }
}
