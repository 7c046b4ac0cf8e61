/**
 * Every call on the wire, byte for byte. The stories are run again on a fresh database against a running
 * server, and each exchange must equal its golden answer: the file `golden/answers/<call>/<case>.http`, or,
 * for a refusal common to many calls, the text that `golden/shared.ts` prints. `GOLDEN=write npm test`
 * rewrites the files: then review the difference as a change for customers' programs.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contract } from '#contract/contract'
import { isRefusalCode, type RefusalCode, refusals, sentence } from '#contract/refusals'
import { deskRefusals } from '#contract/desk/refusals'
import { documentedRefusals } from '#contract/openapi/openapi.errors'
import { type Name, wire } from '#contract/wire'
import { type App, app } from '#test/app'
import { read } from './golden/exchange.ts'
import { type Folder } from './golden/request.ts'
import { sharedAnswers } from './golden/shared.ts'
import { chapters, equipment } from './golden/stories.ts'
import { type Done, Story } from './golden/story.ts'

const root = path.join(import.meta.dirname, 'golden/answers')
const isWriting = process.env['GOLDEN'] === 'write'

/** Codes that no HTTP call of a working shop returns, with the reason. */
const notOnTheWire: Partial<Record<RefusalCode, string>> = {
  malformed_request: 'no HTTP at all; tested in src/http/broken.test.ts',
  request_timeout: 'a request that never ends; tested in src/http/broken.test.ts',
  too_many_streams: 'refused by the stream of requests; tested in src/http/live/live.test.ts',
  trial_running: 'while another trial runs; tested in src/proxies/trial/trial.test.ts',
  internal_error: 'a bug; its answer is tested in src/http',
  temporarily_unavailable: 'the database is away; tested in src/http',
  telegram_link_invalid: 'said by the bot',
  telegram_link_taken: 'said by the bot',
  telegram_has_account: 'said by the bot',
  invoice_not_refundable: 'said by the command line',
  balance_spent: 'said by the desk and the command line',
  nothing_unused: 'said by the desk and the command line',
  refund_whole_only: 'said by the desk and the command line',
  refund_planned: 'said by the desk and the command line',
  refund_not_planned: 'said by the desk and the command line',
}

const filesOnDisk = (): string[] =>
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.http'))
    .map((file) => file.split(path.sep).join('/'))
    .toSorted()

/** Answers that have no file. */
const generated = sharedAnswers()

const goldenFiles = () => [...filesOnDisk(), ...generated.keys()].toSorted()

const told = new Map<string, string>()
const done: Done[] = []

describe('golden files', () => {
  describe.each(Object.entries(chapters))('%s', (chapter, tell) => {
    let shop: App
    const log: string[] = []
    beforeAll(async () => {
      const write = (line: string) => void log.push(line)
      shop = await app({ ...equipment, log: pino({ level: 'info' }, { write }) })
      // A Sunday at noon, far from midnight in any time zone.
      shop.clock.now = new Date('2026-05-17T12:00:00.000Z')
    })
    afterAll(() => shop.close())

    it('matches the files', async () => {
      const mine = new Map<string, string>()
      const story = new Story(shop, mine, log)
      await tell(story)
      done.push(...story.done)
      for (const [file, text] of mine) {
        expect(told.has(file), `${file} is recorded in ${chapter} and before`).toBe(false)
        told.set(file, text)
        if (isWriting && !generated.has(file)) write(file, text)
        else expect.soft(text, file).toBe(golden(file))
      }
    })
  })

  it('are all produced by the stories', () => {
    if (isWriting)
      for (const file of filesOnDisk())
        if (!told.has(file) || generated.has(file)) rmSync(path.join(root, file))
    expect(goldenFiles()).toEqual([...told.keys()].toSorted())
  })

  it('show that each call leaves what it declares: lines in the security log, and letters', () => {
    for (const name of Object.keys(wire) as Name[]) {
      const mine = done.filter((each) => each.name === name)
      const left = { logs: mine.every(({ logs }) => logs), letter: mine.some(({ letter }) => letter) }
      const { logs, letter } = wire[name]
      // A customer without an address, and a repetition under the same key, get no letter.
      expect
        .soft(left, name)
        .toEqual({ logs, letter: letter === 'sometimes' ? left.letter : letter === 'always' })
    }
  })

  it('contain a success of every call', () => {
    const successes = new Set(
      goldenFiles().flatMap((file) => (read(golden(file)).answer.status === 200 ? [folderOf(file)] : [])),
    )
    const missing = (Object.keys(wire) as Name[]).filter((name) => !successes.has(name))
    expect(missing).toEqual([])
  })

  it('contain every refusal that HTTP calls can return', () => {
    const faults = goldenFiles().flatMap((file) => faultOf(file) ?? [])
    const codes = new Set([...faults.map(({ code }) => code), ...generalOnes(faults)])
    const missing = (Object.keys(refusals) as RefusalCode[]).filter(
      // The calls of the desk have no golden answers.
      (code) => !codes.has(code) && !(code in deskRefusals),
    )
    const excused = Object.keys(notOnTheWire)
    expect(missing.filter((code) => !excused.includes(code))).toEqual([])
    expect(excused.filter((code) => codes.has(code))).toEqual([])
  })

  it('contain every refusal that a call’s documentation names', () => {
    const missing = (Object.keys(wire) as Name[]).flatMap((name) => {
      const recorded = new Set(faultsOf(name).flatMap((fault) => documentedAs(name, fault)))
      return documentedRefusals(name)
        .filter((code) => notOnTheWire[code] === undefined && !recorded.has(code))
        .map((code) => `${name}: ${code}`)
    })
    expect(missing).toEqual([])
  })

  it('contain no refusal that the call’s documentation does not name', () => {
    const unknown = (Object.keys(wire) as Name[]).flatMap((name) => {
      const documented: readonly string[] = [...documentedRefusals(name), ...beforeAnyCall]
      return faultsOf(name)
        .filter((fault) => !documentedAs(name, fault).some((code) => documented.includes(code)))
        .map(({ code }) => `${name}: ${code}`)
    })
    expect(unknown).toEqual([])
  })

  it('match the contract', () => {
    for (const file of goldenFiles()) {
      const folder = folderOf(file)
      const { status, body } = read(golden(file)).answer
      if (status >= 400) checkFault(file)
      else if (status === 200 && folder !== 'elsewhere') checkAnswer(folder, body, file)
    }
  })
})

