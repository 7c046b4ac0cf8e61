import {
  chmodSync,
  copyFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import * as z from 'zod'

const links = z.array(z.object({ source: z.string(), target: z.string() }))

/**
 * Creates the symbolic links of the libraries. npm packages cannot contain symbolic links, so the package
 * creates them in an install script; where install scripts are disabled they are missing, but the package's
 * list of them is always there.
 */
export function linkLibraries(listedIn: string, folder: string): void {
  const list = links.parse(JSON.parse(readFileSync(join(listedIn, 'pg-symlinks.json'), 'utf8')))
  for (const { source, target } of list) {
    const link = join(folder, 'lib', basename(target))
    if (lstatSync(link, { throwIfNoEntry: false }) === undefined)
      unlessPresent(() => symlinkSync(basename(source), link))
  }
}

/**
 * Creates or completes a folder of the same files that every user may read and only this user may change;
 * returns the reason of a failure. Every user can create folders in the temporary folder, so one of that name
 * is used only if it belongs to this user: a planted one would run its own program as the server.
 */
export function makeTwin(installed: string, folder: string): string | undefined {
  try {
    unlessPresent(() => mkdirSync(folder, { mode: 0o755 }))
    const found = lstatSync(folder)
    if (!found.isDirectory() || found.uid !== process.geteuid?.() || (found.mode & 0o022) !== 0)
      return `${folder} is not a folder that only this user can change; remove it`
    twinFiles(installed, folder)
    linkLibraries(installed, folder)
    return undefined
  } catch (error) {
    if (!isSystemError(error)) throw error
    return error.message
  }
}

/**
 * Adds missing files, which also repairs a copy left incomplete by a killed process or by a cleaner of
 * temporary folders.
 */
function twinFiles(from: string, to: string): void {
  unlessPresent(() => mkdirSync(to))
  chmodSync(to, 0o755)
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const source = join(from, entry.name)
    const target = join(to, entry.name)
    if (entry.isDirectory()) twinFiles(source, target)
    // Static libraries are only for building extensions; symbolic links are created from the package's own
    // list.
    else if (entry.isFile() && !entry.name.endsWith('.a')) twinFile(source, target)
  }
}

function twinFile(source: string, target: string): void {
  const wanted = statSync(source)
  if (lstatSync(target, { throwIfNoEntry: false })?.size === wanted.size) return
  const program = (wanted.mode & 0o100) !== 0
  const mode = program ? 0o755 : 0o644
  const partial = `${target}.${process.pid}`
  // A hard link uses no space, but shares the mode, and is impossible across file systems and may be denied
  // for another user's file.
  if ((wanted.mode & mode & 0o005) !== (mode & 0o005) || !tryLink(source, partial)) {
    copyFileSync(source, partial)
    chmodSync(partial, mode)
  }
  renameSync(partial, target)
}

function tryLink(source: string, target: string): boolean {
  try {
    linkSync(source, target)
    return true
  } catch (error) {
    if (!isSystemError(error)) throw error
    return false
  }
}

/** Several processes may start at the same moment: a file that another one has just created is accepted. */
function unlessPresent(make: () => void): void {
  try {
    make()
  } catch (error) {
    if (!isSystemError(error) || error.code !== 'EEXIST') throw error
  }
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error
}
