import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { pattern } from '#test/origin'
import { Outlet } from './outlet.ts'

let server: Server
let near: Socket
let far: Socket

beforeEach(async () => {
  server = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  near = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [[accepted]] = (await Promise.all([once(server, 'connection'), once(near, 'connect')])) as [
    [Socket],
    unknown,
  ]
  far = accepted
  near.on('error', () => undefined)
  far.on('error', () => undefined)
})
afterEach(() => {
  near.destroy()
  far.destroy()
  server.close()
})

const closed = () => new Promise<void>((resolve) => near.once('close', () => resolve()))

/** Writes more than the kernel takes, and waits until it takes no more; gives what is left over. */
async function stuck(outlet: Outlet): Promise<number> {
  outlet.write(pattern(32 * 1024 * 1024), () => undefined)
  let before = -1
  while (outlet.unsentBytes() !== before) {
    before = outlet.unsentBytes()
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  expect(before).toBeGreaterThan(1_000_000)
  expect(before).toBeLessThan(32 * 1024 * 1024)
  return before
}

it('knows what the kernel did not take when the peer resets while nobody reads', async () => {
  const outlet = new Outlet(near)
  const left = await stuck(outlet)
  let heard = -1
  near.once('error', () => (heard = outlet.unsentBytes()))
  far.resetAndDestroy()
  await closed()
  expect(heard).toBe(left)
})

it('knows it when the peer resets while we read', async () => {
  near.resume()
  const outlet = new Outlet(near)
  const left = await stuck(outlet)
  let heard = -1
  near.once('error', () => (heard = outlet.unsentBytes()))
  far.resetAndDestroy()
  await closed()
  expect(heard).toBe(left)
})

it('knows it before we destroy the socket, and that nothing is left of what was flushed', async () => {
  const outlet = new Outlet(near)
  const left = await stuck(outlet)
  expect(outlet.inflight).toBe(32 * 1024 * 1024)
  expect(outlet.unsentBytes()).toBe(left)
  far.resume()
  let flushed = false
  outlet.write(pattern(10), () => (flushed = true))
  await once(near, 'drain')
  expect(flushed).toBe(true)
  expect(outlet.inflight).toBe(0)
  expect(outlet.unsentBytes()).toBe(0)
})
