/** `turnpike …` as an operator types it, in this process, on the database of a shop and with a data directory of its own. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Command } from 'commander'
import { vi } from 'vitest'
import type { Database } from '#db'
import { testSecretKey } from './app.ts'

export interface Terminal {
  dataDir: string
  /** What the command of these words prints; throws what it refuses. */
  run: (...words: string[]) => Promise<string>
  /** The same of `--json`, read. */
  data: (...words: string[]) => Promise<unknown>
  /** What the last command has printed, whether it ended well or not. */
  said: () => string
  close: () => void
}

const withThoseBelow = (command: Command): Command[] => [
  command,
  ...command.commands.flatMap((one) => withThoseBelow(one)),
]

/** Takes over standard output and the environment until it is closed. */
export function openTerminal(
  { url }: Pick<Database, 'url'>,
  commands: readonly ((turnpike: Command) => void)[],
): Terminal {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'turnpike-terminal-'))
  let said = ''
  vi.stubEnv('DATABASE_URL', url)
  vi.stubEnv('DATA_DIR', dataDir)
  vi.stubEnv('LOG_LEVEL', 'silent')
  vi.stubEnv('SECRET_KEY', testSecretKey)
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    said += String(text)
    return true
  })
  const run = async (...words: string[]) => {
    const turnpike = new Command('turnpike')
    for (const add of commands) add(turnpike)
    for (const command of withThoseBelow(turnpike))
      command.exitOverride().configureOutput({ writeErr: () => undefined })
    said = ''
    await turnpike.parseAsync(words, { from: 'user' })
    return said
  }
  return {
    dataDir,
    run,
    data: async (...words) => JSON.parse(await run(...words, '--json')) as unknown,
    said: () => said,
    close: () => {
      vi.restoreAllMocks()
      vi.unstubAllEnvs()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
