/** The OpenAPI document that the server makes, as far as the pages read it. */
import { queryOptions } from '@tanstack/react-query'
import type { Language } from '#contract/language'
import { publicUrlPlaceholder } from '#contract/pages'
import type { Schema } from './schema.ts'

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description?: string
  schema?: Schema
}

interface Content {
  schema?: Schema
  example?: unknown
  examples?: Record<string, { value: { code: string; message: string } }>
}

export interface Operation {
  operationId: string
  description?: string
  security: Record<string, readonly string[]>[]
  parameters: (Parameter | { $ref: string })[]
  requestBody?: { content: Record<string, Content> }
  responses: Record<string, { content?: Record<string, Content> }>
  'x-refusals': readonly string[]
  'x-codeSamples': { label: string; source: string }[]
}

interface ApiDocument {
  paths: Record<string, Record<string, Operation>>
  components: { parameters: Record<string, Parameter>; schemas: Record<string, unknown> }
}

export interface Api {
  operations: ReadonlyMap<string, Operation>
  /** The parameters that several calls refer to. */
  parameters: ApiDocument['components']['parameters']
}

/** The calls with all details, fetched when the first one is opened. */
export const apiQuery = (language: Language) =>
  queryOptions({
    queryKey: ['api document', language] as const,
    queryFn: async ({ signal }): Promise<Api> => {
      const answer = await fetch(`/api/openapi.json?language=${language}`, { signal })
      if (!answer.ok) throw new Error(`the description of the API was answered with ${answer.status}`)
      const { paths, components } = (await answer.json()) as ApiDocument
      const operations = Object.values(complete(paths, components.schemas)).flatMap((methods) =>
        Object.values(methods),
      )
      return {
        operations: new Map(operations.map((operation) => [operation.operationId, operation])),
        parameters: components.parameters,
      }
    },
    staleTime: Infinity,
    structuralSharing: false,
  })

const toSchema = '#/components/schemas/'

/** Replaces the references in a part of the document by the schemas that they name. */
export function complete<Part>(part: Part, schemas: Readonly<Record<string, unknown>>): Part {
  if (typeof part !== 'object' || part === null) return part
  if (Array.isArray(part)) return part.map((one: unknown) => complete(one, schemas)) as Part
  const { $ref } = part as { $ref?: unknown }
  if (typeof $ref === 'string' && $ref.startsWith(toSchema))
    return complete(schemas[$ref.slice(toSchema.length)], schemas) as Part
  return Object.fromEntries(
    Object.entries(part).map(([key, value]) => [key, complete(value, schemas)]),
  ) as Part
}

/**
 * The public address of the shop. A server-rendered page has it in its head: the browser may have opened the
 * shop under another name, and hydration has to start from the same text.
 */
export function shopOrigin(): string {
  if (typeof window === 'undefined') return publicUrlPlaceholder
  const canonical = document.querySelector<HTMLLinkElement>('link[rel="canonical"]')
  return canonical === null ? window.location.origin : new URL(canonical.href).origin
}
