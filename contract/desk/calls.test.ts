/** Rules that all declarations of the desk's calls keep, and their schemas. */
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { masks } from '../masks.ts'
import { act, actOnce, type DeskCall, deskCall, read, readByPost, readPeriod } from './call.ts'
import { auditActions } from './choices.ts'
import { deskContract } from './contract.ts'
import { bytes } from './schemas.ts'
import { type DeskName, deskWire } from './wire.ts'

const calls = Object.entries(deskWire) as [DeskName, DeskCall][]

/** The names of the fields that have a type which is masked. */
function maskedOf(schema: unknown, name: string): string[] {
  if (masks.get(schema as z.ZodType) !== undefined) return [name]
  if (schema instanceof z.ZodObject)
    return Object.entries(schema.shape).flatMap(([field, inner]) => maskedOf(inner, field))
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return maskedOf(schema.unwrap(), name)
  if (schema instanceof z.ZodArray) return maskedOf(schema.element, name)
  if (schema instanceof z.ZodRecord) return maskedOf(schema.valueType, name)
  if (schema instanceof z.ZodPipe) return maskedOf(schema.out, name)
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => maskedOf(option, name))
  return []
}
const fieldsOf = (name: DeskName) =>
  deskContract[name].input instanceof z.ZodObject ? deskContract[name].input.shape : {}

describe('the calls of the desk', () => {
  it.each(calls)('%s names the fields of its answer that are masked by their type', (name, { masked }) => {
    const typed = new Set(maskedOf(deskContract[name].output, 'answer'))
    expect([...masked].toSorted()).toEqual([...typed].toSorted())
  })

  it('that change something are sent with POST and recorded, and only they need a second factor by sums', () => {
    for (const [name, { method, effect, audit, stepUp }] of calls) {
      // What it does is recorded as the act that undoes another.
      const recorded = name === 'undo_act' ? null : expect.any(String)
      if (effect !== 'reads') expect([method, audit], name).toEqual(['POST', recorded])
      if (stepUp.startsWith('by ')) expect(effect, name).not.toBe('reads')
    }
  })

  it('that the audit trail records are those that its page has a sentence for', () => {
    const audited = calls.flatMap(([name, { audit }]) => (audit === null ? [] : [name as string]))
    expect(audited.filter((name) => !(auditActions as readonly string[]).includes(name))).toEqual([])
    const reads = calls.flatMap(([name, { audit }]) => (audit === null ? [name as string] : []))
    expect(reads.filter((name) => (auditActions as readonly string[]).includes(name))).toEqual([])
  })

  it('that are executed once per key have a key in their input', () => {
    for (const [name, { effect }] of calls)
      expect('key' in fieldsOf(name), name).toBe(effect === 'changes once')
  })

  it('have a body exactly where they are sent with POST', () => {
    for (const [name, { method, body }] of calls) {
      expect(body === null, name).toBe(method === 'GET')
      const binary = Object.values(fieldsOf(name)).filter((field) => field === bytes)
      expect(binary.length, name).toBe(body?.type === 'bytes' ? 1 : 0)
    }
  })

  it('that are also served as files are lists of rows that are read', () => {
    for (const [name, { file, method, answer }] of calls)
      if (file) {
        expect([method, answer], name).toEqual(['GET', 'json'])
        expect((deskContract[name].output as z.ZodObject).shape, name).toHaveProperty('rows')
      }
  })
})

describe('a declaration', () => {
  const whole = {
    method: 'POST',
    answer: 'json',
    needs: 'customers.read',
    stepUp: 'never',
    effect: 'changes',
    audit: 'customer',
    masked: ['email'],
    file: false,
    body: { type: 'json', mostKib: 64 },
    queue: null,
  } as const

  it('that omits something, or has something unknown, is a type error', () => {
    expect(deskCall(whole)).toBe(whole)
    // @ts-expect-error: the permission
    deskCall((({ needs, ...open }) => ({ ...open, given: needs }))(whole))
    for (const field of Object.keys(whole)) expect(field).toBeTruthy()
    const { audit, ...unrecorded } = whole
    // @ts-expect-error: what the audit trail tells
    deskCall(unrecorded)
    const { masked, ...unmasked } = whole
    // @ts-expect-error: what is masked
    deskCall(unmasked)
    const { stepUp, ...unproven } = whole
    // @ts-expect-error: the second factor
    deskCall(unproven)
    // @ts-expect-error: an unknown field
    deskCall({ ...whole, changes: true })
    expect([audit, masked, stepUp]).toEqual(['customer', ['email'], 'never'])
  })

  it('of a kind says all that its kind leaves open, and nothing that its kind fixes', () => {
    const needs = 'customers.read'
    const whole = [
      'answer',
      'audit',
      'body',
      'effect',
      'file',
      'masked',
      'method',
      'needs',
      'queue',
      'stepUp',
    ]
    const declared: DeskCall[] = [
      read({ needs, masked: [], file: false }),
      readPeriod({ needs, masked: [], file: false }),
      readByPost({ needs, stepUp: 'never' }),
      act({ needs, stepUp: 'never', audit: 'customer' }),
      actOnce({ needs, stepUp: 'never', audit: 'customer' }),
    ]
    for (const each of declared) expect(Object.keys(each).toSorted()).toEqual(whole)
    // @ts-expect-error: what is masked
    read({ needs, file: false })
    // @ts-expect-error: the second factor
    readByPost({ needs })
    // @ts-expect-error: what the audit trail tells
    act({ needs, stepUp: 'never' })
    // @ts-expect-error: the permission
    actOnce({ stepUp: 'never', audit: 'customer' })
    // @ts-expect-error: an act is not a call that reads
    act({ needs, stepUp: 'never', audit: 'customer', effect: 'reads' })
  })
})
