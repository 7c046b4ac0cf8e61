/** The source of a command's settings, and the sentence that names their shop. */
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

/** Each of these settings identifies the shop. */
const naming = ['DATABASE_URL', 'FEED_URL', 'DATA_DIR'] as const

/**
 * The settings of one run: those of the given file and no others, so that variables in the operator's shell,
 * such as another program's DATABASE_URL, cannot lead a command to another database. Without a file, those of
 * the environment; when they do not identify a shop and one is installed on this machine, the command is
 * refused instead of guessing.
 */
export function chooseSource(file: string | undefined, env: Env, machine = machineFile): Source {
  if (file !== undefined) return { env: readSettingsFile(file), file }
  if (naming.every((name) => text(env, name) === null) && existsSync(machine))
    throw new SettingFault(
      `This machine has a shop, whose settings are in ${machine}. For that one use the installed command: turnpike. For another one say which: set DATA_DIR or DATABASE_URL, or give --settings <file>.`,
    )
  return { env, file: null }
}

/**
 * Names the shop and the setting that identifies it: the first line of every command. Contains no password.
 */
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

/** Selects the file from which this run reads its settings. */
let chosen: Source | null = null

export function useSource(source: Source): void {
  chosen = source
}

/** The source in use: the environment, unless a file was selected. */
export const sourceInUse = (): Source => chosen ?? { env: process.env, file: null }
