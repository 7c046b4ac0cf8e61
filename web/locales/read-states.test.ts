// @vitest-environment node
/**
 * A read that failed does not look like an empty one, nor like one that is still under way: see
 * read-states.ts.
 */
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { readsWithoutFailure } from './read-states.ts'

const web = path.join(import.meta.dirname, '..')
/** The shop's pages; `useOptionalRead` is the one place that looks at no failure. */
const sources = globSync(['{account,shell,state,storefront}/**/*.{ts,tsx}'], { cwd: web })
  .filter((file) => !file.endsWith('.test.ts') && !file.endsWith('optional-read.ts'))
  .toSorted()

test('every read of the shop’s pages shows its failure, or says that it may be left out', () => {
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
