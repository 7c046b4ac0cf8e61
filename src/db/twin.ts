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
 * npm packages cannot carry symbolic links, so the package makes the libraries' short names in an install script.
 * Where install scripts are switched off they are missing; the package's list of them is always there.
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
 * Makes, or completes, a folder of the same files that everybody may read and only we may change; answers why it
 * could not. The temp folders are open to all, so a folder of that name counts only if it is really ours:
 * a planted one would run its own program as the server.
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

/** Adds what is missing, so that it also mends a twin half made by a killed process or thinned out by a temp cleaner. */
function twinFiles(from: string, to: string): void {
  unlessPresent(() => mkdirSync(to))
  chmodSync(to, 0o755)
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const source = join(from, entry.name)
    const target = join(to, entry.name)
    if (entry.isDirectory()) twinFiles(source, target)
    // Static libraries are for building extensions; symbolic links are made from the package's own list.
    else if (entry.isFile() && !entry.name.endsWith('.a')) twinFile(source, target)
  }
}

function twinFile(source: string, target: string): void {
  const wanted = statSync(source)
  if (lstatSync(target, { throwIfNoEntry: false })?.size === wanted.size) return
  const program = (wanted.mode & 0o100) !== 0
  const mode = program ? 0o755 : 0o644
  const partial = `${target}.${process.pid}`
  // A hard link costs no space, but shares the mode, and neither another file system nor another user's file need allow it.
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

/** Several processes start at the same moment: what another one has just made is as good. */
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
