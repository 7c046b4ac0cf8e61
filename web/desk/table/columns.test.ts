import { describe, expect, it } from 'vitest'
import { readShown } from './columns.ts'

const columns = [{ id: 'name', fixed: true }, { id: 'email' }, { id: 'seen', optional: true }]

describe('the columns shown', () => {
  it.each([null, 'not json', '[]', '"x"', '{"__proto__":true}', '{"email":"no"}'])(
    'are the usual ones when %j is stored',
    (text) => expect(readShown(text, columns)).toEqual({ name: true, email: true, seen: false }),
  )

  it('are those chosen before, and always the fixed one', () => {
    expect(readShown('{"name":false,"email":false,"seen":true,"gone":true}', columns)).toEqual({
      name: true,
      email: false,
      seen: true,
    })
  })
})
