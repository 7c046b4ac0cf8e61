import { mkdirSync, readFileSync, renameSync, rmSync, rmdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * A lock that several starts of Turnpike in one folder take in turn, so that no two install or build at once.
 * It is a directory (mkdir is atomic) that names its owners: a process and the program that it has started.
 * When all owners are dead, another start takes the lock over in place.
 *
 * src/lib/folder-lock.ts is another lock: this one must run on Node.js 20, before anything is installed, on
 * any system, waits for its turn, and can be handed to a child process.
 */

/** A process id alone can be reused; together with the time that process began it cannot. */
function signature(/** @type {number} */ pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return `${pid} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`
  } catch {
    return `${pid} -`
  }
}

function isAlive(/** @type {string} */ owner) {
  if (owner.includes('\n')) return owner.split('\n').some(isAlive)
  const pid = Number(owner.split(' ')[0])
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    // EPERM: it lives, under another user.
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EPERM') return false
  }
  return owner.endsWith(' -') || signature(pid) === owner
}

/** The owner written in the lock, or null when it is not written (yet). */
function ownerOf(/** @type {string} */ lock) {
  try {
    return readFileSync(join(lock, 'owner'), 'utf8')
  } catch {
    return null
  }
}

function ageInMs(/** @type {string} */ path) {
  try {
    return Date.now() - statSync(path).mtimeMs
  } catch {
    return 0
  }
}

function writeOwner(/** @type {string} */ lock, pids = [process.pid]) {
  const own = join(lock, `owner.${process.pid}`)
  writeFileSync(own, pids.map(signature).join('\n'))
  renameSync(own, join(lock, 'owner'))
}

/** Only one process can create `takeover`; that process checks the owner again before it replaces it. */
function takeOver(/** @type {string} */ lock, /** @type {string | null} */ deadOwner) {
  const takeover = join(lock, 'takeover')
  try {
    mkdirSync(takeover)
  } catch {
    if (ageInMs(takeover) > 10_000) rmSync(takeover, { recursive: true, force: true })
    return false
  }
  try {
    if (ownerOf(lock) !== deadOwner) return false
    writeOwner(lock)
    return true
  } finally {
    rmdirSync(takeover)
  }
}

/** @returns {true | string | null} true when taken, else the owner that has it */
function tryLock(/** @type {string} */ lock) {
  try {
    mkdirSync(lock)
    writeOwner(lock)
    return true
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error
  }
  const owner = ownerOf(lock)
  // The owner is written microseconds after mkdir; when a lock has no owner for ten seconds, its creator has
  // died.
  const dead = owner === null ? ageInMs(lock) > 10_000 : !isAlive(owner)
  return dead && takeOver(lock, owner) ? true : owner
}

/**
 * Runs `work` while holding the lock `path`; waits for its turn first.
 * @template T
 * @param {string} path
 * @param {(pid: string) => void} onWait called once when another process has it
 * @param {(alsoHeldBy: (pid: number) => void) => Promise<T>} work names the program that does the work:
 *   it would outlive this process if that were killed, and the lock must be held until it ends
 * @returns {Promise<T>}
 */
export async function withLock(path, onWait, work) {
  mkdirSync(dirname(path), { recursive: true })
  let told = false
  for (let taken = tryLock(path); taken !== true; taken = tryLock(path)) {
    if (!told && taken !== null) {
      onWait(String(taken.split(' ')[0]))
      told = true
    }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  const release = () => rmSync(path, { recursive: true, force: true })
  process.once('exit', release)
  try {
    return await work((pid) => writeOwner(path, [process.pid, pid]))
  } finally {
    process.removeListener('exit', release)
    release()
  }
}
