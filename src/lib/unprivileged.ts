/**
 * Programs that root starts and that need no privileges run as a dedicated user, not as `nobody`, which other
 * programs of the machine use too: processes of one user can stop each other, and read each other's memory
 * and files.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, lchownSync, lstatSync, readdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'

export interface User {
  uid: number
  gid: number
}

/**
 * User ids that no system assigns: systemd leaves 60578 to 61183 unused (UIDS-GIDS), and Debian's policy
 * (9.2.2) allocates those from 60000 on request only. Below 65536, so that containers have them too.
 */
const firstUid = 60_600
const places = 250
const parts = ['database', 'gateway'] as const

/**
 * The user of a part of the shop in this folder: a different one for each part, and nearly always for each
 * shop on a machine.
 */
export function ownUser(dataDir: string, part: (typeof parts)[number]): User {
  const place = createHash('sha256').update(realpathSync(dataDir)).digest().readUInt32BE() % places
  const uid = firstUid + place * parts.length + parts.indexOf(part)
  return { uid, gid: uid }
}

/** Whether this process may start others as that user: root in a container may lack that permission. */
export function mayBecome({ uid, gid }: User): boolean {
  return spawnSync('/bin/sh', ['-c', ':'], { uid, gid, cwd: '/' }).status === 0
}

/**
 * Removes the access of all users but the owner to a folder and its content, after changing the owner to
 * `owner`. Parents come before children, so that the former owner cannot replace an entry in between. Links
 * are not followed.
 */
export function closeFolder(folder: string, owner: User | null): void {
  if (owner !== null) lchownSync(folder, owner.uid, owner.gid)
  const found = lstatSync(folder)
  if (found.isSymbolicLink()) return
  if ((found.mode & 0o077) !== 0) chmodSync(folder, found.mode & 0o700)
  if (!found.isDirectory()) return
  for (const name of readdirSync(folder)) closeFolder(join(folder, name), owner)
}
