/**
 * The checks of doctor on certificates made by openssl, on the feed with and without a server, and on a
 * database that has gone back in time.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { sharedKey } from '#feed/keys'
import { listenFeed } from '#feed/listen'
import { MemoryFeed } from '#feed/testing'
import { testDatabase } from '#test/database'
import { feedKnowing, newBoot } from '#test/traffic'
import { setBackCheck } from './database.ts'
import { unsentCheck, upgradesCheck } from './machine.ts'
import { certificateChecks, feedChecks } from './tls.ts'
import { readSettings } from '../../settings/settings.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'turnpike-doctor-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function pair(name: string, host: string, days = 30) {
  const [cert, key] = [path.join(folder, `${name}.crt`), path.join(folder, `${name}.key`)]
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const made = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`, '-days', String(days)]
  execFileSync('openssl', ['req', '-x509', ...curve, ...made, '-keyout', key, '-out', cert], {
    stdio: 'ignore',
  })
  return { cert, key }
}

const dayMs = 24 * 60 * 60_000
const inDays = (days: number) => new Date(Date.now() + days * dayMs)
const settings = (env: Record<string, string>) =>
  readSettings({ PUBLIC_URL: 'https://shop.example.net', ...env }, folder)
const withPair = ({ cert, key }: { cert: string; key: string }, env: Record<string, string> = {}) =>
  settings({ GATEWAY_HOST: 'gate.example.net', GATEWAY_TLS_CERT: cert, GATEWAY_TLS_KEY: key, ...env })

describe('doctor on certificates', () => {
  const good = pair('good', 'gate.example.net')
  const wrong = [expect.objectContaining({ severity: 'trouble' })]

  it('reports until when they are valid, and nothing where there are none', () => {
    const [check] = certificateChecks(withPair(good), inDays(0))
    expect(check).toMatchObject({ name: 'certificate', severity: 'ok' })
    expect(check?.sentence).toContain(inDays(30).toISOString().slice(0, 10))
    expect(certificateChecks(settings({}), inDays(0))).toEqual([])
  })

  it.each([
    ['is out of date', 31, 'trouble', 'out of date'],
    ['ends soon', 25, 'warning', 'valid only until'],
    ['is not valid yet', -1, 'trouble', 'not valid yet'],
  ])('finds one that %s', (_what, days, severity, words) => {
    const checks = certificateChecks(withPair(good), inDays(days))
    expect(checks).toEqual([expect.objectContaining({ severity })])
    expect(checks[0]?.sentence).toContain(words)
  })

  it('finds a key of another certificate, a file that is not a certificate, and a missing one', () => {
    const other = pair('other', 'gate.example.net')
    const text = path.join(folder, 'text.crt')
    writeFileSync(text, 'no certificate')
    for (const files of [
      { cert: good.cert, key: other.key },
      { cert: text, key: good.key },
      { cert: path.join(folder, 'missing.crt'), key: good.key },
    ])
      expect(certificateChecks(withPair(files), inDays(0))).toEqual(wrong)
  })

  it('finds host names of lines that no certificate covers', () => {
    const checks = certificateChecks(
      withPair(good, { GATEWAY_HOSTS: 'eur=eu.example.net,usa=gate.example.net' }),
      inDays(0),
    )
    expect(checks.map(({ severity }) => severity)).toEqual(['ok', 'trouble'])
    expect(checks[1]?.sentence).toContain('eu.example.net,')
  })
})

describe('doctor on the feed', () => {
  const token = 'a token that both of the machines know'.replaceAll(' ', '-')
  const server = pair('feed', 'localhost')
  const look = (url: string, words = token) =>
    feedChecks(settings({ FEED_URL: url, FEED_TOKEN: words, FEED_CA: server.cert }))

  it('connects to the server with the token, and reports what is wrong', async () => {
    const state = { fault: null as string | null, subscribe: () => () => undefined }
    const door = await listenFeed({
      feed: new MemoryFeed(),
      state,
      address: { host: '127.0.0.1', port: 0 },
      keys: sharedKey(token),
      tls: { cert: readFileSync(server.cert, 'utf8'), key: readFileSync(server.key, 'utf8') },
    })
    const url = `tls://localhost:${door.port}`
    try {
      expect(await look(url)).toMatchObject([{ name: 'feed', severity: 'ok' }])
      const stranger = await look(url, 'another-token-of-more-than-32-characters')
      expect(stranger).toMatchObject([{ severity: 'trouble' }])
      expect(stranger[0]?.sentence).toContain('FEED_TOKEN')
      expect(await look(`tls://127.0.0.1:${door.port}`)).toMatchObject([{ severity: 'trouble' }])
      expect(await look(`tls://127.0.0.1:${door.port},${url}`)).toMatchObject([
        { severity: 'trouble' },
        { severity: 'ok' },
      ])
      state.fault = 'its database takes no writes'
      expect(await look(url)).toEqual([
        {
          name: 'feed',
          severity: 'trouble',
          sentence: `The server at ${url} cannot be used: its database takes no writes.`,
        },
      ])
    } finally {
      await door.close()
    }
    expect(await look(url)).toMatchObject([{ severity: 'trouble' }])
    expect(await feedChecks(settings({}))).toEqual([])
  })
})

it.each([
  ['1', 'without losing a connection'],
  ['0', 'net.ipv4.tcp_migrate_req is 0'],
  [null, 'this kernel has no net.ipv4.tcp_migrate_req'],
])('doctor reports whether an upgrade loses connections where tcp_migrate_req is %s', (value, words) => {
  expect(upgradesCheck(value)).toMatchObject({ name: 'upgrades', severity: 'ok' })
  expect(upgradesCheck(value).sentence).toContain(words)
})

it.each([
  ['524288', 'At most about 524288 bytes'],
  ['4294967295', 'net.ipv4.tcp_notsent_lowat is not set'],
  [null, 'this kernel has no net.ipv4.tcp_notsent_lowat'],
])('doctor reports what an aborted transfer may cost where tcp_notsent_lowat is %s', (value, words) => {
  expect(unsentCheck(value)).toMatchObject({ name: 'aborted transfers', severity: 'ok' })
  expect(unsentCheck(value).sentence).toContain(words)
})

it('doctor reports for some time that the database has gone back in time', async () => {
  const database = await testDatabase()
  expect(await setBackCheck(database.db)).toMatchObject({ name: 'history', severity: 'ok' })
  const feed = await feedKnowing(database)
  const { gateway, boot } = newBoot()
  await feed.heartbeat({ gateway, boot, acknowledged: 3 })
  const check = await setBackCheck(database.db)
  expect(check).toMatchObject({ name: 'history', severity: 'trouble' })
  expect(check.sentence).toContain(`of gateway ${gateway} it had settled 3 reports and knows of 0`)
  await database.pool.query(`update set_back set noticed_at = now() - interval '31 days'`)
  expect(await setBackCheck(database.db)).toMatchObject({ severity: 'ok' })
  await feed.close()
  await database.close()
})
