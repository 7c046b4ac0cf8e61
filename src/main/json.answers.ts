/** The JSON answers of calls that answer with text. */
import type { JsonAnswers } from '#db/call'
import { proxiesJsonAnswers } from '#proxies/calls'
import { purchaseJsonAnswers } from '#purchase/calls'
import type { Services } from './services.ts'

export const jsonAnswersOf = ({ methods }: Pick<Services, 'methods'>): JsonAnswers => ({
  ...proxiesJsonAnswers,
  ...purchaseJsonAnswers(methods),
})
