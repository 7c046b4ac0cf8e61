/**
 * The programs of Debian that the tests use: proxies as exits, clients of customers, a pooler in front of the
 * database, the distribution's PostgreSQL as an operator's server, the browser. `node test/run/programs.ts`
 * installs those that are missing where that needs no password (root on Debian or Ubuntu), and otherwise
 * names them; with `--cluster`, those of the test of failovers too. It never downloads a browser: the browser
 * is Debian's package.
 */
import { execFile } from 'node:child_process'
import { existsSync, globSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'

interface Program {
  /** Any of these files; a name without a slash is looked up in PATH; `*` matches any version. */
  files: readonly string[]
  /** The packages that bring it, the preferred one first. */
  packages: readonly string[]
}

const program = (name: string, ...packages: string[]): Program => ({ files: [name], packages })

const headlessShell = 'chromium-headless-shell'

/**
 * The headless shell first: it has no windows, and takes three fifths of the CPU time of the whole browser.
 */
const browsers = [headlessShell, 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

const forTests: readonly Program[] = [
  // Releases before Debian 12 lack the headless shell.
  { files: browsers, packages: [headlessShell, 'chromium'] },
  program('squid', 'squid'),
  program('danted', 'dante-server'),
  program('microsocks', 'microsocks'),
  program('pgbouncer', 'pgbouncer'),
  program('curl', 'curl'),
  program('wget', 'wget'),
  program('git', 'git'),
  // Debian's Python finds its packages in one folder.
  program('/usr/lib/python3/dist-packages/requests/__init__.py', 'python3-requests'),
  program('/usr/lib/python3/dist-packages/socks.py', 'python3-socks'),
  program('/usr/lib/postgresql/*/bin/postgres', 'postgresql'),
]

/** Debian 12: a cluster of PostgreSQL, and the network in which its nodes are cut off. */
const forCluster: readonly Program[] = [
  program('ip', 'iproute2'),
  program('nft', 'nftables'),
  program('patroni', 'patroni'),
  program('etcd', 'etcd-server'),
  program('haproxy', 'haproxy'),
  program('/usr/lib/postgresql/15/bin/postgres', 'postgresql-15'),
]

const folders = (searched: string): string[] => [
  '/usr/sbin',
  '/usr/bin',
  ...searched.split(path.delimiter).filter((folder) => folder !== ''),
]

function find(files: readonly string[], searched = process.env['PATH'] ?? ''): string | null {
  const places = files.flatMap((file) =>
    file.includes('/') ? globSync(file) : folders(searched).map((folder) => path.join(folder, file)),
  )
  return places.find((place) => existsSync(place)) ?? null
}

/** The path of an installed Chromium, or null. */
export const findChromium = (): string | null => find(browsers)

/** Installs what is missing; throws an error whose message is a sentence for the person at the terminal. */
export async function ensurePrograms(wanted: readonly Program[] = forTests): Promise<void> {
  const missing = wanted.filter(({ files }) => find(files) === null)
  if (missing.length === 0) return preferHeadlessShell()
  const names = missing.map(({ packages }) => packages[0]).join(' ')
  if (!mayInstall())
    throw new Error(
      `The tests need other programs: install them (Debian: apt-get install ${names}) and run the command again.`,
    )
  process.stderr.write(`Installing ${names} for the tests …\n`)
  await withoutStarting(async () => {
    await apt('update')
    for (const { packages } of missing) await installFirst(packages)
  })
  await preferHeadlessShell()
}

const mayInstall = () => process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')

/**
 * Installs the headless shell beside a whole browser, if the machine's package lists have it. Where that fails
 * the whole browser is used, so this waits for no network for long.
 */
async function preferHeadlessShell(): Promise<void> {
  if (find([headlessShell]) !== null || !mayInstall()) return
  const isListed = promisify(execFile)('apt-cache', ['show', headlessShell]).then(
    () => true,
    () => false,
  )
  if (!(await isListed)) return
  try {
    process.stderr.write(`Installing ${headlessShell}: the tests take less time with it …\n`)
    const patience = ['-o', 'Acquire::Retries=0', '-o', 'Acquire::http::Timeout=20']
    await apt('install', '-y', '--no-install-recommends', ...patience, headlessShell)
  } catch {
    process.stderr.write(`${headlessShell} could not be installed.\n`)
  }
}

async function installFirst([first, ...others]: readonly string[]): Promise<void> {
  const installed = apt('install', '-y', '--no-install-recommends', String(first))
  await (others.length === 0 ? installed : installed.catch(() => installFirst(others)))
}

async function apt(...parameters: string[]): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  try {
    await promisify(execFile)('apt-get', parameters, { env, maxBuffer: 64 * 1024 ** 2 })
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string }
    throw new Error(`${stderr.trim()}\napt-get ${parameters.join(' ')} failed.`, { cause: error })
  }
}

const policy = '/usr/sbin/policy-rc.d'

/**
 * Debian starts installed services; a policy-rc.d that denies it prevents these from listening on the
 * machine.
 */
async function withoutStarting(work: () => Promise<void>): Promise<void> {
  if (existsSync(policy)) return work()
  writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 })
  try {
    await work()
  } finally {
    rmSync(policy, { force: true })
  }
}

if (import.meta.main) {
  // Patroni starts servers as the user `postgres`, which only root may do.
  const isCluster = process.argv.includes('--cluster')
  if (isCluster && process.getuid?.() !== 0)
    throw new Error('The test of failovers needs root: its servers run as the user postgres.')
  await ensurePrograms(isCluster ? [...forTests, ...forCluster] : forTests)
}
