/**
 * Screens behind buttons and questions: the data of a button, or of the question asked, selects the route and
 * contains its parameters.
 */
import { Composer, type Context } from 'grammy'
import type { Message } from 'grammy/types'
import { noteQuestion, openQuestion } from '#accounts/telegram'
import { type Pool, pools } from '#contract/wire'
import { Refusal } from '#lib/refusal'
import type { BotDeps } from './deps.ts'
import { marked, withoutMark } from './mark.ts'
import { backToMenu, menu, type Screen } from './screens.ts'
import { say, turn } from './show.ts'
import { accountName } from './texts.ts'
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
  /** It changes something: the data of its buttons is `marked`, and the mark of another account is refused. */
  acts?: true
  show: Show
}

/** The route as one that changes something of the account. */
export const acting = (route: Route): Route => ({ ...route, acts: true })

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

/** Makes the person's next message an answer to this question; null: to none. */
export const noteAsked = (deps: BotDeps, ctx: Context, question: string | null): Promise<void> =>
  noteQuestion(deps.database.db, senderOf(ctx).id, question, deps.now())

const askingOf = (deps: BotDeps, ctx: Context): Asking => ({
  deps,
  ctx,
  ask: (question) => noteAsked(deps, ctx, question),
})

const visitFor = (evenBlocked: true | undefined, deps: BotDeps, ctx: Context): Promise<Visit> =>
  evenBlocked === true ? visitEvenBlocked(deps, ctx) : visit(deps, ctx)

/** The screens of these routes, and the answers to their questions. */
export function routes(deps: BotDeps, all: readonly Route[], answers: readonly Answer[]): Composer<Context> {
  const bot = new Composer<Context>()
  const questionTo = (ctx: Context) => openQuestion(deps.database.db, senderOf(ctx).id, deps.now())
  bot.on('callback_query:data', async (ctx, next) => {
    // The question belongs to the screen that is left; a screen that asks sets its own.
    await noteAsked(deps, ctx, null)
    const data = withoutMark(ctx.callbackQuery.data)
    const route = all.find((one) => one.data.test(data))
    if (route === undefined) return next()
    const person = await visitFor(route.evenBlocked, deps, ctx)
    const { account, words } = person
    if (route.acts === true && ctx.callbackQuery.data !== marked(data, account.id))
      return turn(ctx, menu(words, words.otherAccount(accountName(words, account))))
    const parts = [...(route.data.exec(data) ?? [])].slice(1).map((part) => part ?? '')
    const screen = await route.show(person, parts, askingOf(deps, ctx))
    if (screen !== null) await turn(ctx, screen)
  })
  bot.on('message:text', async (ctx, next) => {
    const question = await questionTo(ctx)
    if (question === null) return next()
    const answer = answers.find((one) => one.question.test(question))
    // A command is not an answer, and ends the question.
    if (answer === undefined || ctx.message.text.startsWith('/')) {
      await noteAsked(deps, ctx, null)
      return next()
    }
    const text = ctx.message.text.trim()
    await answered(deps, { ctx, next }, { question, answer }, (person, parts, asking) =>
      answer.take(person, parts, { ...asking, text }),
    )
  })
  bot.on(['message:photo', 'message:document'], async (ctx, next) => {
    const question = await questionTo(ctx)
    const answer = answers.find((one) => question !== null && one.question.test(question))
    // A question that accepts only text is kept.
    if (question === null || answer?.takeFile === undefined) return next()
    const { takeFile } = answer
    await answered(deps, { ctx, next }, { question, answer }, (person, parts, asking) =>
      takeFile(person, parts, { ...asking, message: ctx.message }),
    )
  })
  return bot
}

/**
 * Handles an answer and shows its result; an invalid one leaves the question open. The question ends after
 * the answer was handled or refused: an update that is repeated after a failure still finds it.
 */
async function answered(
  deps: BotDeps,
  { ctx, next }: { ctx: Context; next: () => Promise<void> },
  { question, answer }: { question: string; answer: Answer },
  take: (person: Visit, parts: string[], asking: Asking) => Promise<AnswerResult>,
): Promise<void> {
  let asksAnew = false
  const ask = (anew: string) => {
    asksAnew = true
    return noteAsked(deps, ctx, anew)
  }
  const [, ...parts] = answer.question.exec(question) ?? []
  try {
    const person = await visitFor(answer.evenBlocked, deps, ctx)
    const taken = await take(person, parts, { deps, ctx, ask })
    if (taken === null) {
      const { words } = person
      await ask(question)
      return await say(ctx, { text: words.askAgain, keyboard: backToMenu(words) })
    }
    if (!asksAnew) await noteAsked(deps, ctx, null)
    if (taken === 'pass') return await next()
    if (taken !== 'silent') await say(ctx, taken)
  } catch (error) {
    if (error instanceof Refusal) await noteAsked(deps, ctx, null)
    throw error
  }
}
