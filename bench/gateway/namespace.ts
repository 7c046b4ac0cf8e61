/**
 * A network namespace with its own /etc/resolv.conf (unshare(1)): most programs use only the name server in
 * that file, and only port 53. All connections of a bench go to a few ports of one address. Connections that
 * closed within the last minute (TIME_WAIT) soon use most of the 28,000 local ports, and the kernel's search
 * for a free port then costs more than the proxy: squid, which binds its sockets before it connects them,
 * took up to 3 ms for each. The namespace keeps few sockets in TIME_WAIT, and has more local ports.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** Root needs no user namespace, which would lack other users, such as those that proxies run as. */
const USERS = process.getuid?.() === 0 ? [] : ['--user', '--map-current-user', '--keep-caps']

/**
 * Runs Node with these arguments in a namespace where 127.0.0.1:53 is the name server, which the arguments
 * have to start. Returns its exit code; null when this machine allows no such namespace.
 */
export async function runInNamespace(args: readonly string[]): Promise<number | null> {
  const folder = mkdtempSync(path.join(tmpdir(), 'turnpike-names-'))
  const conf = path.join(folder, 'resolv.conf')
  writeFileSync(conf, 'nameserver 127.0.0.1\n', { mode: 0o644 })
  const settings = '{ echo 1000 >tcp_max_tw_buckets; echo "1024 65000" >ip_local_port_range; }'
  const script = `ip link set lo up && mount --bind "$0" /etc/resolv.conf && (cd /proc/sys/net/ipv4 && ${settings})`
  const run = (then: string, more: readonly string[]) =>
    new Promise<number>((resolve) => {
      const words = [...USERS, '--mount', '--net', 'sh', '-c', `${script}${then}`, conf, ...more]
      const child = spawn('unshare', words, { stdio: then === '' ? 'ignore' : 'inherit' })
      child.once('error', () => resolve(1))
      child.once('exit', (code) => resolve(code ?? 1))
    })
  try {
    if ((await run('', [])) !== 0) return null
    return await run(' && exec "$@"', [process.execPath, ...args])
  } finally {
    rmSync(folder, { recursive: true })
  }
}
