import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readSettings } from '../settings/settings.ts'
import { certificateMetrics } from './certificates.ts'

let folder: string
const at = (name: string) => path.join(folder, name)

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'turnpike-certificates-'))
  const make = (name: string, days: number, words: string[]) => {
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', at('key')]
    const out = ['-out', at(name), '-days', String(days)]
    execFileSync('openssl', ['req', '-x509', ...key, ...out, ...words], { stdio: 'ignore' })
  }
  make('gate', 10, ['-subj', '/CN=x', '-addext', 'subjectAltName=DNS:gate.example.net,DNS:*.example.net'])
  make('feed', 3, ['-subj', '/CN=feed.example.net'])
  writeFileSync(at('broken'), 'no certificate')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('the check reports for each name when its certificate expires, and skips files that cannot be read', async () => {
  const settings = readSettings(
    {
      GATEWAY_TLS_CERT: `${at('gate')},${at('broken')},${at('absent')}`,
      GATEWAY_TLS_KEY: `${at('key')},${at('key')},${at('key')}`,
      FEED_LISTEN: 'tls://127.0.0.1:7443',
      FEED_TLS_CERT: at('feed'),
      FEED_TLS_KEY: at('key'),
      FEED_TOKEN: 'x'.repeat(32),
    },
    '/',
  )
  const told = async (registry: Registry) => {
    const lines = [...(await registry.metrics()).matchAll(/^\w+\{listener="(\w+)",host="(.*)"\} (.*)$/gm)]
    return lines.map(([, listener, host, seconds]) => [listener, host, Math.ceil(Number(seconds) / 86_400)])
  }
  const both = new Registry()
  certificateMetrics(settings, ['gateway', 'feed'], both)
  expect(await told(both)).toEqual([
    ['gateway', 'gate.example.net', 10],
    ['gateway', '*.example.net', 10],
    ['feed', 'feed.example.net', 3],
  ])
  const feedOnly = new Registry()
  certificateMetrics(settings, ['feed'], feedOnly)
  expect(await told(feedOnly)).toEqual([['feed', 'feed.example.net', 3]])
  certificateMetrics(settings, ['feed'], null)
})
