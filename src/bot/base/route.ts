/**
 * Screens behind buttons and questions: the data of a button, or of what was asked, picks one and gives its
 * facts.
 */
import { Composer, type Context } from 'grammy'
import type { Message } from 'grammy/types'
import { noteQuestion, takeQuestion } from '#accounts/telegram'
import { type Pool, pools } from '#contract/wire'
import type { BotDeps } from './deps.ts'
import { backToMenu, menu, type Screen } from './screens.ts'
import { say, turn } from './show.ts'
import { senderOf, visit, type Visit } from './visit.ts'

/** The context of a screen besides its visitor. */
export interface Asking {
  deps: BotDeps
  ctx: Context
  /** Makes the next message of the person an answer: the answer route with this data takes it. */
  ask: (question: string) => Promise<void>
}

type Show = (visit: Visit, parts: string[], asking: Asking) => Promise<Screen | null>

/** The data of a button, with groups for its parts; null of `show`: everything is sent already. */
export interface Route {
  data: RegExp
  show: Show
}

/** An answer in writing to a question. */
export interface Answer {
  question: RegExp
  take: (visit: Visit, parts: string[], asking: Asking & { text: string }) => Promise<AnswerResult>
  /** The same of a message with a photo or a file; missing: only text answers the question. */
  takeFile?: (visit: Visit, parts: string[], asking: Asking & { message: Message }) => Promise<AnswerResult>
}

/**
 * A screen; `silent`: it is taken, and nothing is said; `pass`: it is no answer; null: it cannot be used, and
 * is asked for again.
 */
export type AnswerResult = Screen | 'silent' | 'pass' | null

/** The pool of a name in a button's data. */
export const poolIn = (name: string | undefined): Pool | null => pools.find((known) => known === name) ?? null

/** Of data that names no pool or amount: only a forger sends it, or an old version of the bot made it. */
export const stale = ({ words }: Visit): Screen => menu(words, words.staleButton)

const askingOf = (deps: BotDeps, ctx: Context): Asking => ({
  deps,
  ctx,
  ask: (question) => noteQuestion(deps.database.db, senderOf(ctx).id, question, deps.now()),
})

/** The screens of these routes, and the answers to their questions. */
export function routes(deps: BotDeps, all: readonly Route[], answers: readonly Answer[]): Composer<Context> {
  const bot = new Composer<Context>()
  for (const { data, show } of all)
    bot.callbackQuery(data, async (ctx) => {
      const parts = [...(data.exec(ctx.callbackQuery.data) ?? [])].slice(1).map((part) => part ?? '')
      const screen = await show(await visit(deps, ctx), parts, askingOf(deps, ctx))
      if (screen !== null) await turn(ctx, screen)
    })
  bot.on('message:text', async (ctx, next) => {
    const { id } = senderOf(ctx)
    // A command is no answer, and ends the question.
    const isCommand = ctx.message.text.startsWith('/')
    const question = await takeQuestion(deps.database.db, id, deps.now())
    if (question === null || isCommand) return next()
    for (const { question: form, take } of answers) {
      const [, ...parts] = form.exec(question) ?? []
      if (!form.test(question)) continue
      const asking = { ...askingOf(deps, ctx), text: ctx.message.text.trim() }
      const person = await visit(deps, ctx)
      const taken = await take(person, parts, asking)
      return taken === 'pass' ? next() : answered(person, taken, { asking, question })
    }
    await next()
  })
  bot.on(['message:photo', 'message:document'], async (ctx, next) => {
    const question = await takeQuestion(deps.database.db, senderOf(ctx).id, deps.now())
    if (question === null) return next()
    const asking = { ...askingOf(deps, ctx), message: ctx.message }
    for (const { question: form, takeFile } of answers) {
      const [, ...parts] = form.exec(question) ?? []
      if (takeFile === undefined || !form.test(question)) continue
      const person = await visit(deps, ctx)
      const taken = await takeFile(person, parts, asking)
      return taken === 'pass' ? next() : answered(person, taken, { asking, question })
    }
    // The question waits for a text.
    await asking.ask(question)
    await next()
  })
  return bot
}

/** Shows what an answer led to; one that cannot be used leaves the question as it was. */
async function answered(
  { words }: Visit,
  taken: Exclude<AnswerResult, 'pass'>,
  { asking: { ctx, ask }, question }: { asking: Asking; question: string },
): Promise<void> {
  if (taken === 'silent') return
  if (taken !== null) return say(ctx, taken)
  await ask(question)
  await say(ctx, { text: words.askAgain, keyboard: backToMenu(words) })
}
