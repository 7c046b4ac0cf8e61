/**
 * Every text that callers send, in both contracts: NUL, halves of surrogate pairs, too long ones, control and
 * bidi characters, numbers and dates out of range, forged cursors. No call answers 500; what no database can
 * hold is refused with the name of its field.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { contract } from '#contract/contract'
import { deskContract } from '#contract/desk/contract'
import { deskPath, deskWire, type DeskName } from '#contract/desk/wire'
import { judgedTexts } from '#contract/texts'
import { type Name, pathOf, wire } from '#contract/wire'
import { sized } from '#test/size'
import { app, type App } from '#test/app'
import { type Desk, desk } from '#test/desk'

let shop: App
let office: Desk

beforeAll(async () => {
  shop = await app({ env: { DEMO: '0' }, accountPace: { perSecond: 1e6, atOnce: 1e6 } })
  office = await desk(shop)
})
afterAll(async () => {
  await office.close()
  await shop.close()
})

const samples = [
  '1',
  'residential',
  'true',
  '2026-10-01',
  '2026-10-01T00:00:00Z',
  '00:00',
  'US',
  'us',
  'USD',
  '2026-10',
  'a text',
  'a_text',
  'https://shop.example',
  'aaaa',
  '0fc4f1f8-30ac-4e5e-9a5c-fb30bd1a2b34',
  '10000',
  'gateway',
]

/** An input that the schema takes; the fields that may be left out are in it. */
function sampleOf(schema: unknown): unknown {
  if (schema instanceof z.ZodObject)
    return Object.fromEntries(Object.entries(schema.shape).map(([name, field]) => [name, sampleOf(field)]))
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return sampleOf(schema.unwrap())
  if (schema instanceof z.ZodArray) return [sampleOf(schema.element)]
  if (schema instanceof z.ZodUnion) return sampleOf(schema.options[0])
  if (schema instanceof z.ZodPipe) return sampleOf(schema.in)
  if (schema instanceof z.ZodRecord) return {}
  if (schema instanceof z.ZodEnum) return schema.options[0]
  if (schema instanceof z.ZodLiteral) return [...schema.values][0]
  if (schema instanceof z.ZodBoolean) return true
  if (schema instanceof z.ZodUnknown) return 'x'
  for (const sample of [
    ...samples,
    1,
    10,
    100,
    1_000_000_000,
    'eA==',
    'a'.repeat(64),
    'someone@shop.example',
  ])
    if (takes(schema as z.ZodType, sample)) return sample
  throw new Error(`no sample for ${(schema as z.ZodType).type}`)
}
const takes = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success

interface Leaf {
  path: (string | number)[]
  isJudged: boolean
}

/** The places of texts in an input. */
function leavesOf(schema: unknown, path: Leaf['path'] = [], isJudged = false): Leaf[] {
  const own = isJudged || judgedTexts.has(schema as z.ZodType)
  if (schema instanceof z.ZodObject)
    return Object.entries(schema.shape).flatMap(([name, field]) => leavesOf(field, [...path, name], own))
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return leavesOf(schema.unwrap(), path, own)
  if (schema instanceof z.ZodArray) return leavesOf(schema.element, [...path, 0], own)
  if (schema instanceof z.ZodUnion) return leavesOf(schema.options[0], path, own)
  if (schema instanceof z.ZodRecord) return [{ path: [...path, 'name'], isJudged: own }]
  if (schema instanceof z.ZodPipe) return leavesOf(schema.in, path, own)
  const isText =
    schema instanceof z.ZodString || schema instanceof z.ZodStringFormat || schema instanceof z.ZodUnknown
  return isText ? [{ path, isJudged: own }] : []
}

/** The same input with another value at the place. */
function withAt(data: unknown, [step, ...rest]: Leaf['path'], value: unknown): unknown {
  if (step === undefined) return value
  if (Array.isArray(data)) return [withAt(data[0], rest, value)]
  return { ...(data as object), [step]: withAt((data as Record<string, unknown>)[step], rest, value) }
}

