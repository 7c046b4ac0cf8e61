/** Checks that docs/asvs.md has every requirement of ASVS 5.0.0 up to level 2 exactly once. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'

const root = path.join(import.meta.dirname, '..')
const text = readFileSync(path.join(root, 'docs/asvs.md'), 'utf8')

/** Each section with the number of its requirements of level 1 or 2, which precede those of level 3. */
const sections =
  '1.1 2, 1.2 9, 1.3 11, 1.4 3, 1.5 2, 2.1 3, 2.2 3, 2.3 4, 2.4 1, 3.2 2, 3.3 4, 3.4 6, 3.5 5, 3.7 2, 4.1 3, 4.2 1, ' +
  '4.3 2, 4.4 4, 5.1 1, 5.2 3, 5.3 2, 5.4 3, 6.1 3, 6.2 12, 6.3 4, 6.4 4, 6.5 5, 6.6 3, 6.8 4, 7.1 3, 7.2 4, 7.3 2, ' +
  '7.4 5, 7.5 2, 7.6 2, 8.1 2, 8.2 3, 8.3 1, 8.4 1, 9.1 3, 9.2 4, 10.1 2, 10.2 2, 10.3 4, 10.4 11, 10.5 5, 10.6 2, ' +
  '10.7 3, 11.1 2, 11.2 3, 11.3 3, 11.4 4, 11.5 1, 11.6 1, 12.1 3, 12.2 2, 12.3 4, 13.1 1, 13.2 5, 13.3 2, 13.4 5, ' +
  '14.1 2, 14.2 4, 14.3 3, 15.1 3, 15.2 3, 15.3 7, 16.1 1, 16.2 5, 16.3 4, 16.4 3, 16.5 3, 17.1 1, 17.2 4, 17.3 2'
const asked = sections.split(', ').flatMap((part) => {
  const [section = '', count = ''] = part.split(' ')
  return Array.from({ length: Number(count) }, (_, index) => `${section}.${index + 1}`)
})

/** `1.2.3`, `1.2.3, 1.2.4`, or `1.2.3–5`. */
function numbersOf(cell: string): string[] {
  return cell.split(', ').flatMap((part) => {
    const [, section = '', first = '', last = first] = /^(\d+\.\d+)\.(\d+)(?:–(\d+))?$/.exec(part) ?? []
    const count = Number(last) - Number(first) + 1
    return Array.from({ length: count }, (_, index) => `${section}.${Number(first) + index}`)
  })
}

const numbers = text
  .split('\n')
  .filter((line) => /^\| \d/.test(line))
  .flatMap((line) => numbersOf(line.slice(2).split(' | ')[0] ?? ''))

it('every requirement up to level 2 has one row', () => {
  expect(asked).toHaveLength(253)
  expect(numbers.toSorted()).toEqual(asked.toSorted())
})
