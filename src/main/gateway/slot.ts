/**
 * A gateway and its successor run on one DATA_DIR at the same time while one takes over from the other. Each has a slot: a folder
 * with a name, journals and leases of its own, which one process holds at a time.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { tryFolderLock } from '#lib/folder-lock'
import { SettingFault } from '../settings/settings.env.ts'

/** Sent to a gateway by the one that has taken over from it. */
export const replacedSignal = 'SIGUSR2'

const slots = ['gateway', 'gateway-b'] as const
type Slot = (typeof slots)[number]

const otherThan = (slot: Slot): Slot => (slot === slots[0] ? slots[1] : slots[0])

/** The folders in which gateways of this DATA_DIR keep what they have not reported. */
export const slotFolders = (dataDir: string): string[] => slots.map((slot) => path.join(dataDir, slot))

export interface GatewaySlot {
  folder: string
  /** The name that this slot's gateway keeps for ever: its journals and leases are found by it. */
  name: string
  /** Another gateway runs on the same DATA_DIR, and drains once this one listens. */
  isSuccessor: boolean
  /** Notes that a restart is to take this slot, whose leases it may go on with, and lets the gateway of the other one drain. */
  listening: () => TakeOver
  release: () => void
}

/** What became of the gateway of the other slot: there was none; it drains now; it is of a release that cannot be told. */
export type TakeOver = 'alone' | 'told' | 'unknown'

/**
 * Takes the slot that was used last. While a gateway runs in it: refuses, or with `replaces` takes the other one. Throws a
 * sentence.
 */
export async function takeSlot(dataDir: string, { replaces }: { replaces: boolean }): Promise<GatewaySlot> {
  const last = lastSlot(dataDir)
  const own = await tryTake(dataDir, last)
  if (own !== undefined) return slotOf(dataDir, last, own, false)
  if (!replaces)
    throw new SettingFault(
      `A gateway runs on ${dataDir} already: stop it first, let this one take over with --replace, or give it another DATA_DIR.`,
    )
  const other = await tryTake(dataDir, otherThan(last))
  if (other === undefined)
    throw new SettingFault(
      `Two gateways run on ${dataDir} already: the one before has tunnels that have not ended. Wait for it, or stop it.`,
    )
  return slotOf(dataDir, otherThan(last), other, true)
}

/** Holds the other slot when no gateway runs in it; undefined while one does. */
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

/** The folder is made; undefined when another process holds it. */
function tryTake(dataDir: string, slot: Slot): Promise<(() => void) | undefined> {
  const folder = path.join(dataDir, slot)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return tryFolderLock('gateway', folder)
}

function slotOf(dataDir: string, slot: Slot, release: () => void, isSuccessor: boolean): GatewaySlot {
  const folder = path.join(dataDir, slot)
  const pidFile = path.join(dataDir, `${slot}.pid`)
  writeFileSync(pidFile, processMark(process.pid) ?? '', { mode: 0o600 })
  return {
    folder,
    name: nameIn(folder),
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

function nameIn(folder: string): string {
  const file = path.join(folder, 'name')
  if (!existsSync(file))
    writeFileSync(file, `gw${randomBytes(5).toString('hex')}`, { flag: 'wx', mode: 0o600 })
  return readFileSync(file, 'utf8').trim()
}

/** Only to the process that has written its mark there: its number may belong to another program by now. */
function tellToDrain(dataDir: string, slot: Slot): TakeOver {
  const file = path.join(dataDir, `${slot}.pid`)
  const mark = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const pid = Number(mark.split(' ')[0])
  if (mark === '' || processMark(pid) !== mark) return 'unknown'
  process.kill(pid, replacedSignal)
  return 'told'
}

/** A process by its number and the moment at which it was started, in ticks since the machine was; null: there is none. */
function processMark(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name, in parentheses, may contain anything.
    const startedAt = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
    return `${pid} ${startedAt}`
  } catch {
    return null
  }
}
