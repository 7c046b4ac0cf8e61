/**
 * A story: a shop prepared step by step, and the requests that are asked of it on the way. The same steps make the
 * same exchanges, apart from what is drawn at random; of that the story learns the names.
 */
import { type RefusalCode, refusals } from '#contract/refusals'
import { type Name, pathOf, wire } from '#contract/wire'
import type { App, Customer } from '../app.ts'
import { type Exchange, print } from './exchange.ts'

export interface Asked {
  /** Whose token goes with it. */
  as?: string
  /** The fields, in the query or in a JSON body. */
  input?: Record<string, unknown>
  language?: 'ru' | 'en'
  /** The caller's address. */
  from?: string
  headers?: Record<string, string>
  /** Where it is not the call's own. */
  method?: string
  path?: string
  /** The body as it is, in the place of `input`. */
  body?: string
  /** How it must end: 200 when left out. A field's own code, such as `invalid_code`, is written with its status. */
  ends?: RefusalCode | { status: number; code?: string }
  /** What to remember of the answer: a name, and a pattern with one group in the body or in `name: header` lines. */
  learn?: Record<string, RegExp>
}

/** Calls, and what stands beside them: addresses that are no call. */
export type Folder = Name | 'elsewhere'

export class Story {
  readonly shop: App
  /** The exchanges by the path of their golden file, `<call>/<case>.http`. */
  readonly told: Map<string, string>
  /** What was learned: text on the wire → its name. */
  readonly #names = new Map<string, string>()
  readonly #values = new Map<string, string>()

  constructor(shop: App, told: Map<string, string>) {
    this.shop = shop
    this.told = told
  }

  /** Gives a value of this run its name. */
  know(name: string, value: string): void {
    this.#values.set(name, value)
    this.#names.set(value, name)
  }

  value(name: string): string {
    const value = this.#values.get(name)
    if (value === undefined) throw new Error(`nobody has told the story what “${name}” is`)
    return value
  }

  /** Signs somebody up and in, without writing it down. */
  async customer(name: string): Promise<Customer> {
    const customer = await this.shop.customer(name)
    this.know(`token of ${name}`, customer.token)
    return customer
  }

  /** Asks, writes the exchange down, and answers the body. */
  async ask(folder: Folder, name: string, asked: Asked = {}): Promise<string> {
    const file = `${folder}/${name}.http`
    if (this.told.has(file)) throw new Error(`${file} is told twice`)
    const { exchange, body } = await this.#exchange(folder, asked)
    this.#check(file, asked, exchange.answer.status, body)
    this.told.set(file, print(exchange))
    return body
  }

