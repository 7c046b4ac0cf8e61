/** The built web application: rendered public pages; the shell for all other pages; files. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Name } from '#contract/contract'
import { type Frame, frameOf, framePaths, languageOfCookie } from '#contract/frames/frames'
import { type Language, languages } from '#contract/language'
import type { PageRenderer } from '#contract/page-renderer'
import {
  fileNameOf,
  localPath,
  privatePaths,
  type PublicPath,
  publicPaths,
  publicUrlPlaceholder,
} from '#contract/pages'
import { pathOf, wire } from '#contract/wire'
import { type Document, freshFile, sendDocument } from './document.ts'
import { PageWriter } from './written.ts'

const html = 'text/html; charset=utf-8'

export interface PagesOptions {
  /** The folder of the build; null serves the API alone. */
  webRoot: string | null
  publicUrl: URL
}

/** What renders the pages; null: the build has no renderer. */
interface Rendering {
  renderer: () => Promise<PageRenderer>
  /** Completes rendered HTML. */
  edit: (text: string) => string
}

export async function mountPages(server: FastifyInstance, options: PagesOptions): Promise<Rendering | null> {
  const { webRoot, publicUrl } = options
  if (webRoot === null) return null
  await mountFiles(server, webRoot)
  const edit = (text: string) => text.replaceAll(publicUrlPlaceholder, publicUrl.href.replace(/\/$/, ''))
  const writer = existsSync(path.join(webRoot, '.server')) ? writerOf(server, webRoot, edit) : null
  const asBuilt = freshFile(path.join(webRoot, 'index.html'), edit)
  const shell = writer === null ? asBuilt : orAsBuilt('shell', () => writer.shell(), asBuilt)
  const sendShell = async (request: FastifyRequest, reply: FastifyReply) =>
    sendDocument(request, reply.header('x-robots-tag', 'noindex'), await shell(request), html)

  const isFrame = (url: string) => writer !== null && framePaths.some((each) => each === url)
  for (const url of privatePaths) if (!isFrame(url)) server.get(url, sendShell)
  if (writer !== null) {
    mountFrames(server, writer, shell)
    mountWritten(server, webRoot, writer, edit)
  } else for (const url of publicPaths) server.get(url, sendShell)

  // At an address that is not a page the application still loads and shows that; programs get the status.
  server.get('/*', async (request, reply) => {
    if (request.url.startsWith('/api/') || !(request.headers.accept ?? '').includes('text/html')) {
      return reply.callNotFound()
    }
    return sendShell(request, reply.status(404))
  })
  return writer === null ? null : { renderer: () => writer.renderer(), edit }
}

async function mountFiles(server: FastifyInstance, webRoot: string): Promise<void> {
  await server.register(fastifyStatic, {
    root: path.join(webRoot, 'assets'),
    prefix: '/assets/',
    immutable: true,
    maxAge: '365d',
    preCompressed: true,
    decorateReply: false,
  })
  await server.register(fastifyStatic, {
    root: webRoot,
    prefix: '/',
    index: false,
    wildcard: false,
    globIgnore: ['index.html', 'assets/**', '.*/**', '.*'],
    maxAge: '1h',
    decorateReply: false,
  })
}

function writerOf(server: FastifyInstance, webRoot: string, edit: (text: string) => string): PageWriter {
  return new PageWriter({
    webRoot,
    ask: (name, input, language) => ask(server, name, input, language),
    edit,
    log: server.log,
  })
}

/**
 * The frames of private pages, in the language of the visitor's cookie. When one cannot be rendered, the
 * shell.
 */
function mountFrames(
  server: FastifyInstance,
  writer: PageWriter,
  shell: (request: FastifyRequest) => Promise<Document>,
): void {
  const frameFor = async (request: FastifyRequest, frame: Frame, language: Language) => {
    try {
      return await writer.frame(frame, language)
    } catch (error) {
      request.log.error({ error, page: `${language}${frame}` }, 'a page could not be written')
      return shell(request)
    }
  }
  for (const path of framePaths)
    server.get(path, async (request, reply) => {
      const search = new URLSearchParams(request.url.split('?')[1])
      const language = languageOfCookie(request.headers.cookie)
      const document = await frameFor(request, frameOf(path, search), language)
      const vary = 'accept-encoding, cookie'
      return sendDocument(request, reply.header('x-robots-tag', 'noindex'), document, html, vary)
    })
}

function mountWritten(
  server: FastifyInstance,
  webRoot: string,
  writer: PageWriter,
  edit: (text: string) => string,
): void {
  const fileOf = (file: string) => freshFile(path.join(webRoot, '.server/pages', file), edit)
  for (const page of publicPaths) {
    for (const language of languages) {
      const asBuilt = fileOf(`${language}/${fileNameOf(page)}.html`)
      const current = orAsBuilt(`${language}${page}`, () => writer.page(page, language), asBuilt)
      const send = async (request: FastifyRequest, reply: FastifyReply) =>
        sendDocument(request, reply, await current(request), html)
      for (const url of addressesOf(page, language)) server.get(url, send)
    }
  }
  const sitemap = fileOf('sitemap.xml')
  const robots = fileOf('robots.txt')
  server.get('/sitemap.xml', async (request, reply) =>
    sendDocument(request, reply, await sitemap(), 'application/xml; charset=utf-8'),
  )
  server.get('/robots.txt', async (request, reply) =>
    sendDocument(request, reply, await robots(), 'text/plain; charset=utf-8'),
  )
}

const addressesOf = (page: PublicPath, language: Language): string[] => {
  const path = localPath(page, language)
  return path === '/en' ? [path, '/en/'] : [path]
}

/** The current page; when rendering fails, the page as it was built, which loads its data in the browser. */
function orAsBuilt(page: string, write: () => Promise<Document>, asBuilt: () => Promise<Document>) {
  return async (request: FastifyRequest): Promise<Document> => {
    try {
      return await write()
    } catch (error) {
      request.log.error({ error, page }, 'a page could not be written')
      return asBuilt()
    }
  }
}

/** Calls this server as a browser does; a refused answer is left out. */
async function ask(server: FastifyInstance, name: Name, input: object, language: Language): Promise<unknown> {
  const { provider, ...rest } = input as Record<string, string>
  const headers = { 'accept-language': language }
  const url = pathOf(name, provider)
  const answer =
    wire[name].method === 'GET'
      ? await server.inject({ method: 'GET', url, headers, query: rest })
      : await server.inject({ method: 'POST', url, headers, payload: rest })
  return answer.statusCode === 200 ? (answer.json() as unknown) : undefined
}
