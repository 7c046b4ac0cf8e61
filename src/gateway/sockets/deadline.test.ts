import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

it('a deadline does not keep a process alive', async () => {
  const file = path.join(import.meta.dirname, 'deadline.ts')
  const code = `import { setDeadline } from ${JSON.stringify(file)}
    setDeadline({ index: -1, expired: () => {} }, 3_600_000)
    console.log('set')`
  const parameters = ['--input-type=module', '--eval', code]
  // The process is killed after this time, which rejects.
  const { stdout } = await promisify(execFile)(process.execPath, parameters, { timeout: 20_000 })
  expect(stdout).toBe('set\n')
})
