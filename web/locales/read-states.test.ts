// @vitest-environment node
/**
 * A read that failed does not look like an empty one, nor like one that is still under way: see
 * read-states.ts.
 */
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { pagesWithoutKey, readsWithoutFailure } from './read-states.ts'

const web = path.join(import.meta.dirname, '..')
/** `useOptionalRead` ignores failures; the frame of the desk reports those of `useToldRead`. */
const sources = globSync(['{account,desk,shell,state,storefront}/**/*.{ts,tsx}'], { cwd: web })
  .filter((file) => !/\.test\.ts$|(optional|told)-read\.ts$/.test(file))
  .toSorted()

test('every read of the shop and the desk shows its failure, or says that it may be left out', () => {
  expect(sources.length).toBeGreaterThan(200)
  const silent = sources.flatMap((file) =>
    readsWithoutFailure(file, readFileSync(path.join(web, file), 'utf8')).map((read) => `${file}: ${read}`),
  )
  expect(silent).toEqual([])
})

test.each([
  ['const { data } = useQuery(a)', true],
  ['const { data, isError } = useQuery(a)', false],
  ['const names = useQuery(a).data', true],
  ['const read = useQuery(a); show(read.data)', true],
  ['const read = useQuery(a); show(read.data, read.isError)', false],
  ['const read = useQuery(a); return { read }', false],
  ['const { data } = useOptionalRead(a)', false],
])('%s is found: %s', (code, isFound) => {
  expect(readsWithoutFailure('page.tsx', `function use() { ${code} }`).length > 0).toBe(isFound)
})

test('no read by pages shares its key with a plain read', () => {
  const shared = sources.flatMap((file) =>
    pagesWithoutKey(file, readFileSync(path.join(web, file), 'utf8')).map((read) => `${file}: ${read}`),
  )
  expect(shared).toEqual([])
})

test.each([
  ["useInfiniteQuery({ queryKey: ['invoices', {}], queryFn })", true],
  ["useInfiniteQuery({ queryKey: pagesKey('invoices'), queryFn })", false],
  ["const key = pagesKey('invoices'); useInfiniteQuery({ queryKey: key, queryFn })", false],
  ["const key = ['invoices']; useInfiniteQuery({ queryKey: key, queryFn })", true],
])('%s shares its key: %s', (code, isFound) => {
  expect(pagesWithoutKey('page.tsx', `function use() { ${code} }`).length > 0).toBe(isFound)
})
