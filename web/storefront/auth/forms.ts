/**
 * The schemas of the forms. A message is the key of a text. Each field shows its own error; the notification
 * shows the first in the order of `precedence`. The server checks the same rules again.
 */
import * as z from 'zod/mini'
import { isEmail, isLongEnough } from '#contract/account-rules'
import { looksLikeLink } from '#contract/names'

export type FormError =
  | 'fillFields'
  | 'invalidEmail'
  | 'passwordsDiffer'
  | 'shortPassword'
  | 'shortUsername'
  | 'longUsername'
  | 'linkUsername'

const precedence: readonly FormError[] = [
  'fillFields',
  'invalidEmail',
  'passwordsDiffer',
  'shortPassword',
  'shortUsername',
  'longUsername',
  'linkUsername',
]

const maxUsername = 64

/** Checks the name of an error. */
const message = (name: FormError) => name
const isFilled = (text: string) => text.trim() !== ''
const field = () => z.string().check(z.refine(isFilled, message('fillFields')))
/** Applies a rule to filled fields only: an empty field has its own error. */
const ifFilled = (rule: (text: string) => boolean) => (text: string) => !isFilled(text) || rule(text)
const longEnough = ifFilled(isLongEnough)

const email = () =>
  field().check(
    z.refine(
      ifFilled((text) => isEmail(text.trim())),
      message('invalidEmail'),
    ),
  )
const newPassword = () => field().check(z.refine(longEnough, message('shortPassword')))

/** Both passwords are equal, once both are filled in. */
const passwordsMatch = () =>
  z.superRefine<{ password: string; repeat: string }>((form, context) => {
    if (isFilled(form.password) && isFilled(form.repeat) && form.password !== form.repeat) {
      context.addIssue({
        code: 'custom',
        message: message('passwordsDiffer'),
        path: ['repeat'],
        input: form.repeat,
      })
    }
  })

export const registerForm = z
  .object({
    username: field().check(
      z.refine(longEnough, message('shortUsername')),
      z.refine((text) => text.trim().length <= maxUsername, message('longUsername')),
      z.refine((text) => !looksLikeLink(text.trim()), message('linkUsername')),
    ),
    email: email(),
    password: newPassword(),
    repeat: field(),
  })
  .check(passwordsMatch())

export const emailForm = z.object({ email: email() })

export const newPasswordForm = z
  .object({ password: newPassword(), repeat: field(), endPrograms: z.boolean() })
  .check(passwordsMatch())

export type NewPasswordForm = z.infer<typeof newPasswordForm>
export type RegisterForm = z.infer<typeof registerForm>

/** The error to report first. */
export function firstError(errors: readonly (string | undefined)[]): FormError | undefined {
  return precedence.find((each) => errors.includes(each))
}
