import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { filesMeter } from './files.ts'

it('the used share is that of the files of connections, two each, among those that the process may open', () => {
  const share = filesMeter(1200)
  expect([0, 100, 250, 500, 5000].map(share)).toEqual([0, 0.2, 0.5, 1, 1])
  expect(filesMeter(null)(1000)).toBe(0)
  expect(filesMeter(100)(1)).toBe(1)
})

it('the gateway reads the limit of the process', () => {
  const code = "import { filesMeter } from './files.ts'; console.log(filesMeter()(300))"
  const run = `ulimit -n 1400; exec "$0" --input-type=module-typescript -e "$1"`
  const printed = execFileSync('sh', ['-c', run, process.execPath, code], { cwd: import.meta.dirname })
  expect(Number(printed.toString())).toBe(0.5)
})
