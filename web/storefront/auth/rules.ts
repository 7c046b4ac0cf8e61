/**
 * What the two forms ask of their fields. A message is the key of a text. The server asks the same again.
 * Fields are judged one by one, so that each says its own fault; the notice names the first in the order of
 * `precedence`.
 */
import { looksLikeLink } from '#contract/names'
import * as z from 'zod/mini'

export type Fault =
  | 'fillFields'
  | 'invalidEmail'
  | 'passwordsDiffer'
  | 'shortPassword'
  | 'shortUsername'
  | 'linkUsername'

const precedence: readonly Fault[] = [
  'fillFields',
  'invalidEmail',
  'passwordsDiffer',
  'shortPassword',
  'shortUsername',
  'linkUsername',
]

/** One `@`, a dot in the domain, no spaces. */
const emailPattern = /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/

const shortest = 7

const fault = (name: Fault) => name
const filled = (text: string) => text.trim() !== ''
const field = () => z.string().check(z.refine(filled, fault('fillFields')))
/** Judged only when there is something to judge: an empty field has its own message. */
const when = (rule: (text: string) => boolean) => (text: string) => !filled(text) || rule(text)
const longEnough = when((text) => text.trim().length >= shortest)

export const loginForm = z.object({ username: field(), password: field() })

const email = () =>
  field().check(
    z.refine(
      when((text) => emailPattern.test(text.trim())),
      fault('invalidEmail'),
    ),
  )
const newPassword = () => field().check(z.refine(longEnough, fault('shortPassword')))

/** The two passwords are the same, as far as both are there. */
const sameTwice = () =>
  z.superRefine<{ password: string; repeat: string }>((form, context) => {
    if (filled(form.password) && filled(form.repeat) && form.password !== form.repeat) {
      context.addIssue({
        code: 'custom',
        message: fault('passwordsDiffer'),
        path: ['repeat'],
        input: form.repeat,
      })
    }
  })

export const registerForm = z
  .object({
    username: field().check(
      z.refine(longEnough, fault('shortUsername')),
      z.refine((text) => !looksLikeLink(text.trim()), fault('linkUsername')),
    ),
    email: email(),
    password: newPassword(),
    repeat: field(),
  })
  .check(sameTwice())

export const emailForm = z.object({ email: email() })

export const newPasswordForm = z.object({ password: newPassword(), repeat: field() }).check(sameTwice())

export type LoginForm = z.infer<typeof loginForm>
export type NewPasswordForm = z.infer<typeof newPasswordForm>
export type RegisterForm = z.infer<typeof registerForm>

/** The fault to speak of first. */
export function firstFault(faults: readonly (string | undefined)[]): Fault | undefined {
  return precedence.find((each) => faults.includes(each))
}
