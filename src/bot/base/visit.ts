/** A person in Telegram, with their account, their language, and the site's calls made in their name. */
import type { Context as TelegramContext } from 'grammy'
import { arriveByTelegram, telegramAccount, type TelegramAccount } from '#accounts/telegram'
import { contract, type Output, type Parsed } from '#contract/contract'
import { wire } from '#contract/wire'
import { type Language, type LanguageCode, languageOfCode } from '#contract/language'
import type { Context, TextHandler } from '#db/call'
import type { BotCalls, BotDeps } from './deps.ts'
import { isRefusalCode } from '#contract/refusals'
import { Refusal } from '#lib/refusal'
import { type Texts, texts } from './texts.ts'

/** The parts of a call's context that HTTP requests supply in headers. */
type CallContext = Partial<Pick<Context, 'operation' | 'setHeader'>>

export interface Visit {
  account: TelegramAccount
  language: Language
  words: Texts
  call: <N extends keyof BotCalls>(name: N, input: Parsed<N>, given?: CallContext) => Promise<Output<N>>
}

/** The person who wrote, in a private chat. */
export interface Sender {
  id: bigint
  /** The language of their Telegram client. */
  lang: LanguageCode
}

export function senderOf(ctx: TelegramContext): Sender {
  if (ctx.from === undefined) throw new Error('an update of a private chat has no sender')
  return { id: BigInt(ctx.from.id), lang: langOf(ctx.from.language_code) }
}

/** Telegram sends an IETF language tag or nothing; the product's default is Russian. */
export function langOf(languageCode: string | undefined): LanguageCode {
  return languageCode === undefined || /^ru\b/i.test(languageCode) ? 'rus' : 'eng'
}

/** The language used with a person: the one they chose, otherwise that of their Telegram. */
export async function speakTo(deps: BotDeps, sender: Sender): Promise<Language> {
  const account = await telegramAccount(deps.database.db, sender.id)
  return languageOfCode(account?.lang ?? sender.lang)
}

/** The visit of a person; the first one creates an account. Refuses as `blockedRefusal` does. */
export async function visit(deps: BotDeps, ctx: TelegramContext): Promise<Visit> {
  const person = await visitEvenBlocked(deps, ctx)
  if (person.account.blocked !== null) throw person.account.blocked
  return person
}

/** The same for blocked customers too: they may write to support, and use only calls open to anyone. */
export async function visitEvenBlocked(deps: BotDeps, ctx: TelegramContext): Promise<Visit> {
  const sender = senderOf(ctx)
  const { account } = await arriveByTelegram(deps.database.db, {
    telegramUserId: sender.id,
    lang: sender.lang,
    referralCode: null,
  })
  return openVisit(deps, account, `telegram ${ctx.update.update_id}`)
}

export function visitOf(deps: BotDeps, account: TelegramAccount, requestId: string): Visit {
  if (account.blocked !== null) throw account.blocked
  return openVisit(deps, account, requestId)
}

function openVisit(deps: BotDeps, account: TelegramAccount, requestId: string): Visit {
  const language = languageOfCode(account.lang)
  const context: Context = {
    database: deps.database,
    // There is no session: the empty digest matches no token.
    account: { id: account.id, lang: account.lang, tokenSha256: Buffer.alloc(32) },
    language,
    now: deps.now,
    requestId,
    ip: '',
    country: null,
    userAgent: null,
    browser: null,
    isOtherSite: false,
    setHeader: () => undefined,
  }
  return {
    account,
    language,
    words: texts[language],
    call: async <N extends keyof BotCalls>(name: N, input: Parsed<N>, given: CallContext = {}) => {
      if (account.blocked !== null && wire[name].who !== 'anyone') throw account.blocked
      return (deps.calls[name] as TextHandler<N>)(checked(name, input), { ...context, ...given })
    },
  }
}

/**
 * Validates input as the API would, since much of it comes from the data of buttons, which anyone can send.
 * Returns the given input unchanged, even where the schema would convert it.
 */
function checked<N extends keyof BotCalls>(name: N, input: Parsed<N>): Parsed<N> {
  const { error } = contract[name].input.safeParse(input)
  if (error === undefined) return input
  const code = error.issues[0]?.message ?? ''
  if (isRefusalCode(code)) throw new Refusal(code)
  throw new Refusal('invalid_field', { field: String(error.issues[0]?.path[0] ?? 'body') })
}
