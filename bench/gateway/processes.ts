/** What processes cost, from the kernel's own books. */
import { readdirSync, readFileSync } from 'node:fs'

/** The kernel counts CPU in hundredths of a second. */
const TICK_US = 10_000

function statOf(pid: number): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    // It ended meanwhile.
    return []
  }
}

/** Microseconds of CPU that these processes, and those of their children that have ended, have used. */
export function cpuUs(pids: readonly number[]): number {
  const ticks = pids.flatMap((pid) => statOf(pid).slice(11, 15).map(Number))
  return ticks.reduce((sum, count) => sum + count, 0) * TICK_US
}

/** Resident memory of these processes, bytes. */
export function residentBytes(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + Number(statOf(pid)[21] ?? 0) * 4096, 0)
}

/** How many files a process has open. */
export function openFiles(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length
}

/** A process and all that come from it. */
export function family(root: number): number[] {
  const children = new Map<number, number[]>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const parent = Number(statOf(Number(name))[1])
    children.set(parent, [...(children.get(parent) ?? []), Number(name)])
  }
  const found: number[] = []
  const search = (pid: number) => {
    found.push(pid)
    for (const child of children.get(pid) ?? []) search(child)
  }
  search(root)
  return found
}

/** The first word of a process's command line, and the second where the first runs programs. */
export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}
