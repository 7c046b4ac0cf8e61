/** Where a command's settings come from, and in one sentence which shop they name. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { describeServers } from '#db'
import { type Env, SettingFault, text } from './settings.env.ts'
import { machineFile, readSettingsFile } from './settings.file.ts'

export interface Source {
  env: Env
  /** Null: the environment of this process. */
  file: string | null
}

/** Any of these says which shop is meant. */
const naming = ['DATABASE_URL', 'FEED_URL', 'DATA_DIR'] as const

/**
 * The settings of one run: those of the named file and no others, so that what stands in the environment of the
 * operator's shell (another program's DATABASE_URL) cannot lead a command to another database. Without a file, those
 * of the environment; where they do not say which shop is meant and this machine has one, which one is not guessed.
 */
export function chooseSource(file: string | undefined, env: Env, machine = machineFile): Source {
  if (file !== undefined) return { env: readSettingsFile(file), file }
  if (naming.every((name) => text(env, name) === null) && existsSync(machine))
    throw new SettingFault(
      `This machine has a shop, whose settings are in ${machine}. For that one use the installed command: turnpike. For another one say which: set DATA_DIR or DATABASE_URL, or give --settings <file>.`,
    )
  return { env, file: null }
}

/** Which shop it is, and by which setting: the first line of every command. Names no password. */
export function shopSentence({ env, file }: Source, cwd: string): string {
  const name = naming.find((each) => text(env, each) !== null)
  const value = name === undefined ? null : text(env, name)
  const where = file === null ? 'the environment' : file
  const because = name === undefined ? `no DATA_DIR in ${where}` : `${name} in ${where}`
  return `Shop: ${placeOf(name, value, cwd)} (${because})`
}

function placeOf(name: (typeof naming)[number] | undefined, value: string | null, cwd: string): string {
  if (name === 'DATABASE_URL' && value !== null) return `database ${describeServers(value, name)}`
  if (name === 'FEED_URL') return `the one behind the feed ${value}`
  return path.resolve(cwd, value ?? 'data')
}

/** The file that was chosen for this run of the program; its command reads the settings from it. */
let chosen: Source | null = null

export function useSource(source: Source): void {
  chosen = source
}

/** The source in use: the environment, unless another one was chosen. */
export const sourceInUse = (): Source => chosen ?? { env: process.env, file: null }
