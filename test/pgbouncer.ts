/** PgBouncer in front of a test's PostgreSQL, as operators may use it. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { launch, makeFolder } from './peers.ts'
import { freePort } from './ports.ts'

export interface PgBouncer {
  /** The same database through PgBouncer. */
  url: string
  stop: () => Promise<void>
}

export async function startPgBouncer(
  url: string,
  { mode, ignored = '' }: { mode: 'session' | 'transaction'; ignored?: string },
): Promise<PgBouncer> {
  const { hostname, port: serverPort, username, pathname } = new URL(url)
  const [folder, port] = [makeFolder('pgbouncer'), await freePort()]
  const config = path.join(folder, 'pgbouncer.ini')
  const lines = [
    '[databases]',
    `* = host=${hostname} port=${serverPort} user=${username}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    `pool_mode = ${mode}`,
    `ignore_startup_parameters = ${ignored}`,
    // It refuses to run as root.
    ...(process.geteuid?.() === 0 ? ['user = nobody'] : []),
  ]
  writeFileSync(config, `${lines.join('\n')}\n`, { mode: 0o644 })
  const stop = await launch('pgbouncer', [config], port, folder)
  return { url: `postgresql://${username}@127.0.0.1:${port}${pathname}`, stop }
}
