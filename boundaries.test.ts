import { execFile } from 'node:child_process'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { gatewayRooms, mayOpen, slices, webAreas } from './boundaries.ts'

const root = import.meta.dirname
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  imports: Record<string, string>
}

/** A cycle in a directed graph as a path, or null. */
function cycleIn(nodes: readonly string[], next: (node: string) => readonly string[]): string | null {
  const done = new Set<string>()
  const visit = (node: string, path: readonly string[]): string | null => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node].join(' → ')
    if (done.has(node)) return null
    const found = next(node).map((each) => visit(each, [...path, node]))
    done.add(node)
    return found.find((each) => each !== null) ?? null
  }
  return nodes.map((node) => visit(node, [])).find((each) => each !== null) ?? null
}

/** The folders of `web/` and, for each, the folders its modules import from; tests are left out. */
function webFolders(): Map<string, Set<string>> {
  const folders = new Map<string, Set<string>>()
  const files = globSync('web/**/*.{ts,tsx}', { cwd: root }).filter((file) => !/\.test\.tsx?$/.test(file))
  for (const file of files) {
    const imported = folders.get(dirname(file)) ?? new Set()
    folders.set(dirname(file), imported)
    const specifiers = readFileSync(join(root, file), 'utf8').matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)
    for (const [, specifier = ''] of specifiers) {
      const target = dirname(join(dirname(file), specifier))
      if (target !== dirname(file)) imported.add(target)
    }
  }
  return folders
}

it('cycleIn finds a cycle and only a cycle', () => {
  const graph: Record<string, string[]> = { a: ['b', 'c'], b: ['d'], c: ['d'], d: [] }
  const next = (node: string) => graph[node] ?? []
  expect(cycleIn(Object.keys(graph), next)).toBeNull()
  graph['d'] = ['b']
  expect(cycleIn(Object.keys(graph), next)).toBe('b → d → b')
})

it('the folders of the web import each other without a cycle', () => {
  const folders = webFolders()
  expect(folders.size).toBeGreaterThan(20)
  expect(cycleIn([...folders.keys()], (folder) => [...(folders.get(folder) ?? [])])).toBeNull()
})

describe('the table', () => {
  it('has a row for every folder of src/', () => {
    const folders = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    )
    for (const { name } of folders)
      expect(Object.keys(slices), `src/${name} is missing in boundaries.ts`).toContain(name)
  })

  it('names only slices of the table', () => {
    for (const [slice, knows] of Object.entries(slices)) {
      if (knows === 'any') continue
      for (const known of knows)
        expect(slices, `${slice} knows ${known}`).toHaveProperty(known.split('/')[0] ?? '')
    }
  })

  it('has no circle of slices that know each other by their main door', () => {
    const byMainDoor = (slice: string) => {
      const knows = slices[slice]
      return knows === undefined || knows === 'any' ? [] : knows.filter((known) => !known.includes('/'))
    }
    expect(cycleIn(Object.keys(slices), byMainDoor)).toBeNull()
  })

  it('has no cycle of areas of the web', () => {
    expect(cycleIn(Object.keys(webAreas), (area) => webAreas[area] ?? [])).toBeNull()
  })

  it('is matched by the doors of package.json', () => {
    for (const [alias, target] of Object.entries(manifest.imports)) {
      const owner = alias.slice(1).split('/')[0] ?? ''
      expect([...Object.keys(slices), 'contract', 'test'], alias).toContain(owner)
      expect(existsSync(join(root, target.replace(/\*.*$/, ''))), `${alias} leads to ${target}`).toBe(true)
    }
  })

  it('opens the gateway nothing but lib, the wire, its feed and pure rules', () => {
    const open = Object.keys(manifest.imports).filter((alias) => mayOpen('gateway', alias))
    expect(open.filter((alias) => !alias.startsWith('#gateway')).toSorted()).toEqual([
      '#contract/*',
      '#exits/presets',
      '#feed',
      '#feed/announcement',
      '#feed/ask-state',
      '#feed/client',
      '#feed/connection.record',
      '#feed/dial',
      '#feed/exit.answers',
      '#feed/frames',
      '#feed/keys',
      '#feed/listen',
      '#feed/open.peaks',
      '#feed/place.outcomes',
      '#feed/server',
      '#feed/together',
      '#feed/user.ids',
      '#lib/*',
      '#limits/hosts',
      '#proxies/dialects',
      '#proxies/grammar',
    ])
  })
})

