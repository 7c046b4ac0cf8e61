/** The rules that the declarations of all calls meet together. */
import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type Call, call, queueOf, tokensOf } from './call.ts'
import { teamRoles } from './acting/roles.ts'
import { type Name, wire } from './wire.ts'

const calls = Object.entries(wire) as [Name, Call][]
const namesOf = (wanted: (declared: Call) => boolean) =>
  calls.flatMap(([name, declared]) => (wanted(declared) ? [name] : []))

const listed = new URL('token.calls.txt', import.meta.url)
const listedByRole = new URL('teams/role.calls.txt', import.meta.url)

describe('the calls', () => {
  it('that an API token may make are those of the list', () => {
    const lines = namesOf(({ token }) => token).toSorted()
    const text = `${lines.join('\n')}\n`
    process.stdout.write(
      `An API token may make ${lines.length} of ${calls.length} calls: ${lines.join(', ')}\n`,
    )
    if (process.env['GOLDEN'] === 'write') writeFileSync(listed, text)
    expect(text).toBe(readFileSync(listed, 'utf8'))
  })

  it('that each role of a team may make are those of the list', () => {
    const groups = [...teamRoles, 'self', 'owner'] as const
    const parts = groups.map((group) => {
      const names = namesOf(({ members }) =>
        typeof members === 'string' ? members === group : (members as readonly string[]).includes(group),
      )
      process.stdout.write(`${group}: ${names.length} of ${calls.length} calls\n`)
      return `${[`[${group}]`, ...names.toSorted()].join('\n')}\n`
    })
    const text = parts.join('\n')
    if (process.env['GOLDEN'] === 'write') writeFileSync(listedByRole, text)
    expect(text).toBe(readFileSync(listedByRole, 'utf8'))
  })

  it('are public exactly when anyone may make them; those open to viewers change nothing', () => {
    expect(namesOf(({ who, members }) => (who === 'anyone') !== (members === 'public'))).toEqual([])
    const changing = namesOf(
      ({ members, effect }) =>
        typeof members !== 'string' && members.includes('viewer') && effect !== 'reads',
    )
    expect(changing).toEqual([])
  })

  it('have different paths', () => {
    const paths = calls.map(([, { method, path }]) => `${method} ${path}`)
    expect(new Set(paths).size).toBe(paths.length)
  })

  it('that need the proved owner are for sessions; an API token may only show and rotate itself', () => {
    const ofTokens = namesOf(({ proof, token }) => proof === 'always' && token)
    expect(ofTokens.toSorted()).toEqual(['reseller_token', 'rotate_reseller_token'])
    expect(namesOf(({ proof, who }) => proof !== 'none' && who === 'anyone')).toEqual([])
  })

  it('that are executed once per key are made by a customer, with POST, in no queue', () => {
    const once = calls.filter(([, { effect }]) => effect === 'changes once')
    expect(once.length).toBeGreaterThan(0)
    for (const [name, { who, method, queue, answer }] of once)
      expect({ name, who, method, queue, isBlob: answer === 'blob' }).toEqual({
        name,
        who: 'customer',
        method: 'POST',
        queue: null,
        isBlob: false,
      })
  })

  it('that change something or send letters do not answer with a picture, which is not logged', () => {
    const silent = namesOf(
      ({ answer, effect, logs, letter }) =>
        answer === 'blob' && (effect !== 'reads' || logs || letter !== 'never'),
    )
    expect(silent).toEqual([])
  })
})

describe('a declaration', () => {
  const whole = {
    method: 'POST',
    path: '/rpc/made_up',
    answer: 'json',
    who: 'customer',
    token: false,
    members: 'owner',
    effect: 'changes',
    cost: { tokens: 2, rows: { field: 'count', perToken: 10, most: 100 } },
    queue: { name: 'lines', fromRows: 20 },
    proof: 'none',
    logs: false,
    letter: 'never',
  } as const

  it('that omits something, or has something unknown, is a type error', () => {
    const { token, ...open } = whole
    expect(token).toBe(false)
    // @ts-expect-error: whether an API token may make it
    call(open)
    // @ts-expect-error: an unknown field
    call({ ...whole, tokens: true })
    expect(call(whole)).toBe(whole)
  })

  it('costs by the number of requested rows, up to the allowed number', () => {
    const cost = (count: unknown) => tokensOf(whole, { count })
    expect([0, 9, 10, 19, 100, 101, -5, 'many', undefined].map(cost)).toEqual([2, 2, 3, 3, 12, 2, 2, 2, 2])
    expect(tokensOf({ cost: { tokens: 7 } }, { count: 100 })).toBe(7)
  })

  it('enters its queue only from a given number of rows on', () => {
    const queue = (count: unknown) => queueOf(whole, { count })
    expect([19, 20, 101].map(queue)).toEqual([null, 'lines', null])
    expect(queueOf({ ...whole, queue: 'places' }, {})).toBe('places')
    expect(queueOf({ ...whole, queue: null }, { count: 100 })).toBe(null)
  })
})
