import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { noteShop, refuseLostShop } from './lost.shop.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'turnpike-lost-'))
  mkdirSync(path.join(folder, 'cache'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const cache = () => path.join(folder, 'cache')
const dataDir = () => path.join(folder, 'data')

function makeCluster(major: string): void {
  mkdirSync(path.join(dataDir(), 'postgres', major), { recursive: true })
  writeFileSync(path.join(dataDir(), 'postgres', major, 'PG_VERSION'), major)
}

it('a fresh machine makes a shop, and one whose folder was moved away does not', () => {
  expect(() => refuseLostShop(dataDir(), cache())).not.toThrow()
  makeCluster('18')
  noteShop(dataDir(), cache())
  expect(() => refuseLostShop(dataDir(), cache())).not.toThrow()
  renameSync(dataDir(), path.join(folder, 'elsewhere'))
  expect(() => refuseLostShop(dataDir(), cache())).toThrow(/has no shop, and there was one on \d{4}-/)
  mkdirSync(dataDir())
  expect(() => refuseLostShop(dataDir(), cache())).toThrow('turnpike restore <file>')
  // Another DATA_DIR of the same machine is another shop.
  expect(() => refuseLostShop(path.join(folder, 'second'), cache())).not.toThrow()
  for (const name of readdirSync(cache())) rmSync(path.join(cache(), name))
  expect(() => refuseLostShop(dataDir(), cache())).not.toThrow()
})

it('a database of an older PostgreSQL is not replaced by a new one', () => {
  makeCluster('17')
  expect(() => refuseLostShop(dataDir(), cache())).toThrow(
    /PostgreSQL 17, and this release has a newer one.*turnpike database move --to embedded/,
  )
})

it('a machine without the folder of notes keeps none', () => {
  noteShop(dataDir(), path.join(folder, 'none'))
  expect(readdirSync(folder)).toEqual(['cache'])
})
