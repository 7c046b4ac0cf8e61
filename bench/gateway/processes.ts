/** The cost of processes, from the kernel's accounting. */
import { readdirSync, readFileSync } from 'node:fs'

/** The kernel counts CPU in hundredths of a second. */
const TICK_US = 10_000

function statOf(pid: number): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    // It has ended in the meantime.
    return []
  }
}

/** Microseconds of CPU used by these processes and by their children that have ended. */
export function cpuUs(pids: readonly number[]): number {
  const ticks = pids.flatMap((pid) => statOf(pid).slice(11, 15).map(Number))
  return ticks.reduce((sum, count) => sum + count, 0) * TICK_US
}

/** Resident memory of these processes, bytes. */
export function residentBytes(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + Number(statOf(pid)[21] ?? 0) * 4096, 0)
}

/** The memory of a process, with its share of the pages that it shares with others, bytes. */
export function pssBytes(pid: number): number {
  try {
    const [, kib = '0'] = /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? []
    return Number(kib) * 1024
  } catch {
    // It has ended in the meantime.
    return 0
  }
}

/** The number of files that a process has open. */
export function openFiles(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length
}

/** A process and all its descendants. */
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

/** The first word of a process's command line, and the second where the first is an interpreter. */
export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}
