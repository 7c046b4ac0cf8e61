/**
 * A Telegram for tests: the Bot API over HTTP as core.telegram.org/bots/api describes it, as far as the bot
 * uses it, with Telegram's known refusals. People write to the bot and press its buttons; everything the bot
 * sends is kept.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

import { type FakeStars, Stars, type StarsInvoice, StarsRefusal } from './telegram.stars.ts'
import { Group, type GroupRefusal, type TelegramGroup } from './telegram.groups.ts'

type Json = Record<string, unknown>

export interface Button {
  text: string
  callback_data?: string
  url?: string
}

/** A message of the bot in its current state. */
export interface Shown {
  message_id: number
  chat_id: number
  /** As the bot sent it, with its markup. */
  text: string
  buttons: Button[]
  edits: number
  /** A document or a picture, whose caption is `text`. */
  file?: SentFile
  /** The id of a file that is sent again by its id. */
  fileId?: string
}

export interface SentFile {
  name: string
  type: string
  bytes: Buffer
}

export interface Call {
  method: string
  payload: Json
}

export interface TelegramPerson {
  id: number
  /** Writes to the bot and returns the id of the update. */
  say: (text: string) => number
  /** Sends a photo, or an image as a file. Returns the id that Telegram gives it. */
  sendPhoto: (facts?: { caption?: string; album?: string; asFile?: string }) => string
  /** Presses the first button with this label under any message of the chat, newest first. */
  press: (label: string) => number
  /** Sends callback data, whatever buttons exist. */
  pressData: (data: string) => number
  /** The bot's messages to this person, oldest first. */
  heard: () => Shown[]
  /**
   * Waits until the bot has shown `count` texts to this person in all (edits count), and returns the latest.
   */
  hears: (count?: number) => Promise<Shown>
  /** Pays an invoice of stars as Telegram does: the bot is asked first. False: it refused. */
  payStars: (invoice: StarsInvoice, facts?: { amount?: number; payload?: string }) => Promise<boolean>
  /** From now on the bot is blocked. */
  block: () => void
}

export interface FakeTelegram {
  apiRoot: string
  token: string
  botName: string
  /** Every call that arrived, in order. */
  calls: Call[]
  stars: FakeStars
  /** Descriptions of the errors returned. */
  errors: string[]
  person: (facts?: { id?: number; language_code?: string }) => TelegramPerson
  group: (facts?: { title?: string; isForum?: boolean }) => TelegramGroup
  /** Sends an update unchanged, with its own id; without one, the next is assigned. */
  push: (update: Json) => number
  /** Waits until every update that is brought to the webhook is taken. */
  quiet: () => Promise<void>
  /** Updates not confirmed yet. */
  pending: () => number
  webhook: () => { url: string; secret: string } | null
  commands: (languageCode?: string) => { command: string; description: string }[]
  /**
   * The next calls of a method fail with a status and a description, or with `cut`: the connection breaks.
   */
  failNext: (
    method: string,
    failure: { status: number; description: string; retryAfter?: number } | 'cut',
  ) => void
  close: () => Promise<void>
}

class ApiFault extends Error {
  readonly status: number
  readonly parameters: Json | undefined

  constructor(status: number, description: string, parameters?: Json) {
    super(description)
    this.status = status
    this.parameters = parameters
  }
}

const bad = (description: string) => new ApiFault(400, `Bad Request: ${description}`)

