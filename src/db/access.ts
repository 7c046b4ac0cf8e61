/** Who may come to the embedded server, and as whom: written before each start, so that no older rule outlives an upgrade. */
import { chownSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nameOf, ownName, type RunAs } from './run-as.ts'

/**
 * The kernel says who stands at the other end of the socket (`peer`, PostgreSQL manual 20.9): root, the server's owner and
 * we ourselves come in, under any role. The owner of the socket's file would let everybody of its number in.
 *
 * A user without a name cannot be told so: PostgreSQL looks the name up. Such a server is of our own user, and its socket's
 * mode keeps all others out.
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
  // Made, not opened: the folder is the server's, and a link planted there must not lead root anywhere.
  writeFileSync(fresh, text, { mode: 0o600, flag: 'wx' })
  if (uid !== undefined && gid !== undefined) chownSync(fresh, uid, gid)
  renameSync(fresh, file)
}
