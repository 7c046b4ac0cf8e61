/** One request through the gateway, as a customer's program makes it: a tunnel (CONNECT), and a GET in it. */
import http from 'node:http'
import { isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import tls from 'node:tls'
import type { ProxyEndpoint } from '#contract/proxy-lines'

/** The most bytes of an answer that are read. */
const mostBytes = 64 * 1024

interface Answer {
  status: number
  headers: http.IncomingHttpHeaders
  body: string
}

interface Opened extends Answer {
  /** The tunnel; null: the gateway refused it, and `body` says why. */
  tunnel: Duplex | null
}

async function read(response: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    const rest = chunk.subarray(0, mostBytes - size)
    chunks.push(rest)
    size += rest.length
    if (size >= mostBytes) break
  }
  return Buffer.concat(chunks).toString('utf8')
}

const answerOf = async (response: http.IncomingMessage): Promise<Answer> => ({
  status: response.statusCode ?? 0,
  headers: response.headers,
  body: await read(response),
})

/** Asks the proxy for a tunnel to the target. */
export function openTunnel(proxy: ProxyEndpoint, target: URL, signal: AbortSignal): Promise<Opened> {
  const { hostname, port, credentials } = proxy
  const authority = `${target.hostname}:${target.port === '' ? (target.protocol === 'https:' ? 443 : 80) : target.port}`
  const login = credentials === null ? '' : `${credentials.login}:${credentials.password}`
  return new Promise((resolve, reject) => {
    const request = http.request({
      host: hostname,
      port,
      method: 'CONNECT',
      path: authority,
      agent: false,
      signal,
      headers: {
        host: authority,
        'proxy-authorization': `Basic ${Buffer.from(login).toString('base64')}`,
      },
    })
    request.once('error', reject)
    // Node.js emits this for each answer to a CONNECT, refusals too, whose body is then in the head and the
    // socket.
    request.once('connect', (response, socket, head) => {
      const { statusCode: status = 0, headers } = response
      if (status === 200) {
        if (head.length > 0) socket.unshift(head)
        resolve({ status, headers, body: '', tunnel: socket })
        return
      }
      readRefusal(socket, head, Number(headers['content-length'] ?? 0)).then(
        (body) => resolve({ status, headers, body, tunnel: null }),
        reject,
      )
    })
    request.end()
  })
}

async function readRefusal(socket: Duplex, head: Buffer, length: number): Promise<string> {
  const wanted = Math.min(Number.isSafeInteger(length) ? length : 0, mostBytes)
  let body = head
  if (body.length < wanted)
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      body = Buffer.concat([body, chunk])
      if (body.length >= wanted) break
    }
  socket.destroy()
  return body.subarray(0, wanted).toString('utf8')
}

/** The target's answer through the tunnel. */
export function getThrough(tunnel: Duplex, target: URL, signal: AbortSignal): Promise<Answer> {
  const name = isIP(target.hostname) === 0 ? { servername: target.hostname } : {}
  return new Promise((resolve, reject) => {
    const request = http.get(
      {
        // With its own connection the request needs no agent, for either protocol.
        createConnection: () =>
          target.protocol === 'https:' ? tls.connect({ socket: tunnel, ...name }) : tunnel,
        host: target.hostname,
        path: target.pathname,
        signal,
        headers: { host: target.host, 'user-agent': 'Turnpike-trial', connection: 'close' },
      },
      (response) => void answerOf(response).then(resolve, reject),
    )
    request.once('error', reject)
  })
}
