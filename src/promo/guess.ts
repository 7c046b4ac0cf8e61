import { countAttempt, promoLimits, takeBack } from '#accounts'
import { callerOf, type Context } from '#db/call'
import { Refusal } from '#lib/refusal'

/**
 * Does work that a customer requested with a promo code, and limits guesses: an attempt counts when it ends
 * with `promocode_invalid`. Refuses with `too_many_attempts`.
 */
export async function slowGuesses<T>(context: Context, work: () => Promise<T>): Promise<T> {
  const { db } = context.database
  const counted = await countAttempt(db, promoLimits(callerOf(context).id, context.ip), context.now())
  try {
    const answer = await work()
    await takeBack(db, counted)
    return answer
  } catch (error) {
    const isGuess = error instanceof Refusal && error.code === 'promocode_invalid'
    if (!isGuess) await takeBack(db, counted)
    throw error
  }
}
