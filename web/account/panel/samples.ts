/** Programs and commands that send one request through a generated line: they run as they stand. */
import { type Endpoint, parseLine } from './lines.ts'
import type { Format, Protocol } from './settings.ts'

interface Way {
  endpoint: Endpoint
  protocol: Protocol
  /** Who is asked: a page that answers with the address it was asked from. */
  target: string
}

/** The way through a line; null when the line is not of that format. */
export function wayThrough(line: string, format: Format, protocol: Protocol, target: string): Way | null {
  const endpoint = parseLine(line, format)
  return endpoint === null ? null : { endpoint, protocol, target }
}

/** The proxy as an address. With `socks5h` the exit looks the target's name up, not this machine. */
function proxyAddress({ endpoint, protocol }: Way, socks: 'socks5' | 'socks5h' = 'socks5h'): string {
  const { credentials, host, port } = endpoint
  const login =
    credentials === null
      ? ''
      : `${encodeURIComponent(credentials.login)}:${encodeURIComponent(credentials.password)}@`
  return `${protocol === 'socks5' ? socks : 'http'}://${login}${host}:${port}`
}

/** For a shell. `https` lines open a tunnel (CONNECT) even to a plain target. */
export function curlSample(way: Way): string {
  const flags = way.protocol === 'https' ? '--proxytunnel ' : ''
  return `curl ${flags}\\
  -x ${quote(proxyAddress(way))} \\
  ${quote(way.target)}`
}

/** For Python with requests, which tunnels to https targets by itself. */
export function pythonSample(way: Way): string {
  return `import requests

proxy = ${JSON.stringify(proxyAddress(way))}
answer = requests.get(
    ${JSON.stringify(way.target)},
    proxies={"http": proxy, "https": proxy},
    timeout=30,
)
print(answer.text)`
}

/** For Node.js with undici. Its proxy agent tunnels to every target unless told otherwise. */
export function nodeSample(way: Way): string {
  const isSocks = way.protocol === 'socks5'
  const agent = isSocks ? 'Socks5ProxyAgent' : 'ProxyAgent'
  const address = JSON.stringify(proxyAddress(way, 'socks5'))
  const made =
    way.protocol === 'http'
      ? `{ uri: ${address}, proxyTunnel: false }`
      : isSocks
        ? address
        : `{ uri: ${address}, proxyTunnel: true }`
  return `import { ${agent}, fetch } from 'undici'

const dispatcher = new ${agent}(${made})
const answer = await fetch(${JSON.stringify(way.target)}, { dispatcher })
console.log(await answer.text())
await dispatcher.close()`
}

const quote = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`
