/** Code samples of a call in curl, Python and TypeScript. */
import { onceOf } from '../call.ts'
import { shellQuote } from '../shell-quote.ts'
import { type Name, pathOf, wire } from '../wire.ts'

type Fields = Record<string, unknown>

interface Call {
  url: string
  method: 'GET' | 'POST'
  query: [string, string][]
  body: Fields | null
  token: string | null
  answer: 'json' | 'text' | 'blob'
  /** Where a file is saved. */
  file: string
  idempotent: boolean
}

/** The value of `x-codeSamples` for a call. */
export function codeSamples(name: Name, input: Fields, origin: string) {
  const { provider, ...fields } = input
  const { method, who, answer } = wire[name]
  const call: Call = {
    url: `${origin}${pathOf(name, typeof provider === 'string' ? provider : undefined)}`,
    method,
    query: method === 'GET' ? Object.entries(fields).map(([key, value]) => [key, String(value)]) : [],
    body: method === 'POST' ? fields : null,
    token: who === 'anyone' ? null : wire[name].token ? 'API_TOKEN' : 'SESSION_TOKEN',
    answer,
    file: name === 'invoice_document' ? 'invoice.pdf' : 'banner',
    idempotent: onceOf(wire[name]) !== null,
  }
  return [
    { lang: 'Shell', label: 'curl', source: curl(call) },
    { lang: 'Python', label: 'Python', source: python(call) },
    { lang: 'TypeScript', label: 'Node.js', source: typescript(call) },
  ]
}

/** A body as JSON: a short one on one line, a long one with a line per field. */
function readable(body: Fields): string {
  const text = JSON.stringify(body)
  if (text.length <= 60) return text
  const lines = Object.entries(body).map(
    ([key, value]) => `  ${JSON.stringify(key)}: ${JSON.stringify(value)}`,
  )
  return `{\n${lines.join(',\n')}\n}`
}

function curl({ url, method, query, body, token, answer, file, idempotent }: Call): string {
  const address = query.length === 0 ? url : `${url}?${new URLSearchParams(query).toString()}`
  return [
    `curl ${shellQuote(address)}`,
    ...(method === 'POST' ? ['-X POST'] : []),
    ...(token === null ? [] : [`-H "Authorization: Bearer $${token}"`]),
    ...(idempotent ? ['-H "Idempotency-Key: $(uuidgen)"'] : []),
    ...(body === null ? [] : [`--json ${shellQuote(readable(body))}`]),
    ...(answer === 'blob' ? [`-o ${file}`] : []),
  ]
    .filter((part) => !(body !== null && part === '-X POST'))
    .join(' \\\n  ')
}

/** JSON as a Python literal. */
function literal(value: unknown): string {
  if (value === null || value === undefined) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value === 'object')
    return `{${Object.entries(value)
      .map(([key, one]) => `${JSON.stringify(key)}: ${literal(one)}`)
      .join(', ')}}`
  return JSON.stringify(value)
}

function python({ url, method, query, body, token, answer, idempotent }: Call): string {
  const headers = [
    ...(token === null ? [] : [`"Authorization": f"Bearer {os.environ['${token}']}"`]),
    ...(idempotent ? ['"Idempotency-Key": str(uuid.uuid4())'] : []),
  ]
  const modules = [...(token === null ? [] : ['import os']), ...(idempotent ? ['import uuid'] : [])]
  const result = { json: 'answer.json()', text: 'answer.text', blob: 'len(answer.content)' }[answer]
  return [
    ...modules,
    ...(modules.length > 0 ? [''] : []),
    'import requests',
    '',
    `answer = requests.${method.toLowerCase()}(`,
    `    ${JSON.stringify(url)},`,
    ...(headers.length === 0 ? [] : [`    headers={${headers.join(', ')}},`]),
    ...(query.length === 0 ? [] : [`    params=${literal(Object.fromEntries(query))},`]),
    ...(body === null ? [] : [`    json=${literal(body)},`]),
    '    timeout=10,',
    ')',
    'answer.raise_for_status()',
    `print(${result})`,
  ].join('\n')
}

function typescript({ url, query, body, token, answer, idempotent }: Call): string {
  const address = query.length === 0 ? url : `${url}?${new URLSearchParams(query).toString()}`
  const headers = [
    ...(token === null ? [] : [`    authorization: \`Bearer \${process.env.${token}}\`,`]),
    ...(idempotent ? [`    'idempotency-key': crypto.randomUUID(),`] : []),
    ...(body === null ? [] : [`    'content-type': 'application/json',`]),
  ]
  const options = [
    ...(body === null ? [] : [`  method: 'POST',`]),
    ...(headers.length === 0 ? [] : ['  headers: {', ...headers, '  },']),
    ...(body === null ? [] : [`  body: JSON.stringify(${readable(body).replaceAll('\n', '\n  ')}),`]),
    '  signal: AbortSignal.timeout(10_000),',
  ]
  const result = { json: 'answer.json()', text: 'answer.text()', blob: 'answer.blob()' }[answer]
  return [
    `const answer = await fetch(${shellQuote(address)}, {`,
    ...options,
    '})',
    'if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`)',
    `console.log(await ${result})`,
  ].join('\n')
}
