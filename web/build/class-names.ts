/** Short names for the classes of the style sheets: they stand in every sheet, script and page. */
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'

const signs = 'abcdefghijklmnopqrstuvwxyz'

/** a, b, … z, aa, ab, … */
function nth(index: number): string {
  const last = signs[index % signs.length] ?? ''
  return index < signs.length ? last : nth(Math.floor(index / signs.length) - 1) + last
}

/**
 * Names for the classes and animations of all `*.module.css` below a folder, counted through in the order of their
 * files. The build for browsers and the one that writes pages count the same, so that the two agree.
 */
export function shortNames(folder: string): (name: string, file: string) => string {
  const owners = globSync('**/*.module.css', { cwd: folder })
    .map((file) => file.replaceAll(path.sep, '/'))
    .toSorted()
    .flatMap((file) => {
      const text = readFileSync(path.join(folder, file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\//g, '')
      const names = [...text.matchAll(/(?:\.|@keyframes )(-?[A-Za-z_][\w-]*)/g)].map(([, name = '']) => name)
      return [...new Set(names)].map((name) => `${file}#${name}`)
    })
  const numbers = new Map(owners.map((owner, index) => [owner, index]))
  return (name, file) => {
    const owner = `${path.relative(folder, file.replace(/\?.*$/, '')).replaceAll(path.sep, '/')}#${name}`
    const number = numbers.get(owner)
    if (number === undefined) throw new Error(`${owner} was not found when the classes were counted`)
    // No class of ours begins so, and no advertisement blocker knows it.
    return `_${nth(number)}`
  }
}
