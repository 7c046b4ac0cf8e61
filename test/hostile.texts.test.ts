/**
 * Every text that callers send, in both contracts: NUL, halves of surrogate pairs, too long ones, control and
 * bidi characters, numbers and dates out of range, forged cursors. No call answers 500; what no database can
 * hold is refused with the name of its field. One member of staff and one customer make all of the calls.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { contract } from '#contract/contract'
import { deskContract } from '#contract/desk/contract'
import { bytes } from '#contract/desk/schemas'
import { deskPath, deskWire, type DeskName } from '#contract/desk/wire'
import { judgedTexts } from '#contract/texts'
import { type Name, pathOf, wire } from '#contract/wire'
import { sized } from '#test/size'
import { app, type App, type Customer } from '#test/app'
import { type Desk, desk, type StaffMember } from '#test/desk'

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

/** An input that the schema accepts, with all optional fields. */
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
  if (schema === bytes) return Buffer.from('a picture')
  for (const sample of [
    ...samples,
    1,
    10,
    100,
    1_000_000_000,
    'eA==',
    'a'.repeat(64),
    'someone@shop.example',
    'acme.anna',
    'Abcdef123456~',
  ])
    if (takes(schema as z.ZodType, sample)) return sample
  throw new Error(`no sample for ${(schema as z.ZodType).type}`)
}
const takes = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success

interface Leaf {
  path: (string | number)[]
  isJudged: boolean
}

/** The paths of all texts in an input. */
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

/** A copy of the input with another value at the path. */
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

/** The input of a GET as a query, which cannot contain halves of surrogate pairs. */
const query = (input: Record<string, unknown>) => {
  const fields = Object.entries(input).flatMap(([name, value]) =>
    value === undefined || typeof value === 'object'
      ? []
      : [[name, `${value as string}`] as [string, string]],
  )
  return new URLSearchParams(fields).toString()
}

interface Case {
  input: Record<string, unknown>
  /** A description of the case, for the message of a failure. */
  what: string
  /** The field that the refusal must name; null: any answer without an internal error is right. */
  refused: string | null
}

/** Every text of a call's input, replaced by every hostile one. */
function* casesOf(schema: z.ZodType, isGet: boolean): Generator<Case> {
  const base = sampleOf(schema)
  for (const [place, { path, isJudged }] of leavesOf(schema).entries()) {
    const field = String(path[0])
    // The provider is a part of the path: other texts match no route.
    if (field === 'provider') continue
    const made = (text: string, refused: string | null): Case => ({
      input: withAt(base, path, text) as Record<string, unknown>,
      what: `${path.join('.')} ${JSON.stringify(text.slice(0, 40))}`,
      refused,
    })
    for (const text of unstorable.slice(0, sized(2, unstorable.length)))
      if (!isGet || text.isWellFormed()) yield made(text, isJudged ? null : field)
    // `npm test` tries a part of the hostile texts in each field, but all of them in a cursor.
    for (const [at, text] of odd.entries())
      if (field === 'after' || (at + place) % sized(12, 1) === 0) yield made(text, null)
  }
}

type Send = (input: Record<string, unknown>) => Promise<Response>

async function attempt(name: string, { input, what, refused }: Case, send: Send): Promise<void> {
  const answer = await send(input)
  const where = `${name} ${what}: ${answer.status}`
  expect([500, 501, 502, 503], where).not.toContain(answer.status)
  const text = await answer.text()
  if (refused === null) return
  const body = JSON.parse(text) as { code: string; details?: { field?: string } }
  expect(answer.status, `${where} ${body.code}`).toBe(422)
  expect([refused, undefined], `${where} ${body.code}`).toContain(body.details?.field)
}

/** Makes the calls one by one, or four at a time when they change nothing. */
async function attack(name: string, cases: Iterable<Case>, send: Send, reads: boolean): Promise<void> {
  const rest = cases[Symbol.iterator]()
  const next = async (): Promise<void> => {
    for (let given = rest.next(); given.done !== true; given = rest.next())
      await attempt(name, given.value, send)
  }
  await Promise.all(Array.from({ length: reads ? 4 : 1 }, next))
}

