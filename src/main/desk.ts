/** The operator's desk as a process part: its calls wired to their slices, and its server. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Registry } from 'prom-client'
import { alertCalls } from '#staff-alerts/calls'
import { readContent } from '#content'
import { bytesPerGb, echoPath } from '#contract/wire'
import type { ExitTest, ShopFinding } from '#desk'
import { deskCalls, undoCalls } from '#desk/calls'
import { parseAllow, tryExit } from '#gateway'
import { forgetAnswers } from '#http/answers'
import { buildDeskServer } from '#http/desk'
import { hostAndPort } from '#lib/ip'
import { readShopSettings } from '#settings'
import type { ActLimits, DeskHandlers } from '#staff/call'
import { staffCalls } from '#staff/calls'
import { listenOrFault } from './api.ts'
import { connectionTests } from './connections.ts'
import { shopAuthority } from './gateway/shop.ts'
import { renewedLater } from './renewal.ts'
import { needDeps, openDownload, purchaseDeps, type Services, tellDeps } from './services.ts'
import { listEnvironment } from './settings/settings.listed.ts'
import { isLocalHost } from './settings/settings.ts'
import { variablesAtDesk } from './settings/settings.changeable.ts'
import { sourceInUse } from './settings/settings.source.ts'
import type { Stopper } from './process/stop.ts'

/** The findings of `turnpike doctor` on the shop. */
export type ShopFaults = (services: Services) => Promise<ShopFinding[]>

/** The handlers of all calls of the desk, by name. */
export async function deskHandlersOf(services: Services, shopFaults: ShopFaults): Promise<DeskHandlers> {
  const { settings, secrets, database } = services
  const { desk } = settings
  const { brand } = await readContent(database.db)
  const limits = () => limitsOf(services)
  const handlers = {
    ...staffCalls({
      secrets,
      party: { name: brand.name, url: desk.url },
      isDemo: settings.demo && isLocalHost(desk.url.hostname),
      shopUrl: settings.publicUrl,
      limits,
    }),
    ...alertCalls({ ...tellDeps(services), botName: settings.telegram.botName }),
    ...deskCalls({
      ...needDeps(services),
      shopUrl: settings.publicUrl,
      forgetAnswers,
      sellerBases: settings.sellerBases,
      environment: () => listEnvironment(settings, sourceInUse()),
      variables: variablesAtDesk(settings),
      testConnection: connectionTests(services),
      purchase: purchaseDeps(services),
      testExit: (exit, line) => testExit(services, exit, line),
      checks: () => shopFaults(services),
      isDemo: settings.demo,
    }),
  }
  return { ...handlers, ...undoCalls(handlers) }
}

/** The limits of what staff may give away, as currently in force. */
export async function limitsOf({ database: { db }, settings: { pinned } }: Services): Promise<ActLimits> {
  const {
    support_gb_per_day: supportGb,
    step_up_gb: stepUpGb,
    step_up_micros: stepUpMicros,
  } = await readShopSettings(db, pinned)
  return { supportBytesPerDay: supportGb * bytesPerGb, stepUpBytes: stepUpGb * bytesPerGb, stepUpMicros }
}

/**
 * Fetches the shop's echo through an exit. A failure is returned as an answer, with the exit's own message if
 * it has one.
 */
async function testExit(
  { settings }: Services,
  exit: Parameters<typeof tryExit>[0],
  line: string,
): Promise<ExitTest> {
  const { publicUrl } = settings
  const allow = [...settings.gateway.allow, shopAuthority(publicUrl)].flatMap(parseAllow)
  const begun = performance.now()
  try {
    const { status, answeredMs, body } = await tryExit(exit, new URL(echoPath, publicUrl), { line, allow })
    return { status, tookMs: answeredMs, body, fault: null }
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return { status: null, tookMs: performance.now() - begun, body: '', fault: trialFault(error) }
  }
}

/** The failure as a customer would see it, followed by the exit's own message. */
export function trialFault(error: unknown): string {
  const { parts } = error as {
    parts?: { code: string; sentence: string; exit?: { status: number | null; word: string | null } }
  }
  if (parts === undefined) return (error as Error).message
  const said = [parts.exit?.status, parts.exit?.word].filter((word) => word != null).join(' ')
  return `${parts.code}: ${parts.sentence}${said === '' ? '.' : `; the exit said ${said}.`}`
}

const webRoot = path.resolve(import.meta.dirname, '../../dist/desk')

/** Starts the desk; returns where it listens, or null when there is none. */
export async function startDesk(
  services: Services,
  stopper: Stopper,
  { registry, shopFaults }: { registry: Registry | null; shopFaults: ShopFaults },
): Promise<string | null> {
  const { settings, database, log } = services
  const { listen, url, allow, zone } = settings.desk
  if (listen === null) return null
  const server = await buildDeskServer({
    database,
    handlers: await renewedLater(services, () => deskHandlersOf(services, shopFaults)),
    limits: () => limitsOf(services),
    deskUrl: url,
    networks: allow,
    trustProxy: settings.trustProxy,
    webRoot: existsSync(path.join(webRoot, 'index.html')) ? webRoot : null,
    download: openDownload(database),
    zone,
    registry,
    now: () => database.clock.now(),
    log,
  })
  stopper.add('the desk', async () => {
    server.server.closeAllConnections()
    await server.close()
  })
  await listenOrFault(server, listen, { host: 'DESK_LISTEN', port: 'DESK_LISTEN' })
  return `http://${hostAndPort(listen.host, listen.port)}`
}
