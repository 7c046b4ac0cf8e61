/**
 * Requests as clients of the last ten years spell them, and the gateway's handling of each: it is forwarded,
 * or refused where two parsers could read it differently. `bench/gateway/spellings.ts` sends the same to
 * other proxies.
 */

export interface Spelling {
  /** The client that sends it, or a description of the spelling. */
  name: string
  /** `at`: the target's address and port; `login`: the line of the credentials, with its end. */
  text: (at: string, login: string) => string
  /** The first line that the target receives, with `{at}` for its address; or the status of the refusal. */
  becomes: string | 400
  /** Why the gateway refuses it, or forwards it in this form. */
  reason: string
}

const get =
  (target: string, fields = '', version = 'HTTP/1.1') =>
  (at: string, login: string) =>
    `GET ${target.replaceAll('{at}', at)} ${version}\r\nHost: ${at}\r\n${login}${fields}\r\n`
/** A tunnel, in which a request for /in follows. */
const tunnel =
  (fields: string, version = 'HTTP/1.1') =>
  (at: string, login: string) =>
    `CONNECT ${at} ${version}\r\n${fields.replaceAll('{at}', at)}${login}\r\n`
const post = (fields: string, body: string) => (at: string, login: string) =>
  `POST http://${at}/p HTTP/1.1\r\nHost: ${at}\r\n${login}${fields}\r\n${body}`
const bytes = (text: string) => Buffer.from(text).toString('latin1')

const OPENED = 'a tunnel'
const ENCODED = 'its bytes are percent-encoded, as a URI has them (RFC 3986 §2.1)'
const UNAMBIGUOUS = 'nothing is ambiguous'
const SMUGGLING = 'two parsers could end the message, or a field, in two places'

