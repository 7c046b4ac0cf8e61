import { createServer, type AddressInfo } from 'node:net'
import { Counter } from 'prom-client'
import { afterEach, expect, it } from 'vitest'
import { freePort } from '#test/ports'
import { makeLog } from './process/log.ts'
import { startMetrics } from './metrics.ts'
import { Readiness } from './health/readiness.ts'
import { readSettings } from './settings/settings.ts'
import { Stopper } from './process/stop.ts'

let stopper = new Stopper()
afterEach(async () => {
  await stopper.stop(makeLog('silent'))
  stopper = new Stopper()
})

/** A part's page, at the address that METRICS_LISTEN names. */
async function begin(env: Record<string, string> = {}) {
  const port = await freePort()
  const settings = readSettings({ METRICS_LISTEN: `127.0.0.1:${port}`, ...env }, '/srv/shop')
  const readiness = new Readiness()
  const registry = await startMetrics(settings, 'worker', stopper, readiness)
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers })
  return { registry, readiness, get }
}

it('the server of metrics serves the metrics of the process and of its parts to this machine', async () => {
  const { registry, get } = await begin()
  if (registry === null) throw new Error('there is no page')
  new Counter({ name: 'jobs_total', help: 'Jobs done.', registers: [registry] }).inc(3)
  expect(await (await get('/healthz')).text()).toBe('ok\n')
  const page = await get('/metrics')
  expect(page.headers.get('content-type')).toContain('text/plain; version=0.0.4')
  const text = await page.text()
  expect(text).toContain('\njobs_total 3\n')
  expect(text).toContain('\nprocess_cpu_seconds_total ')
  expect((await get('/')).status).toBe(404)
})

it('the server of metrics requires the token where there is one, on this machine too', async () => {
  const { get } = await begin({ METRICS_TOKEN: 'prometheus' })
  expect((await get('/metrics')).status).toBe(404)
  expect((await get('/metrics', { authorization: 'Bearer prometheu' })).status).toBe(404)
  expect((await get('/metrics', { authorization: 'Bearer prometheus' })).status).toBe(200)
  expect((await get('/healthz')).status).toBe(200)
})

it('the server of metrics is ready until there is a fault, and then names it', async () => {
  const { readiness, get } = await begin()
  expect((await get('/readyz')).status).toBe(200)
  let fault: string | null = 'Gateway workers that do not run: 1 of 2.'
  readiness.add(() => fault)
  const page = await get('/readyz')
  expect([page.status, await page.text()]).toEqual([503, `not ready\n${fault}\n`])
  fault = null
  expect(await (await get('/readyz')).text()).toBe('ready\n')
})

it('the server of metrics does not listen unless it is configured, and reports an address in use', async () => {
  expect(await startMetrics(readSettings({}, '/srv/shop'), 'worker', stopper, new Readiness())).toBeNull()
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  const { port } = taken.address() as AddressInfo
  await expect(begin({ METRICS_LISTEN: `127.0.0.1:${port}` })).rejects.toThrow(
    `METRICS_LISTEN: 127.0.0.1:${port} is taken by another part or program. Without a port (METRICS_LISTEN=127.0.0.1) each part has its own`,
  )
  taken.close()
})