/** A Bot API server on a free port of this machine. */
export async function fakeTelegram({ botName = 'turnpike_test_bot' } = {}): Promise<FakeTelegram> {
  const telegram = new Telegram(botName)
  const server = createServer((request, response) => {
    telegram.answer(request, response).catch((error: unknown) => response.destroy(error as Error))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return {
    apiRoot: `http://127.0.0.1:${port}`,
    token: telegram.token,
    botName,
    calls: telegram.calls,
    stars: telegram.stars,
    errors: telegram.errors,
    person: (facts) => telegram.person(facts),
    group: (facts) => telegram.group(facts),
    push: (update) => telegram.push(update),
    quiet: async () => {
      while (telegram.delivering > 0) await sleep(5)
    },
    pending: () => telegram.updates.length,
    webhook: () => telegram.webhook,
    commands: (languageCode = '') => telegram.commands.get(languageCode) ?? [],
    failNext: (method, failure) => void telegram.failures.push({ method, failure }),
    close: async () => {
      telegram.close()
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

class Telegram {
  readonly token = '424242:AAFakeTokenOfATestBot_0123456789abc'
  readonly calls: Call[] = []
  readonly stars = new Stars()
  readonly errors: string[] = []
  readonly commands = new Map<string, { command: string; description: string }[]>()
  readonly failures: { method: string; failure: Parameters<FakeTelegram['failNext']>[1] }[] = []
  webhook: { url: string; secret: string } | null = null
  delivering = 0
  updates: (Json & { update_id: number })[] = []

  readonly #botName: string
  readonly #people = new Map<number, { languageCode: string | undefined; blocked: boolean }>()
  readonly #groups = new Map<number, Group>()
  readonly #messages: Shown[] = []
  readonly #presses = new Set<string>()
  /** The ids of files that were sent to the bot. */
  readonly #files = new Set<string>()
  /** The message of a chat that was sent or edited most recently. */
  readonly #newest = new Map<number, Shown>()
  #lastUpdate = 1000
  #lastMessage = 0
  #lastPerson = 7_000_000_000
  #lastGroup = -1_000_000_000_000
  #waiting: { wake: () => void; conflict: () => void } | null = null
  #closed = false

  constructor(botName: string) {
    this.#botName = botName
  }

  // The people's side

  person({
    id = ++this.#lastPerson,
    language_code,
  }: { id?: number; language_code?: string } = {}): TelegramPerson {
    const facts = { languageCode: language_code, blocked: false }
    this.#people.set(id, facts)
    const from = {
      id,
      is_bot: false,
      first_name: `Person <${id}>`,
      ...(language_code === undefined ? {} : { language_code }),
    }
    const chat = { id, type: 'private', first_name: from.first_name }
    const heard = () => this.#messages.filter((message) => message.chat_id === id)
    const pressed = (data: string, message: Shown | undefined) => {
      const query = `q${this.#lastUpdate + 1}`
      this.#presses.add(query)
      return this.push({
        callback_query: {
          id: query,
          from,
          chat_instance: String(id),
          data,
          message: {
            message_id: message?.message_id ?? 1,
            date: 1_800_000_000,
            chat,
            from: this.#me(),
            ...(message?.file === undefined
              ? { text: message?.text ?? '' }
              : { caption: message.text, document: { file_id: 'f', file_unique_id: 'f' } }),
          },
        },
      })
    }
    return {
      id,
      say: (text) => {
        const command = /^\/\w+(@\w+)?/.exec(text)?.[0]
        const entities =
          command === undefined ? [] : [{ type: 'bot_command', offset: 0, length: command.length }]
        return this.push({
          message: { message_id: ++this.#lastMessage, date: 1_800_000_000, chat, from, text, entities },
        })
      },
      sendPhoto: ({ caption, album, asFile } = {}) => {
        const file_id = `file-${++this.#lastMessage}`
        const one = { file_id, file_unique_id: `u-${file_id}` }
        const thumb = { ...one, file_id: `small-${file_id}`, width: 90, height: 60 }
        this.push({
          message: {
            message_id: this.#lastMessage,
            date: 1_800_000_000,
            chat,
            from,
            ...(caption === undefined ? {} : { caption }),
            ...(album === undefined ? {} : { media_group_id: album }),
            ...(asFile === undefined
              ? { photo: [thumb, { ...one, width: 900, height: 600 }] }
              : { document: { ...one, mime_type: asFile } }),
          },
        })
        return file_id
      },
      press: (label) => {
        for (const message of heard().toReversed()) {
          const button = message.buttons.find(({ text }) => text === label)
          if (button?.callback_data !== undefined) return pressed(button.callback_data, message)
        }
        throw new Error(`no message has a button “${label}”`)
      },
      pressData: (data) => pressed(data, heard().at(-1)),
      heard,
      hears: async (count = 1) => {
        const deadline = Date.now() + 60_000
        for (;;) {
          const shown = heard().reduce((sum, message) => sum + 1 + message.edits, 0)
          const newest = this.#newest.get(id)
          if (shown >= count && newest !== undefined) return { ...newest }
          if (Date.now() > deadline)
            throw new Error(
              `heard ${shown} of ${count}: ${JSON.stringify(heard().map(({ text }) => text))}, ${this.errors.join('; ')}`,
            )
          await sleep(5)
        }
      },
      payStars: async ({ payload: own, amount: price }, { payload = own, amount = price } = {}) => {
        const { update, answered } = this.stars.ask(from, { payload, amount })
        this.push(update)
        if (!(await answered)) return false
        const paid = this.stars.take(from, { payload, amount })
        if (!this.stars.areLost)
          this.push({
            message: {
              message_id: ++this.#lastMessage,
              date: 1_800_000_000,
              chat,
              from,
              successful_payment: paid,
            },
          })
        return true
      },
      block: () => {
        facts.blocked = true
      },
    }
  }

  group({ title = 'The staff', isForum = false } = {}): TelegramGroup {
    const group = new Group({ id: --this.#lastGroup, title, isForum })
    this.#groups.set(group.id, group)
    const member = { id: ++this.#lastPerson, first_name: 'Member' }
    return {
      get id() {
        return group.id
      },
      say: (text, from = member) => {
        const message = { message_id: ++this.#lastMessage, date: 1_800_000_000, chat: group.chat, text }
        return this.push({ message: { ...message, from: { is_bot: false, ...from } } })
      },
      heard: () => [...group.messages],
      hears: (count) => group.hears(count),
      topics: () => [...group.topics.values()],
      deleteTopic: (name) => {
        for (const [id, known] of group.topics) if (known === name) group.topics.delete(id)
      },
      letMakeTopics: (may) => void (group.mayMakeTopics = may),
      kick: () => void (group.isKicked = true),
      migrate: (to) => {
        const old = new Group(group)
        old.movedTo = to
        this.#groups.set(group.id, old)
        group.id = to
        this.#groups.set(to, group)
      },
    }
  }

  push(update: Json): number {
    for (const [, id = ''] of JSON.stringify(update).matchAll(/"file_id":"([^"]+)"/g)) this.#files.add(id)
    const given = update['update_id']
    const id = typeof given === 'number' ? given : ++this.#lastUpdate
    const full = { ...update, update_id: id }
    if (this.webhook === null) {
      this.updates.push(full)
      this.#waiting?.wake()
    } else this.#bring(this.webhook, full)
    return id
  }

  close(): void {
    this.#closed = true
    this.#waiting?.wake()
  }

  #bring(webhook: { url: string; secret: string }, update: Json): void {
    this.delivering++
    void this.#deliver(webhook, update).finally(() => this.delivering--)
  }

  /** Telegram repeats an update until it is accepted. */
  async #deliver({ url, secret }: { url: string; secret: string }, update: Json): Promise<void> {
    while (!this.#closed) {
      const taken = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': secret },
        body: JSON.stringify(update),
      }).then(
        (answer) => answer.ok,
        () => false,
      )
      if (taken) return
      await sleep(50)
    }
  }

  // The bot's side

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, token = '', method = ''] = /^\/bot([^/]+)\/(\w+)/.exec(request.url ?? '') ?? []
    const payload = await readBody(request)
    this.calls.push({ method, payload })
    const failing = this.failures.findIndex((failure) => failure.method === method)
    const failure = failing < 0 ? undefined : this.failures.splice(failing, 1)[0]?.failure
    if (failure === 'cut') return void response.destroy()
    try {
      if (failure !== undefined)
        throw new ApiFault(
          failure.status,
          failure.description,
          failure.retryAfter === undefined ? undefined : { retry_after: failure.retryAfter },
        )
      if (token !== this.token) throw new ApiFault(401, 'Unauthorized')
      const result = await this.#perform(method, payload, response)
      send(response, 200, { ok: true, result })
    } catch (error) {
      if (error instanceof StarsRefusal) return this.#refuse(method, response, bad(error.message))
      if (!(error instanceof ApiFault)) throw error
      this.#refuse(method, response, error)
    }
  }

  #refuse(method: string, response: ServerResponse, error: ApiFault): void {
    this.errors.push(`${method}: ${error.message}`)
    const parameters = error.parameters === undefined ? {} : { parameters: error.parameters }
    send(response, error.status, {
      ok: false,
      error_code: error.status,
      description: error.message,
      ...parameters,
    })
  }

  #perform(method: string, payload: Json, response: ServerResponse): unknown {
    switch (method) {
      case 'getMe':
        return this.#me()
      case 'getUpdates':
        return this.#getUpdates(payload, response)
      case 'sendMessage':
        return this.#sendMessage(payload)
      case 'createForumTopic':
        return refusing(this.#groupOf(payload).make(str(payload['name'])))
      case 'sendDocument':
      case 'sendPhoto':
        return this.#sendFile(payload, method === 'sendPhoto' ? 'photo' : 'document')
      case 'deleteMessage':
        return this.#deleteMessage(payload)
      case 'createInvoiceLink':
        return this.stars.createInvoiceLink(payload)
      case 'answerPreCheckoutQuery':
        return this.stars.answerPreCheckoutQuery(payload)
      case 'getStarTransactions':
        return this.stars.getStarTransactions(payload)
      case 'refundStarPayment':
        return this.stars.refundStarPayment(payload)
      case 'editMessageText':
        return this.#editMessageText(payload)
      case 'answerCallbackQuery':
        return this.#answerCallbackQuery(payload)
      case 'setMyCommands':
        return this.#setMyCommands(payload)
      case 'setWebhook':
        return this.#setWebhook(payload)
      case 'deleteWebhook':
        this.webhook = null
        return true
      default:
        throw new ApiFault(404, 'Not Found')
    }
  }

  #me(): Json {
    return {
      id: Number(this.token.split(':')[0]),
      is_bot: true,
      first_name: 'Turnpike',
      username: this.#botName,
      can_join_groups: false,
      can_read_all_group_messages: false,
      supports_inline_queries: false,
    }
  }

  /**
   * Answers immediately when there are updates, otherwise when one arrives, or with none after `timeout`
   * seconds.
   */
  async #getUpdates(payload: Json, response: ServerResponse): Promise<unknown> {
    if (this.webhook !== null)
      throw new ApiFault(
        409,
        "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
      )
    this.#waiting?.conflict()
    const offset = Number(payload['offset'] ?? 0)
    const limit = Number(payload['limit'] ?? 100)
    this.updates = this.updates.filter((update) => update.update_id >= offset)
    if (this.updates.length === 0) {
      await new Promise<void>((wake, fail) => {
        const timer = setTimeout(wake, 1000 * Number(payload['timeout'] ?? 0))
        const conflict = () =>
          fail(
            new ApiFault(
              409,
              'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
            ),
          )
        const mine = { wake, conflict }
        this.#waiting = mine
        // A caller that has disconnected no longer conflicts.
        response.once('close', () => {
          if (this.#waiting === mine) this.#waiting = null
          clearTimeout(timer)
          wake()
        })
      }).finally(() => (this.#waiting = null))
    }
    return this.updates.slice(0, limit)
  }

  #groupOf(payload: Json): Group {
    const group = this.#groups.get(Number(payload['chat_id']))
    if (group === undefined) throw bad('chat not found')
    refusing(group.refusal)
    return group
  }

  #sendMessage(payload: Json): unknown {
    if (Number(payload['chat_id']) < 0) {
      const group = this.#groupOf(payload)
      const { text, buttons } = textOf(payload)
      refusing(group.take(plainOf(text), buttons[0]?.url ?? null, payload['message_thread_id']))
      return { message_id: ++this.#lastMessage, date: 1_800_000_000, chat: group.chat, text }
    }
    const chat = this.#chatOf(payload)
    const shown = { ...textOf(payload), message_id: ++this.#lastMessage, chat_id: chat, edits: 0 }
    this.#messages.push(shown)
    this.#newest.set(chat, shown)
    return {
      message_id: shown.message_id,
      date: 1_800_000_000,
      chat: { id: chat, type: 'private' },
      text: shown.text,
    }
  }

  #sendFile(payload: Json, kind: 'document' | 'photo'): unknown {
    const known = payload[kind]
    if (typeof known === 'string') return this.#sendKnownFile(payload, known)
    const chat = this.#chatOf(payload)
    const file = payload[kind] as SentFile | undefined
    if (file === undefined || !Buffer.isBuffer(file.bytes) || file.bytes.length === 0)
      throw bad('file must be non-empty')
    if (kind === 'photo' && file.bytes.subarray(1, 4).toString() !== 'PNG') throw bad('IMAGE_PROCESS_FAILED')
    const caption = str(payload['caption'])
    if (plainOf(caption).length > 1024) throw bad('message caption is too long')
    const { buttons } = textOf({ ...payload, text: caption === '' ? 'no caption' : caption })
    const shown = { text: caption, buttons, message_id: ++this.#lastMessage, chat_id: chat, edits: 0, file }
    this.#messages.push(shown)
    this.#newest.set(chat, shown)
    return { message_id: shown.message_id, date: 1_800_000_000, chat: { id: chat, type: 'private' } }
  }

  /** A file that was sent before, by its id. */
  #sendKnownFile(payload: Json, fileId: string): unknown {
    if (!this.#files.has(fileId)) throw bad('wrong remote file identifier specified: Wrong string length')
    const text = str(payload['caption'])
    if (plainOf(text).length > 1024) throw bad('message caption is too long')
    const { buttons } = textOf({ ...payload, text: text === '' ? 'no caption' : text })
    const message_id = ++this.#lastMessage
    if (Number(payload['chat_id']) < 0) {
      const group = this.#groupOf(payload)
      const url = buttons[0]?.url ?? null
      refusing(group.take(plainOf(text), url, payload['message_thread_id'], fileId))
      return { message_id, date: 1_800_000_000, chat: group.chat }
    }
    const chat = this.#chatOf(payload)
    const shown = { text, buttons, message_id, chat_id: chat, edits: 0, fileId }
    this.#messages.push(shown)
    this.#newest.set(chat, shown)
    return { message_id, date: 1_800_000_000, chat: { id: chat, type: 'private' } }
  }

  #deleteMessage(payload: Json): true {
    const chat = this.#chatOf(payload)
    const at = this.#messages.findIndex(
      (message) => message.chat_id === chat && message.message_id === payload['message_id'],
    )
    if (at < 0) throw bad('message to delete not found')
    this.#messages.splice(at, 1)
    return true
  }

  #editMessageText(payload: Json): unknown {
    const chat = this.#chatOf(payload)
    const shown = this.#messages.find(
      (message) => message.chat_id === chat && message.message_id === payload['message_id'],
    )
    if (shown === undefined) throw bad('message to edit not found')
    if (shown.file !== undefined) throw bad('there is no text in the message to edit')
    const next = textOf(payload)
    if (next.text === shown.text && JSON.stringify(next.buttons) === JSON.stringify(shown.buttons))
      throw bad(
        'message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message',
      )
    Object.assign(shown, next, { edits: shown.edits + 1 })
    this.#newest.set(chat, shown)
    return {
      message_id: shown.message_id,
      date: 1_800_000_000,
      chat: { id: chat, type: 'private' },
      text: shown.text,
    }
  }

  #chatOf(payload: Json): number {
    const chat = Number(payload['chat_id'])
    const person = this.#people.get(chat)
    if (person === undefined) throw bad('chat not found')
    if (person.blocked) throw new ApiFault(403, 'Forbidden: bot was blocked by the user')
    return chat
  }

  #answerCallbackQuery(payload: Json): unknown {
    if (!this.#presses.delete(String(payload['callback_query_id'])))
      throw bad('query is too old and response timeout expired or query ID is invalid')
    return true
  }

  #setMyCommands(payload: Json): unknown {
    const commands = payload['commands'] as { command: string; description: string }[]
    for (const { command, description } of commands) {
      if (!/^[a-z0-9_]{1,32}$/.test(command)) throw bad('BOT_COMMAND_INVALID')
      if (description.length < 1 || description.length > 256) throw bad('BOT_COMMAND_DESCRIPTION_INVALID')
    }
    this.commands.set(str(payload['language_code']), commands)
    return true
  }

  #setWebhook(payload: Json): unknown {
    const url = str(payload['url'])
    const secret = str(payload['secret_token'])
    // The real service accepts https only; a local Bot API server accepts http to this machine as well.
    if (!/^https:|^http:\/\/127\.0\.0\.1[:/]/.test(url))
      throw bad('bad webhook: An HTTPS URL must be provided for webhook')
    if (!/^[\w-]{0,256}$/.test(secret)) throw bad('secret token contains unallowed characters')
    this.webhook = { url, secret }
    const waiting = this.updates.splice(0)
    for (const update of waiting) this.#bring(this.webhook, update)
    return true
  }
}

