/**
 * Hides secrets from members of a team whose role does not include them. A field is known by its type
 * (`contract/teams/secrets.ts`); each answer of a member passes here, with the schema of what is printed.
 */
import * as z from 'zod'
import { type Secret, secrets, seesSecret } from '#contract/teams/secrets'
import type { TeamRole } from '#contract/acting/roles'

type Hide = (value: unknown) => unknown
type Sees = (secret: Secret) => boolean

/** The function that hides the secrets in values of a schema; null: there are none. */
function hiding(schema: unknown, sees: Sees): Hide | null {
  const own = secrets.get(schema as z.ZodType)
  if (own !== undefined) return sees(own.secret) ? null : () => ''
  if (schema instanceof z.ZodNullable) {
    const inner = secrets.get(schema.unwrap() as z.ZodType)
    // Whether there is one is no secret: it is whether the customer ever had traffic in a pool.
    if (inner !== undefined && sees(inner.secret)) return null
    if (inner !== undefined) return (value) => (inner.secret === 'proxy' && value !== null ? '' : null)
  }
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional || schema instanceof z.ZodDefault)
    return hiding(schema.unwrap(), sees)
  if (schema instanceof z.ZodArray) {
    const hide = hiding(schema.element, sees)
    return hide === null ? null : (value) => (Array.isArray(value) ? value.map(hide) : value)
  }
  return schema instanceof z.ZodObject ? hidingFields(schema, sees) : null
}

function hidingFields(schema: z.ZodObject, sees: Sees): Hide | null {
  const fields = Object.entries(schema.shape).flatMap(([name, field]) => {
    const hide = hiding(field, sees)
    return hide === null ? [] : [[name, hide] as const]
  })
  if (fields.length === 0) return null
  return (value) => {
    if (typeof value !== 'object' || value === null) return value
    const shown: Record<string, unknown> = { ...value }
    for (const [name, hide] of fields) if (name in shown) shown[name] = hide(shown[name])
    return shown
  }
}

/** The functions for the schemas that were printed to a role; pieces of a list share one. */
const known = new Map<TeamRole, WeakMap<z.ZodType, Hide>>()

/** Hides the secrets that a role does not see. */
export function secretsHidden(role: TeamRole) {
  const ofRole = known.get(role) ?? new WeakMap<z.ZodType, Hide>()
  known.set(role, ofRole)
  return (value: unknown, _field: string | undefined, schema: z.ZodType): unknown => {
    const hide = ofRole.get(schema) ?? hiding(schema, (secret) => seesSecret(role, secret)) ?? asItIs
    ofRole.set(schema, hide)
    return hide(value)
  }
}

const asItIs: Hide = (value) => value
