/**
 * A fake processor on this machine: implements the processor's protocol over real HTTP, and fails as real
 * processors do.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface FakeRequest {
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingMessage['headers']
  body: string
}

export interface FakeAnswer {
  status?: number
  headers?: Record<string, string>
  body: unknown
}

/**
 * The handling of a request instead of the usual one: `lost`: it is done, and the answer is never sent;
 * `held`: it is done, and the answer is sent when released; a number: it is not done, and the answer has this
 * status; `malformed`: the answer is not JSON; `none`: as usual.
 */
export type Trouble = 'none' | 'lost' | 'held' | 'malformed' | number

export abstract class FakeProcessor {
  readonly requests: FakeRequest[] = []
  readonly #server: Server
  readonly #troubles: Trouble[] = []
  #release: () => void = () => undefined
  #held: Promise<void> = Promise.resolve()
  #done: () => void = () => undefined

  constructor() {
    this.#server = createServer((request, response) => void this.#take(request, response))
  }

  /** The processor's answer to a request. */
  protected abstract answer(request: FakeRequest): FakeAnswer

  async start(): Promise<void> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
  }

  get url(): URL {
    return new URL(`http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`)
  }

  stop(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  /** Applies these to the next requests, one each. */
  trouble(...troubles: Trouble[]): void {
    this.#troubles.push(...troubles)
  }

  /** Advances the time by a day: idempotency keys expire. */
  forgetKeys(): void {
    // Most processors have none.
  }

  /** Removes the troubles that no request has met yet. */
  calm(): void {
    this.#troubles.length = 0
  }

  /** Does the next request and holds its answer; resolves once it is done. The result releases the answer. */
  async hold(): Promise<() => void> {
    const done = new Promise<void>((resolve) => (this.#done = resolve))
    this.#held = new Promise<void>((resolve) => (this.#release = resolve))
    this.trouble('held')
    await done
    return this.#release
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const url = new URL(request.url ?? '/', 'http://fake')
    const taken: FakeRequest = {
      method: request.method ?? '',
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      body: Buffer.concat(parts).toString('utf8'),
    }
    this.requests.push(taken)
    const trouble = this.#troubles.shift()
    if (typeof trouble === 'number') return send(response, trouble, '{"error":"the fake was told to fail"}')
    const { status = 200, headers, body } = this.answer(taken)
    // The current state: changes while the answer is held are not in it.
    const text = JSON.stringify(body)
    if (trouble === 'lost') return undefined
    if (trouble === 'malformed') return void response.writeHead(200).end('<html>maintenance</html>')
    if (trouble === 'held') {
      this.#done()
      await this.#held
    }
    return send(response, status, text, headers)
  }
}

function send(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
}
