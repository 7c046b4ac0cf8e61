export interface TextTree {
  [key: string]: string | TextTree
}

/** The texts of a namespace by their keys, those of nested objects joined with dots. */
export function flatten(tree: TextTree, prefix = ''): [key: string, text: string][] {
  return Object.entries(tree).flatMap(([key, value]): [string, string][] =>
    typeof value === 'string' ? [[prefix + key, value]] : flatten(value, `${prefix}${key}.`),
  )
}

/** A key without the suffix of its plural form, which differ between the languages. */
export const withoutPlural = (key: string): string => key.replace(/_(zero|one|two|few|many|other)$/, '')
