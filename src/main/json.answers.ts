/** The JSON answers of calls that answer with text. */
import type { JsonAnswers } from '#db/call'
import { manyUsersJsonAnswers } from '#proxy-users/many.calls'
import { proxiesJsonAnswers } from '#proxies/calls'
import { purchaseJsonAnswers } from '#purchase/calls'
import type { Services } from './services.ts'

export const jsonAnswersOf = ({ methods }: Pick<Services, 'methods'>): JsonAnswers => ({
  ...manyUsersJsonAnswers,
  ...proxiesJsonAnswers,
  ...purchaseJsonAnswers(methods),
})
