/** Gateway workers start on a Node.js that does not know all flags of V8. */
import { expect, it } from 'vitest'
import { makeLog } from '../process/log.ts'
import { usableFlags, wantedFlags } from './worker.flags.ts'

const log = makeLog('silent')

it('a Node.js that Turnpike runs on knows all flags of workers', async () => {
  expect(await usableFlags(log)).toEqual(wantedFlags)
})

it('unknown flags are removed, and known ones are kept', async () => {
  const flags = ['--max-semi-space-size=8', '--no-such-flag=200', '--neither-this-one']
  expect(await usableFlags(log, flags)).toEqual(['--max-semi-space-size=8'])
})