describe('the rooms of the gateway', () => {
  const gateway = join(root, 'src/gateway')
  const rooms = Object.keys(gatewayRooms)

  it('are its folders, besides the test support', () => {
    const folders = readdirSync(gateway, { withFileTypes: true }).filter((entry) => entry.isDirectory())
    expect(folders.map(({ name }) => name).toSorted()).toEqual([...rooms, 'testing'].toSorted())
  })

  it('know only rooms below them, and have few doors, which exist', () => {
    for (const [index, [room, { knows, doors }]] of Object.entries(gatewayRooms).entries()) {
      for (const known of knows) expect(rooms.slice(0, index), `${room} knows ${known}`).toContain(known)
      expect(doors.length, room).toBeLessThanOrEqual(7)
      for (const door of doors) {
        const file = join(gateway, room, `${door}.ts`)
        expect(existsSync(file), file).toBe(true)
      }
    }
  })
})

/** Imports the linter must refuse: the file, its import, and what each breaks. */
const planted: [file: string, specifier: string][] = [
  ['src/ledger/a.ts', '#purchase'],
  ['src/ledger/b.ts', '../purchase/price.ts'],
  ['src/ledger/c.ts', './../purchase/price.ts'],
  ['src/ledger/d.ts', './x/../../purchase/price.ts'],
  ['src/ledger/e.ts', '../../contract/contract.ts'],
  ['src/ledger/f.ts', '#test/database'],
  ['src/payments/adapters/a.ts', '../../ledger/ledger.ts'],
  ['src/payments/adapters/b.ts', '#ledger'],
  ['src/gateway/a.ts', '#db'],
  ['src/gateway/b.ts', '#proxies'],
  ['src/gateway/c.ts', '#traffic'],
  ['src/gateway/d.ts', 'pg'],
  ['src/gateway/e.ts', 'kysely/helpers/postgres'],
  ['src/gateway/f.ts', './sockets/deadline.ts'],
  ['src/gateway/g.ts', './testing/bench.ts'],
  ['src/gateway/h.ts', '#feed/testing'],
  ['src/gateway/sockets/a.ts', '../worker.ts'],
  ['src/gateway/sockets/b.ts', '../metering/charge.ts'],
  ['src/gateway/metering/a.ts', '../sockets/deadline.ts'],
  ['src/gateway/metering/b.ts', '../../ledger/ledger.ts'],
  ['src/gateway/metering/c.ts', '#db'],
  ['src/gateway/limits/a.ts', '../exits/exits.ts'],
  ['src/traffic/a.ts', '#gateway'],
  ['src/traffic/b.ts', '#feed/testing'],
  ['src/feed/a.ts', '#traffic'],
  ['src/lib/a.ts', '#db'],
  ['src/catalog/a.test.ts', '../promo/promo.ts'],
  ['contract/a.ts', '#ledger'],
  ['web/account/a.tsx', '#ledger'],
  ['web/account/b.tsx', '../storefront/page.tsx'],
  ['web/account/deep/c.tsx', '../../shell/router.tsx'],
  ['web/account/d.tsx', '../../src/lib/money.ts'],
  ['web/ui/d.tsx', '../state/session.ts'],
  ['web/state/a.ts', '../shell/layout.tsx'],
  ['web/state/b.ts', '../account/page.tsx'],
  ['web/storefront/a.tsx', '../shell/layout.tsx'],
  ['web/ui/a.tsx', '../account/page.tsx'],
  ['web/ui/b.tsx', '@tanstack/react-query'],
  ['web/ui/c.tsx', '#contract/client'],
  ['web/main.tsx', '#lib/money'],
]

