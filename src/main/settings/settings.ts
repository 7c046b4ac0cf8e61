/** All settings, read from the environment and checked in one place, before anything starts. */
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { isIP } from 'node:net'
import { regions } from '#contract/proxy-lines'
import type { ConnectionLog } from '#feed/connection.record'
import type { ReceiptSettings } from '#receipts'
import type { PinnedSettings } from '#settings'
import { readDatabaseUrl, readReplicaUrl } from './settings.database.ts'
import { type DeskSettings, readDesk } from './settings.desk.ts'
import { type Env, flag, isLocalHost, list, SettingFault, text, url } from './settings.env.ts'
import { type FeedSettings, type MetricsListen, readFeed, readMetricsListen } from './settings.feed.ts'
import { type PaymentSettings, readPayments } from './settings.payments.ts'
import { readReceipts } from './settings.receipts.ts'
import { readSellerBases } from './settings.sellers.ts'
import { readAutomatic } from './settings.topup.ts'
import { readPinned } from './settings.shop.ts'

export { isLocalHost, SettingFault } from './settings.env.ts'

export interface Settings {
  host: string
  port: number
  publicUrl: URL
  dataDir: string
  /** Null: the embedded server. May list several servers, of which one is the primary. */
  databaseUrl: string | null
  /** The replica for reads that may be some seconds old; null: they use the primary. */
  replicaUrl: string | null
  /** Null: generated once in the data directory. */
  secretKey: string | null
  /** The previous key, which opens the values that it sealed; null: there is none. */
  secretKeyOld: string | null
  demo: boolean
  /** The demo begins with a month of invented customers, invoices and traffic. */
  demoHistory: boolean
  /** How long a stopping web server reports on /readyz that it stops, before it refuses requests. */
  apiDrainSeconds: number
  trustProxy: string[]
  /** The header in which the reverse proxy gives the client's country, in lower case; null: none. */
  countryHeader: string | null
  logLevel: string
  metricsToken: string | null
  /** The address of /healthz and /metrics in processes without a web server; null: none. */
  metricsListen: MetricsListen | null
  mail: MailSettings
  gateway: GatewaySettings
  feed: FeedSettings
  desk: DeskSettings
  telegram: TelegramSettings
  payments: PaymentSettings
  /** Null: the shop registers no fiscal receipts. */
  receipts: ReceiptSettings | null
  /** Addresses of sellers' APIs in place of their own, by the seller's name. */
  sellerBases: Map<string, URL>
  /** The payment methods that may be charged without the customer; empty: there is no automatic top-up. */
  automatic: ReadonlySet<string>
  /** The variables whose values are those of the desk. */
  fromDesk: ReadonlySet<string>
  /** Settings that staff could change, had the environment not set them. */
  pinned: PinnedSettings
  /** Which data on the source and target of connections is stored. */
  connectionLog: ConnectionLog
}

export interface TelegramSettings {
  /** Null: no bot. */
  token: string | null
  /** Without a trailing slash. */
  apiRoot: string
  /** The bot's user name without @, for links to it; null: there are none. */
  botName: string | null
  /** Null: the bot polls Telegram for updates; set: Telegram sends them to PUBLIC_URL with this secret. */
  webhookSecret: string | null
}

export interface GatewaySettings {
  portBase: number
  slots: number
  /** Region → host name in the lines. */
  hosts: Map<string, string>
  /** The host name in lines of a region without its own. */
  host: string
  /**
   * Whether lines may be tried at PUBLIC_URL; a gateway without the database has no PUBLIC_URL unless it is
   * set.
   */
  opensShop: boolean
  /** Exceptions to the refused targets: host, host:port, address or CIDR. */
  allow: string[]
  /** Targets that no customer may reach: port, range of ports, host, *.host, address or CIDR. */
  deny: string[]
  workers: number
  /**
   * Whether the first worker accepts connections alone while it has time left; else all do, from the start.
   */
  acceptsAsNeeded: boolean
  /** Certificates for TLS on the entry ports; the first is for clients that send no server name. */
  certificates: { cert: string; key: string }[]
  /** How long a stopping gateway waits for its tunnels to end. */
  drainSeconds: number
  /** After how many seconds without traffic an exit is checked; null: never. */
  exitProbeSeconds: number | null
  /**
   * The MB that each worker forgives one account per hour, when an exit does not report whose failure it was.
   */
  forgivenMbPerHour: number
  /** The local address the entry ports listen on. */
  listenHost: string
}

