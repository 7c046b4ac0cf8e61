import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { killChildren } from './left.over.ts'

it('a process that a test leaves is killed, so that the run does not wait for it', async () => {
  const child = spawn('sleep', ['600'], { stdio: ['ignore', 'ignore', 'inherit'] })
  const ended = once(child, 'exit')
  killChildren()
  expect(await ended).toEqual([null, 'SIGKILL'])
})
