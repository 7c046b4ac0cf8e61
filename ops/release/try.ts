/**
 * A release made twice has the same bytes, and starts on a machine that has neither npm nor another Node.js:
 * with an empty environment, on a data folder of its own. `node_modules/.bin/node ops/release/try.ts` runs it
 * alone, `npm run test:long` with the rest.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort, freePortBase } from '#test/ports'
import { say } from '../../bootstrap/prepare.mjs'

const release = path.join(import.meta.dirname, 'release.ts')

/** Makes the release for this machine; returns its file and checksum. */
function make(): { file: string; checksum: string } {
  const said = execFileSync(process.execPath, [release, '--arch', process.arch], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const file = said.trim()
  execFileSync('sha256sum', ['--check', '--status', `${path.basename(file)}.sha256`], {
    cwd: path.dirname(file),
  })
  return { file, checksum: readFileSync(`${file}.sha256`, 'utf8') }
}

/** Starts the demo of the unpacked release, sends it requests, and stops it. */
async function tryOut(folder: string): Promise<void> {
  const port = await freePort()
  const env = {
    PATH: '/usr/bin:/bin',
    DATA_DIR: path.join(folder, 'shop'),
    PORT: String(port),
    GATEWAY_PORT_BASE: String(await freePortBase()),
    GATEWAY_SLOTS: '0',
    GATEWAY_WORKERS: '1',
  }
  const [unpacked = ''] = readdirSync(folder)
  const shop = spawn(path.join(folder, unpacked, 'bin/turnpike'), ['up'], {
    env,
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  shop.stdout.setEncoding('utf8').on('data', (text: string) => (said += text))
  const ended = once(shop, 'exit')
  while (!said.includes('Turnpike is ready') && shop.exitCode === null && shop.signalCode === null)
    await sleep(100)
  try {
    assert.ok(
      said.includes('Turnpike is ready'),
      `it ended at its start (${shop.signalCode ?? shop.exitCode})`,
    )
    for (const page of ['readyz', '', 'docs']) {
      const answer = await fetch(`http://127.0.0.1:${port}/${page}`)
      assert.equal(answer.status, 200, `/${page}`)
    }
    assert.match(said, /Commands {5}DATA_DIR=\S+ turnpike doctor/)
  } finally {
    shop.kill('SIGTERM')
  }
  assert.deepEqual(await ended, [0, null])
}

const first = make()
assert.equal(make().checksum, first.checksum, 'a release made again is another one')
say('The release made again has the same bytes.')
const folder = mkdtempSync(path.join(tmpdir(), 'turnpike-release-'))
try {
  execFileSync('tar', ['-xzf', first.file, '-C', folder])
  await tryOut(folder)
  say('It starts, serves its pages and stops.')
} finally {
  rmSync(folder, { recursive: true, force: true })
}
