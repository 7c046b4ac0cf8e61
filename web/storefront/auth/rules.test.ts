import { describe, expect, it } from 'vitest'
import { firstFault, loginForm, registerForm } from './rules.ts'

const good = {
  username: 'nightshift',
  email: 'night@example.com',
  password: 'correct horse',
  repeat: 'correct horse',
}

/** Which field says what. */
function faults(changes: Partial<typeof good>): Record<string, string> {
  const result = registerForm.safeParse({ ...good, ...changes })
  const issues = result.success ? [] : result.error.issues
  return Object.fromEntries(issues.map((issue) => [String(issue.path[0]), issue.message]))
}

describe('registering', () => {
  it('takes a good form', () => expect(faults({})).toEqual({}))

  it.each(['username', 'email', 'password', 'repeat'])('wants %s filled', (field) => {
    expect(faults({ [field]: '   ' })).toEqual({ [field]: 'fillFields' })
  })

  it.each(['night', 'night@example', '@example.com', 'a@b@c.com', 'ni ght@example.com', 'a@.com', 'a@b.'])(
    'refuses the e-mail %s',
    (email) => expect(faults({ email })).toEqual({ email: 'invalidEmail' }),
  )

  it.each(['a@b.c', 'first.last+tag@mail.example.co.uk', 'почта@пример.рф'])(
    'takes the e-mail %s',
    (email) => {
      expect(faults({ email })).toEqual({})
    },
  )

  it('wants more than 6 characters, not counting spaces around them', () => {
    expect(faults({ username: '123456' })).toEqual({ username: 'shortUsername' })
    expect(faults({ username: ' 123456 ' })).toEqual({ username: 'shortUsername' })
    expect(faults({ username: '1234567' })).toEqual({})
    expect(faults({ password: ' 12345 ', repeat: ' 12345 ' })).toEqual({ password: 'shortPassword' })
    expect(faults({ password: '1234567', repeat: '1234567' })).toEqual({})
  })

  it.each(['evil.example/x', 'free-money.com', 'http_free_money', 'user:name'])(
    'takes no username that looks like a link: %s',
    (username) => expect(faults({ username })).toEqual({ username: 'linkUsername' }),
  )

  it('wants the same password twice', () => {
    expect(faults({ repeat: 'correct horsf' })).toEqual({ repeat: 'passwordsDiffer' })
  })

  it('shows every fault at its field, and all at once', () => {
    expect(faults({ username: 'me', email: 'no', password: 'short', repeat: 'other' })).toEqual({
      username: 'shortUsername',
      email: 'invalidEmail',
      password: 'shortPassword',
      repeat: 'passwordsDiffer',
    })
  })

  it('speaks of the first fault in the order of the rules', () => {
    expect(firstFault(['shortUsername', 'passwordsDiffer', 'fillFields'])).toBe('fillFields')
    expect(firstFault(['shortUsername', 'shortPassword', 'passwordsDiffer', 'invalidEmail'])).toBe(
      'invalidEmail',
    )
    expect(firstFault(['shortUsername', 'shortPassword', 'passwordsDiffer'])).toBe('passwordsDiffer')
    expect(firstFault(['shortUsername', 'shortPassword'])).toBe('shortPassword')
    expect(firstFault([undefined])).toBeUndefined()
  })
})

describe('signing in', () => {
  it.each([
    [{ username: ' ', password: 'p' }, false],
    [{ username: 'u', password: ' ' }, false],
    [{ username: 'u', password: 'p' }, true],
  ])('%j', (form, accepted) => expect(loginForm.safeParse(form).success).toBe(accepted))
})
