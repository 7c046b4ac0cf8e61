/**
 * What an aborted transfer costs beyond what was read, in a network with the settings of ops/sysctl.d. It
 * needs a machine that allows a network namespace (unshare).
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

interface Transfer {
  read: number
  charged: number
}

const root = path.join(import.meta.dirname, '../..')
const MOST_UNREAD_BYTES = 1_000_000

function tryWith(lowat: string, wmem: string): { down: Transfer; up: Transfer } {
  const users = process.getuid?.() === 0 ? [] : ['--user', '--map-current-user', '--keep-caps']
  // Readers have small buffers: bytes that wait there count as theirs, and differ between machines.
  const settings = `{ echo "$0" >tcp_notsent_lowat; echo ${wmem} >tcp_wmem; echo 4096 131072 131072 >tcp_rmem; }`
  const script = `ip link set lo up && (cd /proc/sys/net/ipv4 && ${settings}) && exec "$@"`
  const trial = [process.execPath, fileURLToPath(new URL('testing/unread.trial.ts', import.meta.url))]
  const output = execFileSync('unshare', [...users, '--net', 'sh', '-c', script, lowat, ...trial])
  return JSON.parse(output.toString()) as { down: Transfer; up: Transfer }
}

it('a reader that aborts pays for at most 1 MB beyond what it read, and never for less than that', () => {
  const settings = readFileSync(path.join(root, 'ops/sysctl.d/turnpike.conf'), 'utf8')
  const installed = (name: string) =>
    new RegExp(`^net\\.ipv4\\.${name} = ([0-9 ]+)$`, 'm').exec(settings)?.[1] ?? ''
  const transfers = tryWith(installed('tcp_notsent_lowat'), installed('tcp_wmem'))
  for (const { read, charged } of [transfers.down, transfers.up]) {
    expect(charged).toBeGreaterThanOrEqual(read)
    expect(charged - read).toBeLessThanOrEqual(MOST_UNREAD_BYTES)
  }
})

it('without the setting of ops/sysctl.d an aborted transfer costs megabytes, which the test detects', () => {
  const { down, up } = tryWith('4294967295', '4096 16384 4194304')
  expect(Math.min(down.charged - down.read, up.charged - up.read)).toBeGreaterThan(MOST_UNREAD_BYTES)
})
