/** Calls to Telegram: each is bounded in time, and is repeated once after a temporary failure. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Context, GrammyError, HttpError, type Transformer } from 'grammy'

/** Short, because an update is handled inside a database transaction. */
const answerWithinMs = 8_000
const longestWaitMs = 5_000
const shortWaitMs = 500

/**
 * Ends every call but the long poll after 8 s, and repeats one that failed temporarily: no connection, a
 * server error of Telegram, or "too many requests" with a short wait. A repeated message may arrive twice; a
 * lost one never.
 */
export const patient: Transformer = async (call, method, payload, signal) => {
  if (method === 'getUpdates') return call(method, payload, signal)
  const once = () => call(method, payload, AbortSignal.timeout(answerWithinMs) as typeof signal)
  try {
    const answer = await once()
    if (answer.ok) return answer
    const waitMs =
      answer.error_code >= 500 ? shortWaitMs : 1000 * (answer.parameters?.retry_after ?? Infinity)
    if (waitMs > longestWaitMs) return answer
    await sleep(waitMs)
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
    await sleep(shortWaitMs)
  }
  return once()
}

export const isFromTelegram = (error: unknown): boolean =>
  error instanceof GrammyError || error instanceof HttpError

/** Expected errors: the person has blocked the bot, or the button is too old. */
export function isHarmless(error: unknown): boolean {
  const known = /bot was blocked|user is deactivated|message is not modified|query is too old|chat not found/i
  return error instanceof GrammyError && known.test(error.description)
}

/** Ends the progress indicator of the pressed button; after an old press Telegram has ended it already. */
export async function acknowledge(ctx: Context): Promise<void> {
  try {
    await ctx.answerCallbackQuery()
  } catch (error) {
    if (!isHarmless(error)) throw error
  }
}

/** Telegram refuses the operator's token or webhook; `message` is its description. */
export class RefusedByTelegram extends Error {
  override readonly name = 'RefusedByTelegram'
}

/** Rethrows an error of Telegram without the token, so that it can be logged. */
export function inSafeWords(error: unknown): never {
  // A permanent refusal must be corrected by the operator; other failures may be temporary.
  if (error instanceof GrammyError && [400, 401, 404].includes(error.error_code))
    throw new RefusedByTelegram(error.description)
  if (isFromTelegram(error)) throw new Error(Object.values(loggable(error)).join(', '))
  throw error
}

/**
 * The loggable part of a failure: of Telegram's errors neither the address, which contains the token, nor the
 * text of the message, which may contain a code.
 */
export function loggable(error: unknown): object {
  if (error instanceof GrammyError)
    return { method: error.method, code: error.error_code, description: error.description }
  if (error instanceof HttpError) {
    const { code, type } = error.error as { code?: unknown; type?: unknown }
    return { description: error.message, reason: code ?? type ?? null }
  }
  return { err: error }
}
