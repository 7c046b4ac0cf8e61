/**
 * The fields of signing in. Without a form library: of this page every visitor has to wait for the scripts,
 * and it asks only that both are filled in.
 */
export type LoginField = 'username' | 'password'
export type LoginValues = Readonly<Record<LoginField, string>>

/** The fields that are empty, in the order of the form. */
export function emptyFields(values: LoginValues): LoginField[] {
  return (['username', 'password'] as const).filter((field) => values[field].trim() === '')
}
