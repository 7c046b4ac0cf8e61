import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { Sentence } from './node.mjs'
import { run, say } from './prepare.mjs'

/**
 * Third-party programs that Turnpike is tested with: proxies used as exits, clients of customers, and a pooler in front of
 * the database. Each is listed with its Debian package; Debian's Python finds its packages in one folder.
 */
const peers = [
  { program: 'squid', package: 'squid' },
  { program: 'danted', package: 'dante-server' },
  { program: 'microsocks', package: 'microsocks' },
  { program: 'pgbouncer', package: 'pgbouncer' },
  { program: 'curl', package: 'curl' },
  { program: 'wget', package: 'wget' },
  { program: 'git', package: 'git' },
  { file: '/usr/lib/python3/dist-packages/requests/__init__.py', package: 'python3-requests' },
  { file: '/usr/lib/python3/dist-packages/socks.py', package: 'python3-socks' },
]

/** The packages of Debian 12 for a cluster of PostgreSQL, and for the network in which its nodes are cut off. */
const clusterPrograms = [
  { program: 'ip', package: 'iproute2' },
  { program: 'nft', package: 'nftables' },
  { program: 'patroni', package: 'patroni' },
  { program: 'etcd', package: 'etcd-server' },
  { program: 'haproxy', package: 'haproxy' },
  { file: '/usr/lib/postgresql/15/bin/postgres', package: 'postgresql-15' },
]

const policy = '/usr/sbin/policy-rc.d'

function isThere(/** @type {string} */ program, path = process.env['PATH'] ?? '') {
  const folders = ['/usr/sbin', '/usr/bin', ...path.split(delimiter).filter((folder) => folder !== '')]
  return folders.some((folder) => existsSync(join(folder, program)))
}

/** Debian starts installed services; a policy-rc.d that denies it prevents these from listening on the machine. */
async function withoutStarting(/** @type {() => Promise<void>} */ work) {
  if (existsSync(policy)) return work()
  writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 })
  try {
    await work()
  } finally {
    rmSync(policy, { force: true })
  }
}

export const ensurePeers = () => ensure(peers)

/** Patroni starts servers as the user `postgres`, which only root may do. */
export async function ensureCluster() {
  if (process.getuid?.() !== 0)
    throw new Sentence('The cluster of the test needs root: its servers run as postgres.')
  await ensure(clusterPrograms)
}

/**
 * Installs the programs that are missing where that needs no password (root on Debian or Ubuntu).
 * @param {readonly { program?: string, file?: string, package: string }[]} programs
 */
async function ensure(programs) {
  const missing = programs
    .filter(({ program, file = '' }) => (program === undefined ? !existsSync(file) : !isThere(program)))
    .map((peer) => peer.package)
  if (missing.length === 0) return
  const names = missing.join(' ')
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get'))
    throw new Sentence(
      `The tests need other programs: install them (Debian: apt-get install ${names}) and run the command again.`,
    )
  say(`Installing ${names} for the tests …`)
  const options = { cwd: '/', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } }
  await withoutStarting(async () => {
    for (const parameters of [['update'], ['install', '-y', '--no-install-recommends', ...missing]]) {
      const { code, output } = await run('apt-get', parameters, options)
      if (code !== 0)
        throw new Sentence(`${output.trim()}\n${names} could not be installed (apt-get ${parameters[0]}).`)
    }
  })
}
