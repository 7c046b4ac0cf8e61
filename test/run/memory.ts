/** Chooses the folder for the tests' temporary files. */
import { readFileSync, statfsSync } from 'node:fs'

const folder = '/dev/shm'
const leastBytes = 4 * 1024 ** 3

const freeBytes = (): number => {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/**
 * A folder in memory, when there is one in which programs may run and that has room. Tests create and delete
 * databases of a thousand files each, which on ext4 took a third of their CPU time: ext4 tries inodes one by
 * one until it finds one that was not freed in the last five seconds.
 */
export function folderInMemory(
  read = () => readFileSync('/proc/mounts', 'utf8'),
  free = freeBytes,
): string | null {
  try {
    const mounts = read().split('\n')
    const last = mounts.findLast((line) => line.split(' ')[1] === folder)
    const [, , kind, options = ''] = last?.split(' ') ?? []
    const isUsable = kind === 'tmpfs' && !/(?:^|,)(?:noexec|ro)(?:,|$)/.test(options)
    return isUsable && free() >= leastBytes ? folder : null
  } catch {
    return null
  }
}
