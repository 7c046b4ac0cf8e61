/** The server of the operator's desk: its calls and its pages, on a listener of its own. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import type { Registry } from 'prom-client'
import { type BareOptions, bareServer, secure } from '../base.ts'
import { freshFile, sendDocument } from '../document.ts'
import { watchLoop } from '../loop.ts'
import { refuseOtherMethods } from '../methods.ts'
import { type DeskMountOptions, mountDesk } from './mount.ts'
import { refuseOtherNetworks } from './origin.ts'

export type { FileLimits } from './reader.ts'

export interface DeskServerOptions extends BareOptions, DeskMountOptions {
  /** The built pages of the desk; null serves its calls alone. */
  webRoot: string | null
  /** Null: the process has no metrics. */
  registry: Registry | null
}

/** Builds the desk's server; the caller starts and closes it. */
export async function buildDeskServer(options: DeskServerOptions): Promise<FastifyInstance> {
  const server = bareServer(options)
  watchLoop(server, options.registry)
  server.addHook('onRequest', async (request) => refuseOtherNetworks(request, options.networks))
  secure(server, options.deskUrl)
  refuseOtherMethods(server)
  mountDesk(server, options)
  if (options.webRoot !== null) await mountDeskPages(server, options.webRoot)
  return server
}

/** The pages: one document, which picks its page by the address, and its files. */
async function mountDeskPages(server: FastifyInstance, webRoot: string): Promise<void> {
  const assets = path.join(webRoot, 'assets')
  if (existsSync(assets))
    await server.register(fastifyStatic, {
      root: assets,
      prefix: '/assets/',
      immutable: true,
      maxAge: '365d',
      preCompressed: true,
      decorateReply: false,
    })
  const shell = freshFile(path.join(webRoot, 'index.html'), (text) => text)
  server.get('/*', async (request, reply) => {
    const wantsPage = (request.headers.accept ?? '').includes('text/html')
    if (request.url.startsWith('/api/') || !wantsPage) return reply.callNotFound()
    return sendDocument(
      request,
      reply.header('x-robots-tag', 'noindex'),
      await shell(),
      'text/html; charset=utf-8',
    )
  })
}
