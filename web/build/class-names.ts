/** Short names for the classes of the style sheets: every sheet, script and page repeats them. */
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'

const letters = 'abcdefghijklmnopqrstuvwxyz'

/**
 * The pages with a narrow limit first: an additional sheet of the account or the desk changes no name of the
 * public pages.
 */
const rankOf = (file: string) => (file.startsWith('desk/') ? 2 : file.startsWith('account/') ? 1 : 0)

/** a, b, … z, aa, ab, … */
function nth(index: number): string {
  const last = letters[index % letters.length] ?? ''
  return index < letters.length ? last : nth(Math.floor(index / letters.length) - 1) + last
}

/**
 * Names for the classes and animations of all `*.module.css` in a folder, numbered in the order of their
 * files, those of the account and of the desk last. The build for the browser and the build of the page
 * renderer number alike, so that their names agree.
 */
export function shortNames(folder: string): (name: string, file: string) => string {
  const classes = globSync('**/*.module.css', { cwd: folder })
    .map((file) => file.replaceAll(path.sep, '/'))
    .toSorted((a, b) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1))
    .flatMap((file) => {
      const text = readFileSync(path.join(folder, file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\//g, '')
      const names = [...text.matchAll(/(?:\.|@keyframes )(-?[A-Za-z_][\w-]*)/g)].map(([, name = '']) => name)
      return [...new Set(names)].map((name) => `${file}#${name}`)
    })
  const numbers = new Map(classes.map((each, index) => [each, index]))
  return (name, file) => {
    const id = `${path.relative(folder, file.replace(/\?.*$/, '')).replaceAll(path.sep, '/')}#${name}`
    const number = numbers.get(id)
    if (number === undefined) throw new Error(`${id} was not found when the classes were numbered`)
    // The underscore keeps the names apart from global classes and from the patterns of ad blockers.
    return `_${nth(number)}`
  }
}
