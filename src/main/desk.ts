/** The operator's desk as a process part. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { buildDeskServer } from '#http'
import { hostAndPort } from '#lib/ip'
import { listenOrFault } from './api.ts'
import { deskHandlersOf } from './services.desk.ts'
import type { Services } from './services.ts'
import type { Stopper } from './stop.ts'

const webRoot = path.resolve(import.meta.dirname, '../../dist/desk')

/** Starts the desk; returns where it listens, or null when there is none. */
export async function startDesk(services: Services, stopper: Stopper): Promise<string | null> {
  const { settings, database, log } = services
  const { listen, url, allow } = settings.desk
  if (listen === null) return null
  const server = await buildDeskServer({
    database,
    handlers: await deskHandlersOf(services),
    deskUrl: url,
    networks: allow,
    trustProxy: settings.trustProxy,
    webRoot: existsSync(path.join(webRoot, 'index.html')) ? webRoot : null,
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
