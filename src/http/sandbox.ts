/** The demo's payment page: stands in for a processor's page, with a button for each outcome of a payment. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { FastifyInstance } from 'fastify'
import { Refusal } from '#lib/refusal'

export interface SandboxDesk {
  /** The page of an invoice as HTML, or null when there is no such invoice. */
  page: (number: string) => Promise<string | null>
  stylesheet: () => string
  /** The icon of a shop that has none of its own, as SVG. */
  icon: () => string
  /** Performs a button's action: sends the signed webhook that a processor would send. */
  press: (number: string, result: string) => Promise<void>
}

/** The text font of the built pages, which name its files in their shell; empty without a build. */
function fontFaces(webRoot: string | null): string {
  if (webRoot === null) return ''
  const shell = readFileSync(path.join(webRoot, 'index.html'), 'utf8')
  return [...shell.matchAll(/href="(\/assets\/onest-(cyrillic|latin)-[^"]+\.woff2)"/g)]
    .map(([, file, part]) => {
      const range = part === 'cyrillic' ? 'U+0301,U+0400-045F,U+0490-0491,U+2116' : 'U+0000-00FF,U+2000-206F'
      return `@font-face{font-family:"Onest Variable";font-display:swap;font-weight:100 900;unicode-range:${range};src:url("${file}") format("woff2")}\n`
    })
    .join('')
}

export function mountSandbox(server: FastifyInstance, desk: SandboxDesk, webRoot: string | null): void {
  const style = fontFaces(webRoot) + desk.stylesheet()
  void server.register(async (scope) => {
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string' },
      (_request, body, done) => {
        done(null, new URLSearchParams(body as string))
      },
    )
    scope.get('/sandbox/style.css', (_request, reply) =>
      reply.type('text/css; charset=utf-8').header('cache-control', 'max-age=3600').send(style),
    )
    scope.get('/sandbox/icon.svg', (_request, reply) =>
      reply.type('image/svg+xml').header('cache-control', 'max-age=3600').send(desk.icon()),
    )
    scope.get<{ Params: { number: string } }>('/sandbox/pay/:number', async (request, reply) => {
      const html = await desk.page(request.params.number)
      if (html === null) throw new Refusal('invoice_not_found')
      return reply.type('text/html; charset=utf-8').header('cache-control', 'no-store').send(html)
    })
    scope.post<{ Params: { number: string } }>('/sandbox/pay/:number', async (request, reply) => {
      const result = request.body instanceof URLSearchParams ? request.body.get('result') : null
      if (result === null) throw new Refusal('missing_field', { field: 'result' })
      await desk.press(request.params.number, result)
      return reply.redirect(`/account?invoice=${encodeURIComponent(request.params.number)}`, 303)
    })
  })
}
