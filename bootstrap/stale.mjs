import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Whether installed packages and the built pages match the sources: compared by hashes, never by file times.
 */

/** @returns {string | null} the text without its line end, null when there is no such file */
export function readStamp(/** @type {string} */ path) {
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : null
}

/** The hash of the lockfile that node_modules is installed from. */
export function lockHash(/** @type {string} */ root) {
  return createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
}

/** The file with the hash of the lockfile; in node_modules, so that it is deleted together with it. */
export const installStamp = (/** @type {string} */ root) => join(root, 'node_modules', '.turnpike-lock')

/**
 * Whether node_modules matches the lockfile. npm records installed packages in a lockfile of its own;
 * comparing the two avoids a second installation after `npm install`.
 */
export function isInstalledByHand(/** @type {string} */ root) {
  const inner = join(root, 'node_modules', '.package-lock.json')
  if (!existsSync(inner)) return false
  /**
   * @typedef {Record<string, { version?: string, integrity?: string, optional?: boolean, peer?: boolean }>}
   * Packages
   */
  const wanted = /** @type {Packages} */ (
    JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
  )
  const present = /** @type {Packages} */ (JSON.parse(readFileSync(inner, 'utf8')).packages)
  for (const [path, { version, integrity, optional }] of Object.entries(wanted)) {
    const found = present[path]
    if (path === '' || (optional === true && found === undefined)) continue
    if (found === undefined || found.version !== version || found.integrity !== integrity) return false
    if (!existsSync(join(root, path))) return false
  }
  return Object.keys(present).every((path) => path in wanted)
}

/** @returns {string[]} */
function filesUnder(/** @type {string} */ root, /** @type {string} */ path) {
  if (!existsSync(join(root, path))) return []
  return readdirSync(join(root, path), { withFileTypes: true }).flatMap((entry) => {
    const inner = `${path}/${entry.name}`
    return entry.isDirectory() ? filesUnder(root, inner) : [inner]
  })
}

/** The hash of everything the pages are built from. */
export function webHash(/** @type {string} */ root) {
  const single = ['vite.config.ts', 'vite.desk.config.ts', 'package.json', 'package-lock.json']
  const files = [...filesUnder(root, 'web'), ...filesUnder(root, 'contract'), ...filesUnder(root, 'src/lib')]
    .filter((file) => !/\.test\.tsx?$/.test(file))
    .concat(single.filter((file) => existsSync(join(root, file))))
    .sort()
  const hash = createHash('sha256')
  for (const file of files) {
    const content = readFileSync(join(root, file))
    hash.update(`${file}\0${content.length}\0`).update(content)
  }
  return hash.digest('hex')
}
