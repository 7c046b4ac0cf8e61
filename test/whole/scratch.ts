/** Folders and stacks of one test, which are removed after it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach } from 'vitest'
import { type Stack, startStack } from '#test/stack'

/** Called once by a test file. `undo` adds a cleanup step; the steps run in reverse order. */
export function makeScratch() {
  const undo: (() => unknown)[] = []
  afterEach(async () => {
    for (const step of undo.splice(0).toReversed()) await step()
  })
  return {
    undo: (step: () => unknown) => void undo.push(step),
    folder: () => {
      const folder = mkdtempSync(path.join(tmpdir(), 'turnpike-starts-'))
      undo.push(() => rmSync(folder, { recursive: true, force: true }))
      return folder
    },
    /** A stack whose workers are not drained when it is stopped. */
    stack: async (env: Record<string, string> = {}, node = process.execPath): Promise<Stack> => {
      const stack = await startStack({ GATEWAY_DRAIN_SECONDS: '0', ...env }, node)
      undo.push(() => stack.close())
      return stack
    },
  }
}
