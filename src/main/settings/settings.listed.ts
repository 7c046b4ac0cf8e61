/**
 * The settings of the environment as the desk shows them: the value in force and its source. Of secrets, and
 * of addresses that contain passwords, it shows only whether they are set.
 */
import type { DeskOutput } from '#contract/desk/contract'
import { printSetting, settingNames, shopSettings } from '#contract/desk/shop-settings'
import { text } from './settings.env.ts'
import { paymentVariables } from './settings.payments.ts'
import type { Settings } from './settings.ts'
import type { Source } from './settings.source.ts'

type Shown = string | number | boolean | null | readonly string[]

const secret = Symbol('secret')
/** The content of receipts that are sent; null: none are sent. */
const sentOf = (receipts: Settings['receipts']) => (receipts?.registrar === 'manual' ? null : receipts)
const yesNo = (value: boolean) => (value ? 1 : 0)

/**
 * The value in force of each variable. The values come from the checked settings, never from the raw text.
 */
const shown: Readonly<Record<string, ((settings: Settings) => Shown) | typeof secret>> = {
  PUBLIC_URL: ({ publicUrl }) => publicUrl.origin,
  HOST: ({ host }) => host,
  PORT: ({ port }) => port,
  DATA_DIR: ({ dataDir }) => dataDir,
  DEMO: ({ demo }) => yesNo(demo),
  DEMO_HISTORY: ({ demoHistory }) => yesNo(demoHistory),
  TRUST_PROXY: ({ trustProxy }) => trustProxy,
  COUNTRY_HEADER: ({ countryHeader }) => countryHeader,
  API_DRAIN_SECONDS: ({ apiDrainSeconds }) => apiDrainSeconds,
  LOG_LEVEL: ({ logLevel }) => logLevel,
  DATABASE_URL: secret,
  DATABASE_REPLICA_URL: secret,
  SECRET_KEY: secret,
  SECRET_KEY_OLD: secret,
  METRICS_TOKEN: secret,
  METRICS_LISTEN: ({ metricsListen }) =>
    metricsListen === null ? null : [metricsListen.host, metricsListen.port].filter(Boolean).join(':'),
  DESK_LISTEN: ({ desk: { listen } }) => (listen === null ? null : `${listen.host}:${listen.port}`),
  DESK_URL: ({ desk }) => desk.url.origin,
  DESK_ALLOW: ({ desk }) => desk.allow.length || null,
  TIME_ZONE: ({ desk }) => desk.zone,
  SMTP_URL: secret,
  MAIL_FROM: ({ mail: { from } }) => (from.name === null ? from.address : `${from.name} <${from.address}>`),
  TELEGRAM_BOT_TOKEN: secret,
  TELEGRAM_BOT_NAME: ({ telegram }) => telegram.botName,
  TELEGRAM_API_ROOT: ({ telegram }) => telegram.apiRoot,
  TELEGRAM_WEBHOOK_SECRET: secret,
  ...Object.fromEntries(
    Object.entries(paymentVariables).map(([name, { shown: show }]) => [
      name,
      show === null ? secret : ({ payments }: Settings) => show(payments),
    ]),
  ),
  SELLER_API_BASES: ({ sellerBases }) => [...sellerBases.keys()],
  RECEIPTS: ({ receipts }) => receipts?.registrar ?? 'none',
  RECEIPTS_VAT_CODE: ({ receipts }) => receipts?.vatCode ?? null,
  RECEIPTS_TAX_SYSTEM: ({ receipts }) => receipts?.taxSystemCode ?? null,
  RECEIPTS_SUBJECT: ({ receipts }) => sentOf(receipts)?.subject ?? null,
  RECEIPTS_PAYMENT_MODE: ({ receipts }) => sentOf(receipts)?.mode ?? null,
  RECEIPTS_MEASURE: ({ receipts }) => sentOf(receipts)?.measure ?? null,
  RECEIPTS_CLOSING_DAYS: ({ receipts }) =>
    receipts?.mode === 'full_prepayment' ? receipts.closingDays : null,
  RECEIPTS_BY_HAND: ({ receipts }) => [...(receipts?.byHand ?? [])],
  RECEIPTS_ITEM_NAME: ({ receipts }) => receipts?.itemName ?? null,
  AUTO_TOP_UP: ({ automatic }) => [...automatic],
  GATEWAY_PORT_BASE: ({ gateway }) => gateway.portBase,
  GATEWAY_SLOTS: ({ gateway }) => gateway.slots,
  GATEWAY_HOST: ({ gateway }) => gateway.host,
  GATEWAY_HOSTS: ({ gateway }) => [...gateway.hosts].map(([region, host]) => `${region}=${host}`),
  GATEWAY_ALLOW: ({ gateway }) => gateway.allow,
  GATEWAY_DENY: ({ gateway }) => gateway.deny,
  GATEWAY_WORKERS: ({ gateway }) => gateway.workers,
  GATEWAY_STANDBY: ({ gateway }) => (gateway.acceptsAsNeeded ? 1 : 0),
  GATEWAY_TLS_CERT: ({ gateway }) => gateway.certificates.map(({ cert }) => cert),
  GATEWAY_TLS_KEY: secret,
  GATEWAY_DRAIN_SECONDS: ({ gateway }) => gateway.drainSeconds,
  EXIT_PROBE_SECONDS: ({ gateway }) => gateway.exitProbeSeconds ?? 0,
  FORGIVEN_MB_PER_HOUR: ({ gateway }) => gateway.forgivenMbPerHour,
  CONNECTION_LOG: ({ connectionLog }) => connectionLog,
  FEED_URL: ({ feed }) => feed.connect?.addresses.map(feedAddress) ?? null,
  FEED_LISTEN: ({ feed }) => (feed.listen === null ? null : feedAddress(feed.listen.address)),
  FEED_TOKEN: secret,
  FEED_CA: ({ feed }) => feed.connect?.caFile ?? null,
  FEED_TLS_CERT: ({ feed }) => feed.listen?.files?.cert ?? null,
  FEED_TLS_KEY: secret,
  ...Object.fromEntries(
    settingNames.flatMap((name) => {
      const { variable } = shopSettings[name]
      const print = ({ pinned }: Settings) => {
        const value = pinned[name]
        return value === undefined ? null : printSetting(name, value)
      }
      return variable === null ? [] : [[variable, print]]
    }),
  ),
}

/** The names of all variables that settings are read from. */
export const variableNames = Object.keys(shown)

const feedAddress = (address: { path: string } | { host: string; port: number }) =>
  'path' in address ? address.path : `${address.host}:${address.port}`

const printed = (value: Shown): string | null =>
  value === null ? null : Array.isArray(value) ? value.join(', ') || null : String(value)

/** What is in force of a variable; null: nothing, or a secret. */
export function shownVariable(settings: Settings, name: string): string | null {
  const show = shown[name]
  return show === undefined || show === secret ? null : printed((show as (of: Settings) => Shown)(settings))
}

/** All variables with what is in force, and the file they were read from. */
export function listEnvironment(
  settings: Settings,
  { env, file }: Source,
): Pick<DeskOutput<'settings'>, 'environment' | 'file'> {
  const ofSource = file === null ? ('environment' as const) : ('file' as const)
  const environment = Object.entries(shown).map(([name, show]) => {
    const isSet = text(env, name) !== null || (name === 'DESK_LISTEN' && env[name] !== undefined)
    return {
      name,
      source: settings.fromDesk.has(name) ? ('desk' as const) : isSet ? ofSource : ('default' as const),
      secret: show === secret,
      value: show === secret ? null : printed(show(settings)),
    }
  })
  return { environment, file }
}
