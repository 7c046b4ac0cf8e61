/** The demo's payment page: stands in for a processor's page, with a button for each outcome of a payment. */
import type { FastifyInstance } from 'fastify'
import { Refusal } from '#lib/refusal'

export interface SandboxDesk {
  /** The page of an invoice as HTML, or null when there is no such invoice. */
  page: (number: string) => Promise<string | null>
  stylesheet: () => string
  /** Performs a button's action: sends the signed webhook that a processor would send. */
  press: (number: string, result: string) => Promise<void>
}

export function mountSandbox(server: FastifyInstance, desk: SandboxDesk): void {
  void server.register(async (scope) => {
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string' },
      (_request, body, done) => {
        done(null, new URLSearchParams(body as string))
      },
    )
    scope.get('/sandbox/style.css', (_request, reply) =>
      reply.type('text/css; charset=utf-8').header('cache-control', 'max-age=3600').send(desk.stylesheet()),
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
