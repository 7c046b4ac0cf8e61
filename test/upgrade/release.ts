/** An earlier release out of this repository, and its processes. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { until } from '../stack.ts'

const root = path.join(import.meta.dirname, '../..')

/** The release of this tree. */
export const thisRelease = root

/**
 * Writes the files of a tag or commit into a folder, with this tree's packages. Throws a sentence when there
 * is no such tag or commit.
 */
export function checkOut(ref: string, folder: string): string {
  const git = (words: string[], options: object = {}) => execFileSync('git', ['-C', root, ...words], options)
  try {
    git(['cat-file', '-e', `${ref}^{commit}`], { stdio: 'ignore' })
  } catch {
    throw new Error(`This repository has no ${ref}: fetch it, or name another release in UPGRADE_FROM.`)
  }
  mkdirSync(folder)
  const archive = git(['archive', '--format=tar', ref], { maxBuffer: 512 * 1024 * 1024 }) as unknown as Buffer
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
  return folder
}

export interface Running {
  child: ChildProcess
  said: () => string
  ended: Promise<number | null>
}

const all = new Set<ChildProcess>()

/** Starts a command of a release; resolves when it reports that it is ready. */
export async function run(
  release: string,
  words: string[],
  { env, works }: { env: Record<string, string>; works: string },
): Promise<Running> {
  const inherited = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '/' }
  const main = path.join(release, 'src/main/commands/turnpike.ts')
  const child = spawn(process.execPath, [main, ...words], {
    cwd: release,
    env: { ...inherited, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  all.add(child)
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const ended = new Promise<number | null>((resolve) =>
    child.once('exit', (code) => {
      all.delete(child)
      resolve(code)
    }),
  )
  await until(() => said.includes(works) || child.exitCode !== null, 90_000, `${words.join(' ')} to work`)
  if (!said.includes(works)) throw new Error(`turnpike ${words.join(' ')} ended:\n${said}`)
  return { child, said: () => said, ended }
}

/** Ends all processes that still run. */
export async function endAll(): Promise<void> {
  const ended = [...all].map((child) => new Promise((resolve) => child.once('exit', resolve)))
  for (const child of all) child.kill('SIGTERM')
  const killer = setTimeout(() => {
    for (const child of all) child.kill('SIGKILL')
  }, 40_000)
  await Promise.all(ended)
  clearTimeout(killer)
}
