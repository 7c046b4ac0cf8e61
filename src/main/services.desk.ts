/** The calls of the operator's desk, wired to their slices. */
import { readContent } from '#content'
import type { DeskHandlers } from '#staff/call'
import { staffCalls } from '#staff/calls'
import type { Services } from './services.ts'
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
  }
}
