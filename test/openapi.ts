import type * as z from 'zod'

/** A schema of the OpenAPI document with the components that it refers to as its definitions. */
export const alone = (
  schema: object,
  { components }: { components: { schemas: object } },
): z.core.JSONSchema.JSONSchema =>
  JSON.parse(
    JSON.stringify({ ...schema, $defs: components.schemas }).replaceAll('#/components/schemas/', '#/$defs/'),
  ) as z.core.JSONSchema.JSONSchema
