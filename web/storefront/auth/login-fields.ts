/**
 * The fields of signing in. Without a form library: every visitor has to wait for the scripts of this page,
 * and it checks only that both fields are filled in.
 */
export type LoginField = 'username' | 'password'
export type LoginValues = Readonly<Record<LoginField, string>>

/** The fields that are empty, in the order of the form. */
export function emptyFields(values: LoginValues): LoginField[] {
  return (['username', 'password'] as const).filter((field) => values[field].trim() === '')
}
