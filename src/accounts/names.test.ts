import { describe, expect, it } from 'vitest'
import { Refusal } from '#lib/refusal'
import { refuseGuessable } from './names.ts'

const names = ['Anna_Smith', 'a.smith.1980@example.com', 'Night Shift', null]
const codeOf = (password: string) => {
  try {
    refuseGuessable(password, names)
    return 'taken'
  } catch (error) {
    return error instanceof Refusal ? error.code : String(error)
  }
}

describe('a password', () => {
  it.each([
    'anna_smith',
    'AnnaSmith2026!',
    'nightshift-1',
    'Night Shift 12',
    '!a.smith.1980!',
    'annasmithNIGHTSHIFT',
  ])('that is hardly more than a name that is known is refused: %s', (password) =>
    expect(codeOf(password)).toBe('password_too_common'),
  )

  it.each(['password of anna_smith', 'correct horse battery', '1234567', 'пароль для Night Shift'])(
    'that has more than names is taken: %s',
    (password) => expect(codeOf(password)).toBe('taken'),
  )
})