export const spellings: readonly Spelling[] = [
  {
    name: 'raw UTF-8 in the path (curl, PHP streams)',
    text: get(bytes('http://{at}/путь')),
    becomes: 'GET /%D0%BF%D1%83%D1%82%D1%8C HTTP/1.1',
    reason: ENCODED,
  },
  {
    name: 'raw UTF-8 in the query',
    text: get(bytes('http://{at}/s?q=é&r=%C3%A9')),
    becomes: 'GET /s?q=%C3%A9&r=%C3%A9 HTTP/1.1',
    reason: ENCODED,
  },
  {
    name: 'raw latin1 in the path',
    text: get('http://{at}/caf\xe9'),
    becomes: 'GET /caf%E9 HTTP/1.1',
    reason: ENCODED,
  },
  {
    name: 'characters that a URI must encode: "<>\\^`{|}',
    text: get('http://{at}/"<>\\^`{|}'),
    becomes: 'GET /"<>\\^`{|} HTTP/1.1',
    reason: 'passed on byte for byte: sites sign what they linked',
  },
  {
    name: 'a percent sign without digits',
    text: get('http://{at}/100%'),
    becomes: 'GET /100% HTTP/1.1',
    reason: 'the target’s to judge',
  },
  {
    name: 'a space in the path',
    text: get('http://{at}/a b'),
    becomes: 400,
    reason: 'the request line has three parts; where the target ends is a guess (RFC 9112 §3)',
  },
  {
    name: 'a fragment (old HTTP libraries)',
    text: get('http://{at}/a#part'),
    becomes: 'GET /a HTTP/1.1',
    reason: 'no part of a target (RFC 9110 §7.1): dropped',
  },
  {
    name: 'credentials in the address',
    text: get('http://user:pass@{at}/'),
    becomes: 400,
    reason: 'what stands before the @ disguises the host (RFC 9110 §4.2.4)',
  },
  {
    name: 'a backslash in the authority',
    text: get('http://{at}\\@other.test/'),
    becomes: 400,
    reason: 'parsers disagree on the host',
  },
  { name: 'a scheme in capitals', text: get('HTTP://{at}/'), becomes: 'GET / HTTP/1.1', reason: UNAMBIGUOUS },
  { name: 'no path', text: get('http://{at}'), becomes: 'GET / HTTP/1.1', reason: UNAMBIGUOUS },
  {
    name: 'a query without path',
    text: get('http://{at}?q'),
    becomes: 'GET /?q HTTP/1.1',
    reason: UNAMBIGUOUS,
  },
  { name: 'two slashes', text: get('http://{at}//a'), becomes: 'GET //a HTTP/1.1', reason: UNAMBIGUOUS },
  {
    name: 'ws:// with an upgrade (websocket clients without CONNECT)',
    text: get('ws://{at}/chat', 'Connection: Upgrade\r\nUpgrade: websocket\r\n'),
    becomes: 'GET /chat HTTP/1.1',
    reason: 'a request for an upgrade over plain HTTP (RFC 6455 §4.1)',
  },
  {
    name: 'wss://',
    text: get('wss://{at}/chat'),
    becomes: 400,
    reason: 'needs a tunnel: TLS ends at the target',
  },
  { name: 'https:// without a tunnel', text: get('https://{at}/'), becomes: 400, reason: 'needs a tunnel' },
  {
    name: 'an address without a scheme',
    text: get('{at}/a'),
    becomes: 400,
    reason: 'names no absolute address',
  },
  { name: 'a path alone', text: get('/a'), becomes: 400, reason: 'the gateway is no origin server' },
  {
    name: 'CONNECT without Host over HTTP/1.1 (lftp, mitmproxy)',
    text: tunnel(''),
    becomes: OPENED,
    reason: 'the authority is in the request line',
  },
  {
    name: 'CONNECT without Host over HTTP/1.0',
    text: tunnel('', 'HTTP/1.0'),
    becomes: OPENED,
    reason: UNAMBIGUOUS,
  },
  {
    name: 'CONNECT with a Host without port',
    text: tunnel('Host: 127.0.0.1\r\n'),
    becomes: OPENED,
    reason: 'it names the same host',
  },
  {
    name: 'CONNECT with an empty Host',
    text: tunnel('Host:\r\n'),
    becomes: OPENED,
    reason: 'it names nothing else',
  },
  {
    name: 'CONNECT with another Host',
    text: tunnel('Host: other.test:443\r\n'),
    becomes: 400,
    reason: 'a filter in front may judge by the Host, the gateway by the request line',
  },
  {
    name: 'CONNECT with the Host’s port another',
    text: tunnel('Host: 127.0.0.1:1\r\n'),
    becomes: 400,
    reason: 'as above',
  },
  {
    name: 'GET without Host over HTTP/1.1',
    text: (at, login) => `GET http://${at}/ HTTP/1.1\r\n${login}\r\n`,
    becomes: 400,
    reason: 'RFC 9112 §3.2: a server MUST answer it 400',
  },
  {
    name: 'GET without Host over HTTP/1.0',
    text: (at, login) => `GET http://${at}/ HTTP/1.0\r\n${login}\r\n`,
    becomes: 'GET / HTTP/1.1',
    reason: UNAMBIGUOUS,
  },
  {
    name: 'GET with another Host',
    text: (at, login) => `GET http://${at}/ HTTP/1.1\r\nHost: other.test\r\n${login}\r\n`,
    becomes: 'GET / HTTP/1.1',
    reason: 'RFC 9112 §3.2.2: a proxy ignores it and makes its own',
  },
  {
    name: 'Host twice',
    text: get('http://{at}/', 'Host: {at}\r\n'),
    becomes: 400,
    reason: 'RFC 9112 §3.2: a MUST',
  },
  {
    name: 'HTTP/1.2',
    text: get('http://{at}/', '', 'HTTP/1.2'),
    becomes: 'GET / HTTP/1.1',
    reason: 'read as HTTP/1.1 (RFC 9110 §2.5)',
  },
  {
    name: 'http/1.1',
    text: get('http://{at}/', '', 'http/1.1'),
    becomes: 400,
    reason: 'case-sensitive (RFC 9112 §2.3)',
  },
  {
    name: 'HTTP/0.9: no version',
    text: (at) => `GET http://${at}/\r\n\r\n`,
    becomes: 400,
    reason: 'has no fields, so no credentials',
  },
  {
    name: 'two spaces in the request line',
    text: get(' http://{at}/'),
    becomes: 400,
    reason: SMUGGLING,
  },
  {
    name: 'a space after the version',
    text: get('http://{at}/', '', 'HTTP/1.1 '),
    becomes: 400,
    reason: SMUGGLING,
  },
  { name: 'a tab in the path', text: get('http://{at}/a\tb'), becomes: 400, reason: SMUGGLING },
  {
    name: 'a control character in the path',
    text: get('http://{at}/a\x01b'),
    becomes: 400,
    reason: SMUGGLING,
  },
  {
    name: 'an empty line before the request (after a POST of old browsers)',
    text: (at, login) => `\r\n${get('http://{at}/')(at, login)}`,
    becomes: 'GET / HTTP/1.1',
    reason: 'RFC 9112 §2.2',
  },
  {
    name: 'lines that end in LF alone (netcat)',
    text: (at, login) => get('http://{at}/')(at, login).replaceAll('\r\n', '\n'),
    becomes: 400,
    reason: SMUGGLING,
  },
  {
    name: 'a method in small letters',
    text: (at, login) => `get http://${at}/ HTTP/1.1\r\nHost: ${at}\r\n${login}\r\n`,
    becomes: 'get / HTTP/1.1',
    reason: 'methods are case-sensitive; the target’s to judge',
  },
  {
    name: 'a blank before a colon',
    text: get('http://{at}/', 'X-Odd : 1\r\n'),
    becomes: 400,
    reason: 'RFC 9112 §5.1: a MUST',
  },
  { name: 'a folded line', text: get('http://{at}/', 'X-Odd: a\r\n b\r\n'), becomes: 400, reason: SMUGGLING },
  { name: 'a line without colon', text: get('http://{at}/', 'odd\r\n'), becomes: 400, reason: SMUGGLING },
  {
    name: 'a control character in a value',
    text: get('http://{at}/', 'X-Odd: a\x01\r\n'),
    becomes: 400,
    reason: SMUGGLING,
  },
  {
    name: 'raw UTF-8 in a value',
    text: get('http://{at}/', bytes('X-Name: Иван\r\n')),
    becomes: 'GET / HTTP/1.1',
    reason: 'opaque bytes (RFC 9110 §5.5)',
  },
  {
    name: 'an empty value',
    text: get('http://{at}/', 'X-Odd:\r\n'),
    becomes: 'GET / HTTP/1.1',
    reason: UNAMBIGUOUS,
  },
  {
    name: 'an upgrade to HTTP/2 (curl --http2)',
    text: get(
      'http://{at}/',
      'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n',
    ),
    becomes: 'GET / HTTP/1.1',
    reason: 'hop-by-hop: not passed on, so the target answers over HTTP/1.1',
  },
  {
    name: 'POST without a length',
    text: post('', ''),
    becomes: 'POST /p HTTP/1.1',
    reason: 'it has no body',
  },
  {
    name: 'GET with a body (Elasticsearch clients)',
    text: (at, login) => `GET http://${at}/ HTTP/1.1\r\nHost: ${at}\r\n${login}Content-Length: 2\r\n\r\n{}`,
    becomes: 'GET / HTTP/1.1',
    reason: UNAMBIGUOUS,
  },
  {
    name: 'Content-Length: 2, 2',
    text: post('Content-Length: 2, 2\r\n', '{}'),
    becomes: 400,
    reason: SMUGGLING,
  },
  {
    name: 'Content-Length twice, alike',
    text: post('Content-Length: 2\r\nContent-Length: 2\r\n', '{}'),
    becomes: 400,
    reason: SMUGGLING,
  },
  {
    name: 'Content-Length and chunked',
    text: post('Content-Length: 2\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'),
    becomes: 400,
    reason: SMUGGLING,
  },
  {
    name: 'Transfer-Encoding: identity (RFC 2616)',
    text: post('Transfer-Encoding: identity\r\nContent-Length: 2\r\n', '{}'),
    becomes: 400,
    reason: SMUGGLING,
  },
]

export { OPENED }