/** Throws what a group refuses. */
function refusing<T>(answer: T | GroupRefusal): T {
  if (typeof answer === 'object' && answer !== null && 'status' in answer && 'description' in answer) {
    const { status, description, parameters } = answer
    throw new ApiFault(status, description, parameters)
  }
  return answer as T
}

const str = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The text and buttons of a message, refused as Telegram refuses them. */
function textOf(payload: Json): { text: string; buttons: Button[] } {
  const text = str(payload['text'])
  if (payload['parse_mode'] === 'HTML') checkHtml(text)
  const plain = plainOf(text)
  if (plain.trim() === '') throw bad('message text is empty')
  if (plain.length > 4096) throw bad('message is too long')
  const rows =
    (payload['reply_markup'] as { inline_keyboard?: Button[][] } | undefined)?.inline_keyboard ?? []
  const buttons = rows.flat()
  for (const button of buttons) {
    if (button.text === '') throw bad('text of the inline keyboard button is empty')
    const { callback_data: data, url } = button
    if ((data === undefined) === (url === undefined))
      throw bad('text buttons are unallowed in the inline keyboard')
    const size = Buffer.byteLength(data ?? 'ok')
    if (size < 1 || size > 64) throw bad('BUTTON_DATA_INVALID')
    if (url !== undefined && !/^https?:\/\/[^/]+\.[^/]+|^tg:/.test(url)) throw bad('BUTTON_URL_INVALID')
  }
  return { text, buttons }
}