  async #exchange(folder: Folder, asked: Asked): Promise<{ exchange: Exchange; body: string }> {
    const request = this.#request(folder, asked)
    const { method, path, headers, body } = request
    const answer = await fetch(`${this.shop.origin}${path}`, {
      method,
      headers,
      redirect: 'manual',
      ...(body === '' ? {} : { body }),
    })
    const bytes = Buffer.from(await answer.arrayBuffer())
    const shown = headersOf(answer.headers)
    const text = textOf(bytes, answer.headers.get('content-type') ?? '')
    this.#learn(asked.learn ?? {}, [...shown.map(([key, value]) => `${key}: ${value}`), text].join('\n'))
    const hide = (what: string) => this.#hide(what)
    const exchange = {
      request: {
        method,
        path: hide(path),
        headers: headers.map(([key, value]): [string, string] => [key, hide(value)]),
        body: hide(body),
      },
      answer: {
        status: answer.status,
        headers: shown.map(([key, value]): [string, string] => [key, hide(value)]),
        body: hide(text),
      },
    }
    return { exchange, body: text }
  }

  #request(folder: Folder, asked: Asked) {
    const { provider, ...fields } = asked.input ?? {}
    const call = folder === 'elsewhere' ? null : wire[folder]
    const method = asked.method ?? call?.method ?? 'GET'
    const isQuery = method === 'GET' || method === 'OPTIONS'
    const ownPath = folder === 'elsewhere' ? '/' : pathOf(folder, provider as string | undefined)
    const query = new URLSearchParams(
      Object.entries(fields).map(([key, value]): [string, string] => [key, String(value)]),
    ).toString()
    const path = asked.path ?? (isQuery && query !== '' ? `${ownPath}?${query}` : ownPath)
    const body = isQuery ? '' : (asked.body ?? JSON.stringify(fields))
    const headers: [string, string][] = [
      ...(asked.language === undefined ? [] : [['accept-language', asked.language] as [string, string]]),
      ...(asked.as === undefined
        ? []
        : [['authorization', `Bearer ${this.value(`token of ${asked.as}`)}`] as [string, string]]),
      ...(body === '' ? [] : [['content-type', 'application/json'] as [string, string]]),
      ...(asked.from === undefined ? [] : [['x-forwarded-for', asked.from] as [string, string]]),
    ]
    const own = Object.entries(asked.headers ?? {})
    const kept = headers.filter(([name]) => !own.some(([other]) => other === name))
    return { method, path, headers: [...kept, ...own], body }
  }

  #check(file: string, asked: Asked, status: number, body: string): void {
    const wanted = wantedOf(asked)
    const code = status >= 400 ? (JSON.parse(body) as { code?: string }).code : undefined
    if (status !== wanted.status || (code !== undefined && code !== wanted.code))
      throw new Error(`${file} ended with ${status}, not as it should (${JSON.stringify(wanted)}):\n${body}`)
  }

  #learn(learn: Record<string, RegExp>, answer: string): void {
    for (const [name, pattern] of Object.entries(learn)) {
      const value = pattern.exec(answer)?.[1]
      if (value === undefined) throw new Error(`${String(pattern)} is not in the answer:\n${answer}`)
      this.know(name, value)
    }
  }

  /** Puts names in the place of what differs from run to run. */
  #hide(text: string): string {
    let hidden = text
    const longestFirst = [...this.#names].toSorted(([a], [b]) => b.length - a.length)
    for (const [value, name] of longestFirst) hidden = hidden.replaceAll(value, `{{${name}}}`)
    for (const [pattern, name] of alwaysHidden) hidden = hidden.replaceAll(pattern, name)
    return hidden
  }
}

function wantedOf({ ends }: Asked): { status: number; code?: string } {
  return typeof ends === 'string' ? { status: refusals[ends].status, code: ends } : (ends ?? { status: 200 })
}

/** What the database's own clock and generators write. */
const alwaysHidden: [RegExp, string][] = [
  [/"(created_at|updated_at|reg_date|added_at|proven_at|lost_at)":"\d{4}-[^"]+Z"/g, '"$1":"{{time}}"'],
  [/("proven_at":null,"expires_at":)"\d{4}-[^"]+Z"/g, '$1"{{time}}"'],
  [/"tgcode":"[^"]+"/g, '"tgcode":"{{link code}}"'],
  [/-sid-[0-9a-f]{12}/g, '-sid-{{session}}'],
  [/-set-[0-9a-f]+/g, '-set-{{settings}}'],
  [/(.)\1{999,}/g, '{{very many $1}}'],
]

const shownHeaders = [
  'content-type',
  'cache-control',
  'etag',
  'x-invoice-id',
  'retry-after',
  'www-authenticate',
  'allow',
  'location',
  'vary',
  'access-control-allow-origin',
  'access-control-allow-methods',
  'access-control-allow-headers',
  'access-control-expose-headers',
  'access-control-max-age',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'x-request-id',
]

function headersOf(headers: Headers): [string, string][] {
  return shownHeaders.flatMap((name): [string, string][] => {
    const value = headers.get(name)
    if (value === null) return []
    if (name === 'x-request-id')
      return [[name, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value) ? '{{request id}}' : value]]
    // How much of a second has passed decides these two.
    return [[name, name.startsWith('x-ratelimit-re') ? '{{number}}' : value]]
  })
}

/** A picture's bytes in base64, text as it is. */
function textOf(bytes: Buffer, contentType: string): string {
  return contentType.startsWith('image/') ? `{{base64 ${bytes.toString('base64')}}}` : bytes.toString('utf8')
}
