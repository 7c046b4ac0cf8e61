import type { AddressInfo } from 'node:net'
import { type Logger, pino } from 'pino'
import { Registry } from 'prom-client'
import { type CallError, type Client, createClient } from '#contract/client'
import { type Name, type Pool, pathOf } from '#contract/wire'
import { seedDemoCatalog } from '#catalog'
import type { Database } from '#db'
import { buildServer, type TelegramDesk } from '#http'
import { Admission } from '#http/admission'
import { secretsOf } from '#lib/secret'
import { type PaymentMethod, PaymentMethods } from '#payments'
import { sandboxDesk, sandboxMethod } from '#payments/adapters'
import { findInvoice, type PurchaseDeps, receiveWebhook } from '#purchase'
import { Counts } from '../src/main/health/counts.ts'
import { Renewals, renewed, watchVariables } from '../src/main/renewal.ts'
import { Stopper } from '../src/main/process/stop.ts'
import { gatewaySource } from '../src/main/gateway/shop.ts'
import { jsonAnswersOf } from '../src/main/json.answers.ts'
import { brandOnPages } from '#content'
import { handlersOf, openLink } from '../src/main/handlers.ts'
import { authenticateWith, openDownload, purchaseDeps, type Services } from '../src/main/services.ts'
import { readSettings } from '../src/main/settings/settings.ts'
import { testDatabase } from './database.ts'

/** The shop's dependencies of purchases. */
export { purchaseDeps }

export interface Customer {
  username: string
  email: string
  password: string
  token: string
  call: Client
}

export interface App {
  origin: string
  database: Database
  services: Services
  /** The time of the server's clock; tests change it. */
  clock: { now: Date }
  /**
   * Sends a session's token with the cookie of the browser that signed in for it. Sign-ins are made by new
   * browsers.
   */
  fetch: typeof fetch
  /** A client that is not signed in. */
  anyone: Client
  client: (token: string | null, language?: 'ru' | 'en') => Client
  /** A client from another address; not signed in unless there is a token. */
  from: (ip: string, language?: 'ru' | 'en', token?: string) => Client
  /** Signs up a new customer and signs in. */
  customer: (name?: string) => Promise<Customer>
  /** Buys and pays through the sandbox as a person does: invoice, page, button, webhook. */
  buy: (customer: Customer, order: { pool: Pool; gb: number; promocode?: string }) => Promise<string>
  /** The dependencies of `purchase`. */
  purchase: () => PurchaseDeps
  /** Takes over each change of settings at the desk from now on, as a process does. */
  watchSettings: () => Promise<void>
  close: () => Promise<void>
}

/** The SECRET_KEY of shops in tests. */
export const testSecretKey = 'a test key of more than thirty-two characters'

let people = 0
let arrivals = 0

export interface AppOptions {
  /** The address for the bot's updates from Telegram. */
  telegram?: (services: Services, now: () => Date) => TelegramDesk
  /** Settings other than the defaults. */
  env?: Record<string, string>
  /** Payment methods besides the sandbox. */
  methods?: PaymentMethod[]
  /** The proxies whose X-Forwarded-For is trusted; this machine by default. */
  trustProxy?: string[]
  /** The public address. */
  publicUrl?: string
  /** The rate limit of calls in the name of one account. Default: the usual one. */
  accountPace?: { perSecond: number; atOnce: number }
  /** The destination of the log; none by default. */
  log?: Logger
}