/** On the wire these two are `invalid_<field>`, with their own sentences. */
const general = ['invalid_field', 'missing_field'] as const

const generalOnes = (faults: Fault[]) =>
  general.filter((code) => faults.some(({ message, details }) => message === sentence(code, 'ru', details)))

/** Refusals of requests that reach no call. */
const beforeAnyCall = ['method_not_allowed'] satisfies RefusalCode[]

const faultsOf = (name: Name): Fault[] =>
  goldenFiles().flatMap((file) => (folderOf(file) === name ? (faultOf(file) ?? []) : []))

/** In the documentation the fault of a field is `invalid_<field>`, with or without its own sentence. */
function documentedAs(name: Name, { code }: Fault): string[] {
  const fields = Object.keys((contract[name].input as { shape?: object }).shape ?? {})
  return fields.some((field) => code === `invalid_${field}`) ? [code, 'invalid_field'] : [code]
}

const folderOf = (file: string) => file.split('/')[0] as Folder

/** The golden answer; empty when there is none. */
function golden(file: string): string {
  const text = generated.get(file)
  if (text !== undefined) return text
  try {
    return readFileSync(path.join(root, file), 'utf8')
  } catch {
    return ''
  }
}

function write(file: string, text: string): void {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
  writeFileSync(path.join(root, file), text)
}

interface Fault {
  code: string
  message: string
  details?: Record<string, unknown>
}

function faultOf(file: string): Fault | null {
  const { status, body } = read(golden(file)).answer
  return status >= 400 ? (JSON.parse(body) as Fault) : null
}

function checkAnswer(name: Name, body: string, file: string): void {
  const { answer } = wire[name]
  if (answer === 'blob') return expect(body, file).toMatch(/^\{\{base64 \S+\}\}$/)
  const parsed = contract[name].output.safeParse(answer === 'text' ? body : JSON.parse(body))
  expect(parsed.error, file).toBeUndefined()
}

/** Checks the error shape, and the sentence of the code in the requested language. */
function checkFault(file: string): void {
  const { request } = read(golden(file))
  const language = request.headers.some(([name, value]) => name === 'accept-language' && value === 'en')
    ? 'en'
    : 'ru'
  const fault = faultOf(file) as Fault
  expect(Object.keys(fault), file).toEqual([
    'code',
    'message',
    ...(fault.details === undefined ? [] : ['details']),
  ])
  const codes = [...(isRefusalCode(fault.code) ? [fault.code] : []), ...general]
  expect(
    codes.map((code) => sentence(code, language, fault.details)),
    file,
  ).toContain(fault.message)
}
