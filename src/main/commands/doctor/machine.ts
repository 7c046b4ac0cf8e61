/**
 * The checks of doctor on the machine itself: its disk, its ports, its gateway's reports, the host names of
 * its lines.
 */
import { accessSync, constants, existsSync, readFileSync, statfsSync } from 'node:fs'
import { lookup } from 'node:dns/promises'
import { createConnection, isIP } from 'node:net'
import { regions } from '#contract/proxy-lines'
import { pools } from '#contract/wire'
import { listDeadLetters } from '#gateway'
import { entryPort } from '#proxies/calls'
import { slotFolders } from '../../gateway/slot.ts'
import type { Settings } from '../../settings/settings.ts'
import { type Check, checkOf, type Role } from './check.ts'

const leastFreeBytes = 1_000_000_000
const fewFreeBytes = 5_000_000_000

export function dataDirCheck({ dataDir: folder }: Pick<Settings, 'dataDir'>): Check {
  const check = checkOf('data directory')
  if (!existsSync(folder)) return check('ok', `${folder} does not exist yet and will be made.`)
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch {
    return check('trouble', `${folder} cannot be written. Give it to the user that runs Turnpike.`)
  }
  const { bavail, bsize } = statfsSync(folder)
  return diskCheck(folder, bavail * bsize)
}

/** Checks the free space on the disk of the folder. */
export function diskCheck(folder: string, freeBytes: number): Check {
  const check = checkOf('data directory')
  const free = `${(freeBytes / 1e9).toFixed(1)} GB are free`
  if (freeBytes < leastFreeBytes)
    return check('trouble', `Only ${free} in ${folder}. Make room before the journal cannot grow.`)
  return freeBytes < fewFreeBytes
    ? check('warning', `Only ${free} in ${folder}. Make room soon.`)
    : check('ok', `${free} in ${folder}.`)
}

/** Reports of this machine's gateway that the server would not settle. */
export function reportsCheck({ dataDir }: Pick<Settings, 'dataDir'>): Check {
  const check = checkOf('reports')
  const { length } = slotFolders(dataDir).flatMap(listDeadLetters)
  return length === 0
    ? check('ok', 'None was put aside.')
    : check(
        'trouble',
        `${length} put aside: their bytes are charged to nobody. See turnpike reports list; then replay them, or dismiss them with a reason.`,
      )
}

/** Whether the web port and the entry ports answer: all of them when Turnpike runs, none when it does not. */
export async function portsCheck(settings: Settings, role: Role): Promise<Check> {
  const check = checkOf('ports')
  const { port, host, gateway } = settings
  const entries = pools.map((pool) => entryPort(gateway.portBase, pool))
  const wanted = role === 'gateway' ? entries : [port, ...entries]
  const address = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  const open = await Promise.all(wanted.map((number) => answers(address, number)))
  const busy = wanted.filter((_, index) => open[index] === true)
  const free = wanted.filter((_, index) => open[index] !== true)
  if (busy.length === 0) return check('ok', 'All ports are free; nothing runs here yet.')
  if (free.length === 0)
    return check('ok', `${role === 'gateway' ? 'Every' : 'The shop and every'} entry port answers.`)
  return check(
    'trouble',
    `These answer: ${busy.join(', ')}; these do not: ${free.join(', ')}. Is another program on some of them, or is this not a whole shop (--role)?`,
  )
}

/** The value of a setting of the kernel below net.ipv4; null: this kernel does not have it. */
export function readIpv4(name: string): string | null {
  try {
    return readFileSync(`/proc/sys/net/ipv4/${name}`, 'utf8').trim()
  } catch {
    return null
  }
}

/**
 * Whether a gateway can take over from another one without losing a connection. That it cannot is not a
 * fault.
 */
export function upgradesCheck(migration: string | null): Check {
  const check = checkOf('upgrades')
  if (migration === '1')
    return check('ok', 'A gateway takes over from another one without losing a connection.')
  const why =
    migration === null
      ? 'this kernel has no net.ipv4.tcp_migrate_req'
      : `net.ipv4.tcp_migrate_req is ${migration}`
  return check(
    'ok',
    `When a gateway takes over from another one, connections that are just being made are lost: ${why}.`,
  )
}

/** ops/sysctl.d sets half of it. */
const mostUnsentBytes = 1_048_576

/**
 * How many bytes of an aborted transfer can be charged although they were never sent: as many as the kernel
 * may keep unsent for one connection.
 */
export function unsentCheck(lowat: string | null): Check {
  const check = checkOf('aborted transfers')
  if (lowat !== null && Number(lowat) <= mostUnsentBytes)
    return check('ok', `At most about ${lowat} bytes of each are charged without having been sent.`)
  const why =
    lowat === null ? 'this kernel has no net.ipv4.tcp_notsent_lowat' : 'net.ipv4.tcp_notsent_lowat is not set'
  return check(
    'ok',
    `Up to four megabytes of each are charged without having been sent: ${why}. ops/sysctl.d/turnpike.conf sets it.`,
  )
}

function answers(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host, port, timeout: 2000 })
    const end = (isOpen: boolean) => {
      socket.destroy()
      resolve(isOpen)
    }
    socket.once('connect', () => end(true))
    socket.once('timeout', () => end(false))
    socket.once('error', () => end(false))
  })
}

const isKnown = (host: string) =>
  isIP(host) > 0
    ? Promise.resolve(true)
    : lookup(host).then(
        () => true,
        () => false,
      )

/** Checks the host names of lines, and lists the regions that have none of their own. */
export async function hostChecks({ gateway }: Pick<Settings, 'gateway'>): Promise<Check[]> {
  const check = checkOf('hosts of lines')
  const named = [['GATEWAY_HOST', gateway.host] as const, ...gateway.hosts]
  const known = await Promise.all(named.map(([, host]) => isKnown(host)))
  const unknown = named.filter((_, index) => known[index] === false)
  const without = regions.filter((region) => !gateway.hosts.has(region))
  return [
    ...unknown.map(([name, host]) =>
      check('trouble', `No name server knows ${host} (${name}): customers cannot use lines that lead there.`),
    ),
    without.length === regions.length || without.length === 0
      ? check(
          'ok',
          without.length === 0 ? 'Every region has one.' : 'All regions share one; none is offered.',
        )
      : check(
          'warning',
          `GATEWAY_HOSTS has none for ${without.join(', ')}: the generator does not offer them, and lines that ask for them lead to ${gateway.host}.`,
        ),
  ]
}
