/** JSON schemas as rows of a table. */

/** The part of JSON Schema that the document uses. */
export interface Schema {
  type?: string | string[]
  enum?: readonly unknown[]
  const?: unknown
  anyOf?: Schema[]
  oneOf?: Schema[]
  items?: Schema
  prefixItems?: Schema[]
  properties?: Record<string, Schema>
  required?: readonly string[]
  additionalProperties?: boolean | Schema
  minimum?: number
  maximum?: number
  maxLength?: number
  maxItems?: number
  format?: string
  description?: string
}

export interface SchemaRow {
  /** The path of the field, such as `pools[].below_bytes`; empty: the value itself. */
  path: string
  type: string
  required: boolean
  /** The allowed values; empty: the schema does not list them. */
  values: string[]
  bounds: { least?: number; most?: number; characters?: number; items?: number }
  description: string | undefined
}

const alternatives = (schema: Schema): Schema[] => schema.anyOf ?? schema.oneOf ?? []

const isObject = (schema: Schema) => schema.type === 'object' && schema.properties !== undefined

/** The type in the words of JSON: `string`, `integer | null`, `object[]`. */
export function typeOf(schema: Schema): string {
  const options = alternatives(schema)
  if (options.length > 0) return [...new Set(options.map(typeOf))].join(' | ')
  if (schema.const !== undefined) return typeof schema.const
  if (schema.enum !== undefined) return [...new Set(schema.enum.map((value) => typeof value))].join(' | ')
  if (schema.type === 'array') {
    const item = typeOf(schema.items ?? schema.prefixItems?.[0] ?? {})
    return item.includes(' ') ? `(${item})[]` : `${item}[]`
  }
  return Array.isArray(schema.type) ? schema.type.join(' | ') : (schema.type ?? 'any')
}

function valuesOf(schema: Schema): string[] {
  if (schema.const !== undefined) return [JSON.stringify(schema.const).replaceAll('"', '')]
  if (schema.enum !== undefined) return schema.enum.map(String)
  if (schema.type === 'array' && schema.items !== undefined) return valuesOf(schema.items)
  return [...new Set(alternatives(schema).flatMap(valuesOf))]
}

/** Whether to show a bound; the limits of safe integers apply to every number and are left out. */
const isWorthAWord = (bound: number | undefined): bound is number =>
  bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER

function boundsOf(schema: Schema): SchemaRow['bounds'] {
  const bounds: SchemaRow['bounds'] = {}
  for (const each of [schema, ...alternatives(schema)]) {
    if (isWorthAWord(each.minimum) && each.minimum > 0) bounds.least = each.minimum
    if (isWorthAWord(each.maximum)) bounds.most = each.maximum
    if (isWorthAWord(each.maxLength)) bounds.characters = each.maxLength
    if (isWorthAWord(each.maxItems)) bounds.items = each.maxItems
  }
  return bounds
}

/** The object inside a schema, and the path to it: `[]` for each list around it. */
function inside(schema: Schema): { object: Schema; between: string } | null {
  if (isObject(schema)) return { object: schema, between: '' }
  if (schema.type === 'array') {
    const found = inside(schema.items ?? schema.prefixItems?.[0] ?? {})
    return found === null ? null : { object: found.object, between: `[]${found.between}` }
  }
  for (const option of alternatives(schema)) {
    const found = inside(option)
    if (found !== null) return found
  }
  return null
}

const rowOf = (path: string, schema: Schema, required: boolean): SchemaRow => ({
  path,
  type: typeOf(schema),
  required,
  values: valuesOf(schema),
  bounds: boundsOf(schema),
  description: schema.description,
})

/**
 * The fields of a schema, each followed by the fields inside it. A schema without fields gives one row for
 * the value itself.
 */
export function schemaRows(schema: Schema): SchemaRow[] {
  const found = inside(schema)
  if (found === null) return Object.keys(schema).length === 0 ? [] : [rowOf('', schema, true)]
  return fieldsOf(found.object, found.between)
}

function fieldsOf(object: Schema, prefix: string): SchemaRow[] {
  return Object.entries(object.properties ?? {}).flatMap(([name, field]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`
    const row = rowOf(path, field, object.required?.includes(name) === true)
    const nested = inside(field)
    return nested === null ? [row] : [row, ...fieldsOf(nested.object, path + nested.between)]
  })
}