/** A complete server on its own database, listening on a free port of this machine. */
export async function app(options: AppOptions = {}): Promise<App> {
  const database = await testDatabase()
  await seedDemoCatalog(database.db)
  const clock = { now: new Date() }
  const log = options.log ?? pino({ level: 'silent' })
  const secret = Buffer.alloc(32, 7)
  let origin = ''
  const publicUrl = new URL(options.publicUrl ?? 'http://localhost:3000')
  const secrets = secretsOf(testSecretKey)
  const services: Services = {
    settings: readSettings(options.env ?? {}, '/nonexistent'),
    log,
    database,
    secrets,
    methods: new PaymentMethods([sandboxMethod({ publicUrl, secret }), ...(options.methods ?? [])]),
    sandboxSecret: secret,
    counts: new Counts(),
    admission: new Admission({ now: () => clock.now, pace: options.accountPace }),
    renewals: new Renewals(),
  }
  const now = () => clock.now
  const browsing = browsers()
  const stopper = new Stopper()
  const telegram = options.telegram?.(services, now) ?? null
  const server = await buildServer({
    database,
    handlers: renewed(services, () => handlersOf(services)),
    jsonAnswers: jsonAnswersOf(services),
    secrets,
    admission: services.admission,
    authenticate: authenticateWith(database),
    download: openDownload(database),
    link: openLink(services),
    webhooks: {
      receive: async (webhook, proved) =>
        void (await receiveWebhook(database, purchaseDeps(services), webhook, now(), proved)),
    },
    sandbox: sandboxDesk({
      find: (number) => findInvoice(database.db, number),
      secret,
      webhookUrl: () => `${origin}/api/webhooks/sandbox`,
      brand: () => brandOnPages(database.db),
      now,
    }),
    telegram: () => telegram,
    publicUrl,
    trustProxy: options.trustProxy ?? ['127.0.0.1'],
    countryHeader: 'cf-ipcountry',
    gatewaySource,
    webRoot: null,
    metrics: { registry: new Registry(), token: null },
    demo: true,
    log,
    now,
  })
  await server.listen({ host: '127.0.0.1', port: 0 })
  origin = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`
  const client = (token: string | null, language: 'ru' | 'en' = 'ru') =>
    createClient({
      baseUrl: origin,
      token: () => token,
      language: () => language,
      timeoutMs: 20_000,
      fetch: browsing,
    })
  const anyone = client(null)

  const from: App['from'] = (ip, language = 'ru', token) =>
    createClient({
      baseUrl: origin,
      token: () => token ?? null,
      language: () => language,
      timeoutMs: 20_000,
      fetch: (input, init) =>
        browsing(input, { ...init, headers: { ...(init?.headers as object), 'x-forwarded-for': ip } }),
    })

  const customer = async (name = `customer${++people}`): Promise<Customer> => {
    const person = { username: name, email: `${name}@example.com`, password: `password of ${name}` }
    // Each from its own address (RFC 2544), so that no limit per address is reached by accident.
    const there = from(`198.18.${(arrivals >> 8) % 256}.${arrivals++ % 256}`)
    await there('signup', person)
    const token = await there('signin', { username: name, password: person.password })
    return { ...person, token, call: client(token) }
  }
  return {
    origin,
    database,
    services,
    clock,
    fetch: browsing,
    anyone,
    client,
    from,
    customer,
    buy: async ({ call }, { pool, gb, ...code }) => {
      const url = await call('create_invoice_web', { payment_method: 'sandbox', amount: gb, pool, ...code })
      const number = url.split('/').at(-1) ?? ''
      const answer = await press(origin, number, 'paid')
      if (answer.status !== 303)
        throw new Error(`the sandbox answered ${answer.status}: ${await answer.text()}`)
      return number
    },
    purchase: () => purchaseDeps(services),
    watchSettings: () => watchVariables(services, stopper),
    close: async () => {
      await stopper.stop(log)
      await server.close()
      await database.close()
    },
  }
}

/** See App.fetch. */
function browsers(): typeof fetch {
  const cookies = new Map<string, string>()
  return async (input, init) => {
    const headers = new Headers(init?.headers)
    const bearer = headers.get('authorization') ?? ''
    const held = cookies.get(bearer)
    if (held !== undefined && !headers.has('cookie')) headers.set('cookie', held)
    const answer = await fetch(input, { ...init, headers })
    const given = answer.headers.get('set-cookie')?.split(';')[0]
    if (given?.startsWith('turnpike-device=') !== true) return answer
    if (bearer === '') cookies.set(`Bearer ${await answer.clone().text()}`, given)
    else cookies.set(bearer, given)
    return answer
  }
}

/** The number of a customer's account. */
export const accountIdOf = async ({ call }: Customer): Promise<string> =>
  String((await call('legacy_profile', {}))[0]?.user_id)

/** Presses a button on the sandbox's payment page. */
export function press(origin: string, number: string, result: string): Promise<Response> {
  return fetch(`${origin}/sandbox/pay/${number}`, {
    method: 'POST',
    body: new URLSearchParams({ result }),
    redirect: 'manual',
  })
}

/** The refusal of a call; fails when the call succeeds. */
export async function refusalOf(
  call: Promise<unknown>,
): Promise<Pick<CallError, 'code' | 'status' | 'message' | 'details'>> {
  const error = await call.then(
    () => new Error('the call was expected to be refused'),
    (fault: unknown) => fault as CallError,
  )
  if (!('code' in error)) throw error
  return error
}

/** A call with an arbitrary body, which the typed client would not send. */
export function raw(
  origin: string,
  name: Name,
  body: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${origin}${pathOf(name)}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  })
}
