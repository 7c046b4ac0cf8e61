import { describe, expect, it } from 'vitest'
import { firstError, registerForm } from './forms.ts'
import { emptyFields } from './login-fields.ts'

const valid = {
  username: 'nightshift',
  email: 'night@example.com',
  password: 'correct horse',
  repeat: 'correct horse',
}

/** The errors of a form by field. */
function errorsOf(changes: Partial<typeof valid>): Record<string, string> {
  const result = registerForm.safeParse({ ...valid, ...changes })
  const issues = result.success ? [] : result.error.issues
  return Object.fromEntries(issues.map((issue) => [String(issue.path[0]), issue.message]))
}

describe('the registration form', () => {
  it('accepts valid fields', () => expect(errorsOf({})).toEqual({}))

  it.each(['username', 'email', 'password', 'repeat'])('requires %s', (field) => {
    expect(errorsOf({ [field]: '   ' })).toEqual({ [field]: 'fillFields' })
  })

  it.each(['night', 'night@example', '@example.com', 'a@b@c.com', 'ni ght@example.com', 'a@.com', 'a@b.'])(
    'rejects the e-mail %s',
    (email) => expect(errorsOf({ email })).toEqual({ email: 'invalidEmail' }),
  )

  it.each(['a@b.c', 'first.last+tag@mail.example.co.uk', 'почта@пример.рф'])(
    'accepts the e-mail %s',
    (email) => {
      expect(errorsOf({ email })).toEqual({})
    },
  )

  it('requires more than 6 characters, not counting surrounding spaces', () => {
    expect(errorsOf({ username: '123456' })).toEqual({ username: 'shortUsername' })
    expect(errorsOf({ username: 'x'.repeat(65) })).toEqual({ username: 'longUsername' })
    expect(errorsOf({ username: ` ${'x'.repeat(64)} ` })).toEqual({})
    expect(errorsOf({ username: ' 123456 ' })).toEqual({ username: 'shortUsername' })
    expect(errorsOf({ username: '1234567' })).toEqual({})
    expect(errorsOf({ password: ' 12345 ', repeat: ' 12345 ' })).toEqual({ password: 'shortPassword' })
    expect(errorsOf({ password: '1234567', repeat: '1234567' })).toEqual({})
  })

  it.each(['evil.example/x', 'free-money.com', 'http_free_money', 'user:name'])(
    'rejects the username %s, which looks like a link',
    (username) => expect(errorsOf({ username })).toEqual({ username: 'linkUsername' }),
  )

  it('requires the same password twice', () => {
    expect(errorsOf({ repeat: 'correct horsf' })).toEqual({ repeat: 'passwordsDiffer' })
  })

  it('reports the errors of all fields at once', () => {
    expect(errorsOf({ username: 'me', email: 'no', password: 'short', repeat: 'other' })).toEqual({
      username: 'shortUsername',
      email: 'invalidEmail',
      password: 'shortPassword',
      repeat: 'passwordsDiffer',
    })
  })

  it('reports first the error that comes first in the order of precedence', () => {
    expect(firstError(['shortUsername', 'passwordsDiffer', 'fillFields'])).toBe('fillFields')
    expect(firstError(['shortUsername', 'shortPassword', 'passwordsDiffer', 'invalidEmail'])).toBe(
      'invalidEmail',
    )
    expect(firstError(['shortUsername', 'shortPassword', 'passwordsDiffer'])).toBe('passwordsDiffer')
    expect(firstError(['shortUsername', 'shortPassword'])).toBe('shortPassword')
    expect(firstError([undefined])).toBeUndefined()
  })
})

describe('the sign-in form', () => {
  it.each([
    [{ username: ' ', password: 'p' }, false],
    [{ username: 'u', password: ' ' }, false],
    [{ username: 'u', password: 'p' }, true],
  ])('%j', (form, accepted) => expect(emptyFields(form).length === 0).toBe(accepted))
})
