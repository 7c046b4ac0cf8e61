/** The search of the documentation. */

/** Without accents (ё is found by е) and without the marks of code. */
const normal = (text: string) =>
  text
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/[\u0308`]/g, '')

/** Whether all words of a query stand in a text. A query without words matches everything. */
export function matches(query: string, text: string): boolean {
  const inText = normal(text)
  return normal(query)
    .split(/\s+/)
    .every((word) => inText.includes(word))
}
