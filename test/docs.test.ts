/** Files named in the documentation exist. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { slices } from '../boundaries.ts'

const root = path.join(import.meta.dirname, '..')

/** The pages that list tests, and the folder of the tests named without one. */
const folderOfTests: Readonly<Record<string, string>> = {
  'test/browser/README.md': 'test/browser',
  'test/conformance/README.md': 'test/conformance',
}

/** `src/a/b.ts` and the like; a test, as `b.test.ts` or `b.test.ts › its title`. */
const namedFile = /`((?:src|web|contract|ops|docs|migrations|bootstrap|test|bench)\/[\w./-]+)[` ]/g
const namedTest = /`([\w.-]+\.(?:spec|test)\.ts)(?:`| › )/g

const textOf = (page: string) => readFileSync(path.join(root, page), 'utf8')
const namesIn = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => name)
const missing = (files: string[]) => files.filter((file) => !existsSync(path.join(root, file)))

it.each(globSync(['*.md', 'docs/**/*.md', 'test/**/*.md'], { cwd: root }))(
  '%s names files that exist',
  (page) => {
    expect(missing(namesIn(textOf(page), namedFile))).toEqual([])
  },
)

it('ARCHITECTURE.md draws the slices that boundaries.ts grants', () => {
  const [, section = ''] = textOf('ARCHITECTURE.md').split('## The slices of src/')
  const [, drawing = ''] = section.split('```')
  const lines = drawing.split('\n').map((line) => line.slice(3, 43).trim())
  const drawn = lines.flatMap((line) => line.split(/\s+/)).filter((word) => /^[a-z]/.test(word))
  expect(drawn.toSorted()).toEqual(Object.keys(slices).toSorted())
})

it('ARCHITECTURE.md names only existing files as the places of decisions', () => {
  const [, table = ''] = /## Where it is decided\n([^#]*)/.exec(textOf('ARCHITECTURE.md')) ?? []
  const files = namesIn(table, /`([\w-]+\/[\w./-]+\.ts)`/g)
  expect(files.length).toBeGreaterThan(30)
  expect(files.filter((file) => missing([file, `src/${file}`]).length === 2)).toEqual([])
})

it.each(Object.entries(folderOfTests))('%s names tests of %s that exist', (page, folder) => {
  const files = namesIn(textOf(page), namedTest).map((file) => `${folder}/${file}`)
  expect(files.length).toBeGreaterThan(20)
  expect(missing(files)).toEqual([])
})

/** The titles of tests and groups in a file; what a template or a table fills in may be anything. */
function titlesIn(file: string): { text: string; pattern: RegExp }[] {
  const text = textOf(file)
  const call = /\b(?:test|it|describe)(?:\.\w+)*(?:\([^()]*\))?\(\s*(['"`])((?:\\.|(?!\1).)*)\1/g
  // After the rows of a table, or a condition: `it.each([…])('title', …)`.
  const ofTable = /\)\(\s*(['"`])((?:\\.|(?!\1).)*)\1,/g
  const escaped = (part: string) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
  return [...text.matchAll(call), ...text.matchAll(ofTable)].map(([, , title = '']) => {
    const plain = title.replaceAll(/\\(.)/g, '$1')
    const parts = plain.split(/\$\{(?:[^{}]|\{[^{}]*\})*\}|%[a-z]|\$\w+/)
    return { text: plain, pattern: new RegExp(`^${parts.map(escaped).join('.*')}$`) }
  })
}

/** `file › title`, or `file › group › title`; pages of one folder's tests name the file alone. */
const citing = globSync(['*.md', 'docs/**/*.md', 'src/**/README.md', 'test/browser/README.md'], { cwd: root })
  .filter((page) => textOf(page).includes('.ts › '))
  .map((page) => [page, folderOfTests[page] ?? ''] as const)

/** The pages about tests, each with more citations than this. */
const least = { 'docs/asvs.md': 100, 'docs/gateway-tests.md': 50, 'test/browser/README.md': 50 }

const citationsIn = (page: string) => [
  ...textOf(page).matchAll(/`([\w./-]+\.(?:spec|test)\.tsx?) › ([^`]+)`/g),
]

it.each(citing)('%s cites tests by titles that exist', (page, folder) => {
  const unknown = citationsIn(page).filter(([, file = '', titles = '']) => {
    const known = titlesIn(file.includes('/') ? file : path.join(folder, file))
    const isTitle = (title: string) =>
      known.some(({ text, pattern }) => text === title || pattern.test(title))
    return !titles.split(' › ').every(isTitle)
  })
  expect(unknown.map(([row]) => row)).toEqual([])
})

it.each(Object.entries(least))('%s cites more than %i tests', (page, count) => {
  expect(citing.map(([one]) => one)).toContain(page)
  expect(citationsIn(page).length).toBeGreaterThan(count)
})