/** The plain text of Telegram's HTML. */
export function plainOf(html: string): string {
  return html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
}

/** Telegram accepts these tags, closed in order, and `<` and `&` only as entities. */
function checkHtml(text: string): void {
  const open: string[] = []
  for (const [tag, slash, name = ''] of text.matchAll(/<(\/?)([^>\s]*)[^>]*>?/g)) {
    if (!tag.endsWith('>')) throw bad("can't parse entities: unclosed start tag")
    if (!/^(b|strong|i|em|u|ins|s|strike|del|code|pre|a|tg-spoiler|blockquote|span)$/.test(name))
      throw bad(`can't parse entities: Unsupported start tag "${name}"`)
    if (slash === '') open.push(name)
    else if (open.pop() !== name) throw bad(`can't parse entities: Unmatched end tag`)
  }
  if (open.length > 0)
    throw bad(`can't parse entities: Can't find end tag corresponding to start tag "${open[0]}"`)
  if (/&(?!(lt|gt|amp|quot|#\d+|#x[\da-f]+);)/i.test(text)) throw bad("can't parse entities: stray &")
}

async function readBody(request: IncomingMessage): Promise<Json> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks).toString()
  if (body === '') return {}
  if ((request.headers['content-type'] ?? '').startsWith('application/json')) return JSON.parse(body) as Json
  const type = request.headers['content-type'] ?? ''
  if (!type.startsWith('multipart/')) return Object.fromEntries(new URLSearchParams(body))
  return fieldsOf(Buffer.concat(chunks), type)
}

/** The fields of a form with files, as the Bot API reads them: `attach://` names another part. */
async function fieldsOf(body: Buffer, type: string): Promise<Json> {
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData()
  const fields: Json = {}
  for (const [name, value] of form) {
    if (typeof value !== 'string')
      fields[name] = { name: value.name, type: value.type, bytes: Buffer.from(await value.arrayBuffer()) }
    else if (/^-?\d{1,15}$/.test(value)) fields[name] = Number(value)
    else fields[name] = /^[[{]/.test(value) ? JSON.parse(value) : value
  }
  for (const [name, value] of Object.entries(fields))
    if (typeof value === 'string' && value.startsWith('attach://'))
      fields[name] = fields[value.slice('attach://'.length)]
  return fields
}

function send(response: ServerResponse, status: number, body: Json): void {
  if (response.destroyed) return
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
