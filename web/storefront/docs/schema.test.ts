import { describe, expect, it } from 'vitest'
import { complete } from './document.ts'
import { schemaRows, typeOf } from './schema.ts'

describe('typeOf', () => {
  it('names types as JSON does', () => {
    expect(typeOf({ type: 'string' })).toBe('string')
    expect(typeOf({ anyOf: [{ type: 'integer' }, { type: 'null' }] })).toBe('integer | null')
    expect(typeOf({ type: 'array', items: { type: 'string' } })).toBe('string[]')
    expect(typeOf({ type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'null' }] } })).toBe(
      '(string | null)[]',
    )
    expect(typeOf({ enum: ['week', 'month'] })).toBe('string')
    expect(typeOf({})).toBe('any')
  })
})

describe('complete', () => {
  it('puts named schemas in the places of their references, and keeps others', () => {
    const schemas = {
      Page: { type: 'object', properties: { users: { items: { $ref: '#/components/schemas/User' } } } },
      User: { type: 'object' },
    }
    const part = {
      schema: { $ref: '#/components/schemas/Page' },
      parameters: [{ $ref: '#/components/parameters/Key' }],
    }
    expect(complete(part, schemas)).toEqual({
      schema: { type: 'object', properties: { users: { items: { type: 'object' } } } },
      parameters: [{ $ref: '#/components/parameters/Key' }],
    })
  })
})

describe('schemaRows', () => {
  it('lists the fields of an object, with what is inside them', () => {
    const rows = schemaRows({
      type: 'object',
      required: ['pool'],
      properties: {
        pool: { type: 'string', enum: ['residential', 'mobile'] },
        used: { type: 'object', properties: { day_bytes: { type: 'integer', maximum: 9007199254740991 } } },
        entries: { type: 'array', items: { type: 'object', properties: { ip: { type: 'string' } } } },
      },
    })
    expect(rows.map(({ path, type, required }) => [path, type, required])).toEqual([
      ['pool', 'string', true],
      ['used', 'object', false],
      ['used.day_bytes', 'integer', false],
      ['entries', 'object[]', false],
      ['entries[].ip', 'string', false],
    ])
    expect(rows[0]?.values).toEqual(['residential', 'mobile'])
    expect(rows[2]?.bounds).toEqual({})
  })

  it('reads fields of a value that may be null, and of a list', () => {
    const fields = { type: 'object', properties: { card: { type: 'string' } } }
    expect(
      schemaRows({ type: 'object', properties: { last: { anyOf: [fields, { type: 'null' }] } } }).map(
        ({ path }) => path,
      ),
    ).toEqual(['last', 'last.card'])
    expect(schemaRows({ type: 'array', items: fields }).map(({ path }) => path)).toEqual(['[].card'])
  })

  it('has one row for a value without fields, and none for a value of any kind', () => {
    expect(schemaRows({ type: 'boolean' }).map(({ path, type }) => [path, type])).toEqual([['', 'boolean']])
    expect(schemaRows({})).toEqual([])
  })
})