export interface MailSettings {
  /** Null: letters become files in DATA_DIR/outbox. */
  smtp: {
    host: string
    port: number
    /** Implicit TLS, from the first byte. */
    secure: boolean
    auth: { user: string; pass: string } | null
    /** Whether TLS is required before the login; it is, except for a mail server on this machine. */
    requireTls: boolean
  } | null
  /** The sender; when its name is null, the brand is used. */
  from: { name: string | null; address: string }
}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']
const connectionLogs = ['full', 'host', 'none'] as const

/**
 * Reads the settings; throws `SettingFault` naming the first variable that is unknown, malformed or missing.
 */
export function readSettings(env: Env, cwd: string): Settings {
  const stray = Object.keys(env).find((name) => name.startsWith('TURNPIKE_'))
  if (stray !== undefined)
    throw new SettingFault(
      `${stray} is not a setting of Turnpike. Remove it, or see docs/settings.md for the names.`,
    )
  const host = text(env, 'HOST') ?? '127.0.0.1'
  const port = wholeNumber(env, 'PORT', { default: 3000, min: 1, max: 65_535 })
  const publicUrl = url(env, 'PUBLIC_URL') ?? new URL(`http://localhost:${port}`)
  const databaseUrl = readDatabaseUrl(env)
  const telegram = readTelegram(env, publicUrl)
  const payments = readPayments(env, telegram)
  const isLocal = isLocalHost(publicUrl.hostname)
  const demo = flag(env, 'DEMO') ?? (databaseUrl === null && isLocal)
  if (demo && !isLocal) {
    throw new SettingFault(
      `DEMO=1 is refused with the public PUBLIC_URL ${publicUrl.href}: anybody could pay with play money.`,
    )
  }
  return {
    host,
    port,
    publicUrl,
    dataDir: path.resolve(cwd, text(env, 'DATA_DIR') ?? 'data'),
    databaseUrl,
    replicaUrl: readReplicaUrl(env, databaseUrl),
    ...secretKeys(env),
    demo,
    demoHistory: (flag(env, 'DEMO_HISTORY') ?? true) && demo,
    apiDrainSeconds: wholeNumber(env, 'API_DRAIN_SECONDS', { default: 0, min: 0, max: 3600 }),
    trustProxy: addresses(env, 'TRUST_PROXY'),
    countryHeader: readCountryHeader(env),
    logLevel: oneOf(env, 'LOG_LEVEL', logLevels) ?? 'info',
    metricsToken: text(env, 'METRICS_TOKEN'),
    metricsListen: readMetricsListen(env),
    mail: { smtp: smtpServer(env), from: mailFrom(env, publicUrl) },
    gateway: readGateway(env, { publicUrl, cwd, listenHost: isLocal ? host : '::' }),
    feed: readFeed(env, cwd),
    desk: readDesk(env, port),
    telegram,
    payments,
    receipts: readReceipts(env, { yookassa: payments.yookassa !== null }),
    automatic: readAutomatic(env, { payments, demo }),
    connectionLog: oneOf(env, 'CONNECTION_LOG', connectionLogs) ?? 'full',
    sellerBases: readSellerBases(env),
    pinned: readPinned(env),
    fromDesk: new Set(),
  }
}

function readGateway(
  env: Env,
  { publicUrl, cwd, listenHost }: { publicUrl: URL; cwd: string; listenHost: string },
): GatewaySettings {
  // The slot ports of the last pool must be valid port numbers: base + 3000 + slots.
  const slots = wholeNumber(env, 'GATEWAY_SLOTS', { default: 100, min: 0, max: 999 })
  const workers = wholeNumber(env, 'GATEWAY_WORKERS', { default: availableParallelism(), min: 1, max: 256 })
  return {
    portBase: wholeNumber(env, 'GATEWAY_PORT_BASE', { default: 20_000, min: 1024, max: 62_535 - slots }),
    slots,
    hosts: regionHosts(env),
    host: text(env, 'GATEWAY_HOST') ?? publicUrl.hostname,
    opensShop: text(env, 'PUBLIC_URL') !== null || text(env, 'FEED_URL') === null,
    allow: list(env, 'GATEWAY_ALLOW'),
    deny: list(env, 'GATEWAY_DENY'),
    workers,
    acceptsAsNeeded: (flag(env, 'GATEWAY_STANDBY') ?? true) && workers > 1,
    certificates: certificates(env, cwd),
    drainSeconds: wholeNumber(env, 'GATEWAY_DRAIN_SECONDS', { default: 5, min: 0, max: 86_400 }),
    exitProbeSeconds: wholeNumber(env, 'EXIT_PROBE_SECONDS', { default: 30, min: 0, max: 86_400 }) || null,
    forgivenMbPerHour: wholeNumber(env, 'FORGIVEN_MB_PER_HOUR', { default: 10, min: 0, max: 1_000_000 }),
    listenHost,
  }
}

