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
  ])('that is a known name with little added is refused: %s', (password) =>
    expect(codeOf(password)).toBe('password_too_common'),
  )

  it.each(['password of anna_smith', 'correct horse battery', '1234567', 'пароль для Night Shift'])(
    'that contains more than names is accepted: %s',
    (password) => expect(codeOf(password)).toBe('taken'),
  )
})
