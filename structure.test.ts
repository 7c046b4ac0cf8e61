/** The measure of the structure finds what it is to find. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { arrowsUpward, circlesOf, folderSizes, readImports, report, specifiersIn } from './structure.ts'

const graph = (arrows: Record<string, string[]>) => new Map(Object.entries(arrows))

describe('the imports of a text', () => {
  it('are all of them: types, exports, bare and dynamic ones', () => {
    const text = `
import { a } from './a.ts'
import type { B } from './b.ts'
import {
  type C,
} from '#c'
import './d.css'
export { e } from './e.ts'
export type * from './f.ts'
// import { no } from './no.ts'
const text = \`
import { no } from './neither.ts'
\`
const g = () => import('./g.tsx')
const h = (name: string) => import(name)
`
    const specifiers = ['./a.ts', './b.ts', '#c', './d.css', './e.ts', './f.ts', './g.tsx']
    expect(specifiersIn('x.ts', text).toSorted()).toEqual(specifiers.toSorted())
  })
})

describe('circles', () => {
  it('are found however long they are, each once', () => {
    const circles = circlesOf(
      graph({ a: ['b'], b: ['c', 'd'], c: ['a'], d: ['e'], e: ['d', 'f'], f: [], g: ['a', 'f'] }),
    )
    expect(circles.toSorted(([one], [other]) => ((one ?? '') < (other ?? '') ? -1 : 1))).toEqual([
      ['a', 'b', 'c'],
      ['d', 'e'],
    ])
  })

  it('are none where many arrows lead to one file', () => {
    expect(circlesOf(graph({ a: ['b', 'c'], b: ['d'], c: ['d'], d: [] }))).toEqual([])
  })
})

describe('arrows upward', () => {
  it('are the fewer ones of two folders that import each other', () => {
    const imports = graph({
      'src/a/one.ts': ['src/b/one.ts'],
      'src/a/two.ts': ['src/b/one.ts'],
      'src/b/one.ts': [],
      'src/b/two.ts': ['src/a/two.ts'],
    })
    expect(circlesOf(imports)).toEqual([])
    expect(arrowsUpward(imports)).toEqual(['src/b/two.ts → src/a/two.ts'])
  })

  it('lead from a folder to the one that it lies in as well as back', () => {
    const imports = graph({
      'src/a/door.ts': ['src/a/in/one.ts', 'src/a/in/two.ts'],
      'src/a/rules.ts': [],
      'src/a/in/one.ts': ['src/a/rules.ts'],
      'src/a/in/two.ts': [],
    })
    expect(arrowsUpward(imports)).toEqual(['src/a/in/one.ts → src/a/rules.ts'])
  })

  it('are none in a tower, whatever its height', () => {
    const imports = graph({
      'src/c/x.ts': ['src/b/x.ts', 'src/a/x.ts'],
      'src/b/x.ts': ['src/a/x.ts'],
      'src/a/x.ts': [],
    })
    expect(arrowsUpward(imports)).toEqual([])
  })
})

describe('the repository', () => {
  it('is read with its aliases, without tests and their support, and judged by its bounds', () => {
    const root = mkdtempSync(path.join(tmpdir(), 'turnpike-structure-'))
    const write = (file: string, text: string) => {
      mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
      writeFileSync(path.join(root, file), text)
    }
    write('package.json', '{"imports":{"#lib/*":"./src/lib/*.ts","#shop":"./src/shop/shop.ts"}}')
    write('src/lib/money.ts', 'export const usd = 1\n')
    write('src/shop/shop.ts', "import { usd } from '#lib/money'\nexport const price = usd\n")
    write('src/shop/shop.test.ts', "import '../lib/testing/bench.ts'\n")
    write('src/lib/testing/bench.ts', "import '#shop'\n")
    write('web/page.tsx', "import './page.css'\n")
    mkdirSync(path.join(root, 'contract'))
    const imports = readImports(root)
    expect(Object.fromEntries(imports)).toEqual({
      'src/lib/money.ts': [],
      'src/shop/shop.ts': ['src/lib/money.ts'],
      'web/page.tsx': [],
    })
    const lines: string[] = []
    expect(report(imports, (line) => void lines.push(line))).toBe(true)
    expect(lines).toHaveLength(3)
    write('src/lib/bytes.ts', "import type { price } from '#shop'\nexport type Price = typeof price\n")
    expect(report(readImports(root), () => undefined)).toBe(false)
    rmSync(root, { recursive: true, force: true })
  })

  it('counts the files of each folder', () => {
    const imports = graph({ 'a/1.ts': [], 'a/2.ts': [], 'a/b/1.ts': [] })
    expect(folderSizes(imports)).toEqual([
      ['a', 2],
      ['a/b', 1],
    ])
  })
})
