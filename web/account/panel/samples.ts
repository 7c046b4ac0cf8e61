/** Complete programs and commands that send one request through a generated line. */
import { parseLine, type ProxyEndpoint, type ProxyFormat } from '#contract/proxy-lines'
import { shellQuote } from '#contract/shell-quote'
import type { Protocol } from './settings.ts'

interface SampleRequest {
  endpoint: ProxyEndpoint
  protocol: Protocol
  /** A URL that answers with the address the request came from. */
  target: string
}

/** A request through a line; null when the line is not of that format. */
export function sampleRequest(
  line: string,
  format: ProxyFormat,
  protocol: Protocol,
  target: string,
): SampleRequest | null {
  const endpoint = parseLine(format, line)
  return endpoint === null ? null : { endpoint, protocol, target }
}

/** The URL of the proxy. With `socks5h` the exit resolves the name of the target, not the client. */
function proxyUrl({ endpoint, protocol }: SampleRequest, socks: 'socks5' | 'socks5h' = 'socks5h'): string {
  const { credentials, hostname, port } = endpoint
  const login =
    credentials === null
      ? ''
      : `${encodeURIComponent(credentials.login)}:${encodeURIComponent(credentials.password)}@`
  return `${protocol === 'socks5' ? socks : 'http'}://${login}${hostname}:${port}`
}

/** For a shell. Lines of the protocol `https` open a tunnel (CONNECT) for http targets too. */
export function curlSample(request: SampleRequest): string {
  const flags = request.protocol === 'https' ? '--proxytunnel ' : ''
  return `curl ${flags}\\
  -x ${shellQuote(proxyUrl(request))} \\
  ${shellQuote(request.target)}`
}

/** For Python with requests, which opens a tunnel for https targets by itself. */
export function pythonSample(request: SampleRequest): string {
  return `import requests

proxy = ${JSON.stringify(proxyUrl(request))}
answer = requests.get(
    ${JSON.stringify(request.target)},
    proxies={"http": proxy, "https": proxy},
    timeout=30,
)
print(answer.text)`
}

/** For Node.js with undici, whose proxy agent opens a tunnel for every target unless `proxyTunnel` is false. */
export function nodeSample(request: SampleRequest): string {
  const isSocks = request.protocol === 'socks5'
  const agent = isSocks ? 'Socks5ProxyAgent' : 'ProxyAgent'
  const url = JSON.stringify(proxyUrl(request, 'socks5'))
  const options =
    request.protocol === 'http'
      ? `{ uri: ${url}, proxyTunnel: false }`
      : isSocks
        ? url
        : `{ uri: ${url}, proxyTunnel: true }`
  return `import { ${agent}, fetch } from 'undici'

const dispatcher = new ${agent}(${options})
const answer = await fetch(${JSON.stringify(request.target)}, { dispatcher })
console.log(await answer.text())
await dispatcher.close()`
}
