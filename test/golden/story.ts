/**
 * A story: a shop prepared step by step, and the requests sent to it. The same steps make the same exchanges,
 * except for random values, which the story replaces with names.
 */
import { refusals } from '#contract/refusals'
import type { Name } from '#contract/wire'
import type { App, Customer } from '../app.ts'
import { type Exchange, print } from './exchange.ts'
import { type CallRequest, type Folder, hideGenerated, requestOf } from './request.ts'

/** What a successful call left behind. */
export interface Done {
  name: Name
  logs: boolean
  letter: boolean
}

export class Story {
  readonly shop: App
  /** The exchanges by the path of their golden file, `<call>/<case>.http`. */
  readonly told: Map<string, string>
  /** The calls that succeeded, and whether the security log has a line of each and a letter was queued. */
  readonly done: Done[] = []
  /** The learned values: text on the wire → its name. */
  readonly #names = new Map<string, string>()
  readonly #values = new Map<string, string>()
  /** The lines of the server's log, which grow as it writes them. */
  readonly #log: readonly string[]

  constructor(shop: App, told: Map<string, string>, log: readonly string[]) {
    this.shop = shop
    this.told = told
    this.#log = log
  }

  /** Names a value of this run. */
  know(name: string, value: string): void {
    this.#values.set(name, value)
    this.#names.set(value, name)
  }

  value(name: string): string {
    const value = this.#values.get(name)
    if (value === undefined) throw new Error(`the story has no value named “${name}”`)
    return value
  }

  /** Signs up a customer and signs in, without recording it. */
  async customer(name: string): Promise<Customer> {
    const customer = await this.shop.customer(name)
    this.know(`token of ${name}`, customer.token)
    return customer
  }

  /** Sends the request, records the exchange, and returns the body. */
  async ask(folder: Folder, name: string, asked: CallRequest = {}): Promise<string> {
    const file = `${folder}/${name}.http`
    if (this.told.has(file)) throw new Error(`${file} is recorded twice`)
    const { exchange, body } = await this.#exchange(folder, asked)
    this.#check(file, asked, exchange.answer.status, body)
    this.told.set(file, print(exchange))
    return body
  }

  async #exchange(folder: Folder, asked: CallRequest): Promise<{ exchange: Exchange; body: string }> {
    const request = requestOf(folder, asked, (who) => this.value(`token of ${who}`))
    const { method, path, headers, body } = request
    const before = await this.#traces()
    const answer = await this.shop.fetch(`${this.shop.origin}${path}`, {
      method,
      headers,
      redirect: 'manual',
      ...(body === '' ? {} : { body }),
    })
    const bytes = Buffer.from(await answer.arrayBuffer())
    if (folder !== 'elsewhere' && answer.status === 200) await this.#note(folder, before)
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

  /** The security log, and the letters that are queued or will be. */
  async #traces(): Promise<{ lines: number; letters: number }> {
    const { rows } = await this.shop.database.pool.query<{ letters: number }>(
      `select (select count(*) from mail)::int + (select count(*) from graphile_worker._private_jobs j
         join graphile_worker._private_tasks t on t.id = j.task_id where t.identifier like 'mail\\_%')::int as letters`,
    )
    return { lines: this.#log.length, letters: rows[0]?.letters ?? 0 }
  }

  async #note(name: Name, before: { lines: number; letters: number }): Promise<void> {
    const { letters } = await this.#traces()
    const logged = this.#log.slice(before.lines).some((line) => line.includes(`"call":"${name}"`))
    this.done.push({ name, logs: logged, letter: letters > before.letters })
  }

  #check(file: string, asked: CallRequest, status: number, body: string): void {
    const wanted = wantedOf(asked)
    const code = status >= 400 ? (JSON.parse(body) as { code?: string }).code : undefined
    if (status !== wanted.status || (code !== undefined && code !== wanted.code))
      throw new Error(
        `${file} ended with ${status} instead of the expected outcome (${JSON.stringify(wanted)}):\n${body}`,
      )
  }

  #learn(learn: Record<string, RegExp>, answer: string): void {
    for (const [name, pattern] of Object.entries(learn)) {
      const value = pattern.exec(answer)?.[1]
      if (value === undefined) throw new Error(`${String(pattern)} is not in the answer:\n${answer}`)
      this.know(name, value)
    }
  }

  /** Replaces values that differ from run to run with their names. */
  #hide(text: string): string {
    let hidden = text
    const longestFirst = [...this.#names].toSorted(([a], [b]) => b.length - a.length)
    for (const [value, name] of longestFirst) hidden = hidden.replaceAll(value, `{{${name}}}`)
    return hideGenerated(hidden)
  }
}

function wantedOf({ ends }: CallRequest): { status: number; code?: string } {
  return typeof ends === 'string' ? { status: refusals[ends].status, code: ends } : (ends ?? { status: 200 })
}

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
  'ratelimit-policy',
  'x-request-id',
]

function headersOf(headers: Headers): [string, string][] {
  return shownHeaders.flatMap((name): [string, string][] => {
    const value = headers.get(name)
    if (value === null) return []
    if (name === 'x-request-id')
      return [[name, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value) ? '{{request id}}' : value]]
    // These two depend on the elapsed fraction of a second.
    return [[name, name.startsWith('x-ratelimit-re') ? '{{number}}' : value]]
  })
}

/** The bytes of pictures and documents in base64, text unchanged. */
function textOf(bytes: Buffer, contentType: string): string {
  const isText = !/^(image\/|application\/pdf)/.test(contentType)
  return isText ? bytes.toString('utf8') : `{{base64 ${bytes.toString('base64')}}}`
}
