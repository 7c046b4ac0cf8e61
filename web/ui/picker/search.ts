/** Search in a list as the user types. Letter case, accents and «ё» make no difference. */

export interface Searchable {
  key: string
  label: string
  /** Further text to search in, such as a code. */
  code?: string
}

/** The form in which texts are compared. */
export function normalized(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().trim()
}

/**
 * The items that contain the query, those that begin with it first, otherwise in their given order. A blank
 * query finds all items.
 */
export function search<I extends Searchable>(items: readonly I[], query: string): readonly I[] {
  const wanted = normalized(query)
  if (wanted === '') return items
  const first: I[] = []
  const rest: I[] = []
  for (const item of items) {
    const label = normalized(item.label)
    const code = normalized(item.code ?? '')
    if (label.startsWith(wanted) || code.startsWith(wanted)) first.push(item)
    else if (label.includes(wanted) || code.includes(wanted)) rest.push(item)
  }
  return [...first, ...rest]
}
