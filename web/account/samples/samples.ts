/** Complete programs and commands that send one request through a generated line. */
import { parseLine, type protocols, type ProxyEndpoint, type ProxyFormat } from '#contract/proxy-lines'
import { shellQuote } from '#contract/shell-quote'

type Protocol = (typeof protocols)[number]

export interface SampleRequest {
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
export function proxyUrl(
  { endpoint, protocol }: SampleRequest,
  socks: 'socks5' | 'socks5h' = 'socks5h',
): string {
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

/** The same without the password, for the screen. */
export function maskedCurl(request: SampleRequest): string {
  const password = encodeURIComponent(request.endpoint.credentials?.password ?? '')
  const command = curlSample(request)
  return password === '' ? command : command.replace(password, '••••••••')
}