const unstorable = ['\0', 'a\0b', 'a@b.example\0', '\ud800', 'x\udc00y', '2026-10-01\0']
const forged = [
  'a',
  'a\nb',
  '\n',
  '1\n2',
  'x\ny\nz',
  '1\nx',
  `${'9'.repeat(30)}\n1`,
  '-infinity\n1',
  'NaN\n1',
  '2026-02-30 10:00:00+00\n1',
  '2026-02-30T10:00:00Z\n0fc4f1f8-30ac-4e5e-9a5c-fb30bd1a2b34',
  '1\n2026-02-30 10:00:00+00\n1',
  '1\n+275000-01-01 10:00:00+00\n1',
  'a\0b\nc',
  'a\0b\nc\nd',
  '\0\n1',
].map((text) => Buffer.from(text).toString('base64url'))
const odd = [
  '',
  ' ',
  '%',
  '\\',
  `'"`,
  '../..',
  'a\u202eb',
  'a\u0001b',
  'a'.repeat(50_000),
  '9'.repeat(18),
  '9'.repeat(19),
  '9'.repeat(400),
  '-9223372036854775809',
  '0000-01-01',
  '0000-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999+23:59',
  '9999-12-31',
  '275760-09-13',
  'infinity',
  '2026-02-30',
  '-1',
  '1e400',
  '0x10',
  ...forged,
]

/** A GET has its input in the address, where halves of surrogate pairs cannot stand. */
const query = (input: Record<string, unknown>) => {
  const fields = Object.entries(input).flatMap(([name, value]) =>
    value === undefined || typeof value === 'object'
      ? []
      : [[name, `${value as string}`] as [string, string]],
  )
  return new URLSearchParams(fields).toString()
}

type Send = (input: Record<string, unknown>) => Promise<Response>

/** Tries every text of a call's input. */
async function attack(name: string, schema: z.ZodType, send: Send, isGet: boolean): Promise<void> {
  const base = sampleOf(schema)
  for (const { path, isJudged } of leavesOf(schema)) {
    const field = String(path[0])
    // It is a part of the path: other texts match no route.
    if (field === 'provider') continue
    for (const text of unstorable.slice(0, sized(2, unstorable.length))) {
      if (isGet && !text.isWellFormed()) continue
      const answer = await send(withAt(base, path, text) as Record<string, unknown>)
      const where = `${name} ${path.join('.')} ${JSON.stringify(text)}: ${answer.status}`
      expect(answer.status, where).toBeLessThan(500)
      if (isJudged) continue
      const body = (await answer.json()) as { code: string; details?: { field?: string } }
      expect(answer.status, `${where} ${body.code}`).toBe(422)
      expect([field, undefined], `${where} ${body.code}`).toContain(body.details?.field)
    }
    for (const [at, text] of odd.entries()) {
      // Of each text of a field, `npm test` tries a part, and all of them where it is a cursor.
      if (field !== 'after' && at % sized(5, 1) !== 0) continue
      const answer = await send(withAt(base, path, text) as Record<string, unknown>)
      const where = `${name} ${path.join('.')} ${JSON.stringify(text.slice(0, 40))}: ${answer.status}`
      expect([500, 501, 502, 503], where).not.toContain(answer.status)
      await answer.arrayBuffer()
    }
  }
}

/** Calls that a hostile text cannot reach, or that would reach something outside. */
const outside = new Set<string>(['sign_out'])

describe('the desk', () => {
  for (const name of (Object.keys(deskWire) as DeskName[]).filter((each) => !outside.has(each)))
    if (leavesOf(deskContract[name].input).length > 0)
      it(`answers hostile texts of ${name}`, async () => {
        // Attempts to use links, which the texts before have used up, count for so long.
        shop.clock.now = new Date(shop.clock.now.getTime() + 61 * 60_000)
        const owner = await office.staff('owner')
        let sent = 0
        const send: Send = async (input) => {
          // The pace of calls is not what is tried here.
          if ((sent += 1) % 300 === 0) shop.clock.now = new Date(shop.clock.now.getTime() + 10_000)
          const isGet = deskWire[name].method === 'GET'
          return owner.browser.fetch(`${deskPath(name)}${isGet ? `?${query(input)}` : ''}`, {
            method: deskWire[name].method,
            ...(isGet
              ? {}
              : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(input) }),
          })
        }
        await attack(name, deskContract[name].input, send, deskWire[name].method === 'GET')
      })
})

describe('the shop', () => {
  for (const name of Object.keys(wire) as Name[])
    if (leavesOf(contract[name].input).length > 0)
      it(`answers hostile texts of ${name}`, async () => {
        const customer = await shop.customer()
        const send: Send = async (input) => {
          const { method, path } = wire[name]
          const isGet = method === 'GET'
          const { provider: _provider, ...rest } = input
          const fields = path.includes('{provider}') ? rest : input
          const url = `${shop.origin}${pathOf(name)}${isGet ? `?${query(fields)}` : ''}`
          return fetch(url, {
            method,
            headers: {
              authorization: `Bearer ${customer.token}`,
              ...(isGet ? {} : { 'content-type': 'application/json' }),
            },
            ...(isGet ? {} : { body: JSON.stringify(fields) }),
          })
        }
        await attack(name, contract[name].input, send, wire[name].method === 'GET')
      })
})
