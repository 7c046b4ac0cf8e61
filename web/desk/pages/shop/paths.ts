/** Values within a part of the public texts, by their path. */
export type Path = readonly (string | number)[]

/** The value at a path; undefined: there is none. */
export function valueAt(whole: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null
        ? (value as Record<string | number, unknown>)[key]
        : undefined,
    whole,
  )
}

/** A copy with another value at a path. */
export function withValueAt<T>(whole: T, path: Path, value: unknown): T {
  const [key, ...rest] = path
  if (key === undefined) return value as T
  if (Array.isArray(whole))
    return whole.map((each, index) =>
      index === key ? withValueAt(each, rest, value) : (each as unknown),
    ) as T
  const object = (whole ?? {}) as Record<string | number, unknown>
  return { ...object, [key]: withValueAt(object[key], rest, value) } as T
}

/** A copy of a list with the item at `from` moved to `to`. */
export function moved<T>(items: readonly T[], from: number, to: number): T[] {
  const rest = items.toSpliced(from, 1)
  return rest.toSpliced(to, 0, ...items.slice(from, from + 1))
}
