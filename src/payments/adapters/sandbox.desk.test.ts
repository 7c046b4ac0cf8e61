import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it, vi } from 'vitest'
import { Refusal } from '#lib/refusal'
import { sandboxDesk } from '#payments/adapters'

let server: Server
afterEach(() => {
  vi.restoreAllMocks()
  server.closeAllConnections()
  server.close()
})

/** A desk whose app answers its webhook with this response; null: with none. */
async function deskBefore(status: number | null, found: object = {}) {
  server = createServer((_request, response) => {
    if (status !== null) response.writeHead(status).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return sandboxDesk({
    find: async () => ({ state: 'pending', dueMicros: 5_000_000n, receivedMicros: 0n, ...found }) as never,
    secret: Buffer.alloc(32),
    webhookUrl: () => `http://127.0.0.1:${port}/`,
    brand: async () => ({
      name: 'Turnpike',
      logoText: 'Turnpike',
      colours: null,
      icon: null,
      logo: null,
      logoDark: null,
    }),
    now: () => new Date(),
  })
}

it.each([
  ['does not answer', null, 'temporarily_unavailable', 503],
  ['answers 503', 503, 'temporarily_unavailable', 503],
  ['answers 500', 500, 'payment_failed', 502],
])(
  'a webhook that %s is reported on the page after the button is pressed',
  async (_how, status, code, expected) => {
    const late = AbortSignal.timeout.bind(AbortSignal)
    if (status === null) vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => late(50))
    const desk = await deskBefore(status)
    const refusal = await desk.press('1', 'paid').catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(Refusal)
    expect(refusal).toMatchObject({ code, status: expected })
  },
)

it.each([
  ['cancelled', /nothing was charged/],
  ['expired', /nothing was charged/],
  ['paid', /paid already/],
])('the page of a %s invoice says what has become of it', async (state, said) => {
  const desk = await deskBefore(200, { state, language: 'en', pool: 'mobile', number: '1', gb: 1n })
  expect(await desk.page('1')).toMatch(said)
})
