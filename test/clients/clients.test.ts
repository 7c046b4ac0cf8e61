/**
 * Clients generated from the OpenAPI document of a running shop, by openapi-typescript with openapi-fetch, by
 * @hey-api/openapi-ts and by orval: their types accept a program, and the program works.
 */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type App, app } from '#test/app'

const root = path.join(import.meta.dirname, '../..')
const require = createRequire(import.meta.url)
const preload = path.join(import.meta.dirname, 'generators.mjs')
const run = promisify(execFile)

let shop: App
let token: string
let folder: string
let baseUrl: string

/** Runs a program of Node.js in the folder; returns what it prints. */
async function node(...given: string[]): Promise<string> {
  const env = { ...process.env, NODE_OPTIONS: `--import=${preload}`, API_TOKEN: token, BASE_URL: baseUrl }
  const done = await run(process.execPath, given, { cwd: folder, env, maxBuffer: 1e7 })
  return done.stdout
}

/** A program of a package. */
const binary = (name: string, file: string) =>
  path.join(path.dirname(require.resolve(`${name}/package.json`)), file)

const program = (text: string) => `const token = process.env['API_TOKEN'] ?? ''
const baseUrl = process.env['BASE_URL'] ?? ''
${text}
export {}
`

/** The output of each program, which makes a proxy user with one key, repeats that, and lists lines. */
const shown = `console.log(JSON.stringify({ same: first.login === again.login, code, lines: lines.length }))`

const settings = `{
  pool: 'residential', type: 'sticky', protocol: 'http', format: 'login:password@hostname:port',
  anonymous: 'true', quantity: 2, sessionttl: 30,
} as const`

const programs = {
  fetch: program(`import createClient from 'openapi-fetch'
import type { components, paths } from './types.ts'
const api = createClient<paths>({ baseUrl, headers: { authorization: \`Bearer \${token}\` } })
const order = (key: string) => ({
  body: { pool: 'residential', label: 'by fetch' } as const, params: { header: { 'Idempotency-Key': key } },
})
const made = async (key: string): Promise<components['schemas']['ProxyUser']> => {
  const { data, error } = await api.POST('/rpc/create_proxy_user', order(key))
  if (data === undefined) throw new Error(error.code)
  return data
}
const [first, again] = [await made('fetch'), await made('fetch')]
const { error } = await api.POST('/rpc/create_proxy_user', order('another'))
const code: components['schemas']['ErrorCode'] | undefined = error?.code
const listed = await api.POST('/rpc/get_proxy', { body: ${settings}, headers: { accept: 'application/json' } })
const answer = listed.data as components['schemas']['ProxyLines'] | undefined
const lines: string[] = answer?.lines ?? []
${shown}`),
  hey: program(`import { client } from './hey/client.gen'
import { createProxyUser, getProxy, type ProxyUser } from './hey'
client.setConfig({ baseUrl, auth: () => token })
const order = (key: string) => ({
  body: { pool: 'residential', label: 'by hey' } as const, headers: { 'Idempotency-Key': key },
})
const made = async (key: string): Promise<ProxyUser> => {
  const { data, error } = await createProxyUser(order(key))
  if (data === undefined) throw new Error(JSON.stringify(error))
  return data
}
const [first, again] = [await made('hey'), await made('hey')]
const { error } = await createProxyUser(order('another'))
const code = error !== undefined && 'code' in error ? error.code : undefined
const listed = await getProxy({ body: ${settings}, headers: { accept: 'application/json' } })
const answer = listed.data
const lines: string[] = typeof answer === 'object' && 'lines' in answer ? answer.lines : []
${shown}`),
  orval: program(`import { createProxyUser, getProxy, type ProxyUser } from './orval'
const authorization = \`Bearer \${token}\`
const order = (key: string) => createProxyUser(
  { pool: 'residential', label: 'by orval' }, { headers: { authorization, 'Idempotency-Key': key } },
)
const made = async (key: string): Promise<ProxyUser> => {
  const answer = await order(key)
  if (answer.status !== 200) throw new Error(answer.data.code)
  return answer.data
}
const [first, again] = [await made('orval'), await made('orval')]
const refused = await order('another')
const code = refused.status === 409 ? refused.data.code : undefined
const listed = await getProxy(${settings}, { headers: { authorization, accept: 'application/json' } })
const lines: string[] = listed.status === 200 && typeof listed.data === 'object' ? listed.data.lines : []
${shown}`),
}

beforeAll(async () => {
  shop = await app()
  const customer = await shop.customer()
  await shop.buy(customer, { pool: 'residential', gb: 1 })
  token = await customer.call('reseller_token', {})
  baseUrl = `${shop.origin}/api`
  const cache = path.join(root, '.cache')
  mkdirSync(cache, { recursive: true })
  folder = mkdtempSync(path.join(cache, 'clients-'))
  const document = await (await fetch(`${baseUrl}/openapi.json`)).text()
  const write = (file: string, text: string) => writeFileSync(path.join(folder, file), text)
  write('openapi.json', document)
  write('package.json', '{ "type": "module" }')
  const output = { target: './orval.ts', client: 'fetch', mode: 'single', baseUrl }
  write('orval.config.mjs', `export default ${JSON.stringify({ shop: { input: './openapi.json', output } })}`)
  for (const [name, text] of Object.entries(programs)) write(`${name}.use.ts`, text)
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: 'es2024',
    lib: ['es2024', 'dom', 'dom.iterable'],
    module: 'preserve',
    moduleResolution: 'bundler',
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    types: ['node'],
  }
  write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['*.use.ts'] }))
  await node(binary('openapi-typescript', 'bin/cli.js'), 'openapi.json', '-o', 'types.ts')
  await node(binary('@hey-api/openapi-ts', 'bin/run.js'), '-i', 'openapi.json', '-o', 'hey', '-s')
  await node(binary('orval', 'dist/bin/orval.mjs'), '--config', 'orval.config.mjs')
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await shop.close()
})

describe('a program with a generated client', () => {
  it('has types that fit the clients of all generators', async () => {
    const compiler = binary('typescript', 'bin/tsc')
    const errors = await run(process.execPath, [compiler, '-p', folder], { cwd: folder }).then(
      () => '',
      (fault: { stdout: string }) => fault.stdout,
    )
    expect(errors).toBe('')
  })

  it.each(Object.keys(programs))(
    'by %s makes a proxy user once, knows the refusal and lists lines',
    async (name) => {
      expect(JSON.parse(await node(`${name}.use.ts`))).toEqual({
        same: true,
        code: 'user_label_taken',
        lines: 2,
      })
    },
  )
})