/** The files of GATEWAY_TLS_CERT and GATEWAY_TLS_KEY, pair by pair. */
function certificates(env: Env, cwd: string): GatewaySettings['certificates'] {
  const [certs, keys] = [list(env, 'GATEWAY_TLS_CERT'), list(env, 'GATEWAY_TLS_KEY')]
  if (certs.length !== keys.length)
    throw new SettingFault(
      `GATEWAY_TLS_CERT names ${certs.length} files and GATEWAY_TLS_KEY ${keys.length}: every certificate has its key, in the same order, separated by commas.`,
    )
  return certs.map((cert, index) => ({
    cert: path.resolve(cwd, cert),
    key: path.resolve(cwd, keys[index] ?? ''),
  }))
}

const telegramApi = 'https://api.telegram.org'
function readTelegram(env: Env, publicUrl: URL): TelegramSettings {
  const token = text(env, 'TELEGRAM_BOT_TOKEN')
  if (token !== null && !/^\d{1,20}:[\w-]{20,100}$/.test(token)) {
    throw new SettingFault('TELEGRAM_BOT_TOKEN must look like 123456789:AAE…, as BotFather gives it.', {
      kind: 'shape',
      variable: 'TELEGRAM_BOT_TOKEN',
      example: '123456789:AAE…',
    })
  }
  const apiRoot = url(env, 'TELEGRAM_API_ROOT')?.origin ?? telegramApi
  const botName = text(env, 'TELEGRAM_BOT_NAME')?.replace(/^@/, '') ?? null
  if (botName !== null && !/^[A-Za-z]\w{3,31}$/.test(botName)) {
    throw new SettingFault('TELEGRAM_BOT_NAME must be the user name of the bot, such as turnpike_bot.', {
      kind: 'shape',
      variable: 'TELEGRAM_BOT_NAME',
      example: 'turnpike_bot',
    })
  }
  const webhookSecret = text(env, 'TELEGRAM_WEBHOOK_SECRET')
  if (webhookSecret !== null) {
    if (!/^[\w-]{16,256}$/.test(webhookSecret))
      throw new SettingFault(
        'TELEGRAM_WEBHOOK_SECRET must be 16 to 256 letters, digits, _ and -, e.g. the output of: openssl rand -hex 32',
        { kind: 'shape', variable: 'TELEGRAM_WEBHOOK_SECRET', example: 'openssl rand -hex 32' },
      )
    if (token === null)
      throw new SettingFault('TELEGRAM_WEBHOOK_SECRET needs TELEGRAM_BOT_TOKEN.', {
        kind: 'missing',
        variable: 'TELEGRAM_BOT_TOKEN',
        needs: 'TELEGRAM_BOT_TOKEN, TELEGRAM_WEBHOOK_SECRET',
      })
    if (publicUrl.protocol !== 'https:' && apiRoot === telegramApi)
      throw new SettingFault(
        `Telegram brings updates to https addresses only; PUBLIC_URL is ${publicUrl.href}. Unset TELEGRAM_WEBHOOK_SECRET to have the bot ask for them.`,
      )
  }
  return { token, apiRoot, botName, webhookSecret }
}

function smtpServer(env: Env): MailSettings['smtp'] {
  const value = text(env, 'SMTP_URL')
  if (value === null) return null
  const parsed = URL.canParse(value) ? new URL(value) : null
  const isPlain =
    parsed !== null &&
    /^smtps?:$/.test(parsed.protocol) &&
    parsed.hostname !== '' &&
    /^\/?$/.test(parsed.pathname) &&
    parsed.search === ''
  // The value is not repeated, because it contains a password.
  if (!isPlain)
    throw new SettingFault(
      'SMTP_URL must be an address such as smtps://user:password@smtp.example.net:465; write special characters of the password as %40.',
      { kind: 'shape', variable: 'SMTP_URL', example: 'smtps://user:password@smtp.example.net:465' },
    )
  const secure = parsed.protocol === 'smtps:'
  const port = parsed.port === '' ? (secure ? 465 : 587) : Number(parsed.port)
  const hasUser = parsed.username !== ''
  return {
    host: parsed.hostname.replace(/^\[|\]$/g, ''),
    port,
    secure,
    auth: hasUser
      ? { user: decodeURIComponent(parsed.username), pass: decodeURIComponent(parsed.password) }
      : null,
    requireTls: hasUser && !secure && !isLocalHost(parsed.hostname),
  }
}

