/**
 * The results of a bench, printed as they arrive, and inserted into a page of the documentation at the end.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg } from 'node:os'

export class Report {
  readonly #heading: string
  readonly #blocks: string[] = []
  #missed = 0

  /** @param heading of the section that the bench writes, which ends at the next heading of its level. */
  constructor(heading = '## Measured') {
    this.#heading = `${heading}\n`
  }

  /** A sentence. */
  say(sentence: string): void {
    this.#add(sentence)
  }

  /** Reports that a goal is missed. */
  miss(sentence: string): void {
    this.#missed++
    this.say(sentence)
  }

  /** Reports how many goals were missed; the process then exits with 1. */
  judge(): void {
    this.say(this.#missed === 0 ? 'Every aim is met.' : `Aims missed: ${this.#missed}.`)
    if (this.#missed > 0) process.exitCode = 1
  }

  /** A table in Markdown. */
  table(text: string): void {
    this.#add(text)
  }

  /** The machine of the measurement, and its other load. */
  machine(): void {
    const day = new Date().toISOString().slice(0, 10)
    const busy = loadavg()[0]?.toFixed(1) ?? '?'
    this.#add(
      `${day}. Node ${process.version}, ${availableParallelism()} cores of ${cpus()[0]?.model ?? 'an unknown model'}; load average at the start ${busy}.`,
    )
  }

  /** Replaces the text below the heading of a page. */
  write(file: string): void {
    const page = readFileSync(file, 'utf8')
    const at = page.indexOf(this.#heading)
    if (at < 0) throw new Error(`${file} has no heading “${this.#heading.trim()}”`)
    const next = page.indexOf('\n## ', at)
    const after = next < 0 ? '' : page.slice(next)
    writeFileSync(file, `${page.slice(0, at)}${this.#heading}\n${this.#blocks.join('\n\n')}\n${after}`)
  }

  #add(block: string): void {
    this.#blocks.push(block)
    process.stdout.write(`${block}\n\n`)
  }
}
