import { describe, expect, it } from 'vitest'
import { answerStepUp, requestStepUp } from './step-up.ts'

describe('the question for a fresh factor', () => {
  it('is one for all calls that were refused meanwhile', async () => {
    const answers = [requestStepUp(), requestStepUp()]
    answerStepUp(true)
    expect(await Promise.all(answers)).toEqual([true, true])
  })

  it('is asked anew after it was declined', async () => {
    const declined = requestStepUp()
    answerStepUp(false)
    const next = requestStepUp()
    answerStepUp(true)
    expect([await declined, await next]).toEqual([false, true])
  })

  it('ignores an answer when no call waits for one', () => {
    expect(() => answerStepUp(true)).not.toThrow()
  })
})
