/**
 * `turnpike …` as an operator types it, in this process, on the database of a shop and with a separate data
 * directory.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Command } from 'commander'
import { vi } from 'vitest'
import type { Database } from '#db'
import { chooseSocketKind } from '../src/gateway/sockets/socket.factory.ts'
import { testSecretKey } from './app.ts'

export interface Terminal {
  dataDir: string
  /** The output of the command with these arguments; throws its refusal. */
  run: (...words: string[]) => Promise<string>
  /** The same with `--json`, parsed. */
  data: (...words: string[]) => Promise<unknown>
  /** The output of the last command, successful or not. */
  said: () => string
  close: () => void
}

const withThoseBelow = (command: Command): Command[] => [
  command,
  ...command.commands.flatMap((one) => withThoseBelow(one)),
]

/** Redirects standard output and sets the environment until it is closed. */
export function openTerminal(
  { url }: Pick<Database, 'url'>,
  commands: readonly ((turnpike: Command) => void)[],
): Terminal {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'turnpike-terminal-'))
  // As in a command's own process: a gateway of another test file in this process may have chosen raw ones.
  void chooseSocketKind('stream')
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