/** Imports that look alike and must pass. */
const allowed: [file: string, specifier: string][] = [
  ['src/ledger/ok1.ts', '#lib/money'],
  ['src/ledger/ok2.ts', '#db'],
  ['src/ledger/ok3.ts', './post.ts'],
  ['src/payments/adapters/ok.ts', '../payments.ts'],
  ['src/gateway/ok.ts', '#proxies/grammar'],
  ['src/gateway/ok2.ts', './sockets/reader.ts'],
  ['src/gateway/ok3.ts', './worker.ts'],
  ['src/gateway/metering/ok.ts', '../sockets/writer.ts'],
  ['src/gateway/metering/ok2.ts', './journal.ts'],
  ['src/gateway/metering/ok.test.ts', '../sockets/deadline.ts'],
  ['src/gateway/testing/ok.ts', '#feed/testing'],
  ['src/traffic/ok1.ts', '#feed'],
  ['src/traffic/ok2.ts', '#ledger'],
  ['src/catalog/ok.test.ts', '#test/database'],
  ['src/catalog/ok2.test.ts', '#ledger'],
  ['src/http/ok.ts', '#purchase'],
  ['src/main/ok.ts', '#http'],
  ['contract/ok.ts', '#lib/money'],
  ['web/shell/ok.tsx', '../account/page.tsx'],
  ['web/state/ok.ts', '../ui/format.ts'],
  ['web/account/ok4.tsx', '../state/session.ts'],
  ['web/account/ok1.tsx', '#contract/client'],
  ['web/account/ok2.tsx', '../ui/button.tsx'],
  ['web/account/deep/ok3.tsx', '../panel.tsx'],
  ['web/ui/ok.tsx', './button.tsx'],
  ['web/ok.tsx', './account/page.tsx'],
]

describe('a door of handlers', () => {
  it('opens only to those who mount them', () => {
    expect(mayOpen('http', '#ledger/calls')).toBe(true)
    expect(mayOpen('main', '#ledger/calls')).toBe(true)
    expect(mayOpen('purchase', '#ledger/calls')).toBe(false)
  })
})

describe('the linter', () => {
  let fixture = ''
  const faults = new Map<string, string[]>()

  const write = (file: string, text: string) => {
    mkdirSync(join(fixture, dirname(file)), { recursive: true })
    writeFileSync(join(fixture, file), text)
  }

  beforeAll(async () => {
    fixture = mkdtempSync(join(tmpdir(), 'turnpike-boundaries-'))
    for (const file of ['boundaries.ts', 'oxlint.config.ts', 'package.json', 'tsconfig.base.json'])
      cpSync(join(root, file), join(fixture, file))
    symlinkSync(join(root, 'node_modules'), join(fixture, 'node_modules'))
    write(
      'tsconfig.json',
      '{"extends":"./tsconfig.base.json","compilerOptions":{"module":"nodenext"},"include":["."]}',
    )
    for (const [file, specifier] of [...planted, ...allowed])
      write(file, `import { something } from '${specifier}'\nexport const used = something\n`)
    write('src/ledger/promise.ts', `export function f() {\n  Promise.resolve(1)\n}\n`)
    write('src/ledger/circle.ts', `import { b } from './circle2.ts'\nexport const a = () => b\n`)
    write('src/ledger/circle2.ts', `import { a } from './circle.ts'\nexport const b = () => a\n`)
    write('web/ui/fetching.tsx', `export const load = () => fetch('/')\n`)

    const oxlint = join(root, 'node_modules/oxlint/bin/oxlint')
    const run = promisify(execFile)(process.execPath, [oxlint, '--format=json', 'src', 'contract', 'web'], {
      cwd: fixture,
      maxBuffer: 1 << 24,
    })
    const { stdout } = await run.catch((failed: unknown) => failed as { stdout: string })
    const report = JSON.parse(stdout) as { diagnostics: { code: string; filename: string }[] }
    for (const { code, filename } of report.diagnostics)
      faults.set(filename, [...(faults.get(filename) ?? []), code])
  })
  afterAll(() => rmSync(fixture, { recursive: true, force: true }))

  it.each(planted)('refuses in %s the import of %s', (file) => {
    expect(faults.get(file)).toContain('eslint(no-restricted-imports)')
  })

  it.each(allowed)('lets %s import %s', (file) => {
    expect(faults.get(file) ?? []).not.toContain('eslint(no-restricted-imports)')
  })

  it('sees a forgotten promise, a circle of files and a fetching building block', () => {
    expect(faults.get('src/ledger/promise.ts')).toContain('typescript(no-floating-promises)')
    expect([
      ...(faults.get('src/ledger/circle.ts') ?? []),
      ...(faults.get('src/ledger/circle2.ts') ?? []),
    ]).toContain('import(no-cycle)')
    expect(faults.get('web/ui/fetching.tsx')).toContain('eslint(no-restricted-globals)')
  })

  it('knows every area of the web', () => {
    const areas = readdirSync(join(root, 'web'), { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    )
    for (const { name } of areas)
      expect(Object.keys(webAreas), `web/${name} is missing in boundaries.ts`).toContain(name)
  })
})