/** The number of sessions that ended by a call, or by age. */
let renewed = 0
let sent = 0
/** Moves the clock on, so that no rate limit hides the code under test. */
const passTime = () => {
  if ((sent += 1) % 100 === 0) shop.clock.now = new Date(shop.clock.now.getTime() + 10_000)
}

/** Calls that a hostile text cannot reach, or that would reach something outside. */
const outside = new Set<string>(['sign_out'])

describe('the desk', () => {
  let owner: StaffMember
  beforeAll(async () => {
    // Creates the account whose number the inputs contain.
    await shop.customer()
    owner = await office.staff('owner')
  })

  const post = async (name: DeskName, input: Record<string, unknown>) => {
    passTime()
    const { method, body } = deskWire[name]
    const { picture, ...fields } = input
    const isBytes = body?.type === 'bytes'
    const address = method === 'GET' ? input : isBytes ? fields : {}
    return owner.browser.fetch(`${deskPath(name)}?${query(address)}`, {
      method,
      ...(method === 'GET'
        ? {}
        : {
            headers: { 'content-type': isBytes ? 'application/octet-stream' : 'application/json' },
            body: isBytes ? (picture as Uint8Array<ArrayBuffer>) : JSON.stringify(input),
          }),
    })
  }
  for (const name of (Object.keys(deskWire) as DeskName[]).filter((each) => !outside.has(each)))
    if (leavesOf(deskContract[name].input).length > 0)
      it(`answers hostile texts of ${name}`, async () => {
        // The texts before have used up the attempts at links, which are counted for an hour.
        shop.clock.now = new Date(shop.clock.now.getTime() + 61 * 60_000)
        const { needs, method, effect } = deskWire[name]
        const isOwn = needs !== 'anyone' && needs !== 'begun'
        const send: Send = async (input) => {
          const answer = await post(name, input)
          if (!isOwn || answer.status !== 401) return answer
          renewed += 1
          owner = await office.staff('owner')
          return post(name, input)
        }
        await keepFresh(owner)
        await attack(name, casesOf(deskContract[name].input, method === 'GET'), send, effect === 'reads')
      })
})

/** Keeps the session and its second factor fresh while the clock moves on. */
const keepFresh = ({ id }: StaffMember) =>
  shop.database.pool.query(
    `update staff_session set used_at = $2, ends_at = $2::timestamptz + interval '1 day', factor_at = $2
      where staff_id = $1`,
    [id, shop.clock.now],
  )

describe('the shop', () => {
  let customer: Customer
  beforeAll(async () => {
    customer = await shop.customer()
  })

  const post = async (name: Name, input: Record<string, unknown>) => {
    passTime()
    const { method, path } = wire[name]
    const isGet = method === 'GET'
    const { provider: _provider, ...rest } = input
    const fields = path.includes('{provider}') ? rest : input
    return fetch(`${shop.origin}${pathOf(name)}${isGet ? `?${query(fields)}` : ''}`, {
      method,
      headers: {
        authorization: `Bearer ${customer.token}`,
        ...(isGet ? {} : { 'content-type': 'application/json' }),
      },
      ...(isGet ? {} : { body: JSON.stringify(fields) }),
    })
  }
  for (const name of Object.keys(wire) as Name[])
    if (leavesOf(contract[name].input).length > 0)
      it(`answers hostile texts of ${name}`, async () => {
        const { who, method, effect } = wire[name]
        const send: Send = async (input) => {
          const answer = await post(name, input)
          if (who === 'anyone' || answer.status !== 401) return answer
          renewed += 1
          customer = await shop.customer()
          return post(name, input)
        }
        await attack(name, casesOf(contract[name].input, method === 'GET'), send, effect === 'reads')
      })

  it('and the desk were tested with few renewals of sessions', () => {
    expect(sent).toBeGreaterThan(3000)
    expect(renewed).toBeLessThan(20)
  })
})
