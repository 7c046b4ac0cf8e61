/**
 * A file of settings, in the syntax of systemd's EnvironmentFile (systemd.exec(5)). Nothing in it is
 * expanded, so passwords may contain `$` and values may contain blanks, unlike in a file that is sourced by a
 * shell.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { type Env, SettingFault } from './settings.env.ts'

/** The file of settings that `ops/install.sh` creates. */
export const machineFile = '/etc/turnpike/turnpike.env'

/**
 * Reads a file of settings. Refuses, naming it, a file that cannot be read or whose DATA_DIR is a relative
 * path.
 */
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

/** Parses the variables; of several with one name the last counts. `file` is named when a line is refused. */
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

/** The parts of a value: in single or double quotes, or unquoted up to the end of the line. */
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
      // A backslash before any other character is kept.
      value += inDouble.replaceAll(/\\(["\\`$\n])/g, (_, next: string) => (next === '\n' ? '' : next))
      length += double.length
    } else {
      const [, tail = ''] = bare.exec(rest) ?? []
      value += tail.trimEnd().replaceAll(/\\([^])/g, (_, next: string) => (next === '\n' ? '' : next))
      return { value, length: length + tail.length }
    }
  }
}
