/**
 * An array as PostgreSQL reads it, for `${bigintArray(ids)}::bigint[]`. The driver's own way looks at every element's
 * type and quotes it, which is most of the time it takes to send twenty thousand numbers.
 */
export function bigintArray(values: readonly (bigint | number)[]): string {
  return `{${values.join(',')}}`
}
