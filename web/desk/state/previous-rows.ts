/** The fields of filters that decide what the key of a row is: an hour, a country, a method. */
const divisions = ['by', 'report'] as const

type Filters = Readonly<Record<string, unknown>>

/**
 * The `placeholderData` of a query whose key ends with its filters: the previous rows stay visible while a
 * filter changes, so that the layout does not jump. They do not stay when they are divided otherwise than the
 * new ones: an hour would be formatted as a country.
 */
export const previousRows =
  (filters: object) =>
  <Answer>(
    before: Answer | undefined,
    query: { readonly queryKey: readonly unknown[] } | undefined,
  ): Answer | undefined => {
    const asked = query?.queryKey.at(-1) as Filters | undefined
    return divisions.every((field) => asked?.[field] === (filters as Filters)[field]) ? before : undefined
  }
