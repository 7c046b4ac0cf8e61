/**
 * A file of settings, in the syntax of systemd's EnvironmentFile (systemd.exec(5)): nothing in it is expanded, so a
 * password may hold `$` and a value blanks, which a shell that sources such a file would spoil.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { type Env, SettingFault } from './settings.env.ts'

/** Where `ops/install.sh` puts the settings of a machine's shop. */
export const machineFile = '/etc/turnpike/turnpike.env'

/** Reads a file of settings; refuses, naming it, one that cannot be read or whose DATA_DIR depends on where one stands. */
export function readSettingsFile(file: string): Env {
  const env = parseSettingsFile(contentOf(file), file)
  const dataDir = env['DATA_DIR']
  if (dataDir !== undefined && dataDir !== '' && !path.isAbsolute(dataDir))
    throw new SettingFault(`DATA_DIR in ${file} must be a whole path, not “${dataDir}”.`)
  return env
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new SettingFault(
      code === 'EACCES'
        ? `The settings in ${file} cannot be read by this user: run the command as root.`
        : `The settings in ${file} cannot be read (${code}).`,
    )
  }
}

const assignment = /^([A-Za-z_][A-Za-z0-9_]*)[ \t]*=[ \t]*/

/** The variables of such a text; the last one of a name counts. `file` is for the refusal of a line that is none. */
export function parseSettingsFile(content: string, file: string): Env {
  const env: Env = {}
  let rest = content.replaceAll('\r\n', '\n')
  while (rest !== '') {
    const [blank = ''] = /^(?:[ \t]*(?:[#;][^\n]*)?(?:\n|$))?[ \t]*/.exec(rest) ?? []
    rest = rest.slice(blank.length)
    if (blank.includes('\n') || rest === '') continue
    const [start = '', name] = assignment.exec(rest) ?? []
    if (name === undefined) {
      const number = content.slice(0, content.length - rest.length).split('\n').length
      throw new SettingFault(`Line ${number} of ${file} is no setting: it looks like NAME=value.`)
    }
    const { value, length } = readValue(rest.slice(start.length))
    env[name] = value
    rest = rest.slice(start.length + length)
  }
  return env
}

/** What each part of a value may be: quoted either way, or bare up to the end of its line. */
const quotedSingly = /^'([^']*)'[ \t]*/
const quotedDoubly = /^"((?:[^"\\]|\\[^])*)"[ \t]*/
const bare = /^((?:[^\n\\]|\\[^]|\\$)*)/

function readValue(text: string): { value: string; length: number } {
  let value = ''
  let length = 0
  for (;;) {
    const rest = text.slice(length)
    const [single, inSingle] = quotedSingly.exec(rest) ?? []
    const [double, inDouble] = quotedDoubly.exec(rest) ?? []
    if (single !== undefined && inSingle !== undefined) {
      value += inSingle
      length += single.length
    } else if (double !== undefined && inDouble !== undefined) {
      // A backslash before anything else stays.
      value += inDouble.replaceAll(/\\(["\\`$\n])/g, (_, next: string) => (next === '\n' ? '' : next))
      length += double.length
    } else {
      const [, tail = ''] = bare.exec(rest) ?? []
      value += tail.trimEnd().replaceAll(/\\([^])/g, (_, next: string) => (next === '\n' ? '' : next))
      return { value, length: length + tail.length }
    }
  }
}