/** "Shop <no-reply@shop.example>" or the bare address. */
function mailFrom(env: Env, publicUrl: URL): MailSettings['from'] {
  const value = text(env, 'MAIL_FROM')
  if (value === null) {
    if (text(env, 'SMTP_URL') !== null)
      throw new SettingFault(
        'MAIL_FROM is missing: with SMTP_URL set, say who letters come from, e.g. no-reply@shop.example.net.',
        { kind: 'missing', variable: 'MAIL_FROM', needs: 'SMTP_URL, MAIL_FROM' },
      )
    return { name: null, address: `no-reply@${publicUrl.hostname}` }
  }
  const [, name, address] = /^(?:"?([^"<>@\p{C}]*?)"?\s*<)?([^\s<>@"]+@[^\s<>@"]+?)>?$/u.exec(value) ?? []
  if (address === undefined || (name === undefined) === value.endsWith('>'))
    throw new SettingFault(
      `MAIL_FROM must be an address such as no-reply@shop.example.net or Shop <no-reply@shop.example.net>, not “${value}”.`,
      { kind: 'shape', variable: 'MAIL_FROM', example: 'Shop <no-reply@shop.example.net>' },
    )
  return { name: name === undefined || name === '' ? null : name, address }
}

function wholeNumber(env: Env, name: string, rule: { default: number; min: number; max: number }): number {
  const value = text(env, name)
  if (value === null) return rule.default
  const number = Number(value)
  if (!/^\d+$/.test(value) || number < rule.min || number > rule.max) {
    throw new SettingFault(`${name} must be a whole number from ${rule.min} to ${rule.max}, not “${value}”.`)
  }
  return number
}

function oneOf<T extends string>(env: Env, name: string, allowed: readonly T[]): T | null {
  const value = text(env, name)
  if (value === null) return null
  const found = allowed.find((one) => one === value)
  if (found === undefined)
    throw new SettingFault(`${name} must be one of ${allowed.join(', ')}, not “${value}”.`)
  return found
}

/** A field name of RFC 9110, section 5.1. */
function readCountryHeader(env: Env): string | null {
  const name = text(env, 'COUNTRY_HEADER')
  if (name === null) return null
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name))
    throw new SettingFault(`COUNTRY_HEADER is the name of a header, such as cf-ipcountry; “${name}” is not.`)
  if (text(env, 'TRUST_PROXY') === null)
    throw new SettingFault('COUNTRY_HEADER is read from the proxies that TRUST_PROXY names: set it as well.')
  return name.toLowerCase()
}

function addresses(env: Env, name: string): string[] {
  const given = list(env, name)
  const wrong = given.find((part) => {
    const [address = '', bits, ...rest] = part.split('/')
    const version = isIP(address)
    const isPrefix =
      bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
    return version === 0 || !isPrefix || rest.length > 0
  })
  if (wrong !== undefined)
    throw new SettingFault(`${name} lists addresses or networks; “${wrong}” is neither.`)
  return given
}

function regionHosts(env: Env): Map<string, string> {
  const hosts = new Map<string, string>()
  for (const pair of list(env, 'GATEWAY_HOSTS')) {
    const [region = '', host, ...rest] = pair.split('=')
    const isHost = host !== undefined && /^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/.test(host)
    if (!regions.some((each) => each === region) || !isHost || rest.length > 0) {
      throw new SettingFault(
        `GATEWAY_HOSTS is a list like eur=eu.example.net,usa=us.example.net; “${pair}” does not fit (regions: ${regions.join(', ')}).`,
      )
    }
    hosts.set(region, host)
  }
  return hosts
}

function secretKeys(env: Env): Pick<Settings, 'secretKey' | 'secretKeyOld'> {
  const secretKey = keyIn(env, 'SECRET_KEY')
  const secretKeyOld = keyIn(env, 'SECRET_KEY_OLD')
  if (secretKeyOld !== null && secretKey === null)
    throw new SettingFault('SECRET_KEY_OLD is the key before SECRET_KEY: set SECRET_KEY as well.')
  if (secretKeyOld !== null && secretKeyOld === secretKey)
    throw new SettingFault(
      'SECRET_KEY_OLD is the same as SECRET_KEY: remove it, or set SECRET_KEY to a new one.',
    )
  return { secretKey, secretKeyOld }
}

function keyIn(env: Env, name: string): string | null {
  const value = text(env, name)
  if (value !== null && value.length < 32) {
    throw new SettingFault(
      `${name} must have at least 32 characters, e.g. the output of: openssl rand -base64 48`,
    )
  }
  return value
}
