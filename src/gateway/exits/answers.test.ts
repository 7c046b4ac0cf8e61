import { expect, it } from 'vitest'
import { answerClass, answerClasses } from '#feed/exit.answers'
import { farExit } from '../testing/far.exit.ts'
import { httpAnswer } from '../testing/proxy.ts'
import { Answers } from './answers.ts'
import { exitFailure } from './failure.ts'

it('the record of answers counts by exit and class until the counts are taken, and adds back counts that could not be reported', () => {
  const answers = new Answers()
  for (const ms of [9, 9.5, 180, 99_999]) answers.answered(7n, ms)
  const said = (word: string) => exitFailure('failed', { status: 502, word })
  const target = {
    name: 'Shop.example',
    ips: [{ family: 4 as const, value: 0x0102_0304n }],
    port: 443,
    loopbackSource: null,
    directOnly: false,
  }
  answers.failed(7n, said('no route to shop.example (1.2.3.4)'), target)
  answers.failed(8n, said('host other.example is away'), null)
  const taken = answers.take()
  const counts = Array<number>(answerClasses).fill(0)
  counts[0] = 2
  counts[answerClass(180)] = 1
  counts[answerClasses - 1] = 1
  const none = Array<number>(answerClasses).fill(0)
  expect(taken).toEqual([
    {
      exit: 7n,
      failed: 1,
      answered: counts,
      last: { code: 'exit_failed', status: 502, word: 'no route to … (…)' },
    },
    { exit: 8n, failed: 1, answered: none, last: { code: 'exit_failed', status: 502, word: null } },
  ])
  expect(answers.take()).toEqual([])
  answers.answered(7n, 1)
  answers.giveBack(taken)
  counts[0] = 3
  expect(answers.take()).toEqual([
    {
      exit: 7n,
      failed: 1,
      answered: counts,
      last: { code: 'exit_failed', status: 502, word: 'no route to … (…)' },
    },
    { exit: 8n, failed: 1, answered: none, last: { code: 'exit_failed', status: 502, word: null } },
  ])
})

it('the record of answers has the time of a connection that an exit opened, and one that it refused as failed', async () => {
  let isOpen = true
  const far = await farExit({
    kind: 'http',
    answer: () => httpAnswer(isOpen ? '200 OK' : '407 Proxy Authentication Required'),
  })
  try {
    await far.open({ port: 9 })
    isOpen = false
    await expect(far.open({ port: 9 })).rejects.toMatchObject({ blame: 'exit' })
    const [told] = far.exits.answers.take()
    expect(told).toMatchObject({ exit: far.exit.id, failed: 1 })
    expect(told?.answered.reduce((sum, count) => sum + count)).toBe(1)
    // The relay delays each way by 5 ms: it is not in the first class.
    expect(told?.answered[0]).toBe(0)
  } finally {
    await far.close()
  }
})
