/**
 * What root starts and needs no root runs as a user that runs nothing else: not as `nobody`, whom other programs of the
 * machine are too. Users of one number may stop each other's processes, read their memory and enter their folders.
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
 * Numbers that no system gives away: systemd leaves 60578 to 61183 unused (UIDS-GIDS), Debian's policy (9.2.2) allots those
 * from 60000 on request only. Below 65536, so that a container has them too.
 */
const firstUid = 60_600
const places = 250
const parts = ['database', 'gateway'] as const

/** The user of a part of the shop in this folder: another one for each part, and nearly always for each shop of a machine. */
export function ownUser(dataDir: string, part: (typeof parts)[number]): User {
  const place = createHash('sha256').update(realpathSync(dataDir)).digest().readUInt32BE() % places
  const uid = firstUid + place * parts.length + parts.indexOf(part)
  return { uid, gid: uid }
}

/** Whether this process may start others as that user: root of a container may be forbidden to. */
export function mayBecome({ uid, gid }: User): boolean {
  return spawnSync('/bin/sh', ['-c', ':'], { uid, gid, cwd: '/' }).status === 0
}

/**
 * Closes a folder and all in it to everybody but its owner, and gives it to another one. From the outside in: whoever
 * could change it before cannot put something else into its place meanwhile. Links are not followed.
 */
export function closeFolder(folder: string, owner: User | null): void {
  if (owner !== null) lchownSync(folder, owner.uid, owner.gid)
  const found = lstatSync(folder)
  if (found.isSymbolicLink()) return
  if ((found.mode & 0o077) !== 0) chmodSync(folder, found.mode & 0o700)
  if (!found.isDirectory()) return
  for (const name of readdirSync(folder)) closeFolder(join(folder, name), owner)
}
