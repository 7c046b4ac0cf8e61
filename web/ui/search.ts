/** Finding an item by what a person types: letter case, accents and «ё» make no difference. */

export interface Findable {
  key: string
  label: string
  /** Found as well: a code, a number. */
  code?: string
}

/** Text as it is compared. */
export function searchable(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().trim()
}

/**
 * The items that hold the words typed, those that begin with them first; otherwise in the order they came.
 * Nothing typed finds everything.
 */
export function search<I extends Findable>(items: readonly I[], typed: string): readonly I[] {
  const wanted = searchable(typed)
  if (wanted === '') return items
  const first: I[] = []
  const rest: I[] = []
  for (const item of items) {
    const label = searchable(item.label)
    const code = searchable(item.code ?? '')
    if (label.startsWith(wanted) || code.startsWith(wanted)) first.push(item)
    else if (label.includes(wanted) || code.includes(wanted)) rest.push(item)
  }
  return [...first, ...rest]
}
