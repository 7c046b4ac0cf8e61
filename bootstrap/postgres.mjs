import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { run, say } from './prepare.mjs'

/**
 * The distribution's own PostgreSQL, for the tests that run several machines on an operator's server. They also run on the
 * bundled one; where the distribution's cannot be installed, only these runs are left out.
 */

const packaged = '/usr/lib/postgresql'

/** @returns {boolean} whether a server of the distribution is installed */
const isInstalled = () =>
  existsSync(packaged) &&
  readdirSync(packaged).some((version) => existsSync(join(packaged, version, 'bin/postgres')))

/** Installs it where that needs no password (root on Debian or Ubuntu). */
export async function ensurePostgres() {
  if (isInstalled() || process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return
  say('Installing PostgreSQL of the distribution for the tests of several machines …')
  const options = { cwd: '/', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } }
  // The package's own cluster is not wanted: the tests make theirs.
  for (const parameters of [['update'], ['install', '-y', '--no-install-recommends', 'postgresql']]) {
    const { code, output } = await run('apt-get', parameters, options)
    if (code === 0) continue
    say(
      `${output.trim()}\nPostgreSQL could not be installed (apt-get ${parameters[0]}): its tests run on ours.`,
    )
    return
  }
}
