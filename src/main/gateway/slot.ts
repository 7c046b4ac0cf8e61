/**
 * Slots. During a takeover a gateway and its successor run on one DATA_DIR at the same time. Each has a slot:
 * a folder with a name, journals and leases of its own, which one process at a time holds.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { tryFolderLock } from '#lib/folder-lock'
import { replacedSignal } from '../process/stop.ts'
import { SettingFault } from '../settings/settings.env.ts'

const slots = ['gateway', 'gateway-b'] as const
type Slot = (typeof slots)[number]

const otherThan = (slot: Slot): Slot => (slot === slots[0] ? slots[1] : slots[0])

/** The folders with the journals of this DATA_DIR's gateways. */
export const slotFolders = (dataDir: string): string[] => slots.map((slot) => path.join(dataDir, slot))

export interface GatewaySlot {
  folder: string
  /** The permanent name of this slot's gateway, which identifies its journals and leases. */
  name: string
  /** Another gateway runs on the same DATA_DIR, and drains once this one listens. */
  isSuccessor: boolean
  /**
   * Records that a restart uses this slot, whose leases it may continue, and asks the gateway of the other
   * slot to drain.
   */
  listening: () => TakeOver
  release: () => void
}

/**
 * The state of the gateway of the other slot: there was none; it drains now; its
 * process is not known.
 */
export type TakeOver = 'alone' | 'told' | 'unknown'

/**
 * Takes the slot that was used last. While a gateway runs in it, refuses, or with `replaces` takes the other
 * slot. `gateway`: the name that the gateway's own token is for. Refusals are sentences.
 */
export async function takeSlot(
  dataDir: string,
  { replaces, gateway = null }: { replaces: boolean; gateway?: string | null },
): Promise<GatewaySlot> {
  const name = nameOf(dataDir, gateway)
  const last = lastSlot(dataDir)
  const own = await tryTake(dataDir, last)
  if (own !== undefined) return slotOf(dataDir, { slot: last, name }, own, false)
  if (!replaces)
    throw new SettingFault(
      `A gateway runs on ${dataDir} already: stop it first, let this one take over with --replace, or give it another DATA_DIR.`,
    )
  const other = await tryTake(dataDir, otherThan(last))
  if (other === undefined)
    throw new SettingFault(
      `Two gateways run on ${dataDir} already: the one before has tunnels that have not ended. Wait for it, or stop it.`,
    )
  return slotOf(dataDir, { slot: otherThan(last), name }, other, true)
}

/** Takes the other slot when no gateway runs in it; undefined while one does. */
export async function takeOtherSlot(
  folder: string,
): Promise<{ folder: string; release: () => void } | undefined> {
  const dataDir = path.dirname(folder)
  const other = otherThan(path.basename(folder) as Slot)
  const release = await tryTake(dataDir, other)
  return release === undefined ? undefined : { folder: path.join(dataDir, other), release }
}

/** The workers that left reports in a folder. */
export function unsettledWorkers(folder: string): string[] {
  const names = readdirSync(folder).map((file) => /^([^.]+)\..*\.journal$/.exec(file)?.[1])
  return [...new Set(names.filter((name) => name !== undefined))]
}

/** Creates the folder and locks it; undefined when another process holds it. */
function tryTake(dataDir: string, slot: Slot): Promise<(() => void) | undefined> {
  const folder = path.join(dataDir, slot)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return tryFolderLock('gateway', folder)
}

function slotOf(
  dataDir: string,
  { slot, name }: { slot: Slot; name: string },
  release: () => void,
  isSuccessor: boolean,
): GatewaySlot {
  const folder = path.join(dataDir, slot)
  const pidFile = path.join(dataDir, `${slot}.pid`)
  writeFileSync(pidFile, processMark(process.pid) ?? '', { mode: 0o600 })
  return {
    folder,
    name: slot === slots[0] ? name : `${name}-b`,
    isSuccessor,
    listening: () => {
      writeFileSync(path.join(dataDir, lastFile), slot, { mode: 0o600 })
      return isSuccessor ? tellToDrain(dataDir, otherThan(slot)) : 'alone'
    },
    release: () => {
      rmSync(pidFile, { force: true })
      release()
    },
  }
}

const lastFile = 'gateway.slot'

function lastSlot(dataDir: string): Slot {
  const file = path.join(dataDir, lastFile)
  const text = existsSync(file) ? readFileSync(file, 'utf8').trim() : ''
  return slots.find((slot) => slot === text) ?? slots[0]
}

/** The permanent name of this DATA_DIR's gateway: the given one, or one that is made at the first start. */
function nameOf(dataDir: string, given: string | null): string {
  const folder = path.join(dataDir, slots[0])
  const file = path.join(folder, 'name')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (!existsSync(file))
    writeFileSync(file, given ?? `gw${randomBytes(5).toString('hex')}`, { flag: 'wx', mode: 0o600 })
  const name = readFileSync(file, 'utf8').trim()
  if (given !== null && name !== given)
    throw new SettingFault(
      `FEED_TOKEN is the token of the gateway ${given}, but ${dataDir} belongs to the gateway ${name}: make a token with turnpike gateways add ${name}, or use another DATA_DIR.`,
    )
  return name
}

/** Signals the process that has written its mark there, unless its id now belongs to another process. */
function tellToDrain(dataDir: string, slot: Slot): TakeOver {
  const file = path.join(dataDir, `${slot}.pid`)
  const mark = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const pid = Number(mark.split(' ')[0])
  if (mark === '' || processMark(pid) !== mark) return 'unknown'
  process.kill(pid, replacedSignal)
  return 'told'
}

/** A process by its id and its start time, in ticks since the boot of the machine; null: there is none. */
function processMark(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name, in parentheses, may contain any characters.
    const startedAt = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
    return `${pid} ${startedAt}`
  } catch {
    return null
  }
}
