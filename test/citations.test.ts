/** Checks that the tests which documents cite as proof exist: `file › title`, or `file › describe › title`. */
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'

const root = path.join(import.meta.dirname, '..')
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')

const literal = (text: string) => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)

/** The titles in a test file: those of tables have a pattern for each placeholder. */
function titlesIn(file: string): RegExp[] {
  const calls = /(?:it|test|describe)\b[^'`]*?\(\s*(?:'((?:[^'\\]|\\.)*)'|`([^`]*)`)/g
  const tables = /^\s*(?:\]|\))*\)?\(\s*(?:'((?:[^'\\]|\\.)*)'|`([^`]*)`)/gm
  return [calls, tables]
    .flatMap((pattern) => [...read(file).matchAll(pattern)])
    .map(([, plain, template]) => plain ?? template ?? '')
    .map((title) => {
      const parts = title.split(/%\.?\d*[a-z]|\$\{[^}]*\}|\$\w+/)
      return new RegExp(`^${parts.map(literal).join('.+')}$`)
    })
}

const cited = globSync(['docs/**/*.md', 'src/**/README.md', '*.md'], { cwd: root }).flatMap((document) =>
  [...read(document).matchAll(/`([\w./-]+\.(?:test|spec)\.tsx?) › ([^`]+)`/g)].map(
    ([, file = '', titles = '']) => ({ document, file, titles: titles.split(' › ') }),
  ),
)

it('documents cite tests that exist', () => {
  expect(cited.length).toBeGreaterThan(200)
  const missing = cited.filter(({ file, titles }) => {
    const known = titlesIn(file)
    const text = read(file)
    return !titles.every((title) => text.includes(title) || known.some((pattern) => pattern.test(title)))
  })
  expect(missing).toEqual([])
})
