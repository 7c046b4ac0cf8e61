/** The differences that an entry of the audit trail records. */

interface Change {
  field: string
  /** Null: there was nothing before. */
  before: string | null
  after: string
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const textOf = (value: unknown): string => {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(textOf).join(', ')
  if (!isRecord(value)) return JSON.stringify(value) ?? ''
  return Object.entries(value)
    .map(([field, each]) => `${field}: ${textOf(each)}`)
    .join(', ')
}

/** Fields that are not shown: the idempotency key, and the number of a price list beside its name. */
const hidden = new Set(['key', 'list_id'])

const nothing = '\u2205'

/** The fields that differ; a value that is not an object is one field without a name. */
export function changesIn(before: unknown, after: unknown): Change[] {
  if (before === null && after === null) return []
  if (!isRecord(before ?? {}) || !isRecord(after ?? {}))
    return [{ field: '', before: before === null ? null : textOf(before), after: textOf(after) }]
  const was = (before ?? {}) as Record<string, unknown>
  const is = (after ?? {}) as Record<string, unknown>
  const fields = [...new Set([...Object.keys(was), ...Object.keys(is)])]
  return fields
    .filter((field) => !hidden.has(field) && JSON.stringify(was[field]) !== JSON.stringify(is[field]))
    .map((field) => ({
      field,
      before: Object.hasOwn(was, field) ? textOf(was[field]) : null,
      after: Object.hasOwn(is, field) ? textOf(is[field]) : nothing,
    }))
}
