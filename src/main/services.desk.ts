/** The calls of the operator's desk, wired to their slices. */
import { readContent } from '#content'
import { echoPath } from '#contract/wire'
import { deskCalls } from '#desk/calls'
import type { ExitTest } from '#desk'
import { parseAllow, tryExit } from '#gateway'
import { trialFault } from './commands/exits.ts'
import type { DeskHandlers } from '#staff/call'
import { staffCalls } from '#staff/calls'
import { shopChecks } from './commands/doctor/shop.ts'
import { shopAuthority } from './gateway.shop.ts'
import { purchaseDeps, type Services } from './services.ts'
import { isLocalHost } from './settings.ts'

/** Every call of the desk that is built, by its name. */
export async function deskHandlersOf(services: Services): Promise<Partial<DeskHandlers>> {
  const { settings, secrets, database } = services
  const { desk } = settings
  const { brand } = await readContent(database.db)
  return {
    ...staffCalls({
      secrets,
      party: { name: brand.name, url: desk.url },
      isDemo: settings.demo && isLocalHost(desk.url.hostname),
      shopUrl: settings.publicUrl,
      limits: desk,
    }),
    ...deskCalls({
      secrets,
      limits: desk,
      purchase: purchaseDeps(services),
      testExit: (exit, line) => testExit(services, exit, line),
      faults: async () =>
        (await shopChecks(services)).flatMap(({ name, severity, sentence }) =>
          severity === 'ok' ? [] : [{ name, level: severity, sentence }],
        ),
    }),
  }
}

/** Gets the shop's echo through an exit; what fails is an answer, in the exit's own words where there are any. */
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
