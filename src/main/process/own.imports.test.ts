import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { ownResolver } from './own.imports.ts'

const root = path.resolve(import.meta.dirname, '../../..')
const urlOf = (file: string) => pathToFileURL(path.join(root, file)).href
const parent = urlOf('src/purchase/purchase.ts')
const resolve = ownResolver()

test('every door of package.json is resolved to its file', () => {
  const { imports } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    imports: Record<string, string>
  }
  const doors = Object.entries(imports).filter(([name]) => !name.includes('*'))
  expect(doors.length).toBeGreaterThan(50)
  for (const [name, file] of doors) {
    const url = resolve(name, parent) ?? ''
    expect(url).toBe(urlOf(file))
    expect(existsSync(fileURLToPath(url)), name).toBe(true)
  }
})

test('names with a star and relative names are resolved', () => {
  expect(resolve('#lib/money', parent)).toBe(urlOf('src/lib/money.ts'))
  expect(resolve('#contract/desk/faults', urlOf('contract/wire.ts'))).toBe(urlOf('contract/desk/faults.ts'))
  expect(resolve('./order.ts', parent)).toBe(urlOf('src/purchase/order.ts'))
  expect(resolve('../lib/money.ts', parent)).toBe(urlOf('src/lib/money.ts'))
})

test('packages, files of packages, and files of other kinds are left to Node.js', () => {
  expect(resolve('kysely', parent)).toBeNull()
  expect(resolve('node:fs', parent)).toBeNull()
  expect(resolve('#nothing', parent)).toBeNull()
  expect(resolve('./data.json', parent)).toBeNull()
  expect(resolve('./index.ts', urlOf('node_modules/zod/index.js'))).toBeNull()
  expect(resolve('./src/main/up.ts', undefined)).toBeNull()
})
