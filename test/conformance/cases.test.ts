import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'

const root = path.join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')

it('every case of the list names a test with the case in its title', () => {
  const rows = [...read('test/conformance/README.md').matchAll(/^\| ([A-Z]\d\w) \|.*\| (.+?) \|$/gm)]
  expect(rows.length).toBeGreaterThan(100)
  const unproved = rows.filter(([, id = '', proofs = '']) => {
    const files = [...proofs.matchAll(/`([\w./]+\.test\.ts)`/g)].map(([, file = '']) => file)
    // Cases about quantities are measured by a bench.
    if (files.length === 0) return !proofs.includes('`bench/')
    const isNamed = new RegExp(String.raw`['\` ,]${id}[:,']`)
    const own = files.filter((file) => !file.includes('/'))
    const others = files.filter((file) => file.includes('/'))
    return (
      own.length === 0 ||
      own.some((file) => !isNamed.test(read(`test/conformance/${file}`))) ||
      others.some((file) => !existsSync(path.join(root, file)))
    )
  })
  expect(unproved.map(([, id]) => id)).toEqual([])
})
