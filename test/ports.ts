/**
 * Ports for servers under test, all below those that the kernel gives to connections. Several processes start
 * shops at the same time, and each listens seconds after its ports were found to be free, so a port is also
 * reserved here, for as long as the process lives.
 */
import { createServer, type Server } from 'node:net'

/** The number of slot ports after each entry port: a few are enough, and start quickly. */
export const stackSlots = 3

const entries = [0, 1000, 2000, 3000]

/** A port base such that its four entry ports, and the slots after them, are free. */
export async function freePortBase(): Promise<number> {
  const slots = Array.from({ length: stackSlots + 1 }, (_, slot) => slot)
  const offsets = entries.flatMap((entry) => slots.map((slot) => entry + slot))
  return freeFrom(21_000, 8000, offsets)
}

/** Port bases for this many gateways on this machine, which have no slots. */
export async function freePortBases(count: number): Promise<number[]> {
  const bases = Array.from({ length: count }, (_, index) => index)
  const first = await freeFrom(
    9000,
    7000,
    bases.flatMap((base) => entries.map((entry) => base + entry)),
  )
  return bases.map((base) => first + base)
}

/** One free port. */
export const freePort = (): Promise<number> => freeFrom(11_000, 9000, [0])

/** Whether nothing listens on a port of this machine. */
async function isFree(port: number): Promise<boolean> {
  const server = await listening({ port, host: '127.0.0.1' })
  if (server === null) return false
  await closed(server)
  return true
}

/**
 * Finds a port among `count` from `lowest` such that the ports at all these offsets from it are free, and
 * reserves those.
 */
async function freeFrom(lowest: number, count: number, offsets: readonly number[]): Promise<number> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const first = lowest + Math.floor(Math.random() * count)
    if (await reserve(offsets.map((offset) => first + offset))) return first
  }
  throw new Error('no free ports for a test')
}

/** Reserves all of these ports, or none. */
async function reserve(ports: readonly number[]): Promise<boolean> {
  const reservations = await Promise.all(ports.map(reservation))
  const ours = reservations.filter((one) => one !== null)
  if (ours.length === ports.length && (await Promise.all(ports.map(isFree))).every(Boolean)) return true
  await Promise.all(ours.map(closed))
  return false
}

/**
 * An abstract socket (unix(7)) named after the port: the kernel lets one process have it, and releases it
 * when that ends.
 */
const reservation = (port: number) => listening({ path: `\0turnpike-test-port-${port}` })

/** A server at an address; null when the address is taken. It does not keep the process alive. */
const listening = (address: { port: number; host: string } | { path: string }) =>
  new Promise<Server | null>((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(null))
    server.listen(address, () => resolve(server.unref()))
  })

const closed = (server: Server) => new Promise((resolve) => server.close(resolve))
