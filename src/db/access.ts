/**
 * Client authentication of the embedded server: written before each start, so that no older rule outlives an
 * upgrade.
 */
import { chownSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nameOf, ownName, type RunAs } from './run-as.ts'

/**
 * Writes pg_hba.conf and pg_ident.conf. The kernel identifies the client (`peer`, PostgreSQL manual 20.9):
 * root, the server's owner and the user of this process may connect, under any role. The mode of the socket
 * alone would not be enough: it admits every process with the user id of the socket's owner.
 *
 * `peer` cannot admit a user without a name, because PostgreSQL looks the name up. Such a server runs as the
 * user of this process, and its socket's mode excludes all others.
 */
export async function writeAccess(cluster: string, as: RunAs): Promise<void> {
  const own = ownName()
  if (own === undefined || as.wrapper.length > 0) {
    replace(cluster, 'pg_hba.conf', 'local all all trust\n', as)
    return
  }
  const names = new Set(['root', own, (await nameOf(as)) ?? own])
  replace(cluster, 'pg_ident.conf', [...names].map((name) => `turnpike "${name}" all\n`).join(''), as)
  replace(cluster, 'pg_hba.conf', 'local all all peer map=turnpike\n', as)
}

function replace(cluster: string, name: string, text: string, { uid, gid }: RunAs): void {
  const [file, fresh] = [join(cluster, name), join(cluster, `${name}.new`)]
  rmSync(fresh, { force: true })
  // `wx` never opens an existing file: the server's user can write to the folder, and root must not follow a
  // link planted there.
  writeFileSync(fresh, text, { mode: 0o600, flag: 'wx' })
  if (uid !== undefined && gid !== undefined) chownSync(fresh, uid, gid)
  renameSync(fresh, file)
}
