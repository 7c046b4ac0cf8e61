/**
 * Screens behind buttons and questions: the data of a button, or of the question asked, selects the route and
 * contains its parameters.
 */
import { Composer, type Context } from 'grammy'
import type { Message } from 'grammy/types'
import { noteQuestion, takeQuestion } from '#accounts/telegram'
import { type Pool, pools } from '#contract/wire'
import type { BotDeps } from './deps.ts'
import { backToMenu, menu, type Screen } from './screens.ts'
import { say, turn } from './show.ts'
import { senderOf, visit, type Visit, visitEvenBlocked } from './visit.ts'

/** The context of a screen besides its visitor. */
export interface Asking {
  deps: BotDeps
  ctx: Context
  /** Makes the person's next message an answer: the answer route that matches this data handles it. */
  ask: (question: string) => Promise<void>
}

type Show = (visit: Visit, parts: string[], asking: Asking) => Promise<Screen | null>

/**
 * A route by the data of a button, with groups for its parts. `show` returns null when it has sent everything
 * itself.
 */
export interface Route {
  data: RegExp
  /** Also for a blocked customer. */
  evenBlocked?: true
  show: Show
}

/** A handler of written answers to a question. */
export interface Answer {
  question: RegExp
  /** Also from a blocked customer. */
  evenBlocked?: true
  take: (visit: Visit, parts: string[], asking: Asking & { text: string }) => Promise<AnswerResult>
  /** The same for a message with a photo or a file; missing: the question accepts only text. */
  takeFile?: (visit: Visit, parts: string[], asking: Asking & { message: Message }) => Promise<AnswerResult>
}

/**
 * The result of an answer. A screen to show; `silent`: accepted, with no reply; `pass`: the message is no
 * answer; null: the answer is invalid, and the question is asked again.
 */
export type AnswerResult = Screen | 'silent' | 'pass' | null

/** The pool of a name in a button's data. */
export const poolIn = (name: string | undefined): Pool | null => pools.find((known) => known === name) ?? null

/** Shown for data without a valid pool or amount: it is forged, or from an old version of the bot. */
export const stale = ({ words }: Visit): Screen => menu(words, words.staleButton)

const askingOf = (deps: BotDeps, ctx: Context): Asking => ({
  deps,
  ctx,
  ask: (question) => noteQuestion(deps.database.db, senderOf(ctx).id, question, deps.now()),
})

const visitFor = (evenBlocked: true | undefined, deps: BotDeps, ctx: Context): Promise<Visit> =>
  evenBlocked === true ? visitEvenBlocked(deps, ctx) : visit(deps, ctx)

/** The screens of these routes, and the answers to their questions. */
export function routes(deps: BotDeps, all: readonly Route[], answers: readonly Answer[]): Composer<Context> {
  const bot = new Composer<Context>()
  for (const { data, evenBlocked, show } of all)
    bot.callbackQuery(data, async (ctx) => {
      const parts = [...(data.exec(ctx.callbackQuery.data) ?? [])].slice(1).map((part) => part ?? '')
      const screen = await show(await visitFor(evenBlocked, deps, ctx), parts, askingOf(deps, ctx))
      if (screen !== null) await turn(ctx, screen)
    })
  bot.on('message:text', async (ctx, next) => {
    const { id } = senderOf(ctx)
    // A command is not an answer, and ends the question.
    const isCommand = ctx.message.text.startsWith('/')
    const question = await takeQuestion(deps.database.db, id, deps.now())
    if (question === null || isCommand) return next()
    for (const { question: form, evenBlocked, take } of answers) {
      const [, ...parts] = form.exec(question) ?? []
      if (!form.test(question)) continue
      const asking = { ...askingOf(deps, ctx), text: ctx.message.text.trim() }
      const person = await visitFor(evenBlocked, deps, ctx)
      const taken = await take(person, parts, asking)
      return taken === 'pass' ? next() : answered(person, taken, { asking, question })
    }
    await next()
  })
  bot.on(['message:photo', 'message:document'], async (ctx, next) => {
    const question = await takeQuestion(deps.database.db, senderOf(ctx).id, deps.now())
    if (question === null) return next()
    const asking = { ...askingOf(deps, ctx), message: ctx.message }
    for (const { question: form, evenBlocked, takeFile } of answers) {
      const [, ...parts] = form.exec(question) ?? []
      if (takeFile === undefined || !form.test(question)) continue
      const person = await visitFor(evenBlocked, deps, ctx)
      const taken = await takeFile(person, parts, asking)
      return taken === 'pass' ? next() : answered(person, taken, { asking, question })
    }
    // The question accepts only text, so it is kept.
    await asking.ask(question)
    await next()
  })
  return bot
}

/** Shows the result of an answer; an invalid answer leaves the question open. */
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
