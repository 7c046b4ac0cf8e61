import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { workerEnvironment } from './worker.environment.ts'

it('the environment of a worker contains no settings of the shop and no unknown variables', () => {
  const example = readFileSync(path.join(import.meta.dirname, '../../../ops/env.example'), 'utf8')
  const settings = [...example.matchAll(/^#? ?([A-Z][A-Z0-9_]+)=/gm)].map(([, name = '']) => name)
  expect(settings).toEqual(expect.arrayContaining(['SECRET_KEY', 'STRIPE_SECRET_KEY', 'SMTP_URL']))
  const secrets = [...settings, 'DATABASE_URL', 'PGPASSWORD', 'AWS_SECRET_ACCESS_KEY']
  expect(workerEnvironment(Object.fromEntries(secrets.map((name) => [name, 'secret'])))).toEqual({})
})

it('the environment of a worker contains the variables of the runtime', () => {
  const env = { PATH: '/bin', TZ: 'UTC', NODE_OPTIONS: '--no-warnings', NODE_EXTRA_CA_CERTS: '/ca.pem' }
  expect(workerEnvironment({ ...env, HOST: '0.0.0.0' })).toEqual(env)
})
